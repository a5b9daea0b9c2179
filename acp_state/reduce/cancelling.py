"""What a cancel does to a session and its descendants (14.2)."""

from __future__ import annotations

from typing import Any

import attrs

from acp_state.diagnostics import diagnostic
from acp_state.intents import Diagnose
from acp_state.model import Connection, RequestKey, Session
from acp_state.model.session import with_turn
from acp_state.reduce.links import (
    ConnectionStep,
    Effects,
    request_key,
    text_of,
)
from acp_state.reduce.settling import cancel_request_of_agent, questions_of
from acp_state.reduce.tool_calls import cancel_all_unfinished
from acp_state.reduce.turns import ask_to_cancel, turn_of


def on_cancel(connection: Connection, params: dict[str, Any]) -> ConnectionStep:
    """``session/cancel`` was sent: it cascades to descendants (CANCEL-02 to CANCEL-04, -07)."""
    session_id = text_of(params, "sessionId")
    session = None if session_id is None else connection.sessions.get(session_id)
    if session_id is None or session is None:
        return connection, ()
    noticed: Effects = ()
    if session.parent_id is not None:
        session = cancel_all_unfinished(session)
    elif session.current_turn is None:
        text = "no turn runs that could be cancelled"
        noticed = (Diagnose(diagnostic("cancel-idle", text, session_id=session_id)),)
    connection, effects = cascade(connection.with_session(ask_to_cancel(session)), session_id)
    return connection, noticed + effects


def cascade(connection: Connection, session_id: str) -> ConnectionStep:
    """Overlay the work of all descendants, and answer all questions as cancelled (CANCEL-07)."""
    children = tuple(connection.descendants_of(session_id))
    for child in children:
        connection = connection.with_session(cancel_all_unfinished(child))
    ids = (session_id, *(child.session_id for child in children))
    keys = [key for each in ids for key in questions_of(connection, each)]
    return cancel_requests(connection, keys)


def cancel_requests(connection: Connection, keys: list[RequestKey]) -> ConnectionStep:
    """Answer these requests of the agent as cancelled."""
    effects: Effects = ()
    for key in keys:
        connection, told = cancel_request_of_agent(connection, key)
        effects += told
    return connection, effects


def on_cancel_request_by_agent(connection: Connection, params: dict[str, Any]) -> ConnectionStep:
    """The agent takes a request back: it is answered once, or ignored if unknown (CANCEL-10)."""
    key = request_key(params["requestId"]) if "requestId" in params else None
    if key is None or key not in connection.agent_requests:
        return connection, ()
    return cancel_request_of_agent(connection, key, "$/cancel_request")


def on_cancel_request_by_client(connection: Connection, params: dict[str, Any]) -> ConnectionStep:
    """The client would give a request up; it stays until it is answered (CANCEL-09)."""
    key = request_key(params["requestId"]) if "requestId" in params else None
    request = None if key is None else connection.client_requests.get(key)
    if key is None or request is None:
        return connection, ()
    asked = attrs.evolve(request, cancel_requested=True)
    requests = connection.client_requests.set(key, asked)
    connection = attrs.evolve(connection, client_requests=requests)
    session = connection.sessions.get(request.session_id or "")
    if request.method != "session/prompt" or session is None:
        return connection, ()
    return connection.with_session(_turn_asked(session, request.request_id)), ()


def _turn_asked(session: Session, request_id: Any) -> Session:
    index = turn_of(session, request_id)
    if index is None:
        return session
    turn = attrs.evolve(session.turns[index], cancel_requested=True)
    return with_turn(session, index, turn)
