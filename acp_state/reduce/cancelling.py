"""What a cancel does to a session and its descendants (CANCEL)."""

from __future__ import annotations

from typing import Any

from acp_state.diagnostics import diagnostic
from acp_state.intents import CancelRequested, Diagnose, Intent, WorkWithdrawn
from acp_state.model import Connection, PendingRequest, RequestKey, Session
from acp_state.model.connection import PendingRequests
from acp_state.model.copying import evolve
from acp_state.model.session import with_turn
from acp_state.reduce.links import (
    ConnectionStep,
    request_key,
    session_of,
    tell,
    text_of,
)
from acp_state.reduce.settling import cancel_request_of_agent, questions_of
from acp_state.reduce.tool_calls import cancel_all_unfinished
from acp_state.reduce.turns import ask_to_cancel, turn_of


def on_cancel(connection: Connection, params: dict[str, Any]) -> ConnectionStep:
    """``session/cancel`` was sent: it cascades to descendants (CANCEL-02 to CANCEL-04, -07)."""
    session_id = text_of(params, "sessionId")
    session = None if session_id is None else connection.sessions.get(session_id)
    noticed = _idle(connection, session_id, session)
    if session_id is None or session is None:
        return connection, noticed
    connection, intents = cascade(connection.with_session(ask_to_cancel(session)), session_id)
    asked = tell(connection, "agent", lambda: CancelRequested(session_id))
    return connection, (*noticed, *intents, *asked)


def _idle(
    connection: Connection, session_id: str | None, session: Session | None
) -> tuple[Intent, ...]:
    """Nothing that could be cancelled, or no right to (CANCEL-01)."""
    if session is None:
        text = "the session is not known"
    elif session.parent_id is not None:
        parent = connection.sessions.get(session.parent_id)
        association = parent.subagents.get(session.session_id) if parent else None
        if association is not None and association.may_cancel:
            return ()
        text = "the agent gives no right to cancel this child"
    elif session.current_turn is None:
        text = "no turn runs that could be cancelled"
    else:
        return ()
    return (Diagnose(diagnostic("cancel-idle", text, session_id=session_id)),)


def cascade(connection: Connection, session_id: str) -> ConnectionStep:
    """Overlay the work of a child and of all descendants, and answer all questions (CANCEL-08).

    Of children all that is unfinished, of the session itself only what its turns have begun, and
    that is done already (CANCEL-02, CANCEL-07).
    """
    family = (connection.sessions[session_id], *connection.descendants_of(session_id))
    for each in family:
        if each.parent_id is not None:
            connection = connection.with_session(cancel_all_unfinished(each))
    ids = [each.session_id for each in family]
    keys = [key for each in ids for key in questions_of(connection, each)]
    return cancel_requests(connection, keys)


def cancel_requests(connection: Connection, keys: list[RequestKey]) -> ConnectionStep:
    """Answer these requests of the agent as cancelled."""
    intents: list[Intent] = []
    for key in keys:
        connection, told = cancel_request_of_agent(connection, key)
        intents += told
    return connection, tuple(intents)


def on_cancel_request_by_agent(connection: Connection, params: dict[str, Any]) -> ConnectionStep:
    """The agent takes a request back: the client answers it once, as cancelled (CANCEL-10).

    Whoever else looks on sees it outstanding until the answer comes, which may be another.
    """
    key, request = _named(connection.agent_requests, params)
    if key is None or request is None:
        return connection, ()
    if connection.side == "client":
        return cancel_request_of_agent(connection, key, "$/cancel_request")
    asked = evolve(request, cancel_requested=True)
    return connection.with_requests("agent", connection.agent_requests.set(key, asked)), ()


def on_cancel_request_by_client(connection: Connection, params: dict[str, Any]) -> ConnectionStep:
    """The client would give a request up; it stays until it is answered (CANCEL-09)."""
    key, request = _named(connection.client_requests, params)
    if key is None or request is None:
        return connection, ()
    asked = evolve(request, cancel_requested=True)
    connection = connection.with_requests("client", connection.client_requests.set(key, asked))
    told = tell(
        connection,
        "agent",
        lambda: WorkWithdrawn(request_id=request.request_id, method=request.method),
    )
    session = session_of(connection, request)
    if request.method != "session/prompt" or session is None:
        return connection, told
    return connection.with_session(_turn_asked(session, request.request_id)), told


def _named(
    requests: PendingRequests, params: dict[str, Any]
) -> tuple[RequestKey | None, PendingRequest | None]:
    """The pending request that ``$/cancel_request`` names for the first time, if it is one."""
    key = request_key(params["requestId"]) if "requestId" in params else None
    request = None if key is None else requests.get(key)
    return (key, None) if request is None or request.cancel_requested else (key, request)


def _turn_asked(session: Session, request_id: Any) -> Session:
    index = turn_of(session, request_id)
    if index is None:
        return session
    turn = evolve(session.turns[index], cancel_requested=True)
    return with_turn(session, index, turn)
