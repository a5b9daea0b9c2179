"""What reducers of a connection share: ids, answers, and sessions in their connection."""

from __future__ import annotations

import math

import pytest
from reduce.talk import Noticed, connected, new_session, request, talk

from acp_state import Connection, JsonObject, Send, Session
from acp_state.leniency import decode
from acp_state.model import PendingRequest
from acp_state.reduce.links import (
    SETUP_METHODS,
    Answer,
    bad_response,
    find_or_provisional,
    lift,
    not_found,
    read_answer,
    read_result,
    reply,
    request_key,
    response,
    session_of,
    tell,
    text_of,
    told_faults,
)
from acp_state.schema import Error, NewSessionResponse, PromptResponse, SessionInfo


def of(session_id):
    return PendingRequest(request_id=7, method="m", params=JsonObject({}), session_id=session_id)


@pytest.mark.parametrize(
    ("request_id", "key"),
    [
        (1, ("int", 1)),
        (0, ("int", 0)),
        (-1, ("int", -1)),
        (1.0, ("int", 1)),
        (-0.0, ("int", 0)),
        (2**63 - 1, ("int", 2**63 - 1)),
        (-(2**63), ("int", -(2**63))),
        (2**63, None),
        (-(2**63) - 1, None),
        (2**70, None),
        (1e300, None),
        ("1", ("str", "1")),
        ("", ("str", "")),
        (None, ("NoneType", None)),
        (True, None),
        (False, None),
        (1.5, None),
        (math.inf, None),
        (math.nan, None),
        ({}, None),
        ([], None),
    ],
)
def test_what_a_request_is_found_by(request_id, key):
    """RPC-02, READ-04: JSON type and value; integers are of 64 bits."""
    found = request_key(request_id)
    assert found == key
    assert found is None or type(found[1]) is type(key[1])


class Word(str):  # noqa: SLOT000 - as a host would write it
    """A string of a host's own class."""


class Number(int):
    """A number of a host's own class."""


@pytest.mark.parametrize(("request_id", "same"), [(Word("a"), "a"), (Number(7), 7)])
def test_an_id_of_a_hosts_own_class_is_the_id_that_comes_back(request_id, same):
    """RPC-02: the JSON type counts, not the class that a host has for it."""
    assert request_key(request_id) == request_key(same)


@pytest.mark.parametrize("request_id", [1, "1", None, 0])
def test_the_message_of_an_answer(request_id):
    """RPC-04: carrying the same id; `result`, or `error` with its data if it has any."""
    head = {"jsonrpc": "2.0", "id": request_id}
    assert response(request_id, Answer(result={"a": 1})) == {**head, "result": {"a": 1}}
    assert response(request_id, Answer()) == {**head, "result": None}
    plain = Answer(error=Error(code=1, message="m"))
    assert response(request_id, plain) == {**head, "error": {"code": 1, "message": "m"}}
    more = Answer(error=Error(code=1, message="m", data=None))
    assert response(request_id, more)["error"] == {"code": 1, "message": "m", "data": None}


@pytest.mark.parametrize("side", ["client", "agent", "observer"])
@pytest.mark.parametrize("owing", ["client", "agent"])
def test_an_answer_is_one_sides_to_send(side, owing):
    """Design: our side decides which intents are ours; an observer owes nobody an answer."""
    sent = Send({"jsonrpc": "2.0", "id": 1, "result": {}})
    told = reply(Connection(side=side), owing, 1, Answer(result={}))
    assert told == ((sent,) if side == owing else ())


def test_an_intent_of_another_side_is_not_made():
    """Design: an intent is made where it is carried out, and nowhere else."""
    made = []

    def intent():
        made.append(1)
        return Send({})

    assert tell(Connection(side="agent"), "client", intent) == ()
    assert made == []
    assert tell(Connection(side="client"), "client", intent) == (Send({}),)
    assert made == [1]


@pytest.mark.parametrize(
    ("body", "answer"),
    [
        ({"result": {"a": 1}}, Answer(result={"a": 1})),
        ({"result": None}, Answer()),
        ({"error": {"code": 1, "message": "m"}}, Answer(error=Error(code=1, message="m"))),
        (
            {"error": {"code": 1, "message": "m", "data": [1]}},
            Answer(error=Error(code=1, message="m", data=[1])),
        ),
        (
            {"error": {"code": 1.0, "message": "", "more": 1}},
            Answer(error=Error(code=1, message="")),
        ),
    ],
)
def test_a_valid_response(body, answer):
    """RPC-01: exactly one of `result` and `error`."""
    assert read_answer(body) == (answer, ())


def test_a_null_error_beside_a_result():
    """RPC-01: counts as absent, `diag:bad-response`."""
    answer, told = read_answer({"result": 1, "error": None})
    assert answer == Answer(result=1)
    assert told == (Noticed("bad-response", rule="RPC-01"),)


@pytest.mark.parametrize(
    "body",
    [{}, {"error": None}, {"error": {}}, {"result": 1, "error": 5}, {"error": {"code": "1"}}],
)
def test_an_invalid_response(body):
    """RPC-01: an error of the -32600 class, `diag:bad-response`."""
    answer, told = read_answer(body)
    assert (answer.result, answer.error.code) == (None, -32600)
    assert told == (Noticed("bad-response", rule="RPC-01"),)


def test_a_result_is_read_as_the_method_table_says():
    """Style 2: a response is decoded only once the model has named the request it answers."""
    answer, told = read_result(Answer(result={"stopReason": "end_turn"}), "session/prompt")
    assert answer == Answer(
        result={"stopReason": "end_turn"}, value=PromptResponse(stop_reason="end_turn")
    )
    assert told == ()


@pytest.mark.parametrize("method", ["session/close", "unknown", "_v/x"])
def test_a_result_that_is_not_read(method):
    """Section 19: of which only success or failure matters."""
    answer = Answer(result=[1])
    assert read_result(answer, method) == (answer, ())


@pytest.mark.parametrize("method", ["session/close", "session/archive", "session/delete"])
def test_what_is_gone_already_has_ended(method):
    """SESS-04: -32002 is a success of it, and of nothing else; other errors are errors."""
    gone = Answer(error=Error(code=-32002, message="m"))
    other = Answer(error=Error(code=-32603, message="m"))
    assert read_result(gone, method) == (Answer(result={}), ())
    assert read_result(gone, "session/load") == (gone, ())
    assert read_result(other, method) == (other, ())


def test_an_error_is_no_result():
    """RPC-01."""
    answer = Answer(error=Error(code=1, message="m"))
    assert read_result(answer, "session/prompt") == (answer, ())


def test_a_null_result_is_an_empty_one():
    """RPC-13: for methods whose result has no required field."""
    answer, told = read_result(Answer(), "session/load")
    assert (answer.error, answer.result, told) == (None, None, ())
    answer, [told] = read_result(Answer(), "session/new")
    assert (answer.error.code, answer.malformed) == (-32600, True)
    assert told.diagnostic.code == "bad-response"


def test_faults_of_a_result_are_told():
    """LENIENT-02: one malformed field is one diagnostic, with its place."""
    answer, told = read_result(Answer(result={"sessionId": "s", "modes": 5}), "session/new")
    assert answer.value == NewSessionResponse(session_id="s")
    assert told == (Noticed("field-defaulted", path="modes"),)
    assert told[0].diagnostic.raw == 5
    decoded = decode({"sessionId": "s", "cwd": "/w", "title": 5}, SessionInfo)
    assert told_faults(decoded, "s") == (Noticed("field-defaulted", "s", path="title"),)
    assert told_faults(decode({"sessionId": "s", "cwd": "/w"}, SessionInfo)) == ()


def test_a_malformed_response_is_told():
    """RPC-01: what was sent is in it."""
    told = bad_response({"a": [1]}, "no")
    assert told == Noticed("bad-response", rule="RPC-01")
    assert (told.diagnostic.text, told.diagnostic.raw) == ("no", {"a": [1]})


def test_a_session_goes_in_its_place_or_at_the_end():
    """Contract 5: the same session leaves the very same connection."""
    there = talk()
    connection = there.connection
    assert connection.with_session(there.session) is connection
    more = connection.with_session(Session("t"))
    assert list(more.sessions) == ["s", "t"]
    again = more.with_session(Session("s"))
    assert list(again.sessions) == ["s", "t"]
    assert again.sessions["t"] is more.sessions["t"]
    assert lift(connection, (Session("t"), ())) == (more, ())


def test_the_session_of_a_request():
    """15.5: it need not be known, and a request need not name one."""
    there = talk()
    assert session_of(there.connection, of("s")) is there.session
    assert session_of(there.connection, of("x")) is None
    assert session_of(there.connection, of(None)) is None


def test_a_session_that_is_not_known():
    """15.5, SUB-03: provisional; no breach while a request may yet claim it."""
    there = connected()
    can = there.connection.client_capabilities
    fresh = Session("x", readiness="provisional", client_capabilities=can)
    assert find_or_provisional(there.connection, "x") == (
        fresh,
        (Noticed("unannounced-session", "x", severity="error"),),
    )
    there.client(new_session())
    assert find_or_provisional(there.connection, "x") == (
        fresh,
        (Noticed("unannounced-session", "x", severity="info"),),
    )


def test_a_session_that_is_known():
    """15.5."""
    there = talk()
    assert find_or_provisional(there.connection, "s") == (there.session, ())


def test_which_requests_may_claim_a_session():
    """15.5: `new`, `fork`, `load` and `resume`."""
    claiming = sorted(SETUP_METHODS)
    assert claiming == ["session/fork", "session/load", "session/new", "session/resume"]
    there = connected()
    there.client(request(9, "session/list"))
    _, [told] = find_or_provisional(there.connection, "x")
    assert told.diagnostic.severity == "error"


def test_small_readers():
    """LENIENT-05: no coercion."""
    assert text_of({"a": "x"}, "a") == "x"
    assert text_of({"a": 5}, "a") is None
    assert text_of({}, "a") is None


def test_what_is_not_found_is_named():
    """REQ-04: the error says what was looked for, and its data which."""
    assert not_found("terminal", terminalId="t") == Error(
        code=-32002, message="unknown terminal", data=JsonObject({"terminalId": "t"})
    )
