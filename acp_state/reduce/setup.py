"""Initialisation, and how sessions come to be: new, fork, load, resume (sections 15 to 17)."""

from __future__ import annotations

from typing import Any

import attrs

from acp_state.codec import Malformed
from acp_state.leniency import decode
from acp_state.model import Session
from acp_state.model.connection import Connection, PendingRequest
from acp_state.reduce.sessions import (
    Answer,
    ConnectionStep,
    RequestStep,
    lift,
    read_result,
    session_of,
    with_session,
)
from acp_state.reduce.settings import apply_setup
from acp_state.reduce.step import with_timeline
from acp_state.schema import ClientCapabilities, LoadSessionResponse, NewSessionResponse


def on_initialize(
    connection: Connection, request: PendingRequest, params: dict[str, Any]
) -> RequestStep:
    """Remember what the client advertises; it gates what the agent may send (INIT-05)."""
    try:
        advertised = decode(params.get("clientCapabilities"), ClientCapabilities).value
    except Malformed:
        advertised = ClientCapabilities()
    return attrs.evolve(connection, client_capabilities=advertised), request, ()


def on_attach(
    connection: Connection, request: PendingRequest, params: dict[str, Any]
) -> RequestStep:
    """``session/load`` or ``session/resume`` was sent: the session is known now (LOAD-02)."""
    if request.session_id is None:
        return connection, request, ()
    held = session_of(connection, request)
    session = held or Session(
        request.session_id, client_capabilities=connection.client_capabilities
    )
    session = _placed(with_timeline(session, session.timeline.close_run()), params)
    request = attrs.evolve(request, made_session=held is None)
    return with_session(connection, session), request, ()


def on_attached(connection: Connection, request: PendingRequest, answer: Answer) -> ConnectionStep:
    """``session/load`` or ``session/resume`` was answered; the replay is over (LOAD-11)."""
    session = session_of(connection, request)
    if session is None:
        return connection, ()
    if answer.error is not None:
        return _detached(connection, request, session), ()
    response, noticed = read_result(answer, LoadSessionResponse)
    session = with_timeline(session, session.timeline.close_run())
    if response is None:
        return with_session(connection, session), noticed
    connection, intents = lift(connection, apply_setup(session, response))
    return connection, noticed + intents


def on_made(connection: Connection, request: PendingRequest, answer: Answer) -> ConnectionStep:
    """``session/new`` or ``session/fork`` was answered: the session is there, or was before."""
    if answer.error is not None:
        return connection, ()
    response, noticed = read_result(answer, NewSessionResponse)
    if response is None:
        return connection, noticed
    session = connection.sessions.get(response.session_id) or Session(
        response.session_id, client_capabilities=connection.client_capabilities
    )
    session = _placed(session, dict(request.params))
    connection, intents = lift(connection, apply_setup(session, response))
    return connection, noticed + intents


def _placed(session: Session, params: dict[str, Any]) -> Session:
    """The session with the roots of the request that activates it (INFO-02)."""
    cwd, directories = params.get("cwd"), params.get("additionalDirectories")
    roots = directories if isinstance(directories, (list, tuple)) else ()
    return attrs.evolve(
        session,
        cwd=cwd if isinstance(cwd, str) else session.cwd,
        additional_directories=tuple(root for root in roots if isinstance(root, str)),
    )


def _detached(connection: Connection, request: PendingRequest, session: Session) -> Connection:
    """The request failed: a session that it alone made known disappears again (15.5)."""
    if not request.made_session or session.timeline:
        return connection
    sessions = connection.sessions.remove(session.session_id)
    return attrs.evolve(connection, sessions=sessions)
