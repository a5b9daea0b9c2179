"""Prompts and their answers (14.1), as the connection sees them."""

from __future__ import annotations

import attrs
import pytest
from reduce.talk import (
    CANCELLED,
    SEATS,
    Noticed,
    Refuses,
    Talk,
    ask_form,
    ask_permission,
    call,
    chunks,
    connected,
    ended,
    error,
    forgotten_prompt,
    prompt,
    prompted,
    request,
    result,
    running,
    says,
    stop,
    talk,
    text,
    update,
    with_child,
)

from acp_state import (
    Connection,
    Diagnose,
    ElicitationWithdrawn,
    HandleRequest,
    PermissionWithdrawn,
    Prompt,
    Send,
    TurnEnded,
)
from acp_state.model import PendingRequest
from acp_state.schema import ImageContent, ResourceLink, TextContent

FROM_ALL_SEATS = pytest.mark.parametrize("side", SEATS)


@FROM_ALL_SEATS
def test_a_prompt_waits_for_its_answer(side):
    """TURN-05: the turn runs until the response."""
    there = talk(side)
    message = prompt(2)
    told = there.client(message)
    asked = PendingRequest(
        request_id=2, method="session/prompt", params=message["params"], session_id="s"
    )
    assert there.connection.client_requests == {("int", 2): asked}
    handle = HandleRequest(request_id=2, method="session/prompt", params=message["params"])
    assert told == ((handle,) if side == "agent" else ())


def test_a_prompt_holds_blocks_of_all_kinds():
    """TURN-02, TURN-04: recorded as a user entry at send time."""
    there = talk()
    link = {"type": "resource_link", "uri": "file:///f", "name": "f"}
    image = {"type": "image", "mimeType": "image/png", "data": "AA=="}
    there.client(prompt(2, "See ", link, image))
    blocks = (
        TextContent(text="See "),
        ResourceLink(uri="file:///f", name="f"),
        ImageContent(mime_type="image/png", data="AA=="),
    )
    assert tuple(there.session.timeline) == (prompted(*blocks),)


@pytest.mark.parametrize(
    "bad", [5, None, {}, {"type": "text"}, {"type": "text", "text": 5}, {"type": "unheard_of"}]
)
def test_a_block_that_cannot_be_read_is_left_out(bad):
    """LENIENT-03: one by one; order of survivors kept, `diag:item-dropped`."""
    there = talk()
    told = there.client(prompt(2, "a", bad, "b"))
    assert told == (Noticed("item-dropped", "s", path="prompt[1]"),)
    assert told[0].diagnostic.raw == bad
    assert tuple(there.session.timeline) == (prompted("a", "b"),)


@pytest.mark.parametrize("blocks", [None, 5, {}, "Hi"])
def test_a_prompt_that_is_no_array_opens_a_turn(blocks):
    """15.5: turn and user entry are kept; nothing of it can be read."""
    there = talk()
    there.client(request(2, "session/prompt", sessionId="s", prompt=blocks))
    assert there.session.running == (0,)
    assert tuple(there.session.timeline) == (attrs.evolve(prompted(), chunks=chunks()),)


@pytest.mark.parametrize("session_id", [None, 5, {}])
def test_a_prompt_that_names_no_session_opens_none(session_id):
    """15.5: it waits for its answer, and is in no session."""
    there = talk()
    before = there.connection.sessions
    there.client(prompt(2, session_id=session_id))
    assert there.connection.sessions is before
    assert there.agent(error(2, -32602)) == ()
    assert there.connection.client_requests == {}


def test_a_prompt_whose_turn_has_gone():
    """TURN-05: the answer to a prompt of a session that disappeared ends no turn."""
    there = forgotten_prompt()
    before = there.connection.sessions
    assert there.agent(stop(9)) == ()
    assert there.connection.sessions is before
    assert there.connection.client_requests == {}


def test_a_prompt_in_a_session_that_closes_or_is_loaded():
    """TURN-01: observed, it makes a turn all the same; only the command is refused."""
    there = talk()
    there.client(request(3, "session/close", sessionId="s"), prompt(4))
    assert there.session.running == (0,)
    assert there.session.readiness == "closing"


# The echo (TURN-04), as far as a connection shows it


def test_the_echo_is_adopted():
    """TURN-04: it acknowledges the prompt: adopt the `messageId`, add no second entry."""
    there = running()
    told = there.agent(update("user_message_chunk", content=text("Hi"), messageId="m"))
    assert told == ()
    assert tuple(there.session.timeline) == (prompted(message_id="m"),)


def test_another_text_is_no_echo():
    """TURN-04: on mismatch keep both, `diag:user-echo-mismatch`."""
    there = running()
    told = there.agent(update("user_message_chunk", content=text("Ho"), messageId="m"))
    assert told == (Noticed("user-echo-mismatch", "s"),)
    assert [each.text for each in there.session.messages] == ["Hi", "Ho"]


def test_the_echo_ends_with_the_turn():
    """TURN-04: user chunks that arrive during that turn."""
    there = running()
    there.agent(stop(), update("user_message_chunk", content=text("Hi"), messageId="m"))
    assert [each.text for each in there.session.messages] == ["Hi", "Hi"]


# Questions at the end of a turn (TURN-10)


def test_questions_of_a_cancelled_turn_are_answered():
    """TURN-10: outcome `cancelled` / action `cancel`; then the end of the turn is told."""
    there = running()
    asked = there.agent(ask_permission(1), ask_form(2), ask_permission(3, "u"))
    told = there.agent(stop(2, "cancelled"))
    assert told == (
        PermissionWithdrawn(session_id="s", permission=asked[0].permission),
        Send(result(1, CANCELLED)),
        ElicitationWithdrawn(asked[1].elicitation),
        Send(result(2, {"action": "cancel"})),
        PermissionWithdrawn(session_id="s", permission=asked[2].permission),
        Send(result(3, CANCELLED)),
        ended(there),
    )
    assert there.connection.agent_requests == {}


@pytest.mark.parametrize("reason", ["end_turn", "refusal", "max_tokens"])
def test_questions_of_another_turn_stay(reason):
    """TURN-10: pending requests at turn end stay pending."""
    there = running()
    asked = there.agent(ask_permission(1), ask_form(2))
    told = there.agent(stop(2, reason))
    assert told == (Noticed("open-tool-calls", "s"), ended(there))
    assert there.session.pending_permissions == (asked[0].permission,)
    assert tuple(there.connection.elicitations.values()) == (asked[1].elicitation,)


def test_questions_of_other_turns_stay_when_one_was_cancelled():
    """TURN-10, TURN-11: those that arrived in that turn."""
    there = talk()
    there.agent(ask_permission(1, "before"), ask_form(2))
    there.client(prompt(2), prompt(3))
    there.agent(ask_permission(3, "first"), stop(2), ask_permission(4, "second"), ask_form(5))
    told = there.agent(stop(3, "cancelled"))
    assert [each.message["id"] for each in told if isinstance(each, Send)] == [4, 5]
    assert [each.outcome for each in there.session.permissions] == [None, None, "cancelled"]
    assert list(there.connection.elicitations) == [("int", 2)]


def test_questions_that_came_after_a_prompt_was_given_up():
    """TURN-10, CANCEL-09: cancelled by us; they wait until the turn has ended."""
    there = running()
    there.client({"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": 2}})
    there.agent(ask_permission(1))
    told = there.agent(stop(2))
    assert Send(result(1, CANCELLED)) in told


def test_work_goes_on_at_the_end_of_a_turn():
    """TURN-10, REQ-05: permission and elicitation requests."""
    there = running()
    there.agent(request(7, "fs/read_text_file", sessionId="s", path="/f"), ask_permission(8))
    there.agent(stop(2, "cancelled"))
    assert list(there.connection.agent_requests) == [("int", 7)]


def test_a_childs_questions_are_its_own():
    """TURN-10: children have no turns; what they asked did not arrive in one."""
    there = with_child()
    there.agent(ask_permission(1, "c", session_id="child"))
    assert there.agent(stop(2, "cancelled")) == (ended(there),)
    assert len(there.connection.agent_requests) == 1


def test_a_question_whose_session_came_anew_is_of_no_turn():
    """TURN-10: what is known of it is the request alone."""
    there = talk()
    load = request(8, "session/load", sessionId="x", cwd="/w", mcpServers=[])
    there.client(load, prompt(9, session_id="x"))
    there.agent(ask_permission(1, session_id="x"), error(8, -32603))
    there.client(prompt(10, session_id="x"))
    told = there.agent(stop(10, "cancelled"))
    assert [type(each) for each in told] == [TurnEnded]
    assert list(there.connection.agent_requests) == [("int", 1)]


# The command


def test_the_command_sends_and_does_what_the_message_does():
    """TURN-01: one code path."""
    there, seen = talk(), talk()
    content = (TextContent(text="Hi"), ResourceLink(uri="file:///f", name="f"))
    told = there.do(Prompt("s", content))
    link = {"type": "resource_link", "uri": "file:///f", "name": "f"}
    message = prompt(2, "Hi", link)
    assert told == (Send(message), *seen.client(message))
    assert there.connection == seen.connection


@pytest.mark.parametrize("readiness", ["loading", "resuming", "closing", "closed"])
def test_the_command_needs_a_ready_session(readiness):
    """TURN-01: session setup is over; never while loading/closing; 15.5: refuse."""
    there = talk()
    there.client(
        {
            "loading": request(3, "session/load", sessionId="s", cwd="/w", mcpServers=[]),
            "resuming": request(3, "session/resume", sessionId="s", cwd="/w"),
        }.get(readiness, request(3, "session/close", sessionId="s"))
    )
    if readiness == "closed":
        there.agent(result(3))
    assert there.session.readiness == readiness
    refusal = there.refused(Prompt("s", (TextContent(text="Hi"),)))
    assert (refusal.rule, refusal.session_id) == ("TURN-01", "s")


def test_the_command_needs_a_session_that_is_made():
    """TURN-01, 15.5: neither unknown nor provisional."""
    there = connected()
    there.agent(says("early", "x"))
    assert there.refused(Prompt("x", ())).rule == "TURN-01"
    assert there.refused(Prompt("y", ())).rule == "TURN-01"


def test_the_command_refuses_a_second_prompt():
    """TURN-03, 15.1: refuse locally by default, `diag:prompt-while-running`."""
    there = running()
    refusal = there.refused(Prompt("s", ()))
    assert (refusal.rule, refusal.code, refusal.session_id) == (
        "TURN-03",
        "prompt-while-running",
        "s",
    )


def test_the_host_may_insist():
    """TURN-03, 15.1: unless the host insists."""
    there = running()
    told = there.do(Prompt("s", (TextContent(text="And"),), while_running=True))
    assert told == (Send(prompt(3, "And")),)
    assert there.session.running == (0, 1)


def test_after_the_turn_the_next_prompt_is_allowed():
    """TURN-03: another prompt is for after the response."""
    there = running()
    there.agent(stop())
    assert there.do(Prompt("s", (TextContent(text="And"),))) == (Send(prompt(3, "And")),)


# Before anything


def test_a_prompt_in_a_log_that_begins_with_it():
    """15.5: provisional; turn and user entry kept."""
    there = Talk(Connection(side="observer"))
    told = there.client(prompt(2))
    assert told == (Noticed("unannounced-session", "s"),)
    assert (there.session.readiness, there.session.running) == ("provisional", (0,))
    there.agent(call(), stop())
    assert there.turn.outcome == "ended"


def test_what_a_prompt_answers_is_not_diagnosed_twice():
    """TURN-08: one `bad-response`."""
    there = running()
    told = there.agent(result(2, {}))
    assert sum(isinstance(each, Diagnose) for each in told) == 1


def test_an_agent_that_asks_the_client_to_prompt():
    """Section 18, RPC-05: it is the client's method."""
    there = talk()
    assert there.agent(prompt(2)) == (Refuses(2, -32601),)
    assert there.session.turns == talk().session.turns


def test_an_error_answers_a_prompt():
    """TURN-09: the turn ends; the host is told of its end alone."""
    there = running()
    told = there.agent(error(2, -32603, "overloaded"))
    assert told == (ended(there),)
    assert (there.turn.outcome, there.turn.error.message) == ("failed", "overloaded")
    assert there.connection.client_requests == {}


@pytest.mark.parametrize("words", ["Hi", "/web acp", "/"])
def test_a_prompt_names_no_message_and_runs_commands(words):
    """MSG-10: an id is the agent's to give; CMD-02: a command is a prompt like any other."""
    there = talk()
    params = {"sessionId": "s", "prompt": [text(words)]}
    assert there.do(Prompt("s", words)) == (Send(request(2, "session/prompt", **params)),)
    assert list(there.session.timeline) == [prompted(words)]
