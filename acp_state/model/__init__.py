"""The immutable model: what a session holds after each event."""

from acp_state.model.chunks import Chunk, Chunks
from acp_state.model.compaction import Compaction
from acp_state.model.connection import (
    Attempt,
    Authentication,
    Connection,
    PendingRequest,
    SettledRequest,
)
from acp_state.model.echo import Echo
from acp_state.model.elicitation import Elicitation
from acp_state.model.message import Message, MessageRole
from acp_state.model.permission import Permission, RequestKey
from acp_state.model.replay import Replay
from acp_state.model.session import Readiness, Session
from acp_state.model.session_message import SessionMessage
from acp_state.model.subagent import Subagent
from acp_state.model.terminal import Terminal
from acp_state.model.timeline import EntriesById, Entry, EntryKey, Timeline
from acp_state.model.tool_call import ToolCall
from acp_state.model.turn import IdStyle, Turn, TurnOutcome
from acp_state.model.usage import ContextUsage

__all__ = [
    "Attempt",
    "Authentication",
    "Chunk",
    "Chunks",
    "Compaction",
    "Connection",
    "ContextUsage",
    "Echo",
    "Elicitation",
    "EntriesById",
    "Entry",
    "EntryKey",
    "IdStyle",
    "Message",
    "MessageRole",
    "PendingRequest",
    "Permission",
    "Readiness",
    "Replay",
    "RequestKey",
    "Session",
    "SessionMessage",
    "SettledRequest",
    "Subagent",
    "Terminal",
    "Timeline",
    "ToolCall",
    "Turn",
    "TurnOutcome",
]
