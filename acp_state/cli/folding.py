"""A recording, folded message by message."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

import attrs
from attrs import frozen

from acp_state.cli.senders import Senders
from acp_state.cli.trace import Record
from acp_state.diagnostics import diagnostic
from acp_state.events import Received, Sent
from acp_state.intents import Diagnose, Intent
from acp_state.model import Connection
from acp_state.reduce.connection import reduce

_NO_MESSAGE: Final = frozenset({"invalid-message", "batch"})


@frozen(kw_only=True)
class Folded:
    """The connection after one line of a recording."""

    line: int
    number: int
    """How many messages there were so far; lines that hold none are not counted."""
    connection: Connection
    intents: tuple[Intent, ...]

    @property
    def is_message(self) -> bool:
        """Whether the line held a message at all."""
        return not any(
            isinstance(i, Diagnose) and i.diagnostic.code in _NO_MESSAGE for i in self.intents
        )


def folded(records: Iterable[Record]) -> Iterator[Folded]:
    """The connection after each record, beginning with nothing."""
    connection, senders, number = Connection(side="observer"), Senders(), 0
    for record in records:
        connection, intents = _step(connection, senders, record)
        step = Folded(line=record.line, number=number + 1, connection=connection, intents=intents)
        number += step.is_message
        yield step if step.is_message else attrs.evolve(step, number=number)


def _step(
    connection: Connection, senders: Senders, record: Record
) -> tuple[Connection, tuple[Intent, ...]]:
    if record.fault is not None:
        return connection, (Diagnose(diagnostic("invalid-message", record.fault)),)
    sender = record.sender or senders.sender(connection, record.message)
    senders.remember(sender, record.message)
    seen = Sent(record.message) if sender == "client" else Received(record.message)
    return reduce(connection, seen)
