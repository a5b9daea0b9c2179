"""What all reducers share: diagnostics, the current turn, and entries in their place."""

from __future__ import annotations

import attrs
import pytest
from reduce.builders import (
    SESSION,
    after,
    agent,
    answered,
    codes,
    noticed,
    prompted,
    said,
    timeline,
)

from acp_state import Diagnose, Diagnostic, Session
from acp_state.reduce.loading import begin_replay, replaying
from acp_state.reduce.step import (
    current_turn_index,
    diagnose,
    kind_conflict,
    late,
    retained,
    turn_at_first_sight,
    with_entry,
)
from acp_state.reduce.turns import ask_to_cancel

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
    second, _ = answered(both)
    assert current_turn_index(second) == 1
    none, _ = answered(second, index=1)
    assert current_turn_index(none) is None


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
    assert late(answered(session)[0], entry, "it") == ()
    cancelled, _ = answered(session, "cancelled")
    assert late(cancelled, entry, "it") == (told,)
    assert late(cancelled, attrs.evolve(entry, turn=None), "it") == ()


@pytest.mark.parametrize("stop_reason", ["end_turn", "refusal", "cancelled"])
def test_any_end_after_our_cancel_is_a_cancelled_one(stop_reason):
    """TURN-06, TURN-07: but not before it ended."""
    asked = ask_to_cancel(after(agent("a", "a"), onto=prompted("Hi")))
    entry = asked.timeline[1]
    assert late(asked, entry, "it") == ()
    assert codes(late(answered(asked, stop_reason)[0], entry, "it")) == ("late-update",)


def test_nothing_is_late_in_a_replay():
    """TURN-06, LOAD-02: it is history."""
    cancelled, _ = answered(after(agent("a", "a"), onto=prompted("Hi")), "cancelled")
    assert late(begin_replay(cancelled), cancelled.timeline[1], "it") == ()


def test_what_was_held_before_a_replay():
    """Section 17: by its key; None where it was not held, and where nothing is replayed."""
    assert retained(HELD, ("agent", "a")) is None
    replay = replaying(begin_replay(HELD))
    assert replay.timeline == timeline()
    assert retained(replay, ("agent", "a")) is HELD.timeline[0]
    assert retained(replay, ("agent", "c")) is None
    assert retained(replay, ("thought", "a")) is None


def test_the_turn_of_what_is_seen_first():
    """TOOL-10: the current one; in a replay what was held keeps the turn that it had."""
    first, _ = answered(after(agent("a", "a"), onto=prompted("1")))
    session = after(agent("b", "b"), onto=prompted("2", request_id=2, onto=first))
    assert turn_at_first_sight(session, ("agent", "a")) == 1
    replay = begin_replay(session)
    assert turn_at_first_sight(replay, ("agent", "a")) == 0
    assert turn_at_first_sight(replay, ("agent", "b")) == 1
    assert turn_at_first_sight(replay, ("agent", "c")) == 1


def conflict(other, role):
    text = f"messageId 'm' of a {other} message is on a {role} message too"
    return (noticed("message-id-kind-conflict", text),)


@pytest.mark.parametrize("role", ["user", "agent", "thought"])
def test_one_id_on_messages_of_two_kinds(role):
    """MSG-03: told for the first of the others, in the order of the kinds."""
    assert kind_conflict(SESSION, role, "m") == ()
    same = Session("s", timeline=timeline(said(role, message_id="m")))
    assert kind_conflict(same, role, "m") == ()
    others = [other for other in ("user", "agent", "thought") if other != role]
    entries = [said(other, message_id="m") for other in others]
    for other, entry in zip(others, entries, strict=True):
        one = Session("s", timeline=timeline(entry))
        assert kind_conflict(one, role, "m") == conflict(other, role)
        assert kind_conflict(one, role, "n") == ()
    both = Session("s", timeline=timeline(*reversed(entries)))
    assert kind_conflict(both, role, "m") == conflict(others[0], role)
