"""Session updates find their session, and children their parent (SUB, 15.5)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from acp_state.diagnostics import diagnostic
from acp_state.intents import Diagnose, Intent
from acp_state.leniency import hold
from acp_state.model import Attempt, Connection, PendingRequest, RequestKey, Session
from acp_state.model.copying import evolve
from acp_state.reading import seen
from acp_state.reduce.links import (
    ConnectionStep,
    find_or_provisional,
    text_of,
)
from acp_state.reduce.loading import begin_replay
from acp_state.reduce.step import diagnose, with_entry
from acp_state.reduce.subagents import invalidate
from acp_state.reduce.updates import fold_update

_GONE = frozenset({"closed", "deleted"})


def on_session_update(connection: Connection, params: dict[str, Any]) -> ConnectionStep:
    """Fold the update into the session that it names (RPC-12)."""
    session_id, update = text_of(params, "sessionId"), params.get("update")
    if session_id is None:
        text = "'sessionId' must be a string; the update is dropped"
        dropped = diagnostic("update-dropped", text, rule="RPC-12", raw=hold(params))
        return connection, (Diagnose(dropped),)
    session, noticed = find_or_provisional(connection, session_id)
    noticed += _odd_envelope(session_id, params)
    fields: dict[str, Any] = update if isinstance(update, dict) else {}
    kind = fields.get("sessionUpdate")
    child_id = text_of(fields, "sessionId") if kind == "subagent_update" else None
    if child_id is not None and _has_other_parent(connection, session_id, child_id):
        text = f"session {child_id!r} cannot be a child of {session_id!r}; the update is ignored"
        return connection, (diagnose(session, "reparent", text),)
    after, intents = fold_update(session, update)
    if intents and any(map(_is_drop, intents)):
        return connection, intents
    connection = connection.with_session(after)
    if child_id is not None:
        connection = _announce(connection, session_id, child_id)
        connection = _as_history(connection, session, child_id)
    if session.replay is None and after.replay is not None:
        connection = open_replays(connection, after)
    if kind == "current_mode_update":
        connection = _overtake(connection, session_id)
    if session.readiness in _GONE:
        noticed += _after_close(session)
    return connection, noticed + intents


def _odd_envelope(session_id: str, params: dict[str, Any]) -> tuple[Intent, ...]:
    """What is odd about the notification around the update (LENIENT-02, LENIENT-13)."""
    found: tuple[Intent, ...] = ()
    if not session_id:
        text = "'sessionId' is empty; kept as an id"
        found += (Diagnose(diagnostic("empty-id", text, session_id=session_id, path="sessionId")),)
    meta = params.get("_meta")
    if meta is not None and not isinstance(meta, dict):
        text = f"_meta: must be an object, not {seen(meta)}; counts as absent"
        odd = diagnostic(
            "field-defaulted", text, session_id=session_id, path="_meta", raw=hold(meta)
        )
        found += (Diagnose(odd),)
    return found


def _is_drop(intent: Intent) -> bool:
    return isinstance(intent, Diagnose) and intent.diagnostic.code == "update-dropped"


def _after_close(session: Session) -> tuple[Intent, ...]:
    """An update for a session that is closed or deleted is folded all the same (15.5)."""
    text = f"an update for a session that is {session.readiness}; folded"
    return (diagnose(session, "update-after-close", text),)


def _has_other_parent(connection: Connection, parent_id: str, child_id: str) -> bool:
    """A second parent, a session that is its own child, or a cycle (SUB-04)."""
    child = connection.sessions.get(child_id)
    if child is None or child.parent_id is not None or child_id == parent_id:
        return child_id == parent_id or (child is not None and child.parent_id != parent_id)
    return any(each.session_id == child_id for each in connection.ancestors_of(parent_id))


def _announce(connection: Connection, parent_id: str, child_id: str) -> Connection:
    """Register the child, or attach what came for it before it was announced (SUB-02, SUB-03)."""
    parent, child = connection.sessions[parent_id], connection.sessions.get(child_id)
    connection = _noted_in_attempt(connection, parent, child_id, child)
    if child is None:
        child = Session(child_id, client_capabilities=connection.client_capabilities)
    elif child.parent_id == parent_id:
        is_back = child.readiness == "unattached" and parent.readiness == "ready"
        return connection.with_session(evolve(child, readiness="ready")) if is_back else connection
    child = evolve(child, parent_id=parent_id, readiness="ready")
    if parent.replay is None or child.replay is not None:
        return connection.with_session(child)
    child = begin_replay(child)
    return open_replays(connection.with_session(child), child)


def _noted_in_attempt(
    connection: Connection, parent: Session, child_id: str, child: Session | None
) -> Connection:
    """What takes the parent up, or the nearest session above it, told of this child (LOAD-09)."""
    found = _attempt_above(connection, parent)
    if found is None:
        return connection
    key, request, attempt = found
    if child_id in attempt.children:
        return connection
    before = None if child is None else child.readiness
    noted = evolve(attempt, children=attempt.children.set(child_id, before))
    requests = connection.client_requests.set(key, evolve(request, attempt=noted))
    return connection.with_requests("client", requests)


def _attempt_above(
    connection: Connection, session: Session
) -> tuple[RequestKey, PendingRequest, Attempt] | None:
    """The oldest attempt on the nearest of the sessions above that is being taken up."""
    attempts: dict[str | None, tuple[RequestKey, PendingRequest, Attempt]] = {}
    for key, request in connection.client_requests.items():
        if request.attempt is not None:
            attempts.setdefault(request.session_id, (key, request, request.attempt))
    if not attempts:
        return None
    family = (session, *connection.ancestors_of(session.session_id))
    return next((attempts[s.session_id] for s in family if s.session_id in attempts), None)


def _as_history(connection: Connection, before: Session, child_id: str) -> Connection:
    """What is told of children while a session above is loaded gives no right (SUB-17).

    In a replay it gives none anyway.
    """
    session = connection.sessions[before.session_id]
    if session.replay is not None or not _is_below_a_load(connection, session):
        return connection
    told = invalidate(session.subagents[child_id], "replayed snapshot")
    session = with_entry(session, session.timeline.find(("subagent", child_id)), told)
    return connection.with_session(before if session == before else session)


def _is_below_a_load(connection: Connection, session: Session) -> bool:
    """Whether a session above is loaded; asked only while a load is outstanding at all."""
    loads = (each for each in connection.client_requests.values() if each.method == "session/load")
    ancestors = connection.ancestors_of(session.session_id)
    return any(loads) and any(each.readiness == "loading" for each in ancestors)


def open_replays(connection: Connection, session: Session) -> Connection:
    """An epoch of a session is one of its descendants, but for those at work (LOAD-06)."""
    at_work = frozenset(children_at_work(connection, session.session_id)).union(
        *(
            request.attempt.at_work
            for request in connection.client_requests.values()
            if request.attempt is not None and request.session_id == session.session_id
        )
    )
    for child in tuple(connection.descendants_of(session.session_id)):
        if child.session_id not in at_work and child.replay is None:
            connection = connection.with_session(begin_replay(child))
    return connection


def children_at_work(connection: Connection, session_id: str) -> Iterator[str]:
    """The descendants that are confirmed as running, whose traffic is live (LOAD-06)."""
    parent = connection.sessions.get(session_id)
    for each in (parent, *connection.descendants_of(session_id)):
        for child_id, child in each.subagents.items() if each is not None else ():
            if child.is_confirmed_running:
                yield child_id


def _overtake(connection: Connection, session_id: str) -> Connection:
    """The agent's report of a mode outranks answers to earlier requests (MODE-03)."""
    asked = connection.client_requests
    for key, request in asked.items():
        is_asked = request.method == "session/set_mode" and request.session_id == session_id
        if is_asked and not request.overtaken:
            asked = asked.set(key, evolve(request, overtaken=True))
    if asked is connection.client_requests:
        return connection
    return evolve(connection, client_requests=asked)
