"""What may be answered now, and how (sections 19, 20): a breach changes nothing."""

from __future__ import annotations

import pytest
from reduce.talk import (
    ask_form,
    ask_permission,
    error,
    prompt,
    request,
    running,
    stop,
    talk,
)

from acp_state import (
    AnswerElicitation,
    AnswerPermission,
    EndTurn,
    Respond,
    RespondError,
    Send,
)

# Requests of the peer's


def test_a_permission_request_is_answered_as_one():
    """PERM-04, RPC-04."""
    there = talk()
    there.agent(
        ask_permission(1), ask_form(2), request(3, "fs/read_text_file", sessionId="s", path="/f")
    )
    assert there.refused(AnswerPermission(2)).rule == "PERM-04"
    assert there.refused(AnswerPermission(3)).rule == "PERM-04"
    assert there.refused(AnswerElicitation(1, "cancel")).rule == "ELIC-03"
    assert there.refused(Respond(1)).rule == "PERM-04"
    assert there.refused(Respond(2)).rule in ("PERM-04", "ELIC-03")


def test_a_permission_request_of_a_session_that_has_gone():
    """PERM-04: nothing is known of what it offers."""
    there = talk()
    there.agent(ask_permission(1))
    there.drops("s")
    assert there.refused(AnswerPermission(1, "yes")).rule == "PERM-04"
    assert there.do(RespondError(1, -32603, "gone"))[0] == Send(error(1, -32603, "gone"))


def test_the_client_answers_the_agents_requests():
    """RPC-04: not its own."""
    there = running()
    assert there.refused(Respond(2)).rule == "RPC-04"
    agents = running("agent")
    agents.agent(request(7, "fs/read_text_file", sessionId="s", path="/f"))
    assert agents.refused(Respond(7)).rule == "RPC-04"
    assert agents.do(Respond(2, {"stopReason": "end_turn"}))[0] == Send(stop(2))


@pytest.mark.parametrize("request_id", [7, "2", None, True, 1.5])
def test_a_turn_that_does_not_run(request_id):
    """TURN-05: a prompt that waits for its answer."""
    there = running("agent")
    command = EndTurn(request_id=request_id, stop_reason="end_turn")
    assert there.refused(command).rule == "TURN-05"


def test_a_request_that_is_no_prompt():
    """TURN-05."""
    there = talk("agent")
    there.client(request(7, "session/list"))
    assert there.refused(EndTurn(request_id=7, stop_reason="end_turn")).rule == "TURN-05"


def test_a_turn_ends_once():
    """RPC-04."""
    there = running("agent")
    there.do(EndTurn(request_id=2, stop_reason="end_turn"))
    assert there.refused(EndTurn(request_id=2, stop_reason="end_turn")).rule == "TURN-05"


# What may still be answered, and with what


@pytest.mark.parametrize("method", ["session/close", "session/archive"])
@pytest.mark.parametrize(
    "answer",
    [
        EndTurn(request_id=2, stop_reason="cancelled"),
        Respond(2, {"stopReason": "cancelled"}),
        RespondError(2, -32800, "cancelled"),
    ],
)
def test_the_prompt_of_a_session_that_was_closed_is_still_answered(method, answer):
    """RPC-04, SESS-06: each request once; the seed wants it answered as cancelled."""
    there = running("agent")
    there.client(request(3, method, sessionId="s"))
    there.do(Respond(3))
    before = there.connection.sessions
    assert there.do(answer)[0].message["id"] == 2
    assert there.connection.sessions is before
    assert there.refused(answer).rule in ("TURN-05", "RPC-04")


@pytest.mark.parametrize(
    ("side", "ask", "result", "fault"),
    [
        (
            "client",
            request(7, "fs/read_text_file", sessionId="s", path="/f"),
            {},
            "fs/read_text_file: 'content' is missing",
        ),
        (
            "agent",
            request(7, "session/new", cwd="/w", mcpServers=[]),
            {"sessionId": 5},
            "session/new: sessionId: must be a string, not 5",
        ),
        (
            "agent",
            prompt(7, session_id="t"),
            None,
            "session/prompt: 'stopReason' is missing",
        ),
    ],
)
def test_a_result_is_one_of_its_method(side, ask, result, fault):
    """RPC-01, LENIENT-05: it would count as an error for who asked."""
    there = talk(side)
    (there.agent if side == "client" else there.client)(ask)
    refusal = there.refused(Respond(7, result))
    assert str(refusal) == f"this is no result of {fault} [RPC-01]"
