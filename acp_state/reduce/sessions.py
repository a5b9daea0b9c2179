"""What reducers of a connection share: their shape, and how a session gets into the connection."""

from __future__ import annotations

from typing import Any, Final, TypeAlias, TypeVar

import attrs
from attrs import frozen

from acp_state.codec import Malformed
from acp_state.diagnostics import diagnostic
from acp_state.intents import Diagnose, Intent
from acp_state.leniency import decode, hold
from acp_state.model import Session
from acp_state.model.connection import Connection, PendingRequest
from acp_state.reduce.step import Step
from acp_state.schema import Error

T = TypeVar("T")

INVALID_REQUEST: Final = -32600

ConnectionStep: TypeAlias = tuple[Connection, tuple[Intent, ...]]
"""The connection after a message, and what comes out beside it, in order."""

RequestStep: TypeAlias = tuple[Connection, PendingRequest, tuple[Intent, ...]]
"""Likewise for a request, with what is to be remembered of it."""

SETUP_METHODS: Final = frozenset({"session/new", "session/fork", "session/load", "session/resume"})
"""Requests that may yet claim a session of which nothing is known but early traffic (15.5)."""


@frozen(kw_only=True)
class Answer:
    """What a response says: a result, or why there is none."""

    result: Any = None
    error: Error | None = None


def read_answer(message: dict[str, Any]) -> tuple[Answer, tuple[Intent, ...]]:
    """The answer in a response; both or neither of result and error count as an error (RPC-01)."""
    given = message.get("error")
    if "result" not in message:
        return _read_error(message)
    if given is not None:
        return _invalid(message, "both a result and an error")
    noticed = (_bad(message, "a null error beside a result"),) if "error" in message else ()
    return Answer(result=message["result"]), noticed


def _read_error(message: dict[str, Any]) -> tuple[Answer, tuple[Intent, ...]]:
    try:
        return Answer(error=decode(message.get("error"), Error).value), ()
    except Malformed as malformed:
        return _invalid(message, str(malformed))


def _invalid(message: dict[str, Any], text: str) -> tuple[Answer, tuple[Intent, ...]]:
    error = Error(code=INVALID_REQUEST, message=f"malformed response: {text}")
    return Answer(error=error), (_bad(message, text),)


def read_result(answer: Answer, cls: type[T]) -> tuple[T | None, tuple[Intent, ...]]:
    """The result as a wire object; null counts as ``{}`` (RPC-13); None where it is malformed."""
    try:
        decoded = decode({} if answer.result is None else answer.result, cls)
    except Malformed as malformed:
        return None, (_bad(answer.result, str(malformed)),)
    return decoded.value, tuple(
        Diagnose(diagnostic(f.code, f.text, rule=f.rule, path=f.path, raw=f.raw))
        for f in decoded.faults
    )


def with_session(connection: Connection, session: Session) -> Connection:
    """The connection with a session, in its place or at the end."""
    sessions = connection.sessions.set(session.session_id, session)
    return (
        connection
        if sessions is connection.sessions
        else attrs.evolve(connection, sessions=sessions)
    )


def lift(connection: Connection, step: Step) -> ConnectionStep:
    """A step of one session as a step of the connection."""
    session, intents = step
    return with_session(connection, session), intents


def session_of(connection: Connection, request: PendingRequest) -> Session | None:
    """The session that the request is about, if it is known."""
    return None if request.session_id is None else connection.sessions.get(request.session_id)


def provisional(connection: Connection, session_id: str) -> tuple[Session, tuple[Intent, ...]]:
    """A session of which nothing is known but its id, and the diagnostic for that (SUB-03, 15.5).

    While a request that may yet claim it is open, that is no breach.
    """
    session = Session(session_id, client_capabilities=connection.client_capabilities)
    claimable = any(r.method in SETUP_METHODS for r in connection.client_requests.values())
    text = f"session {session_id!r} is not known; what comes for it is kept"
    noticed = diagnostic("unannounced-session", text, session_id=session_id)
    return session, (Diagnose(attrs.evolve(noticed, severity="info") if claimable else noticed),)


def _bad(json: object, text: str) -> Intent:
    return Diagnose(diagnostic("bad-response", text, rule="RPC-01", raw=hold(json)))
