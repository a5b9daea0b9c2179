"""A recording, folded message by message or at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

import attrs

from acp_state.diagnostics import diagnostic
from acp_state.events import Received, Sent
from acp_state.intents import Diagnose, Intent
from acp_state.model import Connection
from acp_state.recording.senders import Senders
from acp_state.recording.trace import Record, parts, read, values
from acp_state.records import frozen
from acp_state.reduce.connection import reduce
from acp_state.reduce.json_rpc import fold_message
from acp_state.reduce.open_sessions import OpenSessions

_NO_MESSAGE: Final = frozenset({"invalid-message", "batch"})


@frozen(kw_only=True)
class Replayed:
    """The connection after one line of a recording."""

    line: int
    """The line, from 1."""
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


def replay(lines: Iterable[bytes | str]) -> Connection:
    """Fold a recording, as an observer sees it, and give the connection after its last line.

    Memory is bounded by what the connection holds, not by the length of the recording.

    Args:
        lines: the recording, line by line: JSON lines, each ``{"from": "client" or "agent",
            "message": …}`` or a bare JSON-RPC message, or one document with a list ``messages`` of
            these, or a list of them: an open file is such lines. Lines that hold no message are
            passed over. Other forms of recordings are read by the command, and written in this one
            by ``acp-state convert``.

    Raises:
        TypeError: a path or a whole text in place of lines, or lines that are neither bytes nor
            text.

    >>> replay(['{"jsonrpc": "2.0", "id": 0, "method": "initialize"}'])
    <connection, observed: initializing, 0 sessions>
    """
    opened, senders = OpenSessions(Connection(side="observer")), Senders()
    for _, value in values(lines):
        sender, message, fault = parts(value)
        if fault is not None or (sender != "client" and opened.fold(message) is not None):
            continue
        connection = opened.close()
        sender = senders.of(connection, message, recorded=sender)
        opened.reopen(fold_message(connection, sender, message)[0])
    return opened.close()


def replay_each(lines: Iterable[bytes | str]) -> Iterator[Replayed]:
    """Fold a recording as `replay` does, and give the connection after each line.

    All of them may be kept: they share what they have in common.

    >>> [step.number for step in replay_each(['{"jsonrpc": "2.0", "method": "$/x"}', "no JSON"])]
    [1, 1]
    """
    return each_folded(read(lines))


def each_folded(records: Iterable[Record]) -> Iterator[Replayed]:
    """The connection after each record, beginning with nothing."""
    return (step for _, step in with_states(records))


def with_states(records: Iterable[Record]) -> Iterator[tuple[Record, Replayed]]:
    """Each record, with the sender that its message is taken for, and the connection after it."""
    connection, senders, number = Connection(side="observer"), Senders(), 0
    for each in records:
        told, connection, intents = _step(connection, senders, each)
        step = Replayed(line=each.line, number=number + 1, connection=connection, intents=intents)
        number += step.is_message
        yield told, step if step.is_message else attrs.evolve(step, number=number)


def _step(
    connection: Connection, senders: Senders, read: Record
) -> tuple[Record, Connection, tuple[Intent, ...]]:
    if read.fault is not None:
        return read, connection, (Diagnose(diagnostic("invalid-message", read.fault)),)
    sender = senders.of(connection, read.message, recorded=read.sender)
    told = read if read.sender is sender else attrs.evolve(read, sender=sender)
    seen = Sent(read.message) if sender == "client" else Received(read.message)
    return told, *reduce(connection, seen)
