"""Context compactions.

Source: protocol v1 draft, Prompt Turn, Session Compaction; ``$defs``: CompactionUpdate,
CompactionSummaryChunk.
"""

from typing import TypeAlias

from attrs import field

from acp_state.json_values import JsonObject, freeze_meta
from acp_state.omitted import CLEAR, KEEP, OMITTED, Omitted, Patch
from acp_state.records import frozen
from acp_state.schema.content import ContentBlock
from acp_state.schema.wire import wire

CompactionStatus: TypeAlias = str
"""Open: ``in_progress``, ``completed``, ``failed``, ``cancelled``, or any other (CMP-03)."""


@frozen(kw_only=True)
class CompactionUpdate:
    """Creates or patches a compaction (CMP-02 to CMP-05)."""

    compaction_id: str = field(metadata=wire(identifies=True))
    status: CompactionStatus = field(metadata=wire(patch=KEEP))
    summary: tuple[ContentBlock, ...] | None | Omitted = field(
        default=OMITTED, metadata=wire(skip_items=True, patch=Patch(null="clear", into="chunks"))
    )
    error: str | None | Omitted = field(default=OMITTED, metadata=wire(patch=CLEAR))
    meta: JsonObject | None | Omitted = field(
        default=OMITTED, converter=freeze_meta, metadata=wire(patch=CLEAR)
    )


@frozen(kw_only=True)
class CompactionSummaryChunk:
    """One block that is appended to a compaction's summary (CMP-04)."""

    compaction_id: str = field(metadata=wire(identifies=True))
    content: ContentBlock
    meta: JsonObject | None | Omitted = field(default=OMITTED, converter=freeze_meta)
