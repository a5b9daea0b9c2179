"""Tool calls as they are announced and updated.

Source: protocol v1 draft, Tool Calls; ``$defs``: ToolCall, ToolCallUpdate and what they hold.
"""

from typing import Final, Literal, TypeAlias

from attrs import field

from acp_state.json_values import JsonObject, JsonValue, freeze_meta, freeze_raw
from acp_state.omitted import KEEP, MERGE, OMITTED, RESET, Omitted
from acp_state.records import frozen
from acp_state.schema.content import ContentBlock
from acp_state.schema.wire import TaggedUnion, wire

ToolKind: TypeAlias = Literal[
    "read",
    "edit",
    "delete",
    "move",
    "search",
    "execute",
    "think",
    "fetch",
    "switch_mode",
    "other",
]

ToolCallStatus: TypeAlias = Literal["pending", "in_progress", "completed", "failed"]


@frozen(kw_only=True)
class Content:
    """A content block that a tool made."""

    content: ContentBlock
    meta: JsonObject | None | Omitted = field(default=OMITTED, converter=freeze_meta)


@frozen(kw_only=True)
class Diff:
    """A change of one file; no `old_text` means a new file (TOOL-12)."""

    path: str = field(metadata=wire(path=True))
    new_text: str
    old_text: str | None | Omitted = OMITTED
    meta: JsonObject | None | Omitted = field(default=OMITTED, converter=freeze_meta)


@frozen(kw_only=True)
class Terminal:
    """A reference to a client terminal, whose output stays to be shown after release (TOOL-11)."""

    terminal_id: str
    meta: JsonObject | None | Omitted = field(default=OMITTED, converter=freeze_meta)


ToolCallContent: TypeAlias = Content | Diff | Terminal

TOOL_CALL_CONTENT: Final = TaggedUnion(
    tag="type", variants={"content": Content, "diff": Diff, "terminal": Terminal}
)


@frozen(kw_only=True)
class ToolCallLocation:
    """A file that a tool works on; `line` counts from 1 (TOOL-12)."""

    path: str = field(metadata=wire(path=True))
    line: int | None | Omitted = field(default=OMITTED, metadata=wire(minimum=0))
    meta: JsonObject | None | Omitted = field(default=OMITTED, converter=freeze_meta)


@frozen(kw_only=True)
class ToolCall:
    """Announces a tool call; a snapshot, not a patch (TOOL-01, TOOL-04)."""

    tool_call_id: str = field(metadata=wire(identifies=True))
    title: str = field(metadata=wire(patch=KEEP))
    name: str | None | Omitted = field(default=OMITTED, metadata=wire(patch=KEEP))
    kind: ToolKind | Omitted = field(default=OMITTED, metadata=wire(patch=RESET))
    status: ToolCallStatus | Omitted = field(default=OMITTED, metadata=wire(patch=RESET))
    content: tuple[ToolCallContent, ...] | Omitted = field(
        default=OMITTED, metadata=wire(skip_items=True, patch=RESET)
    )
    locations: tuple[ToolCallLocation, ...] | Omitted = field(
        default=OMITTED, metadata=wire(skip_items=True, patch=RESET)
    )
    raw_input: JsonValue | Omitted = field(
        default=OMITTED, converter=freeze_raw, metadata=wire(patch=KEEP)
    )
    raw_output: JsonValue | Omitted = field(
        default=OMITTED, converter=freeze_raw, metadata=wire(patch=KEEP)
    )
    meta: JsonObject | None | Omitted = field(
        default=OMITTED, converter=freeze_meta, metadata=wire(patch=MERGE)
    )


@frozen(kw_only=True)
class ToolCallUpdate:
    """Patches a tool call; collections are replaced, never extended (PATCH-02, TOOL-02)."""

    tool_call_id: str = field(metadata=wire(identifies=True))
    title: str | None | Omitted = field(default=OMITTED, metadata=wire(patch=KEEP))
    name: str | None | Omitted = field(default=OMITTED, metadata=wire(patch=KEEP))
    kind: ToolKind | None | Omitted = field(default=OMITTED, metadata=wire(patch=KEEP))
    status: ToolCallStatus | None | Omitted = field(default=OMITTED, metadata=wire(patch=KEEP))
    content: tuple[ToolCallContent, ...] | None | Omitted = field(
        default=OMITTED, metadata=wire(skip_items=True, patch=KEEP)
    )
    locations: tuple[ToolCallLocation, ...] | None | Omitted = field(
        default=OMITTED, metadata=wire(skip_items=True, patch=KEEP)
    )
    raw_input: JsonValue | Omitted = field(
        default=OMITTED, converter=freeze_raw, metadata=wire(patch=KEEP)
    )
    raw_output: JsonValue | Omitted = field(
        default=OMITTED, converter=freeze_raw, metadata=wire(patch=KEEP)
    )
    meta: JsonObject | None | Omitted = field(
        default=OMITTED, converter=freeze_meta, metadata=wire(patch=MERGE)
    )
