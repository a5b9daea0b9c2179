"""Synthetic traffic of any length: legal connections, from ``initialize`` on.

Texts are short, as the tokens of a language model are: recorded chunks have nine characters on
average. Nothing is random; two runs fold the same messages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count, islice
from typing import Final

from benchmarks.traffic import Message, Spoken
from benchmarks.turns import MODES, OPTIONS, three_turns
from benchmarks.wire import chunk, connected, ended, opened, patch, prompt, tool_call, update

SESSION: Final = "sess_1"
ENTRIES: Final = 10
"""The wide session has an entry for each so many messages."""
SMALL: Final = 50
"""The messages of a small session."""


def text_stream(length: int) -> Iterator[Spoken]:
    """One answer in one message, chunk by chunk."""
    yield from connected()
    yield from opened(SESSION, 1)
    yield prompt(SESSION, 2)
    for number in range(length - 6):
        yield update(SESSION, chunk("msg_1", f"word {number % 9973} "))
    yield ended(2)


def mixed_session(length: int) -> Iterator[Spoken]:
    """One long session of whole turns; the length may cut the last one."""
    yield from connected()
    yield from opened(SESSION, 1, configOptions=OPTIONS, modes=MODES)
    said = (each for cycle in count() for each in three_turns(SESSION, cycle))
    yield from islice(said, length - 4)


def wide_session(length: int) -> Iterator[Spoken]:
    """A session of many entries, a tenth of the length, updated one after another, again and again.

    Every second entry is a tool call, which is patched; the others are messages, which go on. The
    turn stays open, since all calls are unfinished.
    """
    yield from connected()
    yield from opened(SESSION, 1)
    yield prompt(SESSION, 2)
    entries = max(1, length // ENTRIES)
    for number in range(length - 5):
        lap, entry = divmod(number, entries)
        yield update(SESSION, _tool(entry, lap) if entry % 2 else chunk(f"msg_{entry}", "word "))


def _tool(entry: int, lap: int) -> Message:
    call_id = f"call_{entry}"
    if lap == 0:
        return tool_call(call_id, "Search", kind="search", status="pending")
    return patch(call_id, title=f"Search {lap}", status="in_progress")


def small_sessions(length: int) -> Iterator[Spoken]:
    """Sessions of fifty messages on one connection: each is opened, prompted, and answers."""
    yield from connected()
    said = (each for number in count() for each in _small_session(number))
    yield from islice(said, length - 2)


def _small_session(number: int) -> Iterator[Spoken]:
    session_id, request_id = f"sess_{number}", 2 * number + 1
    yield from opened(session_id, request_id)
    yield prompt(session_id, request_id + 1)
    yield update(session_id, tool_call("call_1", "Read", kind="read", status="in_progress"))
    yield update(session_id, patch("call_1", status="completed"))
    for word in range(SMALL - 6):
        yield update(session_id, chunk("msg_1", f"word {word} "))
    yield ended(request_id + 1)


WORKLOADS: Final[dict[str, Callable[[int], Iterator[Spoken]]]] = {
    "text": text_stream,
    "mixed": mixed_session,
    "wide": wide_session,
    "small": small_sessions,
}
"""The name on the command line, and what makes the messages of a length."""
