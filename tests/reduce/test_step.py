"""What all reducers share: diagnostics, the current turn, and entries in their place."""

from __future__ import annotations

import attrs
from reduce.builders import SESSION, after, agent, noticed, prompted, said, timeline

from acp_state import Diagnose, Diagnostic, Session
from acp_state.model.session import with_turn
from acp_state.reduce.step import (
    current_turn_index,
    diagnose,
    late,
    with_entry,
    with_timeline,
)
from acp_state.reduce.turns import end_turn

A, B, C = (said("agent", name, message_id=name) for name in "abc")
HELD = Session("s", timeline=timeline(A, B))


def test_a_diagnostic_names_the_session():
    """Section 23: code, severity and rule from the table, and what the reducer knows."""
    assert diagnose(SESSION, "item-dropped", "a text", rule="CFG-06", path="p", raw=5) == Diagnose(
        Diagnostic(
            code="item-dropped",
            severity="warning",
            rule="CFG-06",
            text="a text",
            session_id="s",
            path="p",
            raw=5,
        )
    )


def test_the_current_turn_is_the_oldest_that_runs():
    """TURN-11."""
    assert current_turn_index(SESSION) is None
    both = prompted("2", request_id=2, onto=prompted("1"))
    assert current_turn_index(both) == 0
    second, _ = end_turn(both, 1, {"stopReason": "end_turn"})
    assert current_turn_index(second) == 1
    none, _ = end_turn(second, 2, {"stopReason": "end_turn"})
    assert current_turn_index(none) is None


def test_the_same_timeline_is_the_same_session():
    """Design, contract 5."""
    assert with_timeline(HELD, HELD.timeline) is HELD
    assert with_timeline(HELD, timeline(C)) == Session("s", timeline=timeline(C))


def test_an_entry_without_position_comes_at_the_end():
    """TL-01."""
    assert with_entry(HELD, None, C) == Session("s", timeline=timeline(A, B, C))


def test_an_entry_with_a_position_stays_there():
    """TL-02: and the very same entry changes nothing."""
    assert with_entry(HELD, 0, C) == Session("s", timeline=timeline(C, B))
    assert with_entry(HELD, 0, HELD.timeline[0]) is HELD


def test_what_is_late():
    """TURN-06: only what belongs to a turn that ended as cancelled."""
    session = after(agent("a", "a"), onto=prompted("Hi"))
    entry = session.timeline[1]
    told = noticed("late-update", "it belongs to a turn that was cancelled")
    assert late(session, entry, "it") == ()
    assert late(end_turn(session, 1, {"stopReason": "end_turn"})[0], entry, "it") == ()
    assert late(end_turn(session, 1, {"stopReason": "cancelled"})[0], entry, "it") == (told,)
    background = attrs.evolve(entry, turn=None)
    assert late(end_turn(session, 1, {"stopReason": "cancelled"})[0], background, "it") == ()


def test_a_turn_that_ended_runs_no_more():
    """TURN-11: the others stay in their order."""
    both = prompted("2", request_id=2, onto=prompted("1"))
    asked = with_turn(both, 0, attrs.evolve(both.turns[0], cancel_requested=True))
    assert asked.running == (0, 1)
    ended = with_turn(both, 0, attrs.evolve(both.turns[0], outcome="ended"))
    assert ended.running == (1,)
    assert ended.turns[1] is both.turns[1]
