"""Messages between sessions (SMSG)."""

from __future__ import annotations

from typing import Literal

from attrs import field

from acp_state.json_values import JsonObject
from acp_state.model.chunks import NO_CHUNKS, Chunks, as_chunks
from acp_state.model.copying import Versioned
from acp_state.model.text import shorten
from acp_state.records import frozen
from acp_state.schema import ContentBlock


@frozen(kw_only=True, repr=False)
class SessionMessage(Versioned):
    """One session's view of a message to or from another.

    It says nothing of delivery or control (SMSG-08), and has neither status nor title (SMSG-10).
    """

    message_id: str
    sender_session_id: str | None = None
    recipient_session_id: str | None = None
    sender_message_id: str | None = None
    """A hint for a link; the two views stay two (CONF-03)."""
    recipient_message_id: str | None = None
    """A hint for a link; the two views stay two (CONF-03)."""
    chunks: Chunks = field(default=NO_CHUNKS, converter=as_chunks)
    """What was received, block by block."""
    meta: JsonObject | None = None
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

    def direction(self, session_id: str) -> Literal["outgoing", "incoming"] | None:
        """Which way it goes, seen from the session whose transcript holds it; None: unknown.

        Source: SMSG-05.
        """
        sender, recipient = self.sender_session_id, self.recipient_session_id
        if sender == recipient:
            return None
        if session_id == sender:
            return "outgoing"
        return "incoming" if session_id == recipient else None

    @property
    def key(self) -> tuple[str, str]:
        """What the message is found by: a namespace of its own (SMSG-02)."""
        return ("session_message", self.message_id)

    def __repr__(self) -> str:
        way = f"from {self.sender_session_id!r} to {self.recipient_session_id!r}"
        return f"<session message {self.message_id!r} {way}: {shorten(self.text)}>"
