"""Messages between sessions.

Source: protocol v1 draft, Prompt Turn, Session-directed messages; ``$defs``: SessionMessage,
SessionMessageChunk.
"""

from attrs import field

from acp_state.json_values import JsonObject, freeze_meta
from acp_state.omitted import CLEAR, KEEP, OMITTED, Omitted, Patch
from acp_state.records import frozen
from acp_state.schema.content import ContentBlock
from acp_state.schema.wire import wire


@frozen(kw_only=True)
class SessionMessage:
    """Creates or patches a message between sessions (SMSG-03, SMSG-04)."""

    message_id: str = field(metadata=wire(identifies=True))
    sender_session_id: str | None | Omitted = field(default=OMITTED, metadata=wire(patch=KEEP))
    recipient_session_id: str | None | Omitted = field(default=OMITTED, metadata=wire(patch=KEEP))
    sender_message_id: str | None | Omitted = field(default=OMITTED, metadata=wire(patch=CLEAR))
    recipient_message_id: str | None | Omitted = field(default=OMITTED, metadata=wire(patch=CLEAR))
    content: tuple[ContentBlock, ...] | None | Omitted = field(
        default=OMITTED, metadata=wire(skip_items=True, patch=Patch(null="clear", into="chunks"))
    )
    meta: JsonObject | None | Omitted = field(
        default=OMITTED, converter=freeze_meta, metadata=wire(patch=CLEAR)
    )


@frozen(kw_only=True)
class SessionMessageChunk:
    """One block that is appended to a message between sessions.

    The seed gives chunks the participants, which the published schema leaves to `SessionMessage`;
    they are taken from both (CONF-02).
    """

    message_id: str = field(metadata=wire(identifies=True))
    content: ContentBlock
    sender_session_id: str | None | Omitted = field(default=OMITTED, metadata=wire(patch=KEEP))
    recipient_session_id: str | None | Omitted = field(default=OMITTED, metadata=wire(patch=KEEP))
    meta: JsonObject | None | Omitted = field(default=OMITTED, converter=freeze_meta)
