"""Prompt turns (14.1) and their machine (15.1)."""

from __future__ import annotations

import attrs
import pytest
from reduce.talk import (
    SEATS,
    AnyError,
    Noticed,
    call,
    call_update,
    cancel,
    chunks,
    connected,
    ended,
    error,
    prompt,
    prompted,
    request,
    result,
    running,
    says,
    stop,
    talk,
    update,
)

from acp_state import Disconnected, Message, RequestAnswered, Session, ToolCall, Turn, TurnEnded
from acp_state.model import Echo
from acp_state.reduce.turns import (
    ask_to_cancel,
    ask_to_cancel_all,
    end_all,
    end_turn,
    end_turn_unread,
    fail_turn,
    open_turn,
    turn_of,
)
from acp_state.schema import Error, PromptResponse, TextContent, Usage
from acp_state.transitions import TURN_ENDS

FROM_ALL_SEATS = pytest.mark.parametrize("side", SEATS)

REASONS = ("end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled")
HI = (TextContent(text="Hi"),)


def over(**facts):
    """The first turn after its end."""
    return Turn(**{"request_id": 2, "start": 0, **facts})


# idle -> running


@FROM_ALL_SEATS
def test_a_prompt_opens_a_turn(side):
    """15.1, TURN-04: idle, prompt sent -> running; the user's entry, the anonymous run closed."""
    there = talk(side)
    there.agent(says("before"))
    before = there.session
    there.client(prompt(2, "Do", " it"))
    entry = prompted("Do", " it")
    turn = Turn(request_id=2, start=1, echo=Echo.of(chunks("Do", " it")))
    assert there.session == attrs.evolve(
        before,
        timeline=before.timeline.append(entry),
        turns=before.turns.append(turn),
        running=(0,),
    )
    assert there.session.current_turn == turn
    assert turn.is_running
    there.agent(says("after"))
    assert [each.text for each in there.session.messages] == ["before", "Do it", "after"]


def test_an_empty_prompt_opens_a_turn_without_an_echo_to_wait_for():
    """15.1: an entry without content."""
    there = talk()
    there.client(request(2, "session/prompt", sessionId="s", prompt=[]))
    assert tuple(there.session.timeline) == (
        Message(role="user", origin="local", chunks=chunks(), turn=0),
    )
    assert there.turn == Turn(request_id=2, start=0)


# running -> running


def test_updates_belong_to_the_turn():
    """15.1: running, updates -> running, folded; TOOL-10: every entry knows its turn."""
    there = running()
    there.agent(says("Hello"), call())
    assert [entry.turn for entry in there.session.timeline] == [0, 0, 0]
    assert there.session.running == (0,)


def test_updates_outside_any_turn_belong_to_none():
    """15.1: idle."""
    there = talk()
    there.agent(says("Hello"), call())
    assert [entry.turn for entry in there.session.timeline] == [None, None]


# running / cancelling -> idle


@FROM_ALL_SEATS
@pytest.mark.parametrize("reason", REASONS)
def test_the_response_ends_the_turn(side, reason):
    """TURN-05, TURN-09, 15.1: the reason as sent; everybody is told."""
    there = running(side)
    before = there.session
    told = there.agent(stop(2, reason))
    outcome = "cancelled" if reason == "cancelled" else "ended"
    turn = over(outcome=outcome, stop_reason=reason)
    assert told == (TurnEnded(session_id="s", turn=turn),)
    assert there.session == attrs.evolve(before, turns=before.turns.set(0, turn), running=())
    assert there.session.current_turn is None
    assert there.connection.client_requests == {}


def test_the_response_closes_the_open_run():
    """15.1, MSG-06: what comes after the turn is another message."""
    there = running()
    there.agent(says("in"), stop(), says("after"))
    assert [each.text for each in there.session.messages] == ["Hi", "in", "after"]


def test_usage_and_metadata_are_the_turns_own():
    """15.1, USAGE-03: record last stop, usage; as sent."""
    there = running()
    tokens = {"totalTokens": 7, "inputTokens": 3, "outputTokens": 4}
    told = there.agent(stop(2, "end_turn", usage=tokens, _meta={"k": 1}))
    turn = over(
        outcome="ended",
        stop_reason="end_turn",
        usage=Usage(total_tokens=7, input_tokens=3, output_tokens=4),
        meta={"k": 1},
    )
    assert told == (TurnEnded(session_id="s", turn=turn),)


@pytest.mark.parametrize("usage", [5, {}, {"totalTokens": "7"}])
def test_a_malformed_usage_costs_only_itself(usage):
    """LENIENT-02."""
    there = running()
    told = there.agent(stop(2, "end_turn", usage=usage))
    turn = over(outcome="ended", stop_reason="end_turn")
    assert told == (
        Noticed("field-defaulted", "s", path="usage"),
        TurnEnded(session_id="s", turn=turn),
    )


def test_a_refusal_excludes_what_the_turn_holds():
    """TL-08, TURN-05: it stays on the timeline, out of the next prompt's context."""
    there = talk()
    there.agent(says("before"))
    there.client(prompt())
    there.agent(says("no"), stop(2, "refusal"))
    there.client(prompt(3))
    excluded = [there.session.is_excluded(entry) for entry in there.session.timeline]
    assert excluded == [False, True, True, False]


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ({"stopReason": "tired"}, "tired"),
        ({"stopReason": "_v/x", "more": 1}, "_v/x"),
        ({"stopReason": ""}, ""),
        ({"stopReason": None}, None),
        ({"stopReason": 5}, None),
        ({}, None),
        (None, None),
        ([], None),
        ("end_turn", None),
    ],
)
def test_an_unknown_reason_ends_the_turn_all_the_same(answer, reason):
    """TURN-08, TURN-09: `ended`, with that opaque/absent reason, `diag:bad-response`."""
    there = running()
    told = there.agent({"jsonrpc": "2.0", "id": 2, "result": answer})
    turn = over(outcome="ended", stop_reason=reason)
    assert told == (Noticed("bad-response", "s"), TurnEnded(session_id="s", turn=turn))
    assert there.session.running == ()


def test_the_usage_beside_an_unknown_reason_is_kept():
    """15.1, TURN-08: the turn ends with that reason; record last stop, usage."""
    there = running()
    tokens = {"totalTokens": 7, "inputTokens": 3, "outputTokens": 4}
    there.agent(stop(2, "tired", usage=tokens, _meta={"k": 1}))
    usage = Usage(total_tokens=7, input_tokens=3, output_tokens=4)
    assert there.turn == over(outcome="ended", stop_reason="tired", usage=usage, meta={"k": 1})


@FROM_ALL_SEATS
@pytest.mark.parametrize("code", [-32603, -32600, -32602, -32002, 1, 0])
def test_an_error_ends_the_turn_as_failed(side, code):
    """TURN-09, 15.1: with code and message."""
    there = running(side)
    told = there.agent(error(2, code, "no", data=[1]))
    turn = over(outcome="failed", error=Error(code=code, message="no", data=[1]))
    assert told == (TurnEnded(session_id="s", turn=turn),)
    assert there.turn == turn
    assert not there.connection.authentication.required


def test_an_error_of_authentication():
    """TURN-09: -32000: also connection auth state "required"."""
    there = running()
    told = there.agent(error(2, -32000))
    turn = over(outcome="failed", error=AnyError(-32000))
    assert told == (TurnEnded(session_id="s", turn=turn),)
    assert there.connection.authentication.required


@FROM_ALL_SEATS
@pytest.mark.parametrize("cancelling", [False, True])
def test_a_lost_connection_interrupts_the_turn(side, cancelling):
    """15.1, CONN-01: idle (interrupted); outcome unknown, no overlay added."""
    there = running(side)
    there.agent(call())
    if cancelling:
        there.client(cancel())
    there.agent(call("late"))
    told = there.do(Disconnected())
    turn = over(outcome="interrupted", cancel_requested=cancelling, cancelling=cancelling)
    assert told == (TurnEnded(session_id="s", turn=turn),)
    overlays = {name: each.cancelled for name, each in there.session.tool_calls.items()}
    assert overlays == {"t": cancelling, "late": False}
    assert there.session.running == ()


@pytest.mark.parametrize("method", ["session/close", "session/archive"])
@pytest.mark.parametrize("answer", [result(3), error(3, -32002)])
def test_a_close_ends_the_turn_as_cancelled(method, answer):
    """15.1, SESS-06: `cancelled` assumed; all running turns count as cancel asked."""
    there = running()
    there.client(prompt(9))
    there.agent(call())
    there.client(request(3, method, sessionId="s"))
    told = there.agent(answer)
    facts = {"cancel_requested": True, "cancelling": True, "outcome": "cancelled"}
    turns = (over(**facts), over(request_id=9, start=1, **facts))
    assert tuple(there.session.turns) == turns
    assert told[:2] == tuple(TurnEnded(session_id="s", turn=turn) for turn in turns)
    assert there.session.tool_calls["t"].cancelled
    assert there.connection.client_requests == {}
    assert there.agent(stop(2), stop(9, "cancelled")) == ()
    assert tuple(there.session.turns) == turns


def test_a_response_that_overtakes_the_close_counts():
    """SESS-06, TURN-09: cancel was asked; the reason is as sent."""
    there = running()
    there.client(request(3, "session/close", sessionId="s"))
    there.agent(stop(2))
    facts = {"cancel_requested": True, "cancelling": True, "outcome": "ended"}
    assert there.turn == over(stop_reason="end_turn", **facts)
    told = there.agent(result(3))
    assert [each for each in told if isinstance(each, TurnEnded)] == []


# Unfinished calls: TURN-07


def test_open_calls_keep_their_status():
    """TURN-07: `diag:open-tool-calls`; their wire status stays."""
    there = running()
    there.agent(call("a"), call("b", status="in_progress"), call("c", status="completed"))
    calls = dict(there.session.tool_calls)
    told = there.agent(stop())
    assert told == (Noticed("open-tool-calls", "s", rule="TURN-07"), ended(there))
    assert "'a', 'b'" in told[0].diagnostic.text
    assert dict(there.session.tool_calls) == calls


@pytest.mark.parametrize("end", [error(2), stop(2, "refusal"), stop(2, "tired")])
def test_open_calls_are_told_however_the_turn_ended(end):
    """TURN-07: otherwise their wire status stays, `diag:open-tool-calls`."""
    there = running()
    there.agent(call())
    assert Noticed("open-tool-calls", "s") in there.agent(end)
    assert not there.session.tool_calls["t"].cancelled


def test_open_calls_of_other_turns_are_none_of_this_one():
    """TURN-07: calls of the turn."""
    there = talk()
    there.agent(call("loose"))
    there.client(prompt())
    assert there.agent(stop()) == (ended(there),)


def test_no_call_is_left_open():
    """TURN-07: calls that ended."""
    there = running()
    there.agent(call("a"), call_update("a", status="failed"))
    assert there.agent(stop()) == (ended(there),)


# Late updates: TURN-06


@pytest.mark.parametrize("end", [stop(2, "cancelled"), error(2, -32800)])
def test_late_updates_of_a_cancelled_turn(end):
    """TURN-06: accept; `diag:late-update` (info only)."""
    there = running()
    there.agent(call(), says("m", messageId="m"), end)
    told = there.agent(call_update(status="completed"), says("n", messageId="m"))
    assert told == (Noticed("late-update", "s", severity="info"),) * 2
    assert there.session.tool_calls["t"] == ToolCall(
        tool_call_id="t", title="T", status="completed", turn=0
    )


def test_late_updates_of_another_turn_are_none():
    """TURN-06: whose own turn ended as cancelled."""
    there = running()
    there.agent(call(status="completed"), stop())
    assert there.agent(call_update(title="U")) == ()


# Several prompts: TURN-11


def test_each_prompt_has_a_turn_of_its_own():
    """TURN-11: the current one is the oldest still running; new entries belong to it."""
    there = running()
    there.client(prompt(3, "Two"), prompt(4, "Three"))
    there.agent(call("a"))
    assert there.session.running == (0, 1, 2)
    assert [entry.turn for entry in there.session.timeline] == [0, 1, 2, 0]
    told = there.agent(stop(3, "max_tokens"))
    assert told == (ended(there, 1),)
    assert there.session.running == (0, 2)
    there.agent(call("b"), call_update("a", status="completed"), stop(2))
    there.agent(call("c"))
    calls = there.session.tool_calls.items()
    assert {name: each.turn for name, each in calls} == {"a": 0, "b": 0, "c": 2}
    there.agent(stop(4, "refusal"))
    assert [turn.outcome for turn in there.session.turns] == ["ended"] * 3
    reasons = [turn.stop_reason for turn in there.session.turns]
    assert reasons == ["end_turn", "max_tokens", "refusal"]


def test_a_second_prompt_in_the_log():
    """15.1: an observed one makes a turn of its own; nothing is refused."""
    there = running("observer")
    assert there.client(prompt(3)) == ()
    assert len(there.session.turns) == 2


def test_two_sessions_have_turns_of_their_own():
    """Contract 8."""
    there = running()
    there.client(request(3, "session/new", cwd="/w", mcpServers=[]))
    there.agent(result(3, {"sessionId": "t"}))
    there.client(prompt(4, session_id="t"))
    told = there.agent(stop(2))
    assert told == (ended(there),)
    assert there.connection.sessions["t"].running == (0,)


# Unexpected rows


@FROM_ALL_SEATS
@pytest.mark.parametrize("answer", [stop(7), error(7), stop("2"), stop(None)])
def test_a_response_to_no_prompt(side, answer):
    """15.1: idle, prompt response (unknown id) -> idle, `diag:unknown-response`."""
    there = running(side)
    before = there.connection
    assert there.agent(answer) == (Noticed("unknown-response"),)
    assert there.connection is before


def test_a_prompt_for_an_unknown_session():
    """15.5: provisional; turn and user entry are kept, its error ends the turn as failed."""
    there = connected()
    told = there.client(prompt(2, session_id="x"))
    assert told == (Noticed("unannounced-session", "x"),)
    fresh = Session(
        "x", readiness="provisional", client_capabilities=there.connection.client_capabilities
    )
    opened = open_turn(fresh, 2, HI)
    assert there.connection.sessions == {"x": opened}
    told = there.agent(error(2, -32002, "unknown session"))
    turn = over(outcome="failed", error=AnyError(-32002))
    assert told == (TurnEnded(session_id="x", turn=turn),)
    assert there.connection.sessions["x"].turns[0] == turn


def test_a_prompt_is_not_answered_twice():
    """TURN-05, RPC-03."""
    there = running()
    there.agent(stop())
    before = there.session
    assert there.agent(stop(2, "cancelled")) == (Noticed("unknown-response"),)
    assert there.session is before


def test_the_end_of_a_turn_is_not_told_as_an_answer_too():
    """TURN-05: hosts await the turn's end."""
    there = running("client")
    assert [type(each) for each in there.agent(stop())] == [TurnEnded]
    assert RequestAnswered not in [type(each) for each in there.agent(update("plan", entries=[]))]


# The functions, alone


def test_ids_are_told_apart_by_type():
    """RPC-02: by JSON type and value."""
    session = open_turn(open_turn(Session("s"), 1, HI), "1", HI)
    assert [turn_of(session, each) for each in (1, "1", None, 0, 2)] == [0, 1, None, None, None]
    session, _ = end_turn(session, 0, PromptResponse(stop_reason="end_turn"))
    assert [turn_of(session, each) for each in (1, "1")] == [None, 1]


def test_asking_to_cancel_where_nothing_runs():
    """CANCEL-01: overlays nothing; the very same session."""
    session = Session("s")
    assert ask_to_cancel(session) is session
    assert ask_to_cancel_all(session) is session
    assert end_all(session, "closed") == (session, ())


def test_asking_to_cancel_all():
    """SESS-06: when close is sent, all running turns count as cancel asked."""
    session = open_turn(open_turn(Session("s"), 1, HI), 2, HI)
    asked = ask_to_cancel_all(session)
    assert [turn.cancel_requested for turn in asked.turns] == [True, True]
    assert [turn.cancel_requested for turn in ask_to_cancel(session).turns] == [True, False]


END_BY = {
    "stop reason": lambda s: end_turn(s, 0, PromptResponse(stop_reason="max_tokens")),
    "stop reason cancelled": lambda s: end_turn(s, 0, PromptResponse(stop_reason="cancelled")),
    "error": lambda s: fail_turn(s, 0, Error(code=-32603, message="no")),
    "error -32800": lambda s: fail_turn(s, 0, Error(code=-32800, message="no")),
    "connection lost": lambda s: end_all(s, "connection lost"),
    "closed": lambda s: end_all(s, "closed"),
}


@pytest.mark.parametrize(("state", "by"), TURN_ENDS)
def test_every_end_of_a_turn(state, by):
    """15.1, TURN-09: the row's outcome, in both states."""
    session = open_turn(Session("s"), 1, HI)
    if state == "cancelling":
        session = ask_to_cancel(session)
    after, told = END_BY[by](session)
    assert after.turns[0].outcome == TURN_ENDS[state, by]
    assert after.turns[0].echo is None
    assert told[-1] == TurnEnded(session_id="s", turn=after.turns[0])


def test_the_table_has_a_row_for_every_end():
    """15.1: running and cancelling, each with each."""
    states = ("running", "cancelling")
    assert set(TURN_ENDS) == {(state, by) for state in states for by in END_BY}


@pytest.mark.parametrize("answer", [{"stopReason": "x"}, {"stopReason": 5}, {}, None, [1]])
def test_an_end_that_could_not_be_read(answer):
    """TURN-08."""
    session = open_turn(Session("s"), 1, HI)
    after, _ = end_turn_unread(session, 0, answer)
    reason = "x" if answer == {"stopReason": "x"} else None
    assert after.turns[0] == Turn(request_id=1, start=0, outcome="ended", stop_reason=reason)
