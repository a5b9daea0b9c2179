"""What stays in memory: of a text chunk beyond its text, and of a state that is kept.

Traced with `tracemalloc`: the bytes that are still allocated when all garbage is gone. The text of
a chunk is its characters; the header of its string object counts as beyond.
"""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable
from typing import Final

from attrs import evolve

from acp_state import Connection, fold, reduce, replay, replay_each
from benchmarks.traffic import Talk, talk
from benchmarks.workloads import mixed_session, text_stream


def replayed(heard: Talk) -> object:
    """The last connection of all."""
    return replay(heard.lines)


def folded(heard: Talk) -> object:
    """The same from parsed messages, which are gone by then."""
    return fold(Connection(), heard.events())[0]


def reduced(heard: Talk) -> object:
    """The same, one by one."""
    connection = Connection()
    for event in heard.events():
        connection, _ = reduce(connection, event)
    return connection


def all_states(heard: Talk) -> object:
    """The connection after each line."""
    return [step.connection for step in replay_each(heard.lines)]


WAYS: Final[dict[str, Callable[[Talk], object]]] = {
    "replay": replayed,
    "fold": folded,
    "reduce": reduced,
}


def bytes_per_chunk(way: str, length: int) -> float:
    """What the connection holds of each chunk of a text stream, less its characters."""
    heard = talk(text_stream(length))
    (updates,) = heard.updates(length)
    characters = sum(len(params["update"]["content"]["text"]) for params in updates)
    return (retained(WAYS[way], heard) - characters) / len(updates)


def bytes_per_state(workload: str, length: int) -> float:
    """What each connection holds when those after all lines are kept."""
    return retained(all_states, talk(STATES[workload](length))) / length


STATES: Final = {"text": text_stream, "mixed": mixed_session}


FIRST: Final = 200
"""Messages among which each kind has occurred."""


def retained(make: Callable[[Talk], object], heard: Talk) -> int:
    """The bytes of what is made; readers of the wire are built before, and stay."""
    make(evolve(heard, lines=heard.lines[:FIRST], seen=heard.seen[:FIRST]))
    gc.collect()
    tracemalloc.start()
    try:
        made = make(heard)
        gc.collect()
        held, _ = tracemalloc.get_traced_memory()
        del made
    finally:
        tracemalloc.stop()
    return held
