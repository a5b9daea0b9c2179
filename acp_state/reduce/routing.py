"""Session updates find their session, and children their parent (sections 11, 15.5)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import attrs

from acp_state.diagnostics import diagnostic
from acp_state.intents import Diagnose, Intent
from acp_state.leniency import hold
from acp_state.model import Session
from acp_state.model.connection import Connection
from acp_state.reduce.sessions import ConnectionStep, provisional, with_session
from acp_state.reduce.step import diagnose
from acp_state.reduce.updates import apply_update


def on_session_update(connection: Connection, params: dict[str, Any]) -> ConnectionStep:
    """Fold the update into the session that it names (RPC-12)."""
    session_id, update = params.get("sessionId"), params.get("update")
    if not isinstance(session_id, str):
        return connection, (
            _dropped("'sessionId' must be a string; the update is dropped", params),
        )
    held = connection.sessions.get(session_id)
    session, noticed = (held, ()) if held else provisional(connection, session_id)
    child_id = _child_id(update)
    if child_id is not None and _has_other_parent(connection, session_id, child_id):
        text = f"session {child_id!r} cannot be a child of {session_id!r}; the update is ignored"
        return connection, (diagnose(session, "reparent", text),)
    after, intents = apply_update(session, update)  # type: ignore[arg-type] # any JSON
    if any(isinstance(i, Diagnose) and i.diagnostic.code == "update-dropped" for i in intents):
        return connection, intents
    connection = with_session(connection, after)
    if child_id is not None and child_id in after.subagents:
        connection = _announce(connection, session_id, child_id)
    if isinstance(update, dict) and update.get("sessionUpdate") == "current_mode_update":
        connection = _overtake(connection, session_id)
    return connection, noticed + intents


def _child_id(update: object) -> str | None:
    """The child that the update is about, if it is a ``subagent_update``."""
    if not isinstance(update, dict) or update.get("sessionUpdate") != "subagent_update":
        return None
    child_id = update.get("sessionId")
    return child_id if isinstance(child_id, str) else None


def _has_other_parent(connection: Connection, parent_id: str, child_id: str) -> bool:
    """A second parent, or a cycle (SUB-04)."""
    child = connection.sessions.get(child_id)
    if child is not None and child.parent_id not in (None, parent_id):
        return True
    return child_id in _ancestors(connection, parent_id)


def _ancestors(connection: Connection, session_id: str) -> Iterator[str]:
    session = connection.sessions.get(session_id)
    while session is not None and session.parent_id is not None:
        yield session.parent_id
        session = connection.sessions.get(session.parent_id)


def _announce(connection: Connection, parent_id: str, child_id: str) -> Connection:
    """Register the child, or attach what came for it before it was announced (SUB-02, SUB-03)."""
    child = connection.sessions.get(child_id) or Session(
        child_id, client_capabilities=connection.client_capabilities
    )
    if child.parent_id == parent_id:
        return connection
    return with_session(connection, attrs.evolve(child, parent_id=parent_id))


def _overtake(connection: Connection, session_id: str) -> Connection:
    """The agent's report of a mode outranks answers to earlier requests (MODE-03)."""
    asked = connection.client_requests
    for key, request in asked.items():
        if request.method == "session/set_mode" and request.session_id == session_id:
            asked = asked.set(key, attrs.evolve(request, overtaken=True))
    return (
        connection
        if asked is connection.client_requests
        else attrs.evolve(connection, client_requests=asked)
    )


def _dropped(text: str, params: dict[str, Any]) -> Intent:
    return Diagnose(diagnostic("update-dropped", text, rule="RPC-12", raw=hold(params)))
