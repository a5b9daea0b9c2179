"""`reduce`: one event folded into one connection."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from acp_state.events import Disconnected, Event, Received, Sent
from acp_state.intents import Intent, RequestFailed
from acp_state.methods import Sender
from acp_state.model import Connection, PendingRequest
from acp_state.model.copying import evolve
from acp_state.persistent import Map
from acp_state.reduce.attaching import forget_told
from acp_state.reduce.commands import command_message
from acp_state.reduce.initialization import move
from acp_state.reduce.json_rpc import OTHER, fold_message
from acp_state.reduce.lifecycle import lose
from acp_state.reduce.links import ConnectionStep, tell
from acp_state.reduce.settling import withdrawn
from acp_state.reduce.streaming import stream_message

SEATS: Final[dict[str, Sender]] = {"client": "client", "agent": "agent", "observer": "client"}
"""Whose messages `Sent` are; an observer sits in the client's seat."""


def reduce(connection: Connection, event: Event) -> ConnectionStep:
    """Fold one event into a connection.

    Args:
        connection: what is known so far; it stays as it is.
        event: a message that was `Received` or `Sent`, a command of the host's, or `Disconnected`.

    Returns:
        The connection after the event, and the intents for the host to carry out, in order.

    Raises:
        LocalProtocolError: a command that the protocol does not allow now, or a message that is no
            JSON value at all; nothing has changed.

    >>> from acp_state import Initialize
    >>> connection, intents = reduce(Connection(), Initialize())
    >>> intents[0].message["method"], connection
    ('initialize', <connection, client's side: initializing, 0 sessions>)
    """
    if type(event) is (Sent if connection.side == "agent" else Received):
        streamed = stream_message(connection, event.message)
        if streamed is not None:
            return streamed, ()
    return fold_event(connection, event)


def fold_event(connection: Connection, event: Event) -> ConnectionStep:
    """Fold one event the general way; for callers that have tried the short one."""
    seat = SEATS[connection.side]
    if isinstance(event, Received):
        return fold_message(connection, OTHER[seat], event.message)
    if isinstance(event, Sent):
        return fold_message(connection, seat, event.message)
    if isinstance(event, Disconnected):
        return _lost(connection)
    send = command_message(connection, event)
    connection, intents = fold_message(connection, seat, send.message)
    return connection, (send, *intents)


def _lost(connection: Connection) -> ConnectionStep:
    """The transport has ended: pending work is settled, and no outcome is invented (CONN-01).

    What the agent asked is dropped without an answer (PERM-08).
    """
    told: list[Intent] = []
    for request in connection.client_requests.values():
        if request.method != "session/prompt":
            told += tell(connection, "client", _interrupted(request))
    for key, request in connection.agent_requests.items():
        told += withdrawn(connection, key, request)
        told += tell(connection, "agent", _interrupted(request))
    for session in connection.sessions.values():
        after, intents = lose(session)
        connection = connection.with_session(after)
        told += intents
    attempts = [each.attempt for each in connection.client_requests.values()]
    connection = evolve(
        connection,
        client_requests=Map(),
        agent_requests=Map(),
        settled_by_client=Map(),
        settled_by_agent=Map(),
        elicitations=Map(),
        awaited_urls=Map(),
    )
    for attempt in filter(None, attempts):
        connection = forget_told(connection, attempt, lost=True)
    return move(connection, "lost"), tuple(told)


def _interrupted(request: PendingRequest) -> Callable[[], Intent]:
    return lambda: RequestFailed(
        request_id=request.request_id,
        method=request.method,
        session_id=request.session_id,
        error=None,
    )
