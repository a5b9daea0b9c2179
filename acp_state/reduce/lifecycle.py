"""How sessions come to be, and what else becomes of them (15.5).

How they are taken up again is in `attaching`, how they are closed in `closing`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final

from acp_state.intents import Intent, SessionReady
from acp_state.model import (
    Compaction,
    Connection,
    Entry,
    PendingRequest,
    RequestKey,
    Session,
)
from acp_state.model.copying import evolve
from acp_state.model.session import Readiness
from acp_state.persistent import Map
from acp_state.reduce.cancelling import cancel_requests
from acp_state.reduce.links import (
    Answer,
    ConnectionStep,
    lift,
    session_of,
)
from acp_state.reduce.loading import discard_replay
from acp_state.reduce.settings import apply_setup
from acp_state.reduce.settling import questions_of
from acp_state.reduce.step import Step
from acp_state.reduce.subagents import invalidate_all
from acp_state.reduce.turns import end_all
from acp_state.schema import NewSessionResponse
from acp_state.transitions import SESSION_LIFECYCLE, SessionEvent

ATTACH_EVENTS: Final[Mapping[str, SessionEvent]] = {
    "session/load": "load sent",
    "session/resume": "resume sent",
}
"""The requests that take a session up, and what they do to its life."""

CLOSING: Final = frozenset({"session/close", "session/archive"})

ON_ITS_WAY: Final[Mapping[Readiness, Collection[str]]] = {
    "loading": ATTACH_EVENTS,
    "resuming": ATTACH_EVENTS,
    "closing": CLOSING,
}
"""What brought a session into each state that is passed through, and may be asked for again."""


def move(session: Session, event: SessionEvent) -> Session:
    """The session after an event of its life (15.5)."""
    readiness = SESSION_LIFECYCLE.get((session.readiness, event), session.readiness)
    return session if readiness == session.readiness else evolve(session, readiness=readiness)


def on_made(connection: Connection, request: PendingRequest, answer: Answer) -> ConnectionStep:
    """``session/new`` or ``session/fork`` was answered: the session is there, or was before."""
    if answer.error is not None:
        return connection, ()
    response: NewSessionResponse = answer.value
    session = connection.sessions.get(response.session_id) or Session(
        response.session_id, client_capabilities=connection.client_capabilities
    )
    session = placed(move(session, "made"), dict(request.params))
    if request.method == "session/fork":
        session = evolve(session, forked_from=request.session_id)
    connection, intents = lift(connection, apply_setup(session, response))
    return connection, (*intents, *ready(connection.sessions[session.session_id], request))


def on_deleted(connection: Connection, request: PendingRequest, answer: Answer) -> ConnectionStep:
    """The session leaves the catalogue; its history stays."""
    session_id = request.session_id
    if session_id is None or answer.error is not None:
        return connection, ()
    if session_id in connection.catalogue:
        catalogue = connection.catalogue.remove(session_id)
        connection = evolve(connection, catalogue=catalogue)
    session = connection.sessions.get(session_id)
    if session is None:
        return connection, ()
    connection = connection.with_session(move(session, "deleted"))
    return cancel_requests(connection, questions_of(connection, session_id))


def on_unarchived(
    connection: Connection, request: PendingRequest, answer: Answer
) -> ConnectionStep:
    """The session is shown again; it is not loaded (SESS-06)."""
    session = session_of(connection, request)
    if session is None or answer.error is not None:
        return connection, ()
    return connection.with_session(evolve(session, archived=False)), ()


def lose(session: Session) -> Step:
    """The connection is lost: nothing is known of what was under way (CONN-01)."""
    ended, intents = end_all(discard_replay(session), "connection lost")
    ended = invalidate_all(with_work_unconfirmed(ended), "connection lost")
    dropped = ended.permissions
    for index in ended.open_permissions.values():
        dropped = dropped.set(index, evolve(dropped[index], outcome="dropped"))
    ended = evolve(ended, permissions=dropped, open_permissions=Map())
    return move(ended, "lost"), intents


def ready(session: Session, request: PendingRequest) -> tuple[Intent, ...]:
    """The session can be prompted, unless it was closed meanwhile, or is loaded once more."""
    if session.readiness != "ready":
        return ()
    return (SessionReady(session_id=session.session_id, request_id=request.request_id),)


def placed(session: Session, params: dict[str, Any]) -> Session:
    """The session with the roots of the request that activates it (INFO-02).

    Reading: also where a request that was seen names another directory (READ-02).
    """
    cwd, directories = params.get("cwd"), params.get("additionalDirectories")
    roots = directories if isinstance(directories, (list, tuple)) else ()
    return evolve(
        session,
        cwd=cwd if isinstance(cwd, str) else session.cwd,
        additional_directories=tuple(root for root in roots if isinstance(root, str)),
    )


def remember(
    connection: Connection, key: RequestKey, request: PendingRequest, held: Session | None
) -> Connection:
    """Note in the pending request what the session goes back to if it fails."""
    previous = None if held is None else held.readiness
    on_its_way = () if previous is None else ON_ITS_WAY.get(previous, ())
    if request.method in on_its_way:
        previous = next(
            each.previous
            for each in connection.client_requests.values()
            if each.session_id == request.session_id and each.method in on_its_way
        )
    pending = evolve(request, previous=previous)
    return connection.with_requests("client", connection.client_requests.set(key, pending))


def with_work_unconfirmed(session: Session) -> Session:
    """The session of which it is not known whether its work goes on."""
    return session.with_timeline(session.timeline.map(_unconfirmed))


def _unconfirmed(entry: Entry) -> Entry:
    """A compaction in progress is not known to go on (CMP-08)."""
    if isinstance(entry, Compaction) and entry.status == "in_progress":
        return evolve(entry, confirmed=False)
    return entry
