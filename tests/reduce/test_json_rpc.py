"""JSON-RPC and the envelope (section 1)."""

from __future__ import annotations

import copy
import math

import attrs
import pytest
from reduce.talk import (
    AGENT_CAN,
    ALLOW,
    CANCELLED,
    CLIENT_CAN,
    SEATS,
    AnyError,
    Noticed,
    Refuses,
    Talk,
    ask_form,
    ask_permission,
    cancel,
    cancel_request,
    connected,
    ended,
    error,
    initialize,
    initialized,
    new_session,
    notification,
    prompt,
    request,
    result,
    running,
    says,
    selected,
    stop,
    talk,
    update,
)

from acp_state import (
    AskPermission,
    CancelRequest,
    Connection,
    Diagnose,
    HandleExtension,
    HandleRequest,
    ListSessions,
    PermissionWithdrawn,
    ReadTextFile,
    RequestAnswered,
    RequestFailed,
    Send,
    SendRequest,
    Turn,
    TurnEnded,
    thaw,
)
from acp_state.methods import METHODS
from acp_state.model import PendingRequest
from acp_state.persistent import Map
from acp_state.schema import Error, ReadTextFileRequest

OTHER = {"client": "agent", "agent": "client"}
BOTH = pytest.mark.parametrize("sender", ["client", "agent"])
FROM_ALL_SEATS = pytest.mark.parametrize("side", SEATS)

IDS = [1, 0, -7, "1", "", "a", None, 2**63 - 1]
NO_IDS = [True, False, 1.5, {}, {"id": 1}, [], [1], math.inf, math.nan]


def list_sessions(request_id):
    return request(request_id, "session/list")


def read_file(request_id):
    return request(request_id, "fs/read_text_file", sessionId="s", path="/f")


ASKS = {"client": list_sessions, "agent": read_file}
"""A request of each side."""

NAMES = {"client": "session/list", "agent": "fs/read_text_file"}


def waiting(talk, sender):
    """The ids of one side's requests that wait for an answer, with their types."""
    asked = talk.connection.requests_of(sender).values()
    return [(type(each.request_id), each.request_id) for each in asked]


def raw(intents):
    """What the diagnostics hold, as plain JSON."""
    return [thaw(each.diagnostic.raw) for each in intents if isinstance(each, Diagnose)]


# RPC-01: what is a message


@BOTH
@FROM_ALL_SEATS
@pytest.mark.parametrize(
    "line",
    [
        None,
        5,
        "starting up...",
        True,
        {},
        {"id": 1, "method": "session/list"},
        {"jsonrpc": "1.0", "method": "session/cancel", "params": {"sessionId": "s"}},
        {"jsonrpc": 2.0, "id": 1, "method": "session/list"},
        {"jsonrpc": "2.0"},
        {"jsonrpc": "2.0", "method": 5},
        {"jsonrpc": "2.0", "result": {}},
        {"jsonrpc": "2.0", "error": {"code": 1, "message": "m"}},
    ],
)
def test_what_is_no_message_is_told_and_ignored(side, sender, line):
    """RPC-01: only objects with `jsonrpc: "2.0"` are messages; others: `diag:invalid-message`."""
    there = talk(side)
    before = there.connection
    told = there.by(sender, copy.deepcopy(line))
    assert told == (Noticed("invalid-message", rule="RPC-01"),)
    assert raw(told) == [line]
    assert there.connection is before


@FROM_ALL_SEATS
def test_a_method_and_an_id_are_a_request(side):
    """RPC-01: `method` + `id` = request, of either side; it waits for its response."""
    there = talk(side)
    before = there.connection
    there.client(list_sessions(7))
    there.agent(read_file(7))
    asked = PendingRequest(request_id=7, method="session/list", params={})
    wanted = PendingRequest(
        request_id=7,
        method="fs/read_text_file",
        params={"sessionId": "s", "path": "/f"},
        session_id="s",
    )
    assert there.connection == attrs.evolve(
        before,
        client_requests=before.client_requests.set(("int", 7), asked),
        agent_requests=before.agent_requests.set(("int", 7), wanted),
        next_request_id=8,
    )


def test_who_is_told_of_a_request():
    """Design: our side decides which intents are ours; an observer owes nobody a message."""
    assert talk("client").client(list_sessions(7)) == ()
    assert talk("observer").client(list_sessions(7)) == ()
    assert talk("agent").client(list_sessions(7)) == (
        HandleRequest(request_id=7, method="session/list", params={}),
    )
    asked = ReadTextFileRequest(session_id="s", path="/f")
    assert talk("client").agent(read_file(7)) == (ReadTextFile(7, asked),)
    assert talk("observer").agent(read_file(7)) == ()
    assert talk("agent").agent(read_file(7)) == ()


@FROM_ALL_SEATS
def test_a_method_without_an_id_is_a_notification(side):
    """RPC-01: it is folded, and nothing waits for a response."""
    there = talk(side)
    told = there.agent(says("Hello"))
    assert told == ()
    assert there.session.messages[0].text == "Hello"
    assert waiting(there, "agent") == []


def test_a_message_with_a_method_and_a_result_is_a_request():
    """RPC-01: `method` + `id` = request, whatever else it has."""
    there = talk()
    there.client({**list_sessions(7), "result": {}})
    assert waiting(there, "client") == [(int, 7)]


@pytest.mark.parametrize("value", [{"sessions": []}, {"sessions": [], "nextCursor": "c"}])
def test_a_result_answers_the_request(value):
    """RPC-01: `id` with exactly one of `result` / `error` = response."""
    there = talk()
    before = there.connection
    there.client(list_sessions(7))
    told = there.agent(result(7, value))
    assert told == (RequestAnswered(request_id=7, method="session/list", result=value),)
    assert there.connection == attrs.evolve(before, next_request_id=8)


@pytest.mark.parametrize("more", [{}, {"data": None}, {"data": {"why": [1]}}, {"data": "x"}])
@pytest.mark.parametrize(
    "code", [-32700, -32600, -32601, -32602, -32603, -32800, -32002, 0, 1, 99999]
)
def test_an_error_answers_the_request(code, more):
    """RPC-14: known codes and any other integer; `data` is optional and opaque."""
    there = talk()
    before = there.connection
    there.client(list_sessions(7))
    told = there.agent(error(7, code, "no", **more))
    failed = Error(code=code, message="no", **more)
    assert told == (RequestFailed(request_id=7, method="session/list", error=failed),)
    assert there.connection == attrs.evolve(before, next_request_id=8)


INVALID = [
    {},
    {"error": None},
    {"result": {"sessions": []}, "error": {"code": 1, "message": "m"}},
    {"result": None, "error": {"code": 1, "message": "m"}},
    {"result": {"sessions": []}, "error": 5},
    {"error": 5},
    {"error": "no"},
    {"error": {}},
    {"error": {"code": 1}},
    {"error": {"code": "1", "message": "m"}},
    {"error": {"code": 1.5, "message": "m"}},
    {"error": {"code": True, "message": "m"}},
    {"error": {"code": 1, "message": None}},
]


@pytest.mark.parametrize("body", INVALID)
def test_an_invalid_response_settles_the_request_as_an_error(body):
    """RPC-01: both or neither: settled locally as an error (-32600 class), `diag:bad-response`."""
    there = talk()
    before = there.connection
    there.client(list_sessions(7))
    message = {"jsonrpc": "2.0", "id": 7, **body}
    told = there.agent(message)
    assert told == (
        Noticed("bad-response", rule="RPC-01"),
        RequestFailed(request_id=7, method="session/list", error=AnyError(-32600)),
    )
    assert raw(told) == [message]
    assert there.connection == attrs.evolve(before, next_request_id=8)


@pytest.mark.parametrize("body", INVALID)
def test_an_invalid_response_to_a_prompt_ends_the_turn(body):
    """RPC-01, TURN-09: settled as an error."""
    there = running()
    told = there.agent({"jsonrpc": "2.0", "id": 2, **body})
    turn = Turn(request_id=2, start=0, outcome="failed", error=AnyError(-32600))
    assert there.turn == turn
    assert told == (
        Noticed("bad-response", rule="RPC-01"),
        TurnEnded(session_id="s", turn=turn),
    )


@pytest.mark.parametrize("body", INVALID)
@BOTH
def test_an_invalid_response_that_nobody_waits_for(sender, body):
    """RPC-03: changes nothing, `diag:unknown-response`."""
    there = talk()
    before = there.connection
    assert there.by(sender, {"jsonrpc": "2.0", "id": 7, **body}) == (Noticed("unknown-response"),)
    assert there.connection is before


def test_a_null_error_beside_a_result_counts_as_absent():
    """RPC-01: with `diag:bad-response`."""
    there = talk()
    there.client(list_sessions(7))
    told = there.agent({**result(7, {"sessions": []}), "error": None})
    assert told == (
        Noticed("bad-response", rule="RPC-01"),
        RequestAnswered(request_id=7, method="session/list", result={"sessions": []}),
    )


@pytest.mark.parametrize("body", INVALID)
def test_an_invalid_answer_of_the_clients_settles_its_request_too(body):
    """RPC-01: the same in the other direction; the agent's host is told."""
    there = talk("agent")
    before = there.connection
    there.agent(read_file(7))
    told = there.client({"jsonrpc": "2.0", "id": 7, **body})
    assert told == (
        Noticed("bad-response", rule="RPC-01"),
        RequestFailed(
            request_id=7, method="fs/read_text_file", error=AnyError(-32600), session_id="s"
        ),
    )
    assert there.connection == attrs.evolve(before, next_request_id=8)


# RPC-02: ids


@BOTH
@FROM_ALL_SEATS
@pytest.mark.parametrize("given", NO_IDS, ids=repr)
@pytest.mark.parametrize("kind", ["request", "result", "error"])
def test_a_message_whose_id_is_no_id_is_ignored(side, sender, given, kind):
    """RPC-02: a boolean, a fraction, an object or an array: `diag:invalid-message`."""
    there = talk(side)
    there.client(list_sessions(1))
    there.agent(read_file(1))
    before = there.connection
    say = {"request": ASKS[sender], "result": result, "error": error}[kind]
    assert there.by(sender, say(given)) == (Noticed("invalid-message"),)
    assert there.connection is before


@BOTH
@FROM_ALL_SEATS
@pytest.mark.parametrize("asked", IDS, ids=repr)
@pytest.mark.parametrize("answered", IDS, ids=repr)
def test_ids_are_told_apart_by_type_and_value(side, sender, asked, answered):
    """RPC-02: `1` and `"1"` differ, `0` is an id, and null is one."""
    there = talk(side)
    there.by(sender, ASKS[sender](asked))
    told = there.by(OTHER[sender], error(answered))
    if (type(asked), asked) == (type(answered), answered):
        assert waiting(there, sender) == []
        failed = RequestFailed(
            request_id=asked,
            method=NAMES[sender],
            error=Error(code=-32603, message="no"),
            session_id="s" if sender == "agent" else None,
        )
        assert told == ((failed,) if side == sender else ())
    else:
        assert waiting(there, sender) == [(type(asked), asked)]
        assert told == (Noticed("unknown-response"),)


@pytest.mark.parametrize(("asked", "answered"), [(1, 1.0), (1.0, 1), (0, -0.0), (1.0, 1.0)])
@BOTH
def test_a_whole_number_is_an_integer(sender, asked, answered):
    """RPC-02: `1.0` is `1`."""
    there = talk()
    there.by(sender, ASKS[sender](asked))
    assert waiting(there, sender) == [(int, int(asked))]
    there.by(OTHER[sender], error(answered))
    assert waiting(there, sender) == []


@pytest.mark.parametrize("method", [5, False, ["session/prompt"], {}])
def test_what_has_a_method_that_is_no_string_answers_nothing(method):
    """RPC-01: it is no request, and no response either."""
    there = talk()
    there.client(request(3, "session/list"))
    odd = {"jsonrpc": "2.0", "id": 3, "method": method, "params": {}}
    assert there.agent(odd) == (Noticed("invalid-message"),)
    assert waiting(there, "client") == [(int, 3)]


def test_an_id_is_matched_against_the_requests_of_the_side_that_asked():
    """RPC-02: only against this side's own outstanding requests; both sides may use one id."""
    there = talk()
    there.client(list_sessions(1))
    there.agent(read_file(1))
    assert there.client(result(1, {"content": ""})) == ()
    assert (waiting(there, "client"), waiting(there, "agent")) == ([(int, 1)], [])
    assert there.client(result(1, {"content": ""})) == (Noticed("unknown-response"),)
    assert waiting(there, "client") == [(int, 1)]
    assert there.agent(result(1, {"sessions": []})) == (
        RequestAnswered(request_id=1, method="session/list", result={"sessions": []}),
    )
    assert waiting(there, "client") == []


# RPC-03: responses that nobody waits for, and those that repeat ours


@BOTH
@FROM_ALL_SEATS
@pytest.mark.parametrize("request_id", IDS, ids=repr)
@pytest.mark.parametrize("say", [result, error])
def test_a_response_with_an_unknown_id_changes_nothing(side, sender, request_id, say):
    """RPC-03: `diag:unknown-response`."""
    there = talk(side)
    before = there.connection
    assert there.by(sender, say(request_id)) == (Noticed("unknown-response"),)
    assert there.connection is before


@BOTH
@FROM_ALL_SEATS
@pytest.mark.parametrize("second", [error(7, -32603), error(7, 1), result(7)])
def test_a_second_response_changes_nothing(side, sender, second):
    """RPC-03: one with an already settled id: `diag:unknown-response`."""
    there = talk(side)
    there.by(sender, ASKS[sender](7))
    there.by(OTHER[sender], error(7))
    before = there.connection
    assert there.by(OTHER[sender], second) == (Noticed("unknown-response"),)
    assert there.connection == before


@FROM_ALL_SEATS
@pytest.mark.parametrize("late", [stop(), stop(reason="cancelled"), error(2), {**stop(), "id": 2}])
def test_the_late_response_of_a_prompt_that_a_close_settled_is_absorbed(side, late):
    """RPC-03, 15.1: ids of locally abandoned requests stay remembered; absorbed silently, once."""
    there = running(side)
    there.client(request(3, "session/close", sessionId="s"))
    there.agent(result(3))
    before = there.connection
    assert list(before.settled_by_agent) == [("int", 2)]
    assert there.agent(late) == ()
    assert there.connection.sessions == before.sessions
    assert there.agent(late) == (Noticed("unknown-response"),)


ANSWERED_HERE = [
    pytest.param((ask_permission(7), cancel()), result(7, CANCELLED), error(7), id="permission"),
    pytest.param(
        (ask_form(7), cancel()), result(7, {"action": "cancel"}), result(7, {}), id="elicitation"
    ),
    pytest.param(
        (read_file(7), cancel_request(7)), error(7, -32800), error(7, -32603), id="withdrawn work"
    ),
    pytest.param((request(7, "what"),), error(7, -32601, "other words"), result(7), id="unknown"),
    pytest.param(
        (request(7, "fs/read_text_file"),), error(7, -32602), error(7, -32601), id="malformed"
    ),
    pytest.param(
        (request(7, "fs/read_text_file", sessionId="x", path="/f"),),
        error(7, -32002),
        result(7, {"content": ""}),
        id="unknown session",
    ),
]
"""What the reducer answers itself on the client's side, that answer, and another one."""


def answered_here(messages):
    there = running()
    for each in messages:
        there.by("client" if each == cancel() else "agent", each)
    assert waiting(there, "agent") == []
    return there


@pytest.mark.parametrize(("messages", "same", "_"), ANSWERED_HERE)
def test_the_same_answer_in_the_log_fulfils_ours(messages, same, _):
    """RPC-03: same result, or same error code: fulfilled silently; once."""
    there = answered_here(messages)
    before = there.connection
    assert there.client(same) == ()
    assert there.connection.sessions == before.sessions
    assert there.connection.settled_by_client == {}
    assert there.client(same) == (Noticed("unknown-response"),)


@pytest.mark.parametrize(("messages", "_", "other"), ANSWERED_HERE)
def test_another_answer_in_the_log_changes_nothing(messages, _, other):
    """RPC-03: `diag:unknown-response`."""
    there = answered_here(messages)
    before = there.connection
    assert there.client(other) == (Noticed("unknown-response"),)
    assert there.connection.sessions == before.sessions
    assert waiting(there, "agent") == []


def test_metadata_makes_no_other_answer():
    """RPC-03: it says nothing of what was answered, at any depth."""
    there = answered_here((ask_permission(7), cancel()))
    outcome = {**CANCELLED["outcome"], "_meta": {"k": 1}}
    assert there.client(result(7, {"outcome": outcome, "_meta": {}})) == ()
    there = answered_here((ask_permission(7), cancel()))
    outcome = {**CANCELLED["outcome"], "more": 1}
    assert there.client(result(7, {"outcome": outcome})) == (Noticed("unknown-response"),)


def test_a_null_result_is_no_repetition_of_an_error():
    """RPC-03: a result repeats no error, and an error no result."""
    there = talk()
    assert there.agent(request(7, "what")) == (Refuses(7, -32601),)
    message = {"jsonrpc": "2.0", "id": 7, "result": None}
    assert there.client(message) == (Noticed("unknown-response"),)


def test_a_new_request_of_the_same_id_is_a_new_one():
    """RPC-03, RPC-04: what is remembered is of the request before; the new one gets an answer."""
    there = talk()
    there.agent(request(7, "what"))
    there.agent(read_file(7))
    assert waiting(there, "agent") == [(int, 7)]
    assert there.client(error(7, -32601)) == ()
    assert waiting(there, "agent") == []
    assert there.client(error(7, -32601)) == (Noticed("unknown-response"),)


# RPC-04, RPC-05: exactly one response


@pytest.mark.parametrize("request_id", IDS, ids=repr)
def test_a_refusal_carries_the_same_id(request_id):
    """RPC-04: exactly one response per incoming request, carrying the same id."""
    there = talk()
    assert there.agent(request(request_id, "what")) == (Refuses(request_id, -32601),)
    assert waiting(there, "agent") == []


UNKNOWN = [
    "what",
    "",
    "_vendor/x",
    "$/x",
    "session/prompt",
    "session/new",
    "initialize",
    "session/update",
    "auth/status_update",
    "elicitation/complete",
    "$/cancel_request",
    "session/cancel",
    "session/SET_MODE",
]
"""What an agent cannot request of a client: unknown, the client's own, or a notification."""


@pytest.mark.parametrize("method", UNKNOWN)
def test_the_client_refuses_what_it_does_not_know(method):
    """RPC-05, section 18: unknown request methods, `_x` and `$/x` included: -32601."""
    there = talk()
    before = there.connection
    assert there.agent(request(7, method, sessionId="s")) == (Refuses(7, -32601),)
    [(key, settled)] = there.connection.settled_by_client.items()
    assert (key, settled.result, settled.error_code) == (("int", 7), None, -32601)
    assert attrs.evolve(there.connection, settled_by_client=Map()) == before


@pytest.mark.parametrize(
    "method",
    [
        "what",
        "_vendor/x",
        "$/x",
        "fs/read_text_file",
        "session/request_permission",
        "session/cancel",
    ],
)
def test_the_agent_refuses_what_it_does_not_know(method):
    """RPC-05: the receiver of either side answers -32601; nothing is left to the host."""
    there = talk("agent")
    before = there.connection
    assert there.client(request(7, method, sessionId="s")) == (Refuses(7, -32601),)
    assert there.connection.sessions == before.sessions
    assert waiting(there, "client") == []


def test_the_agents_own_refusal_in_its_log_fulfils_it():
    """RPC-03, design: when the log holds the answer too, it fulfils the intent."""
    there = talk("agent")
    there.client(request(7, "what"))
    assert there.agent(error(7, -32601)) == ()


@BOTH
def test_an_observer_refuses_nothing(sender):
    """Design: it owes nobody a message; the request waits for what its receiver answers."""
    there = talk("observer")
    assert there.by(sender, request(7, "what")) == ()
    assert waiting(there, sender) == [(int, 7)]
    assert there.by(OTHER[sender], error(7, -32601)) == ()
    assert waiting(there, sender) == []


@BOTH
def test_the_sender_of_an_unknown_request_waits_for_its_answer(sender):
    """RPC-05: only its receiver refuses it; the sender's host is told what comes."""
    there = talk(sender)
    assert there.by(sender, request(7, "what")) == ()
    assert waiting(there, sender) == [(int, 7)]
    assert there.by(OTHER[sender], result(7, {"odd": 1})) == (
        RequestAnswered(request_id=7, method="what", result={"odd": 1}),
    )


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("session/request_permission", {}),
        ("session/request_permission", {"sessionId": "s", "options": [ALLOW]}),
        ("elicitation/create", {"sessionId": "s"}),
        ("fs/read_text_file", {"sessionId": "s", "path": 5}),
        ("fs/read_text_file", {"sessionId": "s", "path": "/f", "line": "1"}),
        ("fs/write_text_file", {"sessionId": "s", "path": "/f"}),
        ("terminal/create", {"sessionId": "s"}),
        ("terminal/create", {"sessionId": "s", "command": "ls", "args": "-l"}),
        ("terminal/output", {"sessionId": "s"}),
        ("terminal/wait_for_exit", {"terminalId": "t"}),
        ("terminal/kill", {"sessionId": "s", "terminalId": 5}),
        ("terminal/release", {}),
    ],
)
def test_malformed_parameters_are_refused(method, params):
    """RPC-05: a well-known method with malformed params: -32602; nothing else happens."""
    there = talk()
    before = there.connection
    told = there.agent(request(7, method, **params))
    noticed = Noticed("invalid-message", params.get("sessionId"), rule="RPC-05")
    assert told == (noticed, Refuses(7, -32602))
    assert there.connection.sessions is before.sessions
    assert there.connection.elicitations is before.elicitations
    assert waiting(there, "agent") == []


@pytest.mark.parametrize("params", [None, [], ["s"], 5, "s"])
def test_parameters_that_are_no_object_are_malformed(params):
    """RPC-05: -32602."""
    there = talk()
    message = {**request(7, "session/request_permission"), "params": params}
    told = there.agent(message)
    assert told == (Noticed("invalid-message", rule="RPC-05"), Refuses(7, -32602))


@BOTH
@FROM_ALL_SEATS
def test_a_notification_is_never_answered(side, sender):
    """RPC-04: no response to a notification, ever: not to a request's method sent as one either."""
    there = talk(side)
    for method in (*METHODS, "what", "_vendor/x", "$/x"):
        told = there.by(sender, notification(method))
        assert [each for each in told if isinstance(each, Send)] == []
        assert waiting(there, sender) == []


# RPC-06: unknown notifications


@BOTH
@FROM_ALL_SEATS
@pytest.mark.parametrize("method", ["what", "", "_vendor/x", "session/prompt", "fs/read_text_file"])
def test_an_unknown_notification_is_ignored(side, sender, method):
    """RPC-06: `diag:unknown-notification`, info."""
    there = talk(side)
    before = there.connection
    message = notification(method, sessionId="s")
    told = there.by(sender, message)
    assert told == (Noticed("unknown-notification", severity="info"),)
    assert raw(told) == [message]
    assert there.connection is before


@pytest.mark.parametrize(
    ("sender", "method"),
    [("client", "session/update"), ("client", "auth/status_update"), ("agent", "session/cancel")],
)
def test_a_notification_of_the_other_side_is_unknown(sender, method):
    """RPC-06, sections 18, 19: a method is known from the side that sends it."""
    there = running()
    before = there.connection
    told = there.by(sender, notification(method, sessionId="s", state="authenticated"))
    assert told == (Noticed("unknown-notification"),)
    assert there.connection is before


@BOTH
@FROM_ALL_SEATS
def test_a_dollar_notification_may_always_be_ignored(side, sender):
    """RPC-06: notifications starting with `$/`."""
    there = talk(side)
    before = there.connection
    assert there.by(sender, notification("$/progress", token=1)) == ()
    assert there.connection is before


# Extensions


@pytest.mark.parametrize("named", [frozenset({"_v/x"}), "*"])
@BOTH
@FROM_ALL_SEATS
def test_a_named_extension_request_goes_to_the_receiving_host(side, sender, named):
    """EXT-02: forward to the host; it waits for the host's answer."""
    there = talk(side, extension_methods=named)
    told = there.by(sender, request(7, "_v/x", a=[1]))
    asked = HandleExtension(method="_v/x", params={"a": [1]}, request_id=7, is_request=True)
    assert told == ((asked,) if side == OTHER[sender] else ())
    assert waiting(there, sender) == [(int, 7)]
    told = there.by(OTHER[sender], result(7, {"b": 2}))
    answered = RequestAnswered(request_id=7, method="_v/x", result={"b": 2})
    assert told == ((answered,) if side == sender else ())
    assert waiting(there, sender) == []


@pytest.mark.parametrize("named", [frozenset({"_v/x"}), "*"])
@BOTH
@FROM_ALL_SEATS
def test_a_named_extension_notification_goes_to_the_receiving_host(side, sender, named):
    """EXT-02."""
    there = talk(side, extension_methods=named)
    before = there.connection
    told = there.by(sender, notification("_v/x", a=1))
    handle = HandleExtension(method="_v/x", params={"a": 1})
    assert told == ((handle,) if side == OTHER[sender] else ())
    assert there.connection is before


def test_other_extensions_are_not_forwarded():
    """EXT-02: unhandled request -32601, unhandled notification ignored."""
    there = talk(extension_methods=frozenset({"_v/x"}))
    assert there.agent(request(7, "_v/y")) == (Refuses(7, -32601),)
    assert there.agent(notification("_v/y")) == (Noticed("unknown-notification"),)


def test_a_method_of_the_protocols_is_no_extension():
    """Section 18: a host that handles all extensions is not asked to handle a client's method."""
    there = talk(extension_methods="*")
    assert there.agent(request(7, "session/prompt", sessionId="s")) == (Refuses(7, -32601),)
    told = there.agent(notification("session/prompt", sessionId="s"))
    assert told == (Noticed("unknown-notification"),)


MCP_SERVER = {"type": "acp", "name": "mine", "serverId": "m"}
MCP = {"serverId": "m", "method": "ping"}


@pytest.mark.parametrize("method", ["session/new", "session/load", "session/resume"])
@FROM_ALL_SEATS
def test_an_offered_mcp_server_makes_its_messages_known(side, method):
    """Section 18, SESS-01: once a server of type `acp` was offered, to the end."""
    there = talk(side)
    before = there.connection
    assert not before.mcp_over_acp
    there.client(request(5, method, sessionId="s", cwd="/w", mcpServers=[MCP_SERVER]))
    there.agent(error(5))
    there.client(new_session(6))
    assert there.connection.mcp_over_acp
    told = there.agent(request(7, "mcp/message", **MCP))
    asked = HandleExtension(request_id=7, method="mcp/message", params=MCP, is_request=True)
    assert told == ((asked,) if side == "client" else ())
    told = there.agent(notification("mcp/message", **MCP))
    noted = HandleExtension(method="mcp/message", params=MCP)
    assert told == ((noted,) if side == "client" else ())
    there.client(result(7, {}))
    assert waiting(there, "agent") == []


@pytest.mark.parametrize("sender", ["client", "agent"])
def test_a_vendors_request_offers_no_server(sender):
    """Section 18, EXT-02: parameters of vendor methods are not interpreted."""
    there = talk(extension_methods="*")
    there.by(sender, request(5, "_v/x", mcpServers=[MCP_SERVER]))
    assert not there.connection.mcp_over_acp


@pytest.mark.parametrize("servers", [None, {}, "acp", [None, 5, {}, {"type": "http"}]])
def test_other_servers_do_not(servers):
    """Section 18: -32601 if no ACP-transport server is offered."""
    there = talk()
    there.client(request(5, "session/load", sessionId="s", cwd="/w", mcpServers=servers))
    assert not there.connection.mcp_over_acp
    assert there.agent(request(7, "mcp/message", **MCP)) == (Refuses(7, -32601),)


def test_a_version_that_is_not_supported_is_a_failure():
    """INIT-03, 15.6: the client's host is told to disconnect, not of success."""
    there = Talk(Connection())
    there.client(initialize())
    text = "the agent speaks protocol version 2, which is not supported: disconnect"
    assert there.agent(result(0, {"protocolVersion": 2})) == (
        RequestFailed(request_id=0, method="initialize", error=Error(code=-32600, message=text)),
    )
    agent = Talk(Connection(side="agent"))
    agent.client(initialize())
    assert agent.agent(result(0, {"protocolVersion": 2})) == ()


# RPC-07, RPC-08, RPC-12: session updates


@pytest.mark.parametrize(
    "bad",
    [
        notification("session/update", sessionId="s", update={"sessionUpdate": "unheard_of"}),
        notification("session/update", sessionId="s", update={"sessionUpdate": "plan"}),
        notification("session/update", sessionId="s", update=None),
        notification("session/update", sessionId="s"),
        update("agent_message_chunk", content=5),
    ],
)
def test_a_bad_update_costs_only_itself(bad):
    """RPC-07, RPC-12: dropped with `diag:update-dropped`; later updates are unaffected."""
    there = talk()
    before = there.connection
    [told] = there.agent(bad)
    assert (told.diagnostic.code, told.diagnostic.session_id) == ("update-dropped", "s")
    assert there.connection is before
    assert there.agent(says("Hello")) == ()
    assert there.session.messages[0].text == "Hello"


@pytest.mark.parametrize("session_id", [None, 5, True, {}, []])
def test_the_session_of_an_update_is_required(session_id):
    """RPC-12: `params.sessionId` is required non-null."""
    there = talk()
    before = there.connection
    assert there.agent(says("Hello", session_id)) == (Noticed("update-dropped", rule="RPC-12"),)
    assert there.connection is before


@pytest.mark.parametrize("params", [None, [], 5])
def test_the_parameters_of_an_update_are_required(params):
    """RPC-12."""
    there = talk()
    before = there.connection
    told = there.agent({"jsonrpc": "2.0", "method": "session/update", "params": params})
    assert told == (Noticed("update-dropped", rule="RPC-12"),)
    assert there.connection is before


@pytest.mark.parametrize("meta", [None, {"k": 1}, 5, []])
def test_the_envelopes_metadata_goes_into_no_entity(meta):
    """RPC-12: `params._meta` is envelope-scoped, and never merged into entity metadata."""
    plain, there = talk(), talk()
    message = says("Hello")
    assert plain.agent(message) == ()
    told = there.agent({**message, "params": {**message["params"], "_meta": meta}})
    odd = (Noticed("field-defaulted", "s", rule="LENIENT-02", path="_meta"),)
    assert told == (() if meta is None or isinstance(meta, dict) else odd)
    assert there.connection == plain.connection


def test_messages_are_applied_in_the_order_fed_in():
    """RPC-08."""
    there = talk()
    there.agent(says("one "), says("two "), says("three"))
    assert there.session.messages[0].text == "one two three"


# RPC-09: batches


@BOTH
@pytest.mark.parametrize("batch", [[], [list_sessions(7), says("x")], [5]])
def test_a_batch_is_refused_whole(sender, batch):
    """RPC-09: entries ignored, one -32600 response with `id: null`, `diag:batch`."""
    for side in SEATS:
        there = talk(side)
        before = there.connection
        told = there.by(sender, copy.deepcopy(batch))
        refusal = (Refuses(None, -32600),) if side == OTHER[sender] else ()
        assert told == (Noticed("batch"), *refusal)
        assert raw(told) == [batch]
        assert there.connection is before


# RPC-10: own ids


@pytest.mark.parametrize("side", ["client", "agent"])
def test_own_ids_are_counted(side):
    """RPC-10: never null, never fractional, never reused within a connection."""
    there = talk(side, extension_methods="*")
    first = there.connection.next_request_id
    told = there.do(SendRequest("_v/x"), SendRequest("_v/x"))
    assert [each.message["id"] for each in told] == [first, first + 1]
    there.by(OTHER[side], result(first), result(first + 1))
    [send] = there.do(SendRequest("_v/x"))
    assert send.message["id"] == first + 2


@pytest.mark.parametrize(
    ("used", "following"),
    [
        (5, 6),
        (5.0, 6),
        (2, 3),
        (1, 2),
        (-3, 2),
        ("9", 2),
        (None, 2),
        (2**62, 2**62 + 1),
        (2**63 - 1, 2),
    ],
)
def test_ids_that_the_host_used_are_not_used_again(used, following):
    """RPC-10: a request in the log counts, whatever it was that made it."""
    there = connected()
    there.client(new_session(1), list_sessions(used))
    there.agent(result(1, {"sessionId": "s"}), error(used))
    assert there.connection.next_request_id == following
    [send] = there.do(ListSessions())
    assert send.message["id"] == following


def test_the_peers_ids_are_its_own():
    """RPC-02, RPC-10: an id that the other side used is free on ours."""
    there = talk()
    there.agent(read_file(50))
    assert there.connection.next_request_id == 2
    there = talk("agent")
    assert there.connection.next_request_id == 0
    there.client(list_sessions(50))
    assert there.connection.next_request_id == 0
    there.agent(read_file(50))
    assert there.connection.next_request_id == 51


# RPC-11: duplicate ids


@BOTH
@FROM_ALL_SEATS
@pytest.mark.parametrize("request_id", IDS, ids=repr)
def test_a_second_request_of_a_pending_id_is_ignored(side, sender, request_id):
    """RPC-11: keep the first, do not answer the second, `diag:duplicate-request-id`."""
    there = talk(side)
    there.by(sender, ASKS[sender](request_id))
    before = there.connection
    second = request(request_id, "what", sessionId="s")
    told = there.by(sender, second)
    assert told == (Noticed("duplicate-request-id"),)
    assert raw(told) == [second]
    assert there.connection is before


def test_a_second_permission_request_of_a_pending_id_asks_nothing():
    """RPC-11."""
    there = talk()
    assert len(there.agent(ask_permission(1, "t"))) == 1
    before = there.connection
    assert there.agent(ask_permission(1, "u")) == (Noticed("duplicate-request-id"),)
    assert there.connection is before


def test_an_id_that_was_answered_can_be_used_again_by_the_peer():
    """RPC-11: the id is of one that is still pending, or it is no duplicate."""
    there = talk()
    there.agent(ask_permission(1, "t"))
    there.client(selected(1))
    [asked] = there.agent(ask_permission(1, "u"))
    assert isinstance(asked, AskPermission)
    assert [each.tool_call.tool_call_id for each in there.session.permissions] == ["t", "u"]
    assert [each.outcome for each in there.session.permissions] == ["selected", None]


# RPC-13: null results


@pytest.mark.parametrize("value", [None, {}])
@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("authenticate", {"methodId": "m"}),
        ("logout", {}),
        ("session/load", {"sessionId": "s", "cwd": "/w", "mcpServers": []}),
        ("session/resume", {"sessionId": "s", "cwd": "/w"}),
        ("session/close", {"sessionId": "s"}),
        ("session/delete", {"sessionId": "s"}),
        ("session/archive", {"sessionId": "s"}),
        ("session/unarchive", {"sessionId": "s"}),
        ("session/set_mode", {"sessionId": "s", "modeId": "m"}),
        ("providers/set", {}),
    ],
)
def test_an_empty_result_may_be_null(method, params, value):
    """RPC-13: null is `{}` for methods whose result has no required field."""
    there, plain = talk(), talk()
    there.client(request(7, method, **params))
    plain.client(request(7, method, **params))
    told = there.agent({"jsonrpc": "2.0", "id": 7, "result": value})
    plain.agent(result(7))
    assert there.connection == plain.connection
    answered = [each for each in told if isinstance(each, RequestAnswered)]
    assert answered == [
        RequestAnswered(
            request_id=7, method=method, result=value, session_id=params.get("sessionId")
        )
    ]
    assert [each for each in told if isinstance(each, Diagnose) and "resp" in str(each)] == []


@pytest.mark.parametrize(
    ("method", "params", "value"),
    [
        ("session/new", {"cwd": "/w", "mcpServers": []}, None),
        ("session/new", {"cwd": "/w", "mcpServers": []}, {"sessionId": 5}),
        ("session/fork", {"sessionId": "s", "cwd": "/w"}, {}),
        ("session/set_title", {"sessionId": "s", "title": "T"}, {"title": 5}),
        ("session/status", {"sessionId": "s"}, {}),
        ("auth/status", {}, {}),
        ("session/list", {}, 5),
        ("session/list", {}, []),
        ("session/load", {"sessionId": "s", "cwd": "/w", "mcpServers": []}, 5),
    ],
)
def test_a_malformed_result_counts_as_an_error(method, params, value):
    """LENIENT-05: a required part is missing or of the wrong type: `diag:bad-response`."""
    there, failed = talk(), talk()
    there.client(request(7, method, **params))
    failed.client(request(7, method, **params))
    told = there.agent({"jsonrpc": "2.0", "id": 7, "result": value})
    failed.agent(error(7))
    assert there.connection == failed.connection
    assert told == (
        Noticed("bad-response", params.get("sessionId")),
        RequestFailed(
            request_id=7,
            method=method,
            error=AnyError(-32600),
            session_id=params.get("sessionId"),
        ),
    )


def test_a_fault_in_a_result_is_told():
    """LENIENT-02, LENIENT-03: a malformed optional field, or item, costs only itself."""
    there = talk()
    there.client(list_sessions(7))
    good = {"sessionId": "t", "cwd": "/w"}
    told = there.agent(result(7, {"sessions": [5, good], "nextCursor": 5}))
    assert told == (
        Noticed("item-dropped", path="sessions[0]"),
        Noticed("field-defaulted", path="nextCursor"),
        RequestAnswered(
            request_id=7,
            method="session/list",
            result={"sessions": [5, good], "nextCursor": 5},
        ),
    )
    assert list(there.connection.catalogue) == ["t"]


# RPC-14, AUTH-02


def test_an_error_of_authentication_marks_the_connection():
    """RPC-14: -32000, authentication required."""
    there = talk()
    there.client(list_sessions(7))
    there.agent(error(7, -32000, "log in"))
    assert there.connection.authentication.required


def test_the_clients_own_error_says_nothing_of_authentication():
    """AUTH-02: on any request of the client's; what it answers itself with is another matter."""
    there = talk()
    there.agent(read_file(7))
    there.client(error(7, -32000))
    assert not there.connection.authentication.required


# Before `initialize` was answered


@BOTH
@FROM_ALL_SEATS
@pytest.mark.parametrize("kind", ["request", "notification"])
def test_traffic_before_the_response_is_folded(side, sender, kind):
    """15.6, INIT-01: `diag:before-initialize`."""
    there = Talk(Connection(side=side))
    there.client(initialize())
    say = {
        ("agent", "notification"): update("session_info_update", title="T"),
        ("agent", "request"): ask_permission(7),
        ("client", "notification"): cancel(),
        ("client", "request"): prompt(7),
    }[sender, kind]
    told = there.by(sender, say)
    assert told[0] == Noticed("before-initialize")
    assert Noticed("before-initialize") not in told[1:]
    if kind == "request":
        assert waiting(there, sender) == [(int, 0), (int, 7)][sender == "agent" :]
    elif sender == "agent":
        assert there.session.title == "T"


def test_unknown_traffic_before_the_response_is_told_too():
    """15.6: whatever it is."""
    there = Talk(Connection(extension_methods=frozenset({"_v/x"})))
    there.client(initialize())
    early = Noticed("before-initialize")
    assert there.agent(request(7, "what")) == (early, Refuses(7, -32601))
    assert there.agent(notification("what")) == (early, Noticed("unknown-notification"))
    assert there.agent(notification("$/what")) == (early,)
    handle = HandleExtension(method="_v/x", params={})
    assert there.agent(notification("_v/x")) == (early, handle)


def test_a_log_that_begins_later_is_no_breach():
    """15.6: the row is of a connection that is initializing."""
    there = Talk(Connection())
    assert there.client(new_session(1)) == ()
    assert there.agent(result(1, {"sessionId": "s"}))[-1] == RequestAnswered(
        request_id=1, method="session/new", result={"sessionId": "s"}, session_id="s"
    )
    assert there.agent(says("Hello")) == ()


@FROM_ALL_SEATS
def test_the_handshake_itself_is_in_order(side):
    """15.6: `initialize` and its response are no traffic before the response."""
    there = Talk(Connection(side=side))
    told = there.client(initialize())
    told += there.agent(initialized())
    asked = HandleRequest(
        request_id=0,
        method="initialize",
        params={"protocolVersion": 1, "clientCapabilities": CLIENT_CAN},
    )
    answered = RequestAnswered(
        request_id=0,
        method="initialize",
        result={"protocolVersion": 1, "agentCapabilities": AGENT_CAN},
    )
    expected = {"client": (answered,), "agent": (asked,), "observer": ()}
    assert told == expected[side]


# Totality


DEEP: object = None
for _ in range(300):
    DEEP = [DEEP]


@BOTH
@FROM_ALL_SEATS
@pytest.mark.parametrize("params", [None, [], 5, {"sessionId": DEEP, "update": DEEP}, DEEP])
def test_nothing_that_a_peer_sends_raises(side, sender, params):
    """Contract 2: whatever JSON it is, deeper than can be held included."""
    there = running(side)
    for method in (*METHODS, "what", "_v/x", "$/x"):
        there.by(sender, {**request(7, method), "params": params})
        there.by(sender, {**notification(method), "params": params})
        there.by(OTHER[sender], {"jsonrpc": "2.0", "id": 7, "result": params})
    assert there.connection.sessions["s"].running == (0,)


def test_a_message_is_copied_at_the_door():
    """Contract 1: nothing that was handed out changes when the host goes on using its object."""
    there = talk(extension_methods="*")
    message = request(7, "_v/x", a={"b": [1]})
    [told] = there.agent(message)
    held = there.connection.agent_requests["int", 7]
    message["params"]["a"]["b"].append(2)
    assert told.params == held.params == {"a": {"b": [1]}}


def test_the_answer_to_a_withdrawn_question_is_told_once():
    """RPC-04, CANCEL-08: one answer, by the reducer; the host is told that none is wanted."""
    there = running()
    [ask] = there.agent(ask_permission(7))
    told = there.client(cancel())
    withdrawn = PermissionWithdrawn(session_id="s", permission=ask.permission)
    assert told == (withdrawn, Send(result(7, CANCELLED)))
    assert there.client(cancel()) == ()


def test_a_request_that_was_given_up_is_still_answered():
    """CANCEL-09: `$/cancel_request` leaves it outstanding, and a normal result wins."""
    there = talk()
    [send] = there.do(ListSessions())
    there.do(CancelRequest(send.message["id"]))
    assert there.agent(result(send.message["id"], {"sessions": []})) == (
        RequestAnswered(request_id=2, method="session/list", result={"sessions": []}),
    )


def test_a_prompt_is_told_as_the_end_of_its_turn():
    """TURN-05: not as an answered request beside it."""
    there = running()
    told = there.agent(stop())
    assert told == (ended(there),)


# What cannot be held (LENIENT-14)

DEEP = []
for _ in range(200):
    DEEP = [DEEP]
UNHELD = [math.nan, {"a": math.inf}, [[b"x"]], DEEP]


@pytest.mark.parametrize("value", UNHELD, ids=["NaN", "infinity", "bytes", "deep"])
def test_a_member_that_cannot_be_held_is_left_out_alone(value):
    """LENIENT-14, EXT-02: the rest is handed on, and what is missing is told."""
    there = talk()
    there.connection = attrs.evolve(there.connection, extension_methods=frozenset({"_v/x"}))
    odd = Noticed("field-defaulted", "s", rule="LENIENT-14", path="_meta")
    params = {"sessionId": "s", "a": 1, "_meta": value}
    [told, asked] = there.agent(request(7, "_v/x", **params))
    assert (told, asked.params) == (odd, {"sessionId": "s", "a": 1})
    there.do(SendRequest("_v/y", {"sessionId": "s"}))
    [told, answered] = there.agent(result(2, {"keep": 1, "_meta": value}))
    assert (told, answered.result) == (odd, {"keep": 1})
    [told, noted] = there.agent(notification("_v/x", b=value, c=2))
    assert (told.diagnostic.path, noted.params) == ("b", {"c": 2})


@pytest.mark.parametrize("value", UNHELD, ids=["NaN", "infinity", "bytes", "deep"])
def test_a_request_with_odd_metadata_does_what_it_says(value):
    """LENIENT-14: it counts as absent."""
    there = talk()
    there.client(request(5, "session/new", cwd="/x", mcpServers=[], _meta={"k": value}))
    there.agent(result(5, {"sessionId": "t"}))
    assert there.connection.sessions["t"].cwd == "/x"
