"""Use of the context window (USAGE)."""

from __future__ import annotations

from acp_state.json_values import JsonObject
from acp_state.model.copying import Versioned
from acp_state.records import frozen
from acp_state.schema import Cost


@frozen(kw_only=True)
class ContextUsage(Versioned):
    """Tokens in context, tokens that fit, and what the session has cost so far, all as sent.

    A compaction says nothing about it, nor it about one (CMP-10).
    """

    used: int
    """May be more than `size` (USAGE-01)."""
    size: int
    cost: Cost | None = None
    """Cumulative for the session, never a sum of ours (USAGE-02), nor of children (SUB-13)."""
    meta: JsonObject | None = None
