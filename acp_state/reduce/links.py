"""What reducers of a connection share: their shape, answers, and sessions in their connection."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

import attrs

from acp_state.codec import encode
from acp_state.diagnostics import diagnostic
from acp_state.intents import Diagnose, Intent, Send
from acp_state.json_values import JsonObject
from acp_state.leniency import Decoded, decode, hold
from acp_state.methods import METHODS, Sender
from acp_state.model import Connection, PendingRequest, RequestKey, Session
from acp_state.model.copying import Versioned, evolve
from acp_state.reading import Malformed
from acp_state.records import frozen
from acp_state.reduce.odd_values import check_values
from acp_state.reduce.step import Step
from acp_state.schema import Error, RequestId
from acp_state.schema.errors import INVALID_REQUEST, RESOURCE_NOT_FOUND

ConnectionStep: TypeAlias = tuple[Connection, tuple[Intent, ...]]
"""The connection after a message, and what comes out beside it, in order."""

_IDS_END: Final = 1 << 63
"""Integer ids are of 64 bits.

Reading: beyond, any number of them could be chosen to have one hash (READ-04).
"""

MCP_MESSAGE: Final = "mcp/message"
"""MCP over ACP: an extension that the client's host handles once it has offered such a server."""

SETUP_METHODS: Final = frozenset({"session/new", "session/fork", "session/load", "session/resume"})
"""Requests that may yet claim a session of which nothing is known but early traffic (15.5)."""

ENDINGS: Final = frozenset({"session/close", "session/archive", "session/delete"})
"""Requests that are as good as done where the session is not there any more (SESS-04)."""


@frozen(kw_only=True)
class Answer(Versioned):
    """What a response says: a result, or why there is none."""

    result: Any = None
    error: Error | None = None
    value: Any = None
    """The result as the wire object of the method table."""
    malformed: bool = False
    """The result could not be read, and counts as an error."""


def request_key(request_id: object) -> RequestKey | None:
    """What a request is found by, its id with the JSON type; None: no id at all (RPC-02)."""
    if isinstance(request_id, str):
        return "str", request_id
    if isinstance(request_id, int) and not isinstance(request_id, bool):
        return ("int", request_id) if -_IDS_END <= request_id < _IDS_END else None
    if isinstance(request_id, float) and request_id.is_integer():
        return request_key(int(request_id))
    return ("NoneType", None) if request_id is None else None


def response(request_id: RequestId, answer: Answer) -> dict[str, Any]:
    """The JSON-RPC message of an answer."""
    message: dict[str, Any] = {"jsonrpc": "2.0", "id": request_id}
    if answer.error is None:
        return {**message, "result": answer.result}
    return {**message, "error": encode(answer.error)}


def tell(connection: Connection, side: Sender, intent: Callable[[], Intent]) -> tuple[Intent, ...]:
    """An intent that is one side's to carry: it is made where that side is ours, nowhere else."""
    return (intent(),) if connection.side == side else ()


def reply(
    connection: Connection, side: Sender, request_id: RequestId, answer: Answer
) -> tuple[Intent, ...]:
    """The intent to send an answer, for the side that owes it."""
    return tell(connection, side, lambda: Send(response(request_id, answer)))


def read_answer(message: dict[str, Any]) -> tuple[Answer, tuple[Intent, ...]]:
    """The answer in a response; both or neither of result and error count as an error (RPC-01)."""
    given = message.get("error")
    if "result" not in message:
        return _read_error(message)
    if given is not None:
        return _invalid(message, "both a result and an error")
    answer = Answer(result=message["result"])
    if "error" not in message:
        return answer, ()
    return answer, (bad_response(message, "a null error beside a result"),)


def read_result(
    answer: Answer, method: str, session_id: str | None = None
) -> tuple[Answer, tuple[Intent, ...]]:
    """The answer with its result read as the method table says; null is ``{}`` (RPC-13)."""
    row, error = METHODS.get(method), answer.error
    if method in ENDINGS and error is not None and error.code == RESOURCE_NOT_FOUND:
        return Answer(result={}), ()
    if row is None or row.result is None or error is not None:
        return answer, ()
    try:
        decoded: Decoded[Any] = decode({} if answer.result is None else answer.result, row.result)
    except Malformed as malformed:
        error = Error(code=INVALID_REQUEST, message=f"malformed response: {malformed}")
        bad = bad_response(answer.result, str(malformed), "LENIENT-05", session_id)
        return evolve(answer, error=error, malformed=True), (bad,)
    odd = check_values(session_id, decoded.value)
    return evolve(answer, value=decoded.value), (*told_faults(decoded, session_id), *odd)


def told_faults(
    decoded: Decoded[Any], session_id: str | None = None, within: str = ""
) -> tuple[Intent, ...]:
    """What of a message was not taken as sent."""
    if not decoded.faults:
        return ()
    return tuple(
        Diagnose(
            diagnostic(
                fault.code,
                fault.text,
                rule=fault.rule,
                session_id=session_id,
                path=f"{within}{fault.path}",
                raw=fault.raw,
            )
        )
        for fault in decoded.faults
    )


def bad_response(
    json: object, text: str, rule: str = "RPC-01", session_id: str | None = None
) -> Diagnose:
    """The diagnostic for a response that is malformed."""
    return Diagnose(
        diagnostic("bad-response", text, rule=rule, session_id=session_id, raw=hold(json))
    )


def lift(connection: Connection, step: Step) -> ConnectionStep:
    """A step of one session as a step of the connection."""
    session, intents = step
    return connection.with_session(session), intents


def session_of(connection: Connection, request: PendingRequest) -> Session | None:
    """The session that the request is about, if it is known."""
    return None if request.session_id is None else connection.sessions.get(request.session_id)


def find_or_provisional(
    connection: Connection, session_id: str
) -> tuple[Session, tuple[Intent, ...]]:
    """The session, or one of which nothing is known but its id, and the diagnostic for that.

    While a request that may yet claim it is open, that is no breach (SUB-03, 15.5).
    """
    held = connection.sessions.get(session_id)
    if held is not None:
        return held, ()
    session = Session(
        session_id,
        readiness="provisional",
        client_capabilities=connection.client_capabilities,
    )
    claimable = any(r.method in SETUP_METHODS for r in connection.client_requests.values())
    text = f"session {session_id!r} is not known; what comes for it is kept"
    noticed = diagnostic("unannounced-session", text, session_id=session_id)
    return session, (Diagnose(attrs.evolve(noticed, severity="info") if claimable else noticed),)


def not_found(what: str, **named: str) -> Error:
    """The error for a session, or something in one, that is not there; `named` is its data."""
    return Error(code=RESOURCE_NOT_FOUND, message=f"unknown {what}", data=JsonObject(named))


def text_of(params: JsonObject | dict[str, Any], key: str) -> str | None:
    """The string in a parameter, if it is one."""
    value = params.get(key)
    return value if isinstance(value, str) else None


def _read_error(message: dict[str, Any]) -> tuple[Answer, tuple[Intent, ...]]:
    try:
        return Answer(error=decode(message.get("error"), Error).value), ()
    except Malformed as malformed:
        return _invalid(message, str(malformed))


def _invalid(message: dict[str, Any], text: str) -> tuple[Answer, tuple[Intent, ...]]:
    error = Error(code=INVALID_REQUEST, message=f"malformed response: {text}")
    return Answer(error=error), (bad_response(message, text),)
