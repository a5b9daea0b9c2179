"""What is timed: functions of `acp_state`, and what else reads or keeps the same messages.

A peer is given batches, made before the clock runs, and keeps what it makes of them until its last
batch, so that neither the parsing before it nor the freeing after it counts.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, TypeAlias

import orjson
from acp.contrib.session_state import SessionAccumulator
from acp.schema import SessionNotification
from attrs import frozen

from acp_state import Connection, Session, apply_update, fold, reduce, replay
from acp_state.codec import structure
from acp_state.schema import SessionUpdate
from benchmarks.floor import keep
from benchmarks.traffic import Message, Seen, Talk

Take: TypeAlias = Callable[[Any], object]
Batches: TypeAlias = Iterable[tuple[int, Any]]
"""How many events are in a batch, and the batch."""
Events: TypeAlias = tuple[list[Seen], list[Message]]

FEW: Final = 200
"""Messages parsed ahead for `reduce`: few, since the collector looks at them as well."""
MANY: Final = 10_000
"""Messages parsed ahead for `fold`, which is for many at once."""
STATELESS: Final = 100_000
"""Where nothing is kept, longer traffic shows nothing new."""


@frozen(kw_only=True)
class Peer:
    """A row of the table."""

    name: str
    about: str
    batches: Callable[[Talk], Batches]
    start: Callable[[], Take]
    """Gives the function that takes the batches of one connection."""
    collectors: tuple[bool, ...] = (False,)
    """Whether it is timed with the cyclic collector off, on, or both."""
    longest: int | None = None
    """The length up to which it is timed; None: any."""
    quadratic: bool = False
    """It is stopped when its time is used up."""


def _lines(talk: Talk) -> Batches:
    yield len(talk.lines), talk.lines


def _messages(talk: Talk) -> Batches:
    """All messages, each parsed as it is taken: parsing counts."""
    yield len(talk.lines), talk.messages()


def _few(talk: Talk) -> Batches:
    return ((len(batch[1]), batch) for batch in talk.batches(FEW))


def _many(talk: Talk) -> Batches:
    return ((len(batch[1]), batch) for batch in talk.batches(MANY))


def _params(talk: Talk) -> Batches:
    return ((len(batch), batch) for batch in talk.updates(FEW))


def _updates(talk: Talk) -> Batches:
    for batch in talk.updates(FEW):
        yield len(batch), [params["update"] for params in batch]


def _known(talk: Talk) -> Batches:
    """The updates that the SDK has types for."""
    for batch in talk.updates(FEW):
        known = [params for params in batch if _notification(params) is not None]
        yield len(known), known


def _notifications(talk: Talk) -> Batches:
    """The updates as objects of the SDK, in small batches: it may have to stop soon."""
    for batch in talk.updates(FEW // 10):
        read = [n for n in map(_notification, batch) if n is not None]
        yield len(read), read


def _notification(params: Message) -> SessionNotification | None:
    try:
        return SessionNotification.model_validate(params)
    except ValueError:
        return None


def _each(work: Callable[[Any], object]) -> Callable[[], Take]:
    """Do something with each item, and drop what it gives."""

    def take(batch: Iterable[Any]) -> None:
        for item in batch:
            work(item)

    return lambda: take


def _reducing() -> Take:
    connection = Connection()

    def take(batch: Events) -> None:
        nonlocal connection
        for seen, message in zip(*batch, strict=True):
            connection, _ = reduce(connection, seen(message))

    return take


def _folding() -> Take:
    connection = Connection()

    def events(batch: Events) -> Iterator[Any]:
        return (seen(message) for seen, message in zip(*batch, strict=True))

    def take(batch: Events) -> None:
        nonlocal connection
        connection, _ = fold(connection, events(batch))

    return take


def _updating() -> Take:
    sessions: dict[str, Session] = {}

    def take(batch: list[Message]) -> None:
        for params in batch:
            session_id = params["sessionId"]
            session = sessions.get(session_id) or Session(session_id)
            sessions[session_id], _ = apply_update(session, params["update"])

    return take


def _structured(update: Message) -> object:
    return structure(update, SessionUpdate)  # type: ignore[arg-type] # a union is no type


def _accumulating() -> Take:
    return _each(SessionAccumulator().apply)()


BOTH: Final = (False, True)

PEERS: Final = (
    Peer(
        name="json.loads",
        about="bytes to dicts, nothing kept",
        batches=_lines,
        start=_each(json.loads),
    ),
    Peer(
        name="orjson.loads",
        about="bytes to dicts, nothing kept",
        batches=_lines,
        start=_each(orjson.loads),
    ),
    Peer(
        name="mutable floor",
        about="bytes to dicts of lists, with orjson: benchmarks/floor.py",
        batches=_messages,
        start=lambda: keep,
        collectors=BOTH,
    ),
    Peer(
        name="replay",
        about="bytes to a connection, with orjson",
        batches=_lines,
        start=lambda: replay,
        collectors=BOTH,
    ),
    Peer(
        name="fold",
        about="parsed messages to a connection, many at once",
        batches=_many,
        start=_folding,
        collectors=BOTH,
    ),
    Peer(
        name="reduce",
        about="parsed messages to a connection, one by one",
        batches=_few,
        start=_reducing,
        collectors=BOTH,
    ),
    Peer(
        name="apply_update",
        about="parsed updates to their sessions, one by one",
        batches=_params,
        start=_updating,
        longest=STATELESS,
    ),
    Peer(
        name="structure",
        about="parsed updates to objects of acp_state.schema with cattrs, nothing kept",
        batches=_updates,
        start=_each(_structured),
        longest=STATELESS,
    ),
    Peer(
        name="pydantic",
        about="parsed updates to objects of acp.schema, nothing kept",
        batches=_known,
        start=_each(SessionNotification.model_validate),
        longest=STATELESS,
    ),
    Peer(
        name="SessionAccumulator",
        about="objects of acp.schema to snapshots, by the official SDK, until it takes too long",
        batches=_notifications,
        start=_accumulating,
        quadratic=True,
    ),
)
