"""`fold` and `fold_updates`: many events, or many updates of one session, at once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from acp_state.events import Event
from acp_state.intents import Intent
from acp_state.json_values import JsonObject
from acp_state.model import Connection, Session
from acp_state.reduce.connection import ReduceStep, reduce
from acp_state.reduce.step import Step
from acp_state.reduce.updates import apply_update
from acp_state.schema import SessionUpdate


def fold(connection: Connection, events: Iterable[Event]) -> ReduceStep:
    """Fold events into a connection: what `reduce` gives one by one, with all intents, in order.

    Raises:
        LocalProtocolError: a command that the protocol does not allow at its turn; nothing has
            changed.
    """
    told: list[Intent] = []
    for event in events:
        connection, intents = reduce(connection, event)
        told += intents
    return connection, tuple(told)


def fold_updates(
    session: Session, updates: Iterable[SessionUpdate | JsonObject | dict[str, Any]]
) -> Step:
    """Fold updates into a session: what `apply_update` gives one by one, with all intents.

    Raises:
        LocalProtocolError: an object of the host's own that is no session update.
    """
    told: list[Intent] = []
    for update in updates:
        session, intents = apply_update(session, update)
        told += intents
    return session, tuple(told)
