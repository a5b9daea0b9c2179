"""Terminals as the model holds them."""

from __future__ import annotations

import attrs
import pytest

from acp_state import Terminal


def test_a_terminal_that_was_just_made():
    """REQ-03: nothing was reported of it."""
    assert Terminal(terminal_id="t") == Terminal(
        terminal_id="t",
        output=None,
        truncated=False,
        exit_code=None,
        signal=None,
        exited=False,
        released=False,
    )


def test_it_is_a_value():
    """Frozen, compared by value, and it can be hashed; its `repr` names what is known."""
    made = Terminal(terminal_id="t", output="o")
    assert made == attrs.evolve(made)
    assert hash(made) == hash(Terminal(terminal_id="t", output="o"))
    assert "output='o'" in repr(made)
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        made.released = True
