"""The state machines as tables: a row for each step, and the diagnostic it raises.

A step that has no row is not foreseen; where the peer made it, the reducer goes on in receive
order, and where the host asks for it, it is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

if TYPE_CHECKING:
    from acp_state.model.connection import Phase
    from acp_state.model.permission import PermissionOutcome
    from acp_state.model.session import Readiness
    from acp_state.model.turn import TurnOutcome

TurnEnd: TypeAlias = Literal[
    "stop reason", "stop reason cancelled", "error", "error -32800", "connection lost", "closed"
]

TURN_ENDS: Final[Mapping[tuple[str, TurnEnd], TurnOutcome]] = {
    ("running", "stop reason"): "ended",
    ("running", "stop reason cancelled"): "cancelled",
    ("running", "error"): "failed",
    ("running", "error -32800"): "cancelled",
    ("running", "connection lost"): "interrupted",
    ("running", "closed"): "cancelled",
    ("cancelling", "stop reason"): "ended",
    ("cancelling", "stop reason cancelled"): "cancelled",
    ("cancelling", "error"): "cancelled",
    ("cancelling", "error -32800"): "cancelled",
    ("cancelling", "connection lost"): "interrupted",
    ("cancelling", "closed"): "cancelled",
}
"""State of a turn, what ended it, and its outcome (15.1, TURN-09)."""

TOOL_CALL_STATUS: Final[Mapping[tuple[str, str], str | None]] = {
    ("pending", "pending"): None,
    ("pending", "in_progress"): None,
    ("pending", "completed"): None,
    ("pending", "failed"): None,
    ("in_progress", "pending"): "tool-status-regress",
    ("in_progress", "in_progress"): None,
    ("in_progress", "completed"): None,
    ("in_progress", "failed"): None,
    ("completed", "pending"): "tool-status-regress",
    ("completed", "in_progress"): "tool-status-regress",
    ("completed", "completed"): None,
    ("completed", "failed"): "tool-status-regress",
    ("failed", "pending"): "tool-status-regress",
    ("failed", "in_progress"): "tool-status-regress",
    ("failed", "completed"): "tool-status-regress",
    ("failed", "failed"): None,
}
"""From and to status of a tool call (15.2); any may follow any (TOOL-06)."""

COMPACTION_CHUNK: Final[Mapping[str, str | None]] = {
    "in_progress": None,
    "completed": "compaction-chunk-late",
    "failed": "compaction-chunk-late",
    "cancelled": "compaction-chunk-late",
}
"""What a summary chunk raises in a status (15.3); unknown statuses raise nothing."""

COMPACTION_TERMINAL: Final = frozenset({"completed", "failed", "cancelled"})
"""The statuses that end a compaction (CMP-07)."""

COMPACTION_FIELDS: Final[Mapping[str, frozenset[str]]] = {
    "in_progress": frozenset(),
    "completed": frozenset({"summary"}),
    "failed": frozenset({"error"}),
    "cancelled": frozenset(),
}
"""The fields that may hold something in a status (CONF-06); unknown statuses allow all."""

PermissionEvent: TypeAlias = Literal[
    "selected", "cancelled", "error", "$/cancel_request", "connection lost"
]

PERMISSION_ENDS: Final[Mapping[PermissionEvent, PermissionOutcome]] = {
    "selected": "selected",
    "cancelled": "cancelled",
    "error": "failed",
    "$/cancel_request": "withdrawn",
    "connection lost": "dropped",
}
"""What becomes of a pending permission request (15.4); an answered one stays as it is."""

SessionEvent: TypeAlias = Literal[
    "made", "load sent", "resume sent", "attached", "close sent", "closed", "deleted", "lost"
]

SESSION_LIFECYCLE: Final[Mapping[tuple[Readiness, SessionEvent], Readiness]] = {
    ("provisional", "made"): "ready",
    ("provisional", "load sent"): "loading",
    ("provisional", "resume sent"): "resuming",
    ("provisional", "close sent"): "closing",
    ("unattached", "made"): "ready",
    ("unattached", "load sent"): "loading",
    ("unattached", "resume sent"): "resuming",
    ("unattached", "close sent"): "closing",
    ("closed", "made"): "ready",
    ("deleted", "made"): "ready",
    ("closed", "load sent"): "loading",
    ("closed", "resume sent"): "resuming",
    ("closed", "close sent"): "closing",
    ("ready", "load sent"): "loading",
    ("ready", "resume sent"): "resuming",
    ("ready", "close sent"): "closing",
    ("loading", "attached"): "ready",
    ("loading", "close sent"): "closing",
    ("resuming", "attached"): "ready",
    ("resuming", "close sent"): "closing",
    ("closing", "closed"): "closed",
    ("provisional", "deleted"): "deleted",
    ("unattached", "deleted"): "deleted",
    ("closed", "deleted"): "deleted",
    ("ready", "deleted"): "deleted",
    ("loading", "deleted"): "deleted",
    ("resuming", "deleted"): "deleted",
    ("closing", "deleted"): "deleted",
    ("provisional", "lost"): "unattached",
    ("closed", "lost"): "unattached",
    ("ready", "lost"): "unattached",
    ("loading", "lost"): "unattached",
    ("resuming", "lost"): "unattached",
    ("closing", "lost"): "unattached",
    ("deleted", "lost"): "unattached",
}
"""Where a session goes (15.5); a request that fails takes it back to where it was."""

ConnectionEvent: TypeAlias = Literal[
    "initialize sent", "initialized", "unsupported version", "failed", "lost"
]

CONNECTION_PHASES: Final[Mapping[tuple[Phase, ConnectionEvent], Phase]] = {
    ("new", "initialize sent"): "initializing",
    ("failed", "initialize sent"): "initializing",
    ("initializing", "initialized"): "ready",
    ("initializing", "unsupported version"): "failed",
    ("initializing", "failed"): "failed",
    ("new", "lost"): "closed",
    ("initializing", "lost"): "closed",
    ("ready", "lost"): "closed",
    ("failed", "lost"): "closed",
}
"""Where a connection goes (15.6)."""

ChildEvent: TypeAlias = Literal[
    "snapshot", "replayed snapshot", "null", "connection lost", "attach sent", "parent closed"
]

CHILD_WORK: Final[Mapping[ChildEvent, tuple[Literal["new", "held", "none"], bool]]] = {
    "snapshot": ("new", True),
    "replayed snapshot": ("new", False),
    "null": ("none", True),
    "connection lost": ("held", False),
    "attach sent": ("held", False),
    "parent closed": ("held", False),
}
"""Which state of work a child has after an event, and whether it is asserted (15.7)."""
