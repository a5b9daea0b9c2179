"""Use of the context window as the model holds it."""

from __future__ import annotations

import attrs
import pytest

from acp_state import ContextUsage
from acp_state.schema import Cost


def test_what_is_not_reported():
    """USAGE-01: two numbers, always together; the rest may be unknown."""
    assert ContextUsage(used=5, size=2) == ContextUsage(used=5, size=2, cost=None, meta=None)


def test_it_is_a_value():
    """Frozen, compared by value, and it can be hashed."""
    made = ContextUsage(used=1, size=2, cost=Cost(amount=1, currency="USD"))
    assert made == attrs.evolve(made)
    assert hash(made) == hash(attrs.evolve(made))
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        made.used = 2
