"""Associations with child sessions as the model holds them."""

from __future__ import annotations

import attrs
import pytest

from acp_state import Subagent
from acp_state.schema import (
    RunningStateUpdate,
    SessionCancelCapabilities,
    SubagentSessionCapabilities,
)


def test_an_association_of_which_only_the_child_is_known():
    """SUB-02, INV-08: no labels, no rights, no state, nothing of its own."""
    assert Subagent(session_id="c") == Subagent(
        session_id="c",
        title=None,
        description=None,
        capabilities=None,
        state=None,
        state_confirmed=True,
        cwd=None,
        additional_directories=None,
        meta=None,
        turn=None,
    )
    assert Subagent(session_id="c").key == ("subagent", "c")


@pytest.mark.parametrize(
    ("capabilities", "right"),
    [
        (None, False),
        (SubagentSessionCapabilities(), False),
        (SubagentSessionCapabilities(cancel=None), False),
        (SubagentSessionCapabilities(cancel=SessionCancelCapabilities()), True),
    ],
)
def test_the_right_to_cancel(capabilities, right):
    """SUB-07: `cancel: {}` is the only right defined."""
    assert Subagent(session_id="c", capabilities=capabilities).may_cancel is right


@pytest.mark.parametrize(
    ("state", "shown"),
    [
        (None, "<subagent 'c': unconfirmed>"),
        (RunningStateUpdate(), "<subagent 'c': RunningStateUpdate>"),
    ],
)
def test_what_it_looks_like(state, shown):
    assert repr(Subagent(session_id="c", state=state)) == shown


def test_it_is_a_value():
    """Frozen, compared by value, and it can be hashed."""
    made = Subagent(session_id="c", state=RunningStateUpdate())
    assert made == attrs.evolve(made)
    assert hash(made) == hash(Subagent(session_id="c", state=RunningStateUpdate()))
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        made.title = "T"
