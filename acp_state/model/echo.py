"""How much of a prompt the agent has sent back as user chunks (TURN-04)."""

from __future__ import annotations

from itertools import groupby
from typing import Any, TypeAlias

import attrs

from acp_state.model.chunks import NO_CHUNKS, Chunk, Chunks, Held
from acp_state.model.copying import Versioned, evolve, maker
from acp_state.omitted import OMITTED
from acp_state.records import frozen
from acp_state.schema import ContentBlock, TextContent

Segment: TypeAlias = bytes | ContentBlock
"""A run of text in UTF-16 units, so that half an emoji is a prefix, or a bare block."""


@frozen(kw_only=True)
class Echo(Versioned):
    """A cursor in the prompt."""

    expected: tuple[Segment, ...]
    """The prompt: adjacent text joined, blocks without annotations and metadata."""
    segment: int = 0
    offset: int = 0
    """Bytes of the segment that were echoed."""
    chunks: Chunks = NO_CHUNKS
    """The chunks of the echo so far, to be given back if it turns out to be none."""
    message_id: str | None = None

    @classmethod
    def of(cls, prompt: Chunks) -> Echo | None:
        """The echo to expect of a prompt; None where it is empty."""
        expected: list[Segment] = []
        for is_text, group in groupby(prompt.held, _is_text):
            if is_text:
                text = units_of("".join(map(_text, group)))
                expected += [text] if text else []
            else:
                expected += [bare(each.content) for each in group if isinstance(each, Chunk)]
        return _expecting(tuple(expected)) if expected else None

    @property
    def is_under_way(self) -> bool:
        """Whether a part of it has come."""
        return len(self.chunks) > 0

    @property
    def is_complete(self) -> bool:
        """Whether all of it has come."""
        return self.segment == len(self.expected)

    def advance(self, block: ContentBlock) -> Echo | None:
        """The echo with one more block; None if the prompt does not go on like that."""
        if not isinstance(block, TextContent):
            fits = self._here == bare(block)
            return evolve(self, segment=self.segment + 1) if fits else None
        text = units_of(block.text)
        here = self._here
        if not text:
            return self
        if not isinstance(here, bytes) or not here.startswith(text, self.offset):
            return None
        end = self.offset + len(text)
        at_end = end == len(here)
        return evolve(self, segment=self.segment + at_end, offset=0 if at_end else end)

    @property
    def _here(self) -> Segment | None:
        return None if self.is_complete else self.expected[self.segment]


_expecting = maker(Echo, "expected")


def _is_text(held: Held) -> bool:
    return isinstance(held, str) or isinstance(held.content, TextContent)


def _text(held: Held) -> str:
    if isinstance(held, str):
        return held
    return held.content.text if isinstance(held.content, TextContent) else ""


def bare(block: Any) -> Any:
    """The block without annotations and metadata, at any depth; null and absent are one."""
    changes = {
        field.alias: _bare_value(field.name, getattr(block, field.name))
        for field in attrs.fields(type(block))
    }
    return type(block)(**changes)


def _bare_value(name: str, value: object) -> object:
    if value is None or name in {"annotations", "meta"}:
        return OMITTED
    return bare(value) if attrs.has(type(value)) else value


def units_of(text: str) -> bytes:
    """The UTF-16 units of a text, two bytes each; halves of characters are units like others."""
    return text.encode("utf-16-le", "surrogatepass")
