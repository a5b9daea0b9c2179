"""Prompt requests and their responses.

Source: protocol v1 draft, Prompt Turn; ``$defs``: PromptRequest, PromptResponse, StopReason, Usage.
"""

from typing import Literal, TypeAlias

from attrs import field

from acp_state.json_values import JsonObject, freeze_meta
from acp_state.omitted import OMITTED, Omitted
from acp_state.records import frozen
from acp_state.schema.content import ContentBlock
from acp_state.schema.wire import wire

StopReason: TypeAlias = Literal[
    "end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled"
]


@frozen(kw_only=True)
class Usage:
    """Tokens of a turn; whether per turn or cumulative is left open (USAGE-03)."""

    total_tokens: int = field(metadata=wire(minimum=0))
    input_tokens: int = field(metadata=wire(minimum=0))
    output_tokens: int = field(metadata=wire(minimum=0))
    thought_tokens: int | None | Omitted = field(default=OMITTED, metadata=wire(minimum=0))
    cached_read_tokens: int | None | Omitted = field(default=OMITTED, metadata=wire(minimum=0))
    cached_write_tokens: int | None | Omitted = field(default=OMITTED, metadata=wire(minimum=0))
    meta: JsonObject | None | Omitted = field(default=OMITTED, converter=freeze_meta)


@frozen(kw_only=True)
class PromptRequest:
    """What the user says."""

    session_id: str
    prompt: tuple[ContentBlock, ...]
    meta: JsonObject | None | Omitted = field(default=OMITTED, converter=freeze_meta)


@frozen(kw_only=True)
class PromptResponse:
    """Ends a turn (TURN-05)."""

    stop_reason: StopReason
    usage: Usage | None | Omitted = OMITTED
    meta: JsonObject | None | Omitted = field(default=OMITTED, converter=freeze_meta)
