"""Session updates find their session, and children their parent (sections 11, 15.5)."""

from __future__ import annotations

from typing import Any

import attrs

from acp_state.diagnostics import diagnostic
from acp_state.intents import Diagnose, Intent
from acp_state.leniency import hold
from acp_state.model import Connection, Session
from acp_state.reduce.links import (
    ConnectionStep,
    find_or_provisional,
    text_of,
)
from acp_state.reduce.step import diagnose
from acp_state.reduce.updates import apply_update

_GONE = frozenset({"closed", "deleted"})


def on_session_update(connection: Connection, params: dict[str, Any]) -> ConnectionStep:
    """Fold the update into the session that it names (RPC-12)."""
    session_id, update = text_of(params, "sessionId"), params.get("update")
    if session_id is None:
        text = "'sessionId' must be a string; the update is dropped"
        dropped = diagnostic("update-dropped", text, rule="RPC-12", raw=hold(params))
        return connection, (Diagnose(dropped),)
    session, noticed = find_or_provisional(connection, session_id)
    child_id = _child_id(update)
    if child_id is not None and _has_other_parent(connection, session_id, child_id):
        text = f"session {child_id!r} cannot be a child of {session_id!r}; the update is ignored"
        return connection, (diagnose(session, "reparent", text),)
    after, intents = apply_update(session, update)  # type: ignore[arg-type] # any JSON
    if any(map(_is_drop, intents)):
        return connection, intents
    connection = connection.with_session(after)
    if child_id is not None:
        connection = _announce(connection, session_id, child_id)
    if _tag(update) == "current_mode_update":
        connection = _overtake(connection, session_id)
    return connection, (*noticed, *_after_close(session), *intents)


def _is_drop(intent: Intent) -> bool:
    return isinstance(intent, Diagnose) and intent.diagnostic.code == "update-dropped"


def _after_close(session: Session) -> tuple[Intent, ...]:
    """An update for a session that is closed or deleted is folded all the same (15.5)."""
    if session.readiness not in _GONE:
        return ()
    text = f"an update for a session that is {session.readiness}; folded"
    return (diagnose(session, "update-after-close", text),)


def _tag(update: object) -> object:
    return update.get("sessionUpdate") if isinstance(update, dict) else None


def _child_id(update: object) -> str | None:
    """The child that the update is about, if it is a ``subagent_update``."""
    if not isinstance(update, dict) or _tag(update) != "subagent_update":
        return None
    return text_of(update, "sessionId")


def _has_other_parent(connection: Connection, parent_id: str, child_id: str) -> bool:
    """A second parent, a session that is its own child, or a cycle (SUB-04)."""
    child = connection.sessions.get(child_id)
    if child is not None and child.parent_id not in (None, parent_id):
        return True
    ancestors = connection.ancestors_of(parent_id)
    return child_id == parent_id or any(each.session_id == child_id for each in ancestors)


def _announce(connection: Connection, parent_id: str, child_id: str) -> Connection:
    """Register the child, or attach what came for it before it was announced (SUB-02, SUB-03)."""
    child = connection.sessions.get(child_id) or Session(
        child_id, client_capabilities=connection.client_capabilities
    )
    if child.parent_id == parent_id and child.readiness == "ready":
        return connection
    return connection.with_session(attrs.evolve(child, parent_id=parent_id, readiness="ready"))


def _overtake(connection: Connection, session_id: str) -> Connection:
    """The agent's report of a mode outranks answers to earlier requests (MODE-03)."""
    asked = connection.client_requests
    for key, request in asked.items():
        if request.method == "session/set_mode" and request.session_id == session_id:
            asked = asked.set(key, attrs.evolve(request, overtaken=True))
    if asked is connection.client_requests:
        return connection
    return attrs.evolve(connection, client_requests=asked)
