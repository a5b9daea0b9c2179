"""The state machines as tables: a row for each step, and the diagnostic it raises (section 15).

A step that has no row is not foreseen; the reducer applies it all the same, in receive order.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TypeAlias

Transitions: TypeAlias = Mapping[tuple[str, str], "str | None"]

TOOL_CALL_STATUS: Final[Transitions] = {
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
"""From and to status of a tool call (15.2); any may follow any, the agent's last word wins."""

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
