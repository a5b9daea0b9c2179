"""Prompts, their answers and their cancellation, as messages (section 14)."""

from __future__ import annotations

import pytest
from reduce.builders import (
    SESSION,
    after,
    agent,
    agent_answers,
    agent_refuses,
    call,
    codes,
    connected,
    fold,
    noticed,
    prompt,
    prompt_entry,
    prompted,
    reported,
    subagent,
    text,
    timeline,
    to_agent,
    watch,
)

from acp_state import Session, TurnEnded
from acp_state.reduce.turns import end_turn, fail_turn, request_cancel
from acp_state.schema import Error, ImageContent

CANCEL = to_agent("session/cancel", sessionId="s")
IMAGE = {"type": "image", "data": "d", "mimeType": "image/png"}


def test_a_prompt_opens_a_turn():
    """TURN-04, 15.1: the user's message is on the timeline at send time."""
    connection, intents = watch(prompt(1, "Look: ", IMAGE), onto=connected(SESSION))
    image = ImageContent(data="d", mime_type="image/png")
    assert connection.sessions["s"] == prompted("Look: ", image)
    assert intents == ()


def test_a_prompt_for_an_unknown_session():
    """15.5: a provisional session; turn and user entry are kept, its error ends the turn."""
    connection, intents = watch(prompt(1, "Hi"))
    assert dict(connection.sessions) == {"s": prompted("Hi")}
    assert codes(intents) == ("unannounced-session",)
    connection, intents = watch(agent_refuses(1, -32002), onto=connection)
    assert connection.sessions["s"].turns[0].outcome == "failed"
    assert codes(intents) == (TurnEnded,)


def test_blocks_that_cannot_be_read_are_left_out():
    """LENIENT-03: `diag:item-dropped`, with the place in the request."""
    video = {"type": "video", "uri": "u"}
    connection, intents = watch(prompt(1, "a", video, "b"), onto=connected(SESSION))
    assert connection.sessions["s"].timeline == timeline(prompt_entry("a", "b"))
    assert intents == (
        noticed("item-dropped", "unknown type 'video'", path="prompt[1]", raw=video),
    )


@pytest.mark.xfail(strict=True, reason="LENIENT-02: faults inside a prompt are not diagnosed")
def test_the_faults_of_a_prompt_are_told():
    """LENIENT-02: `diag:field-defaulted`."""
    _, intents = watch(prompt(1, text("a", annotations=5)), onto=connected(SESSION))
    assert codes(intents) == ("field-defaulted",)


@pytest.mark.parametrize("params", [{"prompt": None}, {"prompt": "Hi"}, {}])
def test_a_prompt_that_is_no_list_is_empty(params):
    """Contract 2: it is read as far as it can be."""
    connection, _ = watch(
        to_agent("session/prompt", 1, sessionId="s", **params), onto=connected(SESSION)
    )
    assert connection.sessions["s"].timeline == timeline(prompt_entry())


@pytest.mark.parametrize("session_id", [None, 5, []])
def test_a_prompt_without_a_session(session_id):
    """15.5: there is nowhere to put it; its answer finds nothing."""
    connection, intents = watch(
        to_agent("session/prompt", 1, sessionId=session_id, prompt=[text("Hi")]),
        agent_answers(1, {"stopReason": "end_turn"}),
    )
    assert (dict(connection.sessions), intents) == ({}, ())


# Answers


def test_a_result_ends_the_turn():
    """TURN-05."""
    result = {"stopReason": "end_turn"}
    connection, intents = watch(prompt(1, "Hi"), agent_answers(1, result), onto=connected(SESSION))
    assert (connection.sessions["s"], intents) == end_turn(prompted("Hi"), 1, result)


def test_an_error_ends_the_turn():
    """TURN-09."""
    connection, intents = watch(prompt(1, "Hi"), agent_refuses(1, 7), onto=connected(SESSION))
    error = Error(code=7, message="no")
    assert (connection.sessions["s"], intents) == fail_turn(prompted("Hi"), 1, error)


def test_a_response_with_neither_result_nor_error():
    """RPC-01, TURN-08: settled as an error of class -32600; the turn ends anyway."""
    connection, intents = watch(
        prompt(1, "Hi"), ("agent", {"jsonrpc": "2.0", "id": 1}), onto=connected(SESSION)
    )
    [turn] = connection.sessions["s"].turns
    assert (turn.outcome, turn.error.code, turn.stop_reason) == ("failed", -32600, None)
    assert codes(intents) == ("bad-response", TurnEnded)


def test_each_prompt_has_its_own_answer():
    """TURN-11, RPC-02: matched by id, in any order."""
    connection, _ = watch(
        prompt(1, "a"),
        prompt("1", "b"),
        agent_answers("1", {"stopReason": "refusal"}),
        agent_answers(1.0, {"stopReason": "max_tokens"}),
        onto=connected(SESSION),
    )
    reasons = [turn.stop_reason for turn in connection.sessions["s"].turns]
    assert reasons == ["max_tokens", "refusal"]


def test_an_answer_that_nobody_waits_for():
    """15.1, RPC-03: `diag:unknown-response`; a second answer changes nothing either."""
    before, _ = watch(
        prompt(1, "Hi"), agent_answers(1, {"stopReason": "end_turn"}), onto=connected(SESSION)
    )
    connection, intents = watch(agent_answers(1, {"stopReason": "refusal"}), onto=before)
    assert connection is before
    assert codes(intents) == ("unknown-response",)


# Cancel


def test_a_cancel_is_for_the_current_turn():
    """CANCEL-02: overlay on its unfinished calls; nothing comes out of an observed one."""
    session = after(call("t"), onto=prompted("Hi"))
    connection, intents = watch(CANCEL, onto=connected(session))
    assert (connection.sessions["s"], intents) == (request_cancel(session), ())


def test_a_cancel_without_a_turn():
    """CANCEL-01: it overlays nothing in the session itself."""
    before = connected(after(call("t")))
    assert watch(CANCEL, onto=before) == (before, ())
    assert watch(CANCEL, onto=before)[0] is before


@pytest.mark.parametrize("session_id", ["unknown", None, 5])
def test_a_cancel_for_no_session(session_id):
    """15.5: it makes none."""
    before = connected(SESSION)
    connection, intents = watch(to_agent("session/cancel", sessionId=session_id), onto=before)
    assert connection is before
    assert intents == ()


def test_a_cancel_of_a_child_touches_neither_parent_nor_siblings():
    """CANCEL-07."""
    before, _ = watch(
        prompt(1, "Hi"),
        reported(call("t")),
        *[reported(subagent(name)) for name in ("a", "b")],
        *[reported(call("t"), name) for name in ("a", "b")],
        onto=connected(SESSION),
    )
    connection, _ = watch(to_agent("session/cancel", sessionId="a"), onto=before)
    assert connection.sessions["s"] is before.sessions["s"]
    assert connection.sessions["b"] is before.sessions["b"]


def effective(connection, session_id):
    calls = connection.sessions[session_id].tool_calls
    return {name: found.effective_status for name, found in calls.items()}


CHILD = fold(call("open"), call("done", status="completed"), onto=Session("child", parent_id="s"))[
    0
]


@pytest.mark.xfail(
    strict=True, reason="CANCEL-02: a child has no turn, and its calls get no overlay"
)
def test_a_cancel_of_a_child_overlays_all_its_unfinished_calls():
    """CANCEL-02: "for children/descendants on all unfinished calls"."""
    before, _ = watch(reported(subagent("child")), onto=connected(SESSION, CHILD))
    connection, _ = watch(to_agent("session/cancel", sessionId="child"), onto=before)
    assert effective(connection, "child") == {"open": "cancelled", "done": "completed"}


@pytest.mark.xfail(strict=True, reason="CANCEL-02, CANCEL-07: a cancel does not cascade yet")
def test_a_cancel_of_a_parent_cascades():
    """CANCEL-02, CANCEL-07: to active descendants; an observed one in every state (CANCEL-01)."""
    before, _ = watch(
        reported(subagent("child", state={"state": "running"})), onto=connected(SESSION, CHILD)
    )
    connection, _ = watch(CANCEL, onto=before)
    assert effective(connection, "child") == {"open": "cancelled", "done": "completed"}


def test_sessions_are_cancelled_one_by_one():
    """CANCEL-02: of one id only."""
    other = after(call("t"), agent("x", "x"), onto=prompted("Hi", onto=Session("other")))
    connection, _ = watch(CANCEL, onto=connected(prompted("Hi"), other))
    assert connection.sessions["other"] is other
