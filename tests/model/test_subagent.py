"""Associations with child sessions as the model holds them."""

from __future__ import annotations

import attrs
import pytest

from acp_state import Subagent
from acp_state.schema import (
    ErrorStopReason,
    IdleStateUpdate,
    OtherStateUpdate,
    RequiresActionStateUpdate,
    RunningStateUpdate,
    SessionCancelCapabilities,
    SubagentSessionCapabilities,
    UnknownStateUpdate,
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
    ("state", "confirmed", "active", "running"),
    [
        (IdleStateUpdate(), True, False, False),
        (IdleStateUpdate(), False, True, False),
        (ErrorStopReason(stop_reason="error"), True, False, False),
        (RunningStateUpdate(), True, True, True),
        (RunningStateUpdate(), False, True, False),
        (RequiresActionStateUpdate(), True, True, False),
        (UnknownStateUpdate(), True, True, False),
        (OtherStateUpdate(state="_asleep"), True, True, False),
        (None, True, True, False),
    ],
)
def test_whether_the_child_is_at_work(state, confirmed, active, running):
    """SUB-11, LOAD-06: what is not confirmed as idle may be at work, which asserts nothing."""
    made = Subagent(session_id="c", state=state, state_confirmed=confirmed)
    assert (made.is_active, made.is_confirmed_running) == (active, running)


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
