"""`fold` and `fold_updates`: many events, or many updates of one session, at once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from acp_state.events import Event, Received, Sent
from acp_state.intents import Intent
from acp_state.json_values import JsonObject
from acp_state.model import Connection, Session
from acp_state.reduce.connection import fold_event
from acp_state.reduce.links import ConnectionStep
from acp_state.reduce.open_sessions import OpenSession, OpenSessions
from acp_state.reduce.step import Step
from acp_state.reduce.streaming import plain_chunk
from acp_state.schema import SessionUpdate


def fold(connection: Connection, events: Iterable[Event]) -> ConnectionStep:
    """Fold events into a connection: what `reduce` makes of them one by one, only quicker.

    Args:
        connection: what is known so far; it stays as it is.
        events: the events, in order; they are taken one at a time.

    Returns:
        The connection after the last event, and the intents of all, in order.

    Raises:
        LocalProtocolError: a command that the protocol does not allow at its turn, or a message
            that is no JSON value at all; nothing has changed.

    >>> from acp_state import Initialize
    >>> connection, intents = fold(Connection(), [Initialize()])
    >>> connection
    <connection, client's side: initializing, 0 sessions>
    """
    told: list[Intent] = []
    opened, of_agent = OpenSessions(connection), Sent if connection.side == "agent" else Received
    for event in events:
        intents = opened.fold(event.message) if type(event) is of_agent else None
        if intents is None:
            connection, intents = fold_event(opened.close(), event)
            opened.reopen(connection)
        if intents:
            told += intents
    return opened.close(), tuple(told)


def fold_updates(
    session: Session, updates: Iterable[SessionUpdate | JsonObject | dict[str, Any]]
) -> Step:
    """Fold updates into a session: what `apply_update` makes of them one by one, only quicker.

    Args:
        session: the session they are for; it stays as it is.
        updates: the updates, in order; they are taken one at a time.

    Returns:
        The session after the last update, and the intents of all, in order.

    Raises:
        LocalProtocolError: an update is neither JSON nor an object of `SessionUpdate`.

    >>> said = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "Ho! "}}
    >>> session, _ = fold_updates(Session("sess_1"), [said, said])
    >>> session.timeline[0].text
    'Ho! Ho! '
    """
    told: list[Intent] = []
    opened = OpenSession(session)
    for update in updates:
        intents = opened.fold(update, plain_chunk(update))
        if intents:
            told += intents
    return opened.close(), tuple(told)
