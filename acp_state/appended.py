"""What was appended to the content of an entry, or to the output of a terminal."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, Literal

import attrs

from acp_state.model import Chunks
from acp_state.model.chunks import NO_CHUNKS
from acp_state.records import frozen
from acp_state.schema import TextContent


@frozen
class Appended:
    """What was appended to a text, so that nobody has to read the rest again.

    ``old[:appended.kept] + appended.text`` is the new text.
    """

    text: str
    kept: Literal[-1] | None = None
    """Where the part of the old text that stays ends, as a slice takes it; None: all stays.

    -1: it ended in half a character, shown as U+FFFD, and `text` starts with the whole one.
    """
    chunks: Chunks = NO_CHUNKS
    """The chunks that were appended, as received; none for the output of a terminal."""


def differing_fields(before: object, after: object) -> tuple[str, ...]:
    """The names of the fields in which two objects of one model class differ; else none.

    >>> differing_fields(TextContent(text="a"), TextContent(text="b"))
    ('text',)
    """
    model = type(after)
    if type(before) is not model or not attrs.has(model):
        return ()
    names = (each.name for each in attrs.fields(model))
    return tuple(name for name in names if _differ(getattr(before, name), getattr(after, name)))


def appended(before: object, after: object) -> Appended | None:
    """What was appended to the one field that holds content, where no other field differs.

    >>> from acp_state.model import Terminal
    >>> appended(Terminal(terminal_id="t", output="1, "), Terminal(terminal_id="t", output="1, 2"))
    Appended(text='2', kept=None, chunks=<0 chunks: ''>)
    """
    differing = differing_fields(before, after)
    if differing not in _GROWN:
        return None
    [name] = differing
    return _GROWN[differing](getattr(before, name), getattr(after, name))


def _grown_chunks(before: Chunks, after: Chunks) -> Appended | None:
    added = after.since(before)
    if added is None:
        return None
    half = before.half_before(added)
    if not half:
        return Appended(added.text, None, added)
    return Appended(Chunks.of([TextContent(text=half)]).extend(added).text, -1, added)


def _grown_output(before: str | None, after: str | None) -> Appended | None:
    if before is None or after is None or not after.startswith(before):
        return None
    return Appended(after[len(before) :])


_GROWN: Final[Mapping[tuple[str, ...], Callable[[Any, Any], Appended | None]]] = {
    ("chunks",): _grown_chunks,
    ("output",): _grown_output,
}
"""By the fields that differ: what the new value has beyond the old one; None: it is another."""


def _differ(before: object, after: object) -> bool:
    return before is not after and before != after
