"""How sessions are taken up again: ``session/load`` and ``session/resume`` (15.5, LOAD)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from acp_state.model import Attempt, Connection, PendingRequest, RequestKey, Session
from acp_state.model.copying import evolve
from acp_state.model.session import Readiness
from acp_state.reduce.lifecycle import (
    ATTACH_EVENTS,
    CLOSING,
    move,
    placed,
    ready,
    remember,
)
from acp_state.reduce.links import Answer, ConnectionStep, lift, session_of
from acp_state.reduce.loading import (
    begin_replay,
    discard_replay,
    finish_child_replay,
    finish_replay,
)
from acp_state.reduce.routing import children_at_work, open_replays
from acp_state.reduce.session_requests import with_listed_info
from acp_state.reduce.settings import apply_setup
from acp_state.reduce.settling import questions_of
from acp_state.reduce.step import Step
from acp_state.reduce.subagents import invalidate_all
from acp_state.transitions import SessionEvent


def on_load(
    connection: Connection, key: RequestKey, request: PendingRequest, _: dict[str, Any]
) -> ConnectionStep:
    """``session/load`` was sent: what comes until its answer is a replay (LOAD-02)."""
    return _attach(connection, key, request, "load sent")


def on_resume(
    connection: Connection, key: RequestKey, request: PendingRequest, _: dict[str, Any]
) -> ConnectionStep:
    """``session/resume`` was sent: nothing is replayed, and all that is held stays (LOAD-13)."""
    return _attach(connection, key, request, "resume sent")


def on_attached(connection: Connection, request: PendingRequest, answer: Answer) -> ConnectionStep:
    """``session/load`` or ``session/resume`` was answered; its replay is over (LOAD-11)."""
    session, attempt = session_of(connection, request), request.attempt
    if session is None or attempt is None:
        return connection, ()
    if answer.error is not None:
        return again(_detached(connection, request, session, attempt), session.session_id), ()
    told_of = _told_of(connection, session, attempt)
    connection, told = _each_replay(connection, session, finish_replay, finish_child_replay)
    incomplete = session.history_incomplete or (attempt.was_empty and session.replay is None)
    session = placed(connection.sessions[session.session_id], dict(request.params))
    session = move(session, "attached")
    incomplete = request.method == "session/resume" and incomplete
    session = evolve(session, history_incomplete=incomplete)
    connection, intents = lift(connection, apply_setup(session, answer.value))
    connection = _reattached(settle_previous(connection, session.session_id, "ready"), told_of)
    connection = again(connection, session.session_id)
    made_ready = ready(connection.sessions[session.session_id], request)
    return connection, (*told, *intents, *made_ready)


def _attach(
    connection: Connection,
    key: RequestKey,
    request: PendingRequest,
    event: SessionEvent,
) -> ConnectionStep:
    if request.session_id is None:
        return connection, ()
    held = connection.sessions.get(request.session_id)
    session = held or _listed(connection, Session(request.session_id, readiness="unattached"))
    at_work = frozenset(children_at_work(connection, request.session_id))
    attempt = Attempt(at_work=at_work, was_empty=not session.timeline)
    connection = remember(connection, key, evolve(request, attempt=attempt), held)
    connection = connection.with_session(session)
    for each in (request.session_id, *_descendants(connection, request.session_id)):
        invalid = invalidate_all(connection.sessions[each], "attach sent")
        invalid = evolve(invalid, client_capabilities=connection.client_capabilities)
        connection = connection.with_session(invalid)
    session = connection.sessions[request.session_id]
    connection = connection.with_session(session.with_timeline(session.timeline.close_run()))
    return _taken_up(connection, request.session_id, event), ()


def _taken_up(connection: Connection, session_id: str, event: SessionEvent) -> Connection:
    """A load opens a replay at once (LOAD-02), a resume when history comes, if any (LOAD-13).

    While the session is being closed neither does anything yet.
    """
    session = move(connection.sessions[session_id], event)
    waits = session.readiness == "closing" or session.replay is not None
    if waits or event == "resume sent":
        return connection.with_session(session)
    session = begin_replay(session)
    return open_replays(connection.with_session(session), session)


def again(connection: Connection, session_id: str) -> Connection:
    """Another request that takes the session up is outstanding: what comes is its own (LOAD-02)."""
    event = _waiting(connection, session_id)
    if event is None or session_id not in connection.sessions:
        return connection
    return _taken_up(connection, session_id, event)


def _waiting(connection: Connection, session_id: str) -> SessionEvent | None:
    """What the oldest request that takes the session up, and is not answered, does to its life."""
    waiting = (r.method for r in connection.client_requests.values() if r.session_id == session_id)
    return next((ATTACH_EVENTS[method] for method in waiting if method in ATTACH_EVENTS), None)


def settle_previous(
    connection: Connection,
    session_id: str,
    now: Readiness,
    instead_of: tuple[Readiness | None, ...] = ("loading", "resuming", None),
) -> Connection:
    """A request that fails later takes the session back to where it has got meanwhile (15.5)."""
    requests = connection.client_requests
    for key, request in requests.items():
        is_of_readiness = request.method in ATTACH_EVENTS or request.method in CLOSING
        is_open = request.previous in instead_of
        if request.session_id == session_id and is_of_readiness and is_open:
            requests = requests.set(key, evolve(request, previous=now))
    return connection.with_requests("client", requests)


def _detached(
    connection: Connection, request: PendingRequest, session: Session, attempt: Attempt
) -> Connection:
    """The request failed: all is as it was, and what was learnt meanwhile is no right (LOAD-09)."""
    family = (session.session_id, *_descendants(connection, session.session_id))
    connection = discard_replays(connection, session)
    for each in family:
        invalid = invalidate_all(connection.sessions[each], "attach sent")
        connection = connection.with_session(invalid)
    return forget_told(_back(connection, request, session), attempt)


def _back(connection: Connection, request: PendingRequest, session: Session) -> Connection:
    """The session is where it was; one that was never held is not there, or provisional (15.5)."""
    session_id = session.session_id
    is_new = request.previous is None and session.parent_id is None
    if is_new and _waiting(connection, session_id) is None:
        return _without(connection, session_id)
    previous = request.previous or "ready"
    if not is_new and previous != "closing":
        connection = settle_previous(connection, session_id, previous)
    back = connection.sessions[session_id]
    if back.readiness not in ("loading", "resuming"):
        return connection
    return connection.with_session(evolve(back, readiness=previous))


def forget_told(connection: Connection, attempt: Attempt, *, lost: bool = False) -> Connection:
    """What only the attempt told of its children is forgotten, however deep they are (LOAD-09).

    Where the connection is lost, whatever stays is unattached (CONN-01).
    """
    for child_id, previous in attempt.children.items():
        child = connection.sessions.get(child_id)
        if child is None or _is_told(connection, child):
            continue
        if previous is None:
            connection = _without(connection, child_id)
        else:
            readiness = "unattached" if lost else previous
            connection = connection.with_session(evolve(child, parent_id=None, readiness=readiness))
    return connection


def _is_told(connection: Connection, child: Session) -> bool:
    """Whether its parent still has what it said of it."""
    parent = None if child.parent_id is None else connection.sessions.get(child.parent_id)
    return parent is not None and child.session_id in parent.subagents


def _without(connection: Connection, session_id: str) -> Connection:
    """The session is gone; one in which something waits stays, and is provisional (INV-02)."""
    session = connection.sessions[session_id]
    if session.running or questions_of(connection, session_id):
        kept = evolve(session, parent_id=None, readiness="provisional")
        return connection.with_session(kept)
    return evolve(connection, sessions=connection.sessions.remove(session_id))


def discard_replays(connection: Connection, session: Session) -> Connection:
    """End the replay of a session and those of its descendants, as if nothing had been told."""
    return _each_replay(connection, session, _discarded, _discarded)[0]


def _each_replay(
    connection: Connection,
    session: Session,
    finish: Callable[[Session], Step],
    finish_child: Callable[[Session], Step],
) -> ConnectionStep:
    """End the replay of a session and those of its descendants, whoever told of them."""
    below = _descendants(connection, session.session_id)
    connection, told = lift(connection, finish(session))
    intents = [*told]
    for child_id in below:
        connection, told = lift(connection, finish_child(connection.sessions[child_id]))
        intents += told
    return connection, tuple(intents)


def _discarded(session: Session) -> Step:
    return discard_replay(session), ()


def _told_of(connection: Connection, session: Session, attempt: Attempt) -> tuple[str, ...]:
    """The children, at any depth, that the replay told of, or all where nothing was replayed."""
    if session.replay is None:
        return _descendants(connection, session.session_id)
    return tuple(attempt.children)


def _reattached(connection: Connection, child_ids: tuple[str, ...]) -> Connection:
    """Children that the parent told of when it was loaded are there again."""
    for child_id in child_ids:
        child = connection.sessions.get(child_id)
        if child is not None and child.readiness == "unattached":
            connection = connection.with_session(evolve(child, readiness="ready"))
    return connection


def _descendants(connection: Connection, session_id: str) -> tuple[str, ...]:
    return tuple(child.session_id for child in connection.descendants_of(session_id))


def _listed(connection: Connection, session: Session) -> Session:
    """What the catalogue says of a session goes into it when it is taken up (INFO-01)."""
    info = connection.catalogue.get(session.session_id)
    return session if info is None else with_listed_info(session, info)
