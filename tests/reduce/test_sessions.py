"""Answers, and how a session gets into its connection (RPC-01, RPC-13, RPC-14)."""

from __future__ import annotations

import pytest
from reduce.builders import SESSION, after, agent, connected, noticed, to_agent, watch

from acp_state import Session
from acp_state.json_values import JsonObject
from acp_state.model.connection import PendingRequest
from acp_state.reduce.sessions import (
    Answer,
    lift,
    provisional,
    read_answer,
    read_result,
    session_of,
    with_session,
)
from acp_state.schema import ConfigOptionUpdate, Error, LoadSessionResponse

NO = {"code": -32002, "message": "no", "data": {"sessionId": "s"}}


def bad(text, raw):
    return noticed("bad-response", text, session_id=None, rule="RPC-01", raw=raw)


def invalid(text):
    return Error(code=-32600, message=f"malformed response: {text}")


@pytest.mark.parametrize("result", [None, {}, {"a": 1}, 5, [], False])
def test_a_result(result):
    """RPC-01: exactly one of `result` and `error`; a null result is one."""
    assert read_answer({"id": 1, "result": result}) == (Answer(result=result), ())


def test_an_error():
    """RPC-14: `error.data` is optional and opaque, codes are integers."""
    assert read_answer({"id": 1, "error": NO}) == (
        Answer(error=Error(code=-32002, message="no", data=JsonObject({"sessionId": "s"}))),
        (),
    )
    assert read_answer({"id": 1, "error": {"code": 7.0, "message": ""}}) == (
        Answer(error=Error(code=7, message="")),
        (),
    )


def test_both_a_result_and_an_error():
    """RPC-01: settled as an error of class -32600, `diag:bad-response`."""
    message = {"id": 1, "result": {}, "error": NO}
    text = "both a result and an error"
    assert read_answer(message) == (Answer(error=invalid(text)), (bad(text, message),))


def test_a_null_error_beside_a_result():
    """RPC-01: it counts as absent, `diag:bad-response`."""
    message = {"id": 1, "result": {"a": 1}, "error": None}
    assert read_answer(message) == (
        Answer(result={"a": 1}),
        (bad("a null error beside a result", message),),
    )


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ({"id": 1}, "must be an object, not null"),
        ({"id": 1, "error": None}, "must be an object, not null"),
        ({"id": 1, "error": "no"}, "must be an object, not 'no'"),
        ({"id": 1, "error": {"code": 1}}, "'message' is missing"),
        ({"id": 1, "error": {"code": "1", "message": "m"}}, "code: must be an integer, not '1'"),
    ],
)
def test_neither_or_a_malformed_error(message, text):
    """RPC-01: an invalid response is an error of class -32600, `diag:bad-response`."""
    assert read_answer(message) == (Answer(error=invalid(text)), (bad(text, message),))


@pytest.mark.parametrize("result", [None, {}])
def test_a_null_result_is_an_empty_one(result):
    """RPC-13: for methods whose result has no required field."""
    assert read_result(Answer(result=result), LoadSessionResponse) == (LoadSessionResponse(), ())


@pytest.mark.parametrize(
    ("result", "text"),
    [
        (None, "'configOptions' is missing"),
        ({}, "'configOptions' is missing"),
        (5, "must be an object, not 5"),
    ],
)
def test_a_malformed_result(result, text):
    """Table 4.2: no result, `diag:bad-response`."""
    assert read_result(Answer(result=result), ConfigOptionUpdate) == (None, (bad(text, result),))


def test_the_faults_of_a_result_are_told():
    """LENIENT-02: `diag:field-defaulted`."""
    assert read_result(Answer(result={"modes": 5}), LoadSessionResponse) == (
        LoadSessionResponse(),
        (
            noticed(
                "field-defaulted",
                "must be an object, not 5; counts as absent",
                session_id=None,
                path="modes",
                raw=5,
            ),
        ),
    )


# Sessions of a connection


def test_a_session_takes_its_place():
    """Known ones stay where they are, new ones come at the end; the very same changes nothing."""
    before = connected(Session("a"), Session("b"))
    changed = after(agent("x"), onto=before.sessions["a"])
    assert list(with_session(before, changed).sessions.items()) == [
        ("a", changed),
        ("b", Session("b")),
    ]
    assert list(with_session(before, Session("c")).sessions) == ["a", "b", "c"]
    assert with_session(before, before.sessions["a"]) is before
    assert lift(before, (changed, ("intent",))) == (with_session(before, changed), ("intent",))


def test_the_session_of_a_request():
    """The session that it names, if it is known."""
    request = PendingRequest(request_id=1, method="m", params=JsonObject({}))
    before = connected(SESSION)
    assert session_of(before, request) is None
    known = PendingRequest(request_id=1, method="m", params=JsonObject({}), session_id="s")
    assert session_of(before, known) is SESSION
    assert session_of(connected(), known) is None


@pytest.mark.parametrize(
    ("method", "severity"),
    [
        (None, "error"),
        ("session/new", "info"),
        ("session/fork", "info"),
        ("session/load", "info"),
        ("session/resume", "info"),
        ("session/prompt", "error"),
        ("session/list", "error"),
    ],
)
def test_a_provisional_session(method, severity):
    """15.5: it knows its id and the client; a breach, unless a request may yet claim it."""
    before = connected() if method is None else watch(to_agent(method, 1))[0]
    session, [intent] = provisional(before, "s")
    assert session == SESSION
    assert (intent.diagnostic.code, intent.diagnostic.severity) == ("unannounced-session", severity)
