"""User, agent and thought messages (MSG)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, TypeAlias

from acp_state.json_values import JsonObject
from acp_state.model.chunks import NO_CHUNKS, Chunks
from acp_state.model.copying import Versioned, copier, maker
from acp_state.model.text import shorten
from acp_state.records import frozen
from acp_state.schema import ContentBlock

MessageRole: TypeAlias = Literal["user", "agent", "thought"]


@frozen(kw_only=True, repr=False)
class Message(Versioned):
    """What somebody said, or thought."""

    role: MessageRole
    message_id: str | None = None
    """The agent's id, unique only together with the role (MSG-03); None: anonymous (MSG-05)."""
    chunks: Chunks = NO_CHUNKS
    """What was received, chunk by chunk."""
    origin: Literal["agent", "local"] = "agent"
    """``local``: the prompt of a turn, taken from ``session/prompt`` (TURN-04)."""
    turn: int | None = None
    """The turn in which it was first seen: an index into the session's `turns`."""

    @property
    def content(self) -> tuple[ContentBlock, ...]:
        """The blocks, adjacent plain text joined."""
        return self.chunks.blocks

    @property
    def text(self) -> str:
        """The text of all text blocks."""
        return self.chunks.text

    def append(self, block: ContentBlock, meta: JsonObject | None = None) -> Message:
        """The message with one more chunk (MSG-01)."""
        return _with_chunks(self, self.chunks.append(block, meta))

    def append_text(self, text: str) -> Message:
        """The message with one more chunk of nothing but text."""
        return _with_chunks(self, self.chunks.append_text(text))

    def extend_text(self, texts: Iterable[str]) -> Message:
        """The message with one more chunk for each text."""
        return _with_chunks(self, self.chunks.extend_text(texts))

    @property
    def key(self) -> tuple[str, str] | None:
        """What the message is found by; None: only by its position."""
        return None if self.message_id is None else (self.role, self.message_id)

    def __repr__(self) -> str:
        name = "" if self.message_id is None else f" {self.message_id!r}"
        return f"<{self.role} message{name}: {shorten(self.text)}>"


_with_chunks = copier(Message, "chunks")
_begun = maker(Message, "role", "message_id", "chunks", "turn")
_prompted = maker(Message, "role", "origin", "chunks", "turn")


def begun(role: MessageRole, message_id: str | None, text: str, turn: int | None) -> Message:
    """A message of the agent's of which one text has come."""
    return _begun(role, message_id, NO_CHUNKS.append_text(text), turn)


def prompted(blocks: Iterable[ContentBlock], turn: int) -> Message:
    """The user's message of a turn, as it was sent (TURN-04)."""
    return _prompted("user", "local", Chunks.of(blocks), turn)
