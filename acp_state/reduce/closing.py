"""How sessions are closed: ``session/close`` and ``session/archive`` (15.5, SESS-06)."""

from __future__ import annotations

from typing import Any

from acp_state.intents import Intent
from acp_state.model import Connection, PendingRequest, RequestKey, Session, SettledRequest
from acp_state.model.copying import evolve
from acp_state.reading import seen
from acp_state.reduce.attaching import again, discard_replays, forget_told, settle_previous
from acp_state.reduce.cancelling import cancel_requests, cascade
from acp_state.reduce.elicitations import elicitations_for
from acp_state.reduce.lifecycle import CLOSING, move, remember, with_work_unconfirmed
from acp_state.reduce.links import Answer, ConnectionStep, request_key, session_of
from acp_state.reduce.step import diagnose
from acp_state.reduce.subagents import invalidate_all
from acp_state.reduce.turns import ask_to_cancel_all, end_all


def on_close(
    connection: Connection, key: RequestKey, request: PendingRequest, _: dict[str, Any]
) -> ConnectionStep:
    """``session/close`` or ``archive`` was sent: like a cancel, then freeing (SESS-06)."""
    session = session_of(connection, request)
    if session is None:
        return connection, ()
    connection = remember(connection, key, request, session)
    closing = move(ask_to_cancel_all(session), "close sent")
    return cascade(connection.with_session(closing), session.session_id)


def on_closed(connection: Connection, request: PendingRequest, answer: Answer) -> ConnectionStep:
    """The close was answered: the session's turns and what it held end with it (SESS-06)."""
    session = session_of(connection, request)
    if session is None:
        return connection, ()
    if answer.error is not None:
        text = f"closing failed with {seen(answer.error.code)}: {answer.error.message}"
        failed = diagnose(session, "close-failed", text)
        return _not_closed(connection, request, session), (failed,)
    connection, told = _abandon_prompts(connection, session)
    ended, intents = end_all(session, "closed")
    closed = move(ended, "closed")
    if request.method == "session/archive":
        closed = evolve(closed, archived=True)
    # What was asked since the close was sent is answered already, if the session was known then.
    connection, answered = cascade(connection.with_session(closed), session.session_id)
    closed = connection.sessions[session.session_id]
    connection = _freed(discard_replays(connection, closed), session.session_id)
    return _opened_again(connection, session.session_id), (*told, *answered, *intents)


def _freed(connection: Connection, session_id: str) -> Connection:
    """What a session held is gone: its children are not attached, and nothing is known to go on.

    A request that was to take it up, and was sent before, tells nothing any more.
    """
    attempts = [
        each.attempt
        for each in connection.client_requests.values()
        if each.session_id == session_id and each.previous != "closing"
    ]
    for each in (connection.sessions[session_id], *connection.descendants_of(session_id)):
        freed = invalidate_all(with_work_unconfirmed(each), "parent closed")
        if each.session_id != session_id:
            freed = evolve(freed, readiness="unattached")
        connection = connection.with_session(freed)
    for attempt in filter(None, attempts):
        connection = forget_told(connection, attempt, lost=True)
    return connection


def _not_closed(connection: Connection, request: PendingRequest, session: Session) -> Connection:
    """The session is what it was, unless it is closed by now or another close is outstanding."""
    asked = connection.client_requests.values()
    waits = any(r.session_id == session.session_id and r.method in CLOSING for r in asked)
    if session.readiness != "closing" or waits:
        return connection
    back = evolve(session, readiness=request.previous or "ready")
    return _opened_again(connection.with_session(back), session.session_id)


def _opened_again(connection: Connection, session_id: str) -> Connection:
    """What was to take the session up while it was being closed has its turn now (15.5)."""
    waiting = any(
        each.attempt is not None and each.previous == "closing" and each.session_id == session_id
        for each in connection.client_requests.values()
    )
    now = connection.sessions[session_id].readiness
    connection = settle_previous(connection, session_id, now, ("closing",))
    return again(connection, session_id) if waiting else connection


def _abandon_prompts(connection: Connection, session: Session) -> ConnectionStep:
    """Prompts of a closed session are answered no more; what still comes is absorbed (15.5)."""
    intents: list[Intent] = []
    for index in session.running:
        key = request_key(session.turns[index].request_id)
        if key is None or key not in connection.client_requests:
            continue
        connection = evolve(
            connection,
            client_requests=connection.client_requests.remove(key),
            settled_by_agent=connection.settled_by_agent.set(key, SettledRequest(any_answer=True)),
        )
        connection, told = cancel_requests(connection, elicitations_for(connection, key[1]))
        intents += told
    return connection, tuple(intents)
