"""Context compactions (CMP)."""

from __future__ import annotations

from attrs import field

from acp_state.json_values import JsonObject
from acp_state.model.chunks import NO_CHUNKS, Chunks, as_chunks
from acp_state.model.copying import Versioned
from acp_state.model.text import shorten
from acp_state.records import frozen
from acp_state.schema import CompactionStatus, ContentBlock


@frozen(kw_only=True, repr=False)
class Compaction(Versioned):
    """A marker in the timeline: the agent shortened its context here; nothing is gone (TL-06)."""

    compaction_id: str
    status: CompactionStatus = "in_progress"
    chunks: Chunks = field(default=NO_CHUNKS, converter=as_chunks)
    """The summary as it came, block by block (CMP-04)."""
    error: str | None = None
    meta: JsonObject | None = None
    confirmed: bool = True
    """False: the connection or session ended while it was in progress (CMP-08)."""
    turn: int | None = None
    """The turn in which it was first seen: an index into the session's `turns`."""

    @property
    def summary(self) -> tuple[ContentBlock, ...]:
        """The summary, adjacent plain text joined; empty: none. It is no message (CMP-11)."""
        return self.chunks.blocks

    @property
    def text(self) -> str:
        """The text of the summary."""
        return self.chunks.text

    @property
    def key(self) -> tuple[str, str]:
        """What the compaction is found by."""
        return ("compaction", self.compaction_id)

    def __repr__(self) -> str:
        return f"<compaction {self.compaction_id!r}: {self.status} {shorten(self.text)}>"
