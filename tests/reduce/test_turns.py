"""Prompt turns (14.1, 15.1), and their cancellation as far as the turn goes (14.2)."""

from __future__ import annotations

import attrs
import pytest
from reduce.builders import (
    SESSION,
    after,
    agent,
    call,
    call_update,
    codes,
    noticed,
    prompt_entry,
    prompted,
    said,
    timeline,
    user,
)

from acp_state import Session, ToolCall, Turn, TurnEnded
from acp_state.model import Echo
from acp_state.persistent import Vector
from acp_state.reduce.turns import end_turn, fail_turn, open_turn, request_cancel
from acp_state.schema import Error, TextContent, Usage

REASONS = ("end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled")
NO = Error(code=-32603, message="no")
CANCELLED = Error(code=-32800, message="cancelled")


def ended(**facts):
    """The first turn after its end."""
    return Turn(**{"request_id": 1, "start": 0, **facts})


def over(*entries, **facts):
    """The session in which the first turn is over, and the intent that says so."""
    turn = ended(**facts)
    session = Session("s", timeline=timeline(prompt_entry("Hi"), *entries), turns=Vector.of([turn]))
    return session, TurnEnded(session_id="s", turn=turn)


def a_call(**fields):
    return ToolCall(tool_call_id="t", title="T", turn=0, **fields)


def open_calls(*names):
    names = ", ".join(map(repr, names))
    return noticed("open-tool-calls", f"the turn ended while tool calls were unfinished: {names}")


# Beginning


def test_a_prompt_opens_a_turn():
    """15.1, TURN-04: echo entry, and the anonymous run is closed."""
    before = after(agent("a"))
    session = open_turn(before, 7, (TextContent(text="Hi"),))
    turn = Turn(request_id=7, start=1, echo=Echo.of(prompt_entry("Hi").chunks))
    assert session == Session(
        "s",
        timeline=timeline(said("agent", "a"), prompt_entry("Hi")),
        turns=Vector.of([turn]),
        running=(0,),
        id_style="without_id",
    )
    assert session.current_turn == turn


def test_an_empty_prompt_opens_a_turn():
    """15.1: with an entry without content, of which no echo can come."""
    session = open_turn(SESSION, 1, ())
    assert session.timeline == timeline(prompt_entry())
    assert session.turns[0].echo is None


def test_several_prompts_have_turns_of_their_own():
    """TURN-11: the current one is the oldest still running; new entries belong to it."""
    session = after(call("t"), onto=prompted("two", request_id=2, onto=prompted("Hi")))
    assert session.running == (0, 1)
    assert session.current_turn is session.turns[0]
    assert session.tool_calls["t"].turn == 0
    session, _ = end_turn(session, 2, {"stopReason": "refusal"})
    assert [turn.outcome for turn in session.turns] == [None, "ended"]
    session, _ = end_turn(session, 1, {"stopReason": "cancelled"})
    assert [turn.outcome for turn in session.turns] == ["cancelled", "ended"]
    assert session.running == ()


@pytest.mark.parametrize(("asked", "answered"), [(1, "1"), ("1", 1), (0, None), (None, 0)])
def test_ids_are_told_apart_by_type(asked, answered):
    """RPC-02: by JSON type and value; a response that nobody waits for changes nothing."""
    session = prompted("Hi", request_id=asked)
    assert end_turn(session, answered, {"stopReason": "end_turn"}) == (session, ())
    assert fail_turn(session, answered, NO) == (session, ())
    assert end_turn(session, asked, {"stopReason": "end_turn"})[0].running == ()


# Ending


@pytest.mark.parametrize("reason", REASONS)
def test_a_turn_runs_until_its_response(reason):
    """TURN-05, TURN-09: the reason as sent; `cancelled` for the stop reason `cancelled`."""
    outcome = "cancelled" if reason == "cancelled" else "ended"
    expected, intent = over(outcome=outcome, stop_reason=reason)
    assert end_turn(prompted("Hi"), 1, {"stopReason": reason}) == (expected, (intent,))


def test_usage_and_metadata_are_the_turns_own():
    """USAGE-03, table 4.2: as sent, for this turn."""
    tokens = {"totalTokens": 7, "inputTokens": 3, "outputTokens": 4}
    expected, intent = over(
        outcome="ended",
        stop_reason="end_turn",
        usage=Usage(total_tokens=7, input_tokens=3, output_tokens=4),
        meta={"k": 1},
    )
    result = {"stopReason": "end_turn", "usage": tokens, "_meta": {"k": 1}}
    assert end_turn(prompted("Hi"), 1, result) == (expected, (intent,))


@pytest.mark.parametrize(
    ("result", "reason"),
    [
        ({}, None),
        (None, None),
        (5, None),
        ([], None),
        ({"stopReason": None}, None),
        ({"stopReason": 5}, None),
        ({"stopReason": "_tired"}, "_tired"),
        ({"stopReason": ""}, ""),
    ],
)
def test_a_malformed_response_ends_the_turn_all_the_same(result, reason):
    """TURN-08: with the opaque or absent reason, `diag:bad-response`."""
    session, intents = end_turn(prompted("Hi"), 1, result)
    expected, intent = over(outcome="ended", stop_reason=reason)
    assert session == expected
    assert intents[1:] == (intent,)
    assert codes(intents[:1]) == ("bad-response",)


def test_what_a_malformed_response_says():
    """TURN-08: what was seen, and what was done about it."""
    _, intents = end_turn(prompted("Hi"), 1, {"stopReason": "_tired"})
    reasons = ", ".join(REASONS)
    text = f"stopReason: must be one of {reasons}, not '_tired'; the turn ends all the same"
    assert intents[0] == noticed("bad-response", text, path="stopReason")


def test_an_error_fails_the_turn():
    """TURN-09: code and message are kept."""
    expected, intent = over(outcome="failed", error=NO)
    assert fail_turn(prompted("Hi"), 1, NO) == (expected, (intent,))


def test_the_error_request_cancelled_is_a_cancelled_end():
    """TURN-09: -32800."""
    expected, intent = over(outcome="cancelled", error=CANCELLED)
    assert fail_turn(prompted("Hi"), 1, CANCELLED) == (expected, (intent,))


@pytest.mark.parametrize("error", [NO, CANCELLED])
def test_any_error_after_a_cancel_is_a_cancelled_end(error):
    """TURN-09: agents MUST convert these, users must not see an error."""
    expected, intent = over(outcome="cancelled", error=error, cancel_requested=True)
    text = f"error {error.code} after the cancel; the turn counts as cancelled"
    assert fail_turn(request_cancel(prompted("Hi")), 1, error) == (
        expected,
        (noticed("cancel-error-response", text), intent),
    )


@pytest.mark.parametrize("reason", REASONS)
def test_another_reason_after_a_cancel_is_recorded(reason):
    """TURN-09, CANCEL-06: what was asked and the reason as sent are kept beside the outcome."""
    outcome = "cancelled" if reason == "cancelled" else "ended"
    expected, intent = over(outcome=outcome, stop_reason=reason, cancel_requested=True)
    session = request_cancel(prompted("Hi"))
    assert end_turn(session, 1, {"stopReason": reason}) == (expected, (intent,))


def test_the_response_ends_the_wait_for_an_echo():
    """TURN-04: it comes during that turn."""
    session = after(user("H", "m"), onto=prompted("Hi"))
    assert end_turn(session, 1, {"stopReason": "end_turn"})[0].turns[0].echo is None


def test_the_response_closes_the_run():
    """MSG-06."""
    session = after(agent("a"), onto=prompted("Hi"))
    assert session.timeline.run_open
    session, _ = end_turn(session, 1, {"stopReason": "end_turn"})
    assert session.timeline == timeline(prompt_entry("Hi"), said("agent", "a", turn=0))


# Unfinished calls at the end (TURN-07)


def with_calls(*, cancel=False):
    """A turn with an unfinished call, a finished one and a background call."""
    session = after(call("background"))
    session = after(call("t"), call("done", status="completed"), onto=prompted("Hi", onto=session))
    return request_cancel(session) if cancel else session


def effective(session):
    return {name: found.effective_status for name, found in session.tool_calls.items()}


OPEN = {"background": "pending", "t": "pending", "done": "completed"}
CLOSED = {**OPEN, "t": "cancelled"}


@pytest.mark.parametrize("reason", [reason for reason in REASONS if reason != "cancelled"])
def test_calls_that_are_open_at_the_end(reason):
    """TURN-07: their wire status stays, `diag:open-tool-calls`."""
    session, intents = end_turn(with_calls(), 1, {"stopReason": reason})
    assert effective(session) == OPEN
    assert intents[:-1] == (open_calls("t"),)


def test_all_open_calls_are_named():
    """TURN-07: in their order."""
    session = after(call("b"), call("a"), onto=prompted("Hi"))
    assert end_turn(session, 1, {"stopReason": "end_turn"})[1][0] == open_calls("b", "a")


def test_calls_that_are_open_when_the_turn_fails():
    """TURN-07: an error response is a response."""
    session, intents = fail_turn(with_calls(), 1, NO)
    assert effective(session) == OPEN
    assert intents[:-1] == (open_calls("t"),)


def test_calls_that_are_open_when_a_response_is_malformed():
    """TURN-07, TURN-08: the turn ends anyway."""
    session, intents = end_turn(with_calls(), 1, {})
    assert effective(session) == OPEN
    assert codes(intents) == ("bad-response", "open-tool-calls", TurnEnded)


CANCELLED_ENDS = {
    "stop reason": (False, lambda session: end_turn(session, 1, {"stopReason": "cancelled"})),
    "-32800": (False, lambda session: fail_turn(session, 1, CANCELLED)),
    "stop reason after cancel": (
        True,
        lambda session: end_turn(session, 1, {"stopReason": "cancelled"}),
    ),
    "another reason after cancel": (
        True,
        lambda session: end_turn(session, 1, {"stopReason": "end_turn"}),
    ),
    "error after cancel": (True, lambda session: fail_turn(session, 1, NO)),
    "malformed response after cancel": (True, lambda session: end_turn(session, 1, {})),
}


@pytest.mark.parametrize(("cancel", "end"), CANCELLED_ENDS.values(), ids=CANCELLED_ENDS)
def test_a_cancelled_end_overlays_what_is_open(cancel, end):
    """TURN-07: each unfinished call of the turn gets the overlay."""
    session, intents = end(with_calls(cancel=cancel))
    assert effective(session) == CLOSED
    assert "open-tool-calls" not in codes(intents)


@pytest.mark.parametrize(("cancel", "end"), CANCELLED_ENDS.values(), ids=CANCELLED_ENDS)
def test_an_overlay_that_a_late_status_lifted_is_set_again(cancel, end):
    """TURN-07, CANCEL-06: if the call is then unfinished."""
    session = after(call_update("t", status="in_progress"), onto=with_calls(cancel=cancel))
    assert effective(session) == {**OPEN, "t": "in_progress"}
    assert effective(end(session)[0]) == CLOSED


def test_a_late_result_is_the_agents_last_word():
    """TURN-07: a call that finished after the cancel stays finished."""
    session = after(call_update("t", status="completed"), onto=with_calls(cancel=True))
    session, _ = end_turn(session, 1, {"stopReason": "cancelled"})
    assert effective(session) == {**OPEN, "t": "completed"}


def test_calls_of_other_turns_stay():
    """TURN-07, TURN-11: each turn's end is about its own calls."""
    session = after(call("t"), onto=prompted("two", request_id=2, onto=prompted("Hi")))
    session, intents = end_turn(session, 2, {"stopReason": "cancelled"})
    assert effective(session) == {"t": "pending"}
    assert codes(intents) == (TurnEnded,)


# Asking to cancel (CANCEL-02)


def test_a_cancel_marks_the_turn_and_overlays_its_calls():
    """CANCEL-02, 15.1: every unfinished call of the current turn, and no other."""
    session = with_calls(cancel=True)
    [turn] = session.turns
    assert turn == ended(start=1, cancel_requested=True, echo=Echo.of(prompt_entry("Hi").chunks))
    assert turn.is_running
    assert effective(session) == CLOSED


def test_a_cancel_is_of_the_current_turn():
    """TURN-11: `session/cancel` cancels the oldest still running; the others go on."""
    session = after(call("1"), onto=prompted("two", request_id=2, onto=prompted("Hi")))
    session = request_cancel(session)
    assert [turn.cancel_requested for turn in session.turns] == [True, False]
    session, _ = end_turn(session, 1, {"stopReason": "cancelled"})
    session = request_cancel(after(call("2"), onto=session))
    assert [turn.cancel_requested for turn in session.turns] == [True, True]
    assert effective(session) == {"1": "cancelled", "2": "cancelled"}


def test_a_cancel_without_a_turn_overlays_nothing():
    """CANCEL-01: in the session itself."""
    session, _ = end_turn(after(call("t"), onto=prompted("Hi")), 1, {"stopReason": "end_turn"})
    assert request_cancel(session) is session
    assert request_cancel(SESSION) is SESSION


def test_updates_are_accepted_after_a_cancel():
    """CANCEL-06, TOOL-08: until and after the response."""
    session = after(agent("late"), call("new"), onto=request_cancel(prompted("Hi")))
    assert [entry.turn for entry in session.timeline] == [0, 0, 0]
    assert effective(session) == {"new": "pending"}
    session, _ = end_turn(session, 1, {"stopReason": "cancelled"})
    assert effective(session) == {"new": "cancelled"}
    assert after(agent("later", "x"), onto=session).timeline[-1] == said(
        "agent", "later", message_id="x"
    )


def test_a_turn_of_its_own_request():
    """TURN-11: a second prompt with a request id of an ended turn is another turn."""
    session, _ = end_turn(prompted("Hi"), 1, {"stopReason": "end_turn"})
    session, _ = end_turn(prompted("Ho", onto=session), 1, {"stopReason": "refusal"})
    assert [turn.stop_reason for turn in session.turns] == ["end_turn", "refusal"]
    assert session.turns[0] == attrs.evolve(ended(outcome="ended"), stop_reason="end_turn")


def test_a_call_in_a_cancelled_turn():
    """TOOL-07, CANCEL-02: the whole entry."""
    session = request_cancel(after(call("t", status="in_progress"), onto=prompted("Hi")))
    assert session.timeline == timeline(
        prompt_entry("Hi"), a_call(status="in_progress", cancelled=True)
    )
