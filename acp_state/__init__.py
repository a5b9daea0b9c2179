"""A pure, IO-free reducer: Agent Client Protocol traffic in, an immutable session model out."""

from acp_state.diagnostics import Diagnostic
from acp_state.errors import LocalProtocolError
from acp_state.intents import Diagnose, Intent, ShowNotice, TurnEnded
from acp_state.json_values import JsonArray, JsonObject, JsonValue, freeze, thaw
from acp_state.model import (
    Chunk,
    Chunks,
    Compaction,
    ContextUsage,
    Entry,
    Message,
    Session,
    SessionMessage,
    Subagent,
    Terminal,
    Timeline,
    ToolCall,
    Turn,
)
from acp_state.omitted import OMITTED, Omitted
from acp_state.reduce.updates import apply_update

__all__ = [
    "OMITTED",
    "Chunk",
    "Chunks",
    "Compaction",
    "ContextUsage",
    "Diagnose",
    "Diagnostic",
    "Entry",
    "Intent",
    "JsonArray",
    "JsonObject",
    "JsonValue",
    "LocalProtocolError",
    "Message",
    "Omitted",
    "Session",
    "SessionMessage",
    "ShowNotice",
    "Subagent",
    "Terminal",
    "Timeline",
    "ToolCall",
    "Turn",
    "TurnEnded",
    "apply_update",
    "freeze",
    "thaw",
]
