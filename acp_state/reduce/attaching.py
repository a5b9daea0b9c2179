"""How sessions are taken up again: ``session/load`` and ``session/resume`` (15.5, section 17)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from acp_state.model import Connection, PendingRequest, RequestKey, Session, Subagent
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
from acp_state.reduce.routing import open_replays
from acp_state.reduce.session_requests import with_listed_info
from acp_state.reduce.settings import apply_setup
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
    session = session_of(connection, request)
    if session is None:
        return connection, ()
    if answer.error is not None:
        return _again(_detached(connection, request, session), session.session_id), ()
    told_of = _told_of(session)
    connection, told = _each_replay(connection, session, finish_replay, finish_child_replay)
    session = placed(connection.sessions[session.session_id], dict(request.params))
    session = move(session, "attached")
    session = _with_history(session, is_whole=request.method == "session/load")
    connection, intents = lift(connection, apply_setup(session, answer.value))
    connection = _reattached(_settled_previous(connection, session.session_id, "ready"), told_of)
    connection = _again(connection, session.session_id)
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
    at_work = _children_at_work(connection, request.session_id)
    connection = remember(connection, key, evolve(request, at_work=at_work), held)
    connection = connection.with_session(session)
    for each in (request.session_id, *_descendants(connection, request.session_id)):
        invalid = invalidate_all(connection.sessions[each], "attach sent")
        invalid = evolve(invalid, client_capabilities=connection.client_capabilities)
        connection = connection.with_session(invalid)
    session = connection.sessions[request.session_id]
    session = session.with_timeline(session.timeline.close_run())
    return _taken_up(connection, session, event), ()


def _taken_up(connection: Connection, session: Session, event: SessionEvent) -> Connection:
    """A load opens a replay at once (LOAD-02), a resume when history comes, if any (LOAD-13)."""
    session = move(session, event)
    if event == "resume sent" or session.replay is not None:
        return connection.with_session(session)
    session = begin_replay(session)
    return open_replays(connection.with_session(session), session)


def _again(connection: Connection, session_id: str) -> Connection:
    """Another load of the session is outstanding: what comes is its replay (LOAD-02)."""
    session, event = connection.sessions.get(session_id), _waiting(connection, session_id)
    if session is None or event is None:
        return connection
    return _taken_up(connection, session, event)


def _waiting(connection: Connection, session_id: str) -> SessionEvent | None:
    """What the oldest request that takes the session up, and is not answered, does to its life."""
    waiting = (r.method for r in connection.client_requests.values() if r.session_id == session_id)
    return next((ATTACH_EVENTS[method] for method in waiting if method in ATTACH_EVENTS), None)


def _settled_previous(connection: Connection, session_id: str, now: Readiness) -> Connection:
    """A request that fails later takes the session back to where it has got meanwhile (15.5)."""
    requests = connection.client_requests
    for key, request in requests.items():
        is_of_readiness = request.method in ATTACH_EVENTS or request.method in CLOSING
        is_open = request.previous in ("loading", "resuming", None)
        if request.session_id == session_id and is_of_readiness and is_open:
            requests = requests.set(key, evolve(request, previous=now))
    return connection.with_requests("client", requests)


def _detached(connection: Connection, request: PendingRequest, session: Session) -> Connection:
    """The request failed: all is as it was, and what was learnt meanwhile is no right (LOAD-09)."""
    connection = _forget_children(connection, session)
    family = (session.session_id, *_descendants(connection, session.session_id))
    connection, _ = _each_replay(connection, session, _discarded, _discarded)
    for each in family:
        invalid = invalidate_all(connection.sessions[each], "attach sent")
        connection = connection.with_session(invalid)
    is_new = request.previous is None and session.parent_id is None
    if is_new and _waiting(connection, session.session_id) is None:
        sessions = connection.sessions.remove(session.session_id)
        return evolve(connection, sessions=sessions)
    previous = request.previous or "ready"
    if not is_new:
        connection = _settled_previous(connection, session.session_id, previous)
    back = connection.sessions[session.session_id]
    if back.readiness not in ("loading", "resuming"):
        return connection
    return connection.with_session(evolve(back, readiness=previous))


def _forget_children(connection: Connection, session: Session) -> Connection:
    """Children that only the replay told of go with it, and theirs, however deep they are."""
    family = (session, *connection.descendants_of(session.session_id))
    sessions = connection.sessions
    for child_id in [new for each in family if each.replay for new in each.replay.children]:
        sessions = sessions.remove(child_id)
    return evolve(connection, sessions=sessions)


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


def _with_history(session: Session, *, is_whole: bool) -> Session:
    """A load tells all of it (LOAD-02), a resume nothing that is not held (LOAD-13)."""
    incomplete = not is_whole and (session.history_incomplete or not session.timeline)
    return evolve(session, history_incomplete=incomplete)


def _told_of(session: Session) -> tuple[str, ...]:
    """The children that the replay told of, or all where nothing was replayed."""
    replay = session.replay
    known = session.timeline if replay is None else replay.built
    return tuple(entry.session_id for entry in known if isinstance(entry, Subagent))


def _reattached(connection: Connection, child_ids: tuple[str, ...]) -> Connection:
    """Children that the parent told of when it was loaded are there again."""
    for child_id in child_ids:
        child = connection.sessions.get(child_id)
        if child is not None and child.readiness == "unattached":
            connection = connection.with_session(evolve(child, readiness="ready"))
    return connection


def _children_at_work(connection: Connection, session_id: str) -> frozenset[str]:
    """The descendants that are confirmed as running, whose traffic is live (LOAD-06)."""
    sessions = connection.sessions
    parents = filter(None, map(sessions.get, (session_id, *_descendants(connection, session_id))))
    return frozenset(
        child_id
        for parent in parents
        for child_id, child in parent.subagents.items()
        if child.is_confirmed_running
    )


def _descendants(connection: Connection, session_id: str) -> tuple[str, ...]:
    return tuple(child.session_id for child in connection.descendants_of(session_id))


def _listed(connection: Connection, session: Session) -> Session:
    """What the catalogue says of a session goes into it when it is taken up (INFO-01)."""
    info = connection.catalogue.get(session.session_id)
    return session if info is None else with_listed_info(session, info)
