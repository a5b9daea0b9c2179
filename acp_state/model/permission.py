"""Permission requests and what was decided (PERM)."""

from __future__ import annotations

from typing import Literal, TypeAlias

from acp_state.model.copying import Versioned
from acp_state.model.tool_call import ToolCall
from acp_state.records import frozen
from acp_state.schema import Error, PermissionOption, RequestId, ToolCallUpdate

RequestKey: TypeAlias = tuple[str, RequestId]
"""A request id with its JSON type, so that ``1`` and ``"1"`` stay two (RPC-02)."""

PermissionOutcome: TypeAlias = Literal["selected", "cancelled", "withdrawn", "failed", "dropped"]
"""``withdrawn``: by ``$/cancel_request``; ``dropped``: the connection was lost."""


@frozen(kw_only=True)
class Permission(Versioned):
    """A question that the agent asked about a tool call, and its answer."""

    request_id: RequestId
    tool_call: ToolCallUpdate
    """What the request said of the call, as sent."""
    options: tuple[PermissionOption, ...]
    """The answers that it offers, in order; of two with one id the first counts (PERM-04)."""
    before: ToolCall | None = None
    """The call as it stood before the request; None: it was the first sight of it (PERM-02)."""
    turn: int | None = None
    """The turn in which it came: an index into the session's `turns`."""
    outcome: PermissionOutcome | None = None
    """None: it waits for an answer."""
    option_id: str | None = None
    """The option that was selected."""
    error: Error | None = None
    """The error that it was answered with."""

    @property
    def is_pending(self) -> bool:
        """Whether it waits for an answer; the status of its call does not tell (TOOL-14)."""
        return self.outcome is None

    @property
    def selected(self) -> PermissionOption | None:
        """The option that was selected."""
        chosen = (option for option in self.options if option.option_id == self.option_id)
        return next(chosen, None) if self.outcome == "selected" else None
