"""Streamed chunks of user, agent and thought messages.

Source: protocol v1 draft, Prompt Turn, 3. Agent Reports Output; ``$defs``: ContentChunk.
"""

from attrs import field

from acp_state.json_values import JsonObject, freeze_meta
from acp_state.omitted import OMITTED, Omitted
from acp_state.records import frozen
from acp_state.schema.content import ContentBlock
from acp_state.schema.wire import wire


@frozen(kw_only=True)
class ContentChunk:
    """One block that is appended to a message; `meta` is the chunk's own (PATCH-06)."""

    content: ContentBlock
    message_id: str | None | Omitted = field(default=OMITTED, metadata=wire(identifies=True))
    meta: JsonObject | None | Omitted = field(default=OMITTED, converter=freeze_meta)


@frozen(kw_only=True)
class UserMessageChunk(ContentChunk):
    """A chunk of what the user said: an echo of the prompt, or history."""


@frozen(kw_only=True)
class AgentMessageChunk(ContentChunk):
    """A chunk of the agent's answer."""


@frozen(kw_only=True)
class AgentThoughtChunk(ContentChunk):
    """A chunk of the agent's reasoning."""
