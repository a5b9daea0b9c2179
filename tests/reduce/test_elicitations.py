"""Questions that an agent asks the user (14.4)."""

from __future__ import annotations

import pytest
from reduce.talk import (
    FORM,
    SEATS,
    Noticed,
    Refuses,
    Talk,
    ask_form,
    ask_url,
    call,
    cancel,
    connected,
    ended,
    error,
    notification,
    prompt,
    request,
    result,
    running,
    says,
    stop,
    talk,
    with_child,
)

from acp_state import (
    AnswerElicitation,
    AskElicitation,
    Connection,
    Disconnected,
    Elicitation,
    ElicitationCompleted,
    ElicitationWithdrawn,
    RequestAnswered,
    RequestFailed,
    Respond,
    RespondError,
    Send,
)

FROM_ALL_SEATS = pytest.mark.parametrize("side", SEATS)

CANCEL = {"action": "cancel"}


def test_a_malformed_link_to_a_tool_call_counts_as_none_and_is_told():
    """ELIC-01, LENIENT-02."""
    there = talk()
    asked = ask_form(2, sessionId="s", toolCallId=5)
    assert Noticed("field-defaulted", "s", path="toolCallId") in there.agent(asked)
    [held] = there.connection.elicitations.values()
    assert held.tool_call_id is None


def form(**fields):
    """The elicitation of `ask_form()`."""
    return Elicitation(
        **{
            "request_id": 1,
            "mode": "form",
            "message": "Who?",
            "session_id": "s",
            "requested_schema": FORM,
            **fields,
        }
    )


def url(**fields):
    """The elicitation of `ask_url()`."""
    return Elicitation(
        **{
            "request_id": 1,
            "mode": "url",
            "message": "Go",
            "session_id": "s",
            "url": "https://x.example",
            "elicitation_id": "e",
            **fields,
        }
    )


def questions(there):
    return tuple(there.connection.elicitations.values())


def complete(elicitation_id="e"):
    return notification("elicitation/complete", elicitationId=elicitation_id)


# ELIC-01: scopes


@FROM_ALL_SEATS
@pytest.mark.parametrize(("ask", "asked"), [(ask_form(), form()), (ask_url(), url())])
def test_a_question_of_a_session(side, ask, asked):
    """ELIC-01, section 18: pending; scope is `sessionId`."""
    there = talk(side)
    before = there.connection
    told = there.agent(ask)
    assert there.connection.elicitations == {("int", 1): asked}
    assert list(there.connection.agent_requests) == [("int", 1)]
    assert there.connection.sessions is before.sessions
    assert told == ((AskElicitation(asked),) if side == "client" else ())


def test_it_knows_its_turn():
    """TURN-10: those that arrived in that turn."""
    there = running()
    there.agent(ask_form())
    assert questions(there) == (form(turn=0),)


@pytest.mark.parametrize(
    ("given", "linked"), [("t", "t"), ("unknown", "unknown"), (None, None), (5, None), ({}, None)]
)
def test_a_tool_call_is_linked_and_never_created(given, linked):
    """ELIC-01, ELIC-05: optional `toolCallId`; null/bad = none; links, never creates."""
    there = talk()
    there.agent(call("t"))
    before = there.session
    there.agent(ask_form(sessionId="s", toolCallId=given))
    assert questions(there) == (form(tool_call_id=linked),)
    assert there.session is before


def test_a_question_of_a_request():
    """ELIC-01: scope is `requestId`, an outstanding client request."""
    there = connected()
    there.client(request(9, "authenticate", methodId="m"))
    told = there.agent(ask_form(1, requestId=9))
    asked = form(session_id=None, scope_request_id=9)
    assert told == (AskElicitation(asked),)
    assert questions(there) == (asked,)


@pytest.mark.parametrize("request_id", [99, "9", None])
def test_a_request_id_that_names_no_outstanding_request(request_id):
    """ELIC-01: kept pending without a session."""
    there = connected()
    there.client(request(9, "authenticate", methodId="m"))
    there.agent(ask_form(1, requestId=request_id))
    asked = form(session_id=None, scope_request_id=request_id)
    assert questions(there) == (asked,)


def test_a_tool_call_belongs_to_a_session():
    """ELIC-01: `sessionId` (+ optional `toolCallId`); a request has none."""
    there = connected()
    there.agent(ask_form(1, requestId=9, toolCallId="t"))
    assert questions(there) == (form(session_id=None, scope_request_id=9),)


@pytest.mark.parametrize("scope", [{"x": 1}, {"sessionId": None}, {"sessionId": 5}])
def test_a_question_without_a_scope(scope):
    """ELIC-01: neither: -32602."""
    there = talk()
    before = there.connection.sessions
    told = there.agent(ask_form(1, **scope))
    assert told == (Noticed("invalid-message", rule="RPC-05"), Refuses(1, -32602))
    assert (questions(there), there.connection.agent_requests) == ((), {})
    assert there.connection.sessions is before


@pytest.mark.parametrize("request_id", [True, 1.5, {}, []])
def test_a_scope_that_is_no_id(request_id):
    """ELIC-01, RPC-02: neither: -32602."""
    there = talk()
    before = there.connection.sessions
    told = there.agent(ask_form(1, requestId=request_id))
    assert told == (Noticed("invalid-message", rule="RPC-05"), Refuses(1, -32602))
    assert (questions(there), there.connection.agent_requests) == ((), {})
    assert there.connection.sessions is before


@pytest.mark.parametrize("ask", [ask_form, ask_url])
def test_both_scopes(ask):
    """ELIC-01: session scope wins, `diag:elicitation-scope`."""
    there = talk()
    told = there.agent(ask(1, sessionId="s", requestId=9))
    asked = form() if ask is ask_form else url()
    assert told == (Noticed("elicitation-scope", "s"), AskElicitation(asked))
    assert questions(there) == (asked,)


def test_both_scopes_while_cancelling():
    """ELIC-01, CANCEL-04."""
    there = running()
    there.client(cancel())
    told = there.agent(ask_form(1, sessionId="s", requestId=9))
    assert told == (Noticed("elicitation-scope", "s"), Send(result(1, CANCEL)))


def test_a_null_scope_beside_a_session_is_none():
    """ELIC-01: the session alone."""
    there = talk()
    assert there.agent(ask_form(1, sessionId="s", requestId=None)) == (AskElicitation(form()),)


def test_an_unknown_session():
    """ELIC-01, REQ-04: -32002 with `data.sessionId`; it makes no session (15.5)."""
    there = talk()
    told = there.agent(ask_form(1, sessionId="x"))
    assert told == (Refuses(1, -32002, {"sessionId": "x"}),)
    assert "x" not in there.connection.sessions
    assert (questions(there), there.connection.agent_requests) == ((), {})


def test_a_childs_question():
    """REQ-04: children count as known."""
    there = with_child()
    there.agent(ask_form(1, sessionId="child"))
    assert questions(there) == (form(session_id="child"),)


def test_a_provisional_session_is_known():
    """15.5: what came for it is kept."""
    there = connected()
    there.agent(says("early", "x"), ask_form(1, sessionId="x"))
    assert questions(there) == (form(session_id="x"),)


# ELIC-02: modes


@pytest.mark.parametrize(
    ("can", "ask", "allowed"),
    [
        ({"form": {}}, ask_form(), True),
        ({"form": {}}, ask_url(), False),
        ({"url": {}}, ask_form(), False),
        ({"url": {}}, ask_url(), True),
        ({}, ask_form(), False),
        ({}, ask_url(), False),
        (None, ask_form(), False),
        ({"form": None}, ask_form(), False),
        ({"form": True}, ask_form(), False),
        ({"url": False}, ask_url(), False),
    ],
)
def test_a_mode_needs_its_own_object(can, ask, allowed):
    """ELIC-02: `form`/`url` need their own non-null object; `elicitation: {}` is nothing."""
    there = talk(client={"elicitation": can})
    told = there.agent(ask)
    if allowed:
        assert [type(each) for each in told] == [AskElicitation]
    else:
        assert told == (Refuses(1, -32602),)
        assert (questions(there), there.connection.agent_requests) == ((), {})


def test_nothing_advertised():
    """ELIC-02, INIT-02: omitted = unsupported."""
    assert talk(client={}).agent(ask_form()) == (Refuses(1, -32602),)


def test_a_log_that_begins_later_refuses_nobody():
    """INIT-05: what was not told is held against nobody."""
    there = Talk(Connection())
    there.agent(says("early"))
    assert there.agent(ask_form()) == (AskElicitation(form()),)


@pytest.mark.parametrize("mode", ["voice", "_v/x", "", None, 5, "Form"])
def test_an_unknown_mode(mode):
    """ELIC-02: -32602."""
    there = talk()
    message = ask_form()
    message["params"]["mode"] = mode
    assert there.agent(message)[-1] == Refuses(1, -32602)
    assert (questions(there), there.connection.agent_requests) == ((), {})


@pytest.mark.parametrize(
    ("ask", "broken"),
    [
        (ask_form(), {"mode": ...}),
        (ask_form(), {"message": ...}),
        (ask_form(), {"message": 5}),
        (ask_form(), {"requestedSchema": ...}),
        (ask_form(), {"requestedSchema": None}),
        (ask_form(), {"requestedSchema": []}),
        (ask_form(), {"requestedSchema": {"properties": 5}}),
        (ask_form(), {"requestedSchema": {"properties": {"name": {}}}}),
        (ask_url(), {"message": None}),
        (ask_url(), {"url": ...}),
        (ask_url(), {"url": 5}),
        (ask_url(), {"elicitationId": ...}),
        (ask_url(), {"elicitationId": None}),
    ],
)
def test_malformed_parameters(ask, broken):
    """Section 18, RPC-05: -32602."""
    there = talk()
    params = {**ask["params"], **broken}
    params = {key: value for key, value in params.items() if value is not ...}
    told = there.agent({**ask, "params": params})
    assert told == (Noticed("invalid-message", "s", rule="RPC-05"), Refuses(1, -32602))
    assert (questions(there), there.connection.agent_requests) == ((), {})


def test_a_form_whose_schema_is_too_deep_to_hold():
    """Contract 2: whatever JSON it is."""
    deep = {}
    for _ in range(200):
        deep = {"properties": deep}
    there = talk()
    message = ask_form()
    message["params"]["requestedSchema"] = deep
    told = there.agent(message)
    assert told == (
        Noticed("field-defaulted", "s", rule="LENIENT-14", path="requestedSchema"),
        Noticed("invalid-message", "s", rule="RPC-05"),
        Refuses(1, -32602),
    )
    assert "'requestedSchema': is no JSON, or nested too deeply" in told[1].diagnostic.text
    assert questions(there) == ()


# ELIC-03: answers


@pytest.mark.parametrize(
    ("command", "answer"),
    [
        (
            AnswerElicitation(1, "accept", {"name": "Ada"}),
            {"action": "accept", "content": {"name": "Ada"}},
        ),
        (AnswerElicitation(1, "accept", {}), {"action": "accept", "content": {}}),
        (AnswerElicitation(1, "accept"), {"action": "accept"}),
        (AnswerElicitation(1, "decline"), {"action": "decline"}),
        (AnswerElicitation(1, "cancel"), {"action": "cancel"}),
    ],
)
def test_an_answer_to_a_form(command, answer):
    """ELIC-03: accept, decline or cancel; `content` only with accept; one code path."""
    there, seen = talk(), talk()
    for each in (there, seen):
        each.agent(ask_form())
    assert there.do(command) == (Send(result(1, answer)), *seen.client(result(1, answer)))
    assert there.connection == seen.connection
    assert (questions(there), there.connection.agent_requests) == ((), {})


@pytest.mark.parametrize("action", ["decline", "cancel"])
@pytest.mark.parametrize("content", [{"name": "Ada"}, {}])
def test_content_goes_with_accept_alone(action, content):
    """ELIC-03."""
    there = talk()
    there.agent(ask_form())
    refusal = there.refused(AnswerElicitation(1, action, content))
    assert str(refusal) == "content goes with accept, and with a form alone [ELIC-03]"


@pytest.mark.parametrize("action", ["accept", "decline", "cancel"])
def test_content_is_omitted_for_a_url(action):
    """ELIC-03."""
    there = talk()
    there.agent(ask_url())
    assert there.refused(AnswerElicitation(1, action, {"a": 1})).rule == "ELIC-03"
    assert there.do(AnswerElicitation(1, action)) == (Send(result(1, {"action": action})),)


@pytest.mark.parametrize("request_id", [2, "1", None, True, 3])
def test_an_answer_to_what_was_not_asked_is_refused(request_id):
    """ELIC-03, RPC-02, RPC-04."""
    there = talk()
    there.agent(ask_form(), request(3, "fs/read_text_file", sessionId="s", path="/f"))
    assert there.refused(AnswerElicitation(request_id, "accept")).rule == "ELIC-03"


def test_a_second_answer_is_refused():
    """RPC-04: exactly one response."""
    there = talk()
    there.agent(ask_form())
    there.do(AnswerElicitation(1, "decline"))
    assert there.refused(AnswerElicitation(1, "accept")).rule == "ELIC-03"


def test_a_plain_result_is_refused():
    """ELIC-03: elicitations have a command of their own; an error is allowed (section 18)."""
    there = talk()
    there.agent(ask_form())
    there.refused(Respond(1, {"action": "accept"}))
    assert there.do(RespondError(1, -32800, "closed")) == (Send(error(1, -32800, "closed")),)
    assert questions(there) == ()


def test_another_action_is_refused():
    """ELIC-03 (MUST O): answer accept, decline or cancel."""
    there = talk()
    there.agent(ask_form())
    refusal = there.refused(AnswerElicitation(1, "maybe"))
    assert str(refusal) == "'maybe' is no answer; there are: accept, decline, cancel [ELIC-03]"


def test_content_that_does_not_conform_is_refused():
    """ELIC-03 (MUST O): content only with `accept`, conforming to the schema."""
    there = talk()
    message = ask_form()
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    message["params"]["requestedSchema"] = schema
    there.agent(message)
    for content, fault in (
        ({"n": "five"}, "'five' does not fit 'n'"),
        ({"n": 5, "m": 5}, "the form has no 'm'"),
        ({}, "'n' is missing"),
        (None, "'n' is missing"),
    ):
        refusal = there.refused(AnswerElicitation(1, "accept", content))
        assert str(refusal) == f"the content is not what the form asks for: {fault} [ELIC-03]"
    accepted = {"action": "accept", "content": {"n": 5}}
    assert there.do(AnswerElicitation(1, "accept", {"n": 5})) == (Send(result(1, accepted)),)


@FROM_ALL_SEATS
def test_an_answer_in_the_log(side):
    """ELIC-03: the question is gone; the agent's host is told."""
    there = talk(side)
    there.agent(ask_form())
    told = there.client(result(1, {"action": "decline"}))
    answered = RequestAnswered(
        request_id=1,
        method="elicitation/create",
        result={"action": "decline"},
        session_id="s",
    )
    assert told == ((answered,) if side == "agent" else ())
    assert questions(there) == ()


# ELIC-04: URLs


@FROM_ALL_SEATS
def test_accept_is_consent_and_no_completion(side):
    """ELIC-04: remember `elicitationId` as awaiting completion; complete marks it, once."""
    there = talk(side)
    there.agent(ask_url())
    there.client(result(1, {"action": "accept"}))
    assert questions(there) == ()
    assert there.connection.awaited_urls == {"e": url()}
    told = there.agent(complete())
    assert told == ((ElicitationCompleted(url()),) if side == "client" else ())
    assert there.connection.awaited_urls == {}
    before = there.connection
    assert there.agent(complete()) == ()
    assert there.connection is before


@pytest.mark.parametrize("params", [{}, {"elicitationId": None}, {"elicitationId": 5}, {"x": 1}])
def test_an_unknown_completion_is_ignored(params):
    """ELIC-04: unknown or already complete id: ignore."""
    there = talk()
    there.agent(ask_url())
    there.client(result(1, {"action": "accept"}))
    before = there.connection
    assert there.agent(notification("elicitation/complete", **params)) == ()
    assert there.agent(complete("other")) == ()
    assert there.connection is before


@pytest.mark.parametrize("action", ["decline", "cancel"])
def test_what_was_not_accepted_is_not_awaited(action):
    """ELIC-04."""
    there = talk()
    there.agent(ask_url())
    there.client(result(1, {"action": action}))
    assert there.connection.awaited_urls == {}
    assert there.agent(complete()) == ()


def test_a_completion_before_the_answer_is_unknown():
    """ELIC-04: what is not awaited yet."""
    there = talk()
    there.agent(ask_url())
    before = there.connection
    assert there.agent(complete()) == ()
    assert there.connection is before


def test_several_urls_are_awaited():
    """ELIC-04: by their ids."""
    there = talk()
    there.agent(ask_url(1, "e"), ask_url(2, "f"))
    there.do(AnswerElicitation(2, "accept"), AnswerElicitation(1, "accept"))
    assert list(there.connection.awaited_urls) == ["f", "e"]
    told = there.agent(complete("e"))
    assert told == (ElicitationCompleted(url()),)
    assert list(there.connection.awaited_urls) == ["f"]


# ELIC-05: what ends a question


@pytest.mark.parametrize("answer", [result(9), error(9), error(9, -32800)])
def test_the_scoped_request_settles(answer):
    """ELIC-05, CANCEL-04: action `cancel`; questions of other requests and of sessions stay."""
    there = talk()
    there.client(
        request(9, "authenticate", methodId="m"), request("9", "authenticate", methodId="m")
    )
    there.agent(ask_form(1, requestId=9), ask_form(2, requestId="9"), ask_form(3))
    told = there.agent(answer)
    assert told[:2] == (
        ElicitationWithdrawn(form(session_id=None, scope_request_id=9)),
        Send(result(1, CANCEL)),
    )
    assert len(told) == 3
    assert list(there.connection.elicitations) == [("int", 2), ("int", 3)]


def test_a_prompt_settles():
    """ELIC-05: whichever of the client's requests it is."""
    there = running()
    there.agent(ask_form(1, requestId=2))
    told = there.agent(stop())
    assert Send(result(1, CANCEL)) in told
    assert questions(there) == ()


@pytest.mark.parametrize("method", ["session/close", "session/archive"])
def test_a_session_closes(method):
    """ELIC-05: when the session cancels/closes: CANCEL-04."""
    there = talk()
    there.agent(ask_form(1), ask_url(2))
    told = there.client(request(9, method, sessionId="s"))
    assert told == (
        ElicitationWithdrawn(form()),
        Send(result(1, CANCEL)),
        ElicitationWithdrawn(url(request_id=2)),
        Send(result(2, CANCEL)),
    )
    assert questions(there) == ()


def test_a_prompt_that_a_close_settles():
    """ELIC-05, 15.1: a close response ends the turn, and what was asked for that prompt."""
    there = running()
    there.client(request(9, "session/close", sessionId="s"))
    there.agent(ask_form(1, requestId=2))
    told = there.agent(result(9))
    assert told == (
        ElicitationWithdrawn(form(session_id=None, scope_request_id=2)),
        Send(result(1, CANCEL)),
        ended(there),
        RequestAnswered(request_id=9, method="session/close", result={}, session_id="s"),
    )
    assert there.connection.client_requests == {}
    assert questions(there) == ()


@pytest.mark.parametrize("closed", [False, True])
def test_a_question_of_a_session_that_closes_or_is_closed(closed):
    """ELIC-05: answered at once."""
    there = talk()
    there.client(request(9, "session/close", sessionId="s"))
    if closed:
        there.agent(result(9))
    assert there.agent(ask_form()) == (Send(result(1, CANCEL)),)
    assert questions(there) == ()


def test_a_lost_connection_drops_them():
    """CONN-01: unanswered; what was awaited is awaited no more."""
    there = talk("agent")
    there.agent(ask_form(1), ask_url(2))
    there.client(result(2, {"action": "accept"}))
    told = there.do(Disconnected())
    assert told == (
        RequestFailed(request_id=1, method="elicitation/create", error=None, session_id="s"),
    )
    assert (questions(there), there.connection.awaited_urls) == ((), {})


def test_the_clients_host_hears_that_they_are_dropped():
    """CONN-01, design: it takes the question down; it is not answered, and its URL not awaited."""
    there = talk()
    there.agent(ask_form(1), ask_url(2))
    there.client(result(2, {"action": "accept"}))
    assert there.do(Disconnected()) == (ElicitationWithdrawn(form()),)
    assert (questions(there), there.connection.awaited_urls) == ((), {})


def test_questions_of_two_sessions_are_independent():
    """PERM-06, contract 8."""
    there = talk()
    there.client(request(3, "session/new", cwd="/w", mcpServers=[]))
    there.agent(result(3, {"sessionId": "t"}), ask_form(1), ask_form(2, sessionId="t"))
    there.client(prompt(4), cancel())
    assert questions(there) == (form(request_id=2, session_id="t"),)
