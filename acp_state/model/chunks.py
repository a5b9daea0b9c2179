"""What was streamed into a message or a summary: chunks as received, blocks and text as read.

A chunk of nothing but plain text lies in the log as its bare string: there can be a hundred
thousand of them, and the garbage collector walks every object that is not a string again and
again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import groupby
from typing import Final, TypeAlias, cast, overload

import attrs
from attrs import field

from acp_state.json_values import JsonObject
from acp_state.model.copying import Versioned, copier, maker
from acp_state.model.text import is_high_surrogate, is_low_surrogate, mend, shorten
from acp_state.omitted import OMITTED, or_none
from acp_state.persistent import Log
from acp_state.records import frozen
from acp_state.schema import ContentBlock, TextContent


@frozen
class Chunk:
    """One received block; `meta` is the chunk's own (PATCH-06)."""

    content: ContentBlock
    meta: JsonObject | None = None


Held: TypeAlias = str | Chunk
"""A chunk as it lies in the log: one of nothing but plain text is its bare string."""


@frozen(repr=False)
class Chunks(Versioned, Sequence[Chunk]):
    """An immutable sequence of chunks that is made to be appended to (MSG-01).

    >>> chunks = Chunks().append(TextContent(text="Hello, ")).append(TextContent(text="world"))
    >>> chunks.text, len(chunks)
    ('Hello, world', 2)
    """

    _log: Log[Held] = field(default=Log())

    @classmethod
    def of(cls, blocks: Iterable[ContentBlock]) -> Chunks:
        """A chunk for each block."""
        return _of_log(Log.of([_held(block, None) for block in blocks]))

    @classmethod
    def holding(cls, held: Iterable[Held]) -> Chunks:
        """The chunks that `held` gives back."""
        return _of_log(
            Log.of(
                _held(each.content, each.meta) if isinstance(each, Chunk) else each for each in held
            )
        )

    @property
    def held(self) -> Sequence[Held]:
        """The chunks as they lie in the log, to be written and read without a wrapper each."""
        return self._log

    def append(self, block: ContentBlock, meta: JsonObject | None = None) -> Chunks:
        """The chunks with one more at the end; costs the same however many there are."""
        return _with_log(self, self._log.append(_held(block, meta)))

    def extend(self, chunks: Chunks) -> Chunks:
        """The chunks with all of `chunks` at the end."""
        return _with_log(self, self._log.extend(chunks._log))

    def append_text(self, text: str) -> Chunks:
        """The chunks with a block of nothing but text at the end."""
        return _with_log(self, self._log.append(text))

    def extend_text(self, texts: Iterable[str]) -> Chunks:
        """The chunks with a block of nothing but text at the end for each of `texts`."""
        return _with_log(self, self._log.extend(texts))

    @cached_property
    def blocks(self) -> tuple[ContentBlock, ...]:
        """The blocks, with adjacent text joined where annotations and both metas are equal.

        Characters that were cut in two are whole again. Joined once and remembered.
        """
        return tuple(_mended([_joined(group) for _, group in groupby(self._log, _kin)]))

    @property
    def joined(self) -> tuple[Chunk, ...]:
        """The fewest chunks that read alike: one for each of `blocks`, with its parts' `meta`."""
        firsts = (_shown(next(group)) for _, group in groupby(self._log, _kin))
        return tuple(
            Chunk(block, first.meta) for block, first in zip(self.blocks, firsts, strict=True)
        )

    @cached_property
    def text(self) -> str:
        """The text of all text blocks, with nothing put between them."""
        with suppress(TypeError):  # a chunk among them that is more than its text
            return mend("".join(cast("Log[str]", self._log)))
        return "".join(block.text for block in self.blocks if isinstance(block, TextContent))

    @overload
    def __getitem__(self, index: int) -> Chunk: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Chunk, ...]: ...
    def __getitem__(self, index: int | slice) -> Chunk | tuple[Chunk, ...]:
        if isinstance(index, slice):
            return tuple(map(_shown, self._log[index]))
        return _shown(self._log[index])

    def __len__(self) -> int:
        return len(self._log)

    def __iter__(self) -> Iterator[Chunk]:
        return map(_shown, self._log)

    def __repr__(self) -> str:
        return f"<{len(self)} chunks: {shorten(self.text)}>"

    def since(self, older: Chunks) -> Chunks | None:
        """The chunks that came after those of `older`; None: these do not begin with those.

        Costs what was appended, however many there are, where these were made of those.

        >>> said = Chunks.of([TextContent(text="Hello, ")])
        >>> said.append(TextContent(text="world")).since(said)
        <1 chunks: 'world'>
        """
        if not self._log.starts_with(older._log):
            return None
        return _of_log(Log.of(self._log[len(older) :]))

    def half_before(self, later: Chunks) -> str:
        """The half of a character at the end that the text of `later` completes, or nothing."""
        if not is_low_surrogate(_first_text(later._log)[:1]):
            return ""
        end = _first_text(reversed(self._log))[-1:]
        return end if is_high_surrogate(end) else ""


_of_log = maker(Chunks, "_log")
_with_log = copier(Chunks, "_log")

NO_CHUNKS: Final = Chunks()
"""The empty sequence."""


def as_chunks(content: Chunks | Iterable[ContentBlock]) -> Chunks:
    """Converter of fields that a whole list of blocks can replace."""
    return content if isinstance(content, Chunks) else Chunks.of(content)


def _held(block: ContentBlock, meta: JsonObject | None) -> Held:
    if (
        meta is None
        and isinstance(block, TextContent)
        and block.annotations is OMITTED
        and block.meta is OMITTED
    ):
        return block.text
    return Chunk(block, meta)


def _shown(held: Held) -> Chunk:
    return Chunk(TextContent(text=held)) if isinstance(held, str) else held


def _kin(held: Held) -> object:
    """Equal for neighbours that are joined."""
    if isinstance(held, str):
        return (None, None, None)
    block = held.content
    if not isinstance(block, TextContent):
        return object()
    return (or_none(block.annotations), or_none(block.meta), held.meta)


def _joined(group: Iterable[Held]) -> ContentBlock:
    held = list(group)
    first = held[0]
    texts = [each if isinstance(each, str) else each.content for each in held]
    if isinstance(first, str):
        return TextContent(text="".join(map(_text, texts)))
    if isinstance(first.content, TextContent):
        return attrs.evolve(first.content, text="".join(map(_text, texts)))
    return first.content


def _text(part: str | ContentBlock) -> str:
    if isinstance(part, str):
        return part
    return part.text if isinstance(part, TextContent) else ""


def _first_text(chunks: Iterable[Held]) -> str:
    """The first text that is not empty, if nothing but text comes before it."""
    for held in chunks:
        text = held if isinstance(held, str) else _text(held.content)
        if text or not (isinstance(held, str) or isinstance(held.content, TextContent)):
            return text
    return ""


def _mended(blocks: list[ContentBlock]) -> Iterator[ContentBlock]:
    """The blocks with a pair that two texts share given to the first, and lone halves replaced."""
    high: int | None = None
    texts = [block.text if isinstance(block, TextContent) else None for block in blocks]
    for index, text in enumerate(texts):
        if text is None:
            high = None
        elif text:
            if high is not None and is_low_surrogate(text[0]):
                texts[high] = f"{texts[high]}{text[0]}"
                text = texts[index] = text[1:]  # noqa: PLW2901 - what is left of it
            high = index if text and is_high_surrogate(text[-1]) else None
    for block, text in zip(blocks, texts, strict=True):
        mended = mend(text or "")
        if isinstance(block, TextContent) and mended != block.text:
            yield attrs.evolve(block, text=mended)
        else:
            yield block
