"""Tool calls (TOOL)."""

from __future__ import annotations

from typing import Literal

from acp_state.json_values import JsonObject, JsonValue
from acp_state.model.copying import Versioned
from acp_state.model.text import shorten
from acp_state.records import frozen
from acp_state.schema import ToolCallContent, ToolCallLocation, ToolCallStatus, ToolKind


@frozen(kw_only=True, repr=False)
class ToolCall(Versioned):
    """A call of a tool, as last reported."""

    tool_call_id: str
    title: str | None = None
    """None until the call is announced (TOOL-03)."""
    name: str | None = None
    """The tool's programmatic name, for display only (TOOL-13)."""
    kind: ToolKind = "other"
    status: ToolCallStatus = "pending"
    """What the agent last said; see `effective_status` for what to show."""
    content: tuple[ToolCallContent, ...] = ()
    locations: tuple[ToolCallLocation, ...] = ()
    raw_input: JsonValue = None
    raw_output: JsonValue = None
    meta: JsonObject | None = None
    cancelled: bool = False
    """The local overlay: the turn was cancelled while the call was unfinished (CANCEL-02)."""
    announced: bool = True
    """Whether a ``tool_call`` was seen; False: known from updates and requests only (TOOL-04)."""
    updated_in_replay: bool = False
    """An update came in the replay that runs, so that an announcement resets nothing (LOAD-08)."""
    turn: int | None = None
    """The turn in which it was first seen (TOOL-10): an index into the session's `turns`."""

    @property
    def effective_status(self) -> ToolCallStatus | Literal["cancelled"]:
        """``cancelled`` under the overlay, else the status on the wire (TOOL-07)."""
        return "cancelled" if self.cancelled else self.status

    @property
    def is_finished(self) -> bool:
        """Whether the agent reported an end: ``completed`` or ``failed`` (TOOL-05)."""
        return self.status in {"completed", "failed"}

    @property
    def key(self) -> tuple[str, str]:
        """What the call is found by."""
        return ("tool_call", self.tool_call_id)

    def __repr__(self) -> str:
        title = "" if self.title is None else f" {shorten(self.title)}"
        return f"<tool call {self.tool_call_id!r}: {self.kind}, {self.effective_status}{title}>"
