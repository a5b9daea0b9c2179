"""Child sessions and their state of work.

Source: protocol v1 draft, Prompt Turn, table of updates; ``$defs``: SubagentUpdate,
SubagentSessionCapabilities, StateUpdate and what it holds.
"""

from typing import Final, TypeAlias

from attrs import field

from acp_state.json_values import JsonObject, freeze_meta, freeze_rest
from acp_state.omitted import CLEAR, OMITTED, Omitted
from acp_state.records import frozen
from acp_state.schema.errors import Error
from acp_state.schema.prompt_turn import Usage
from acp_state.schema.wire import TaggedUnion, wire


@frozen(kw_only=True)
class SessionCancelCapabilities:
    """The right to send ``session/cancel`` for the child."""

    meta: JsonObject | None | Omitted = field(default=OMITTED, converter=freeze_meta)


@frozen(kw_only=True)
class SubagentSessionCapabilities:
    """What the client may do to the child; `cancel` is the only right there is (SUB-07)."""

    cancel: SessionCancelCapabilities | None | Omitted = OMITTED
    meta: JsonObject | None | Omitted = field(default=OMITTED, converter=freeze_meta)


@frozen(kw_only=True)
class RunningStateUpdate:
    """The child works."""

    meta: JsonObject | None | Omitted = field(default=OMITTED, converter=freeze_meta)


@frozen(kw_only=True)
class IdleStateUpdate:
    """The child has nothing to do now; that is not its end (SUB-10)."""

    stop_reason: str | None | Omitted = OMITTED
    usage: Usage | None | Omitted = OMITTED
    meta: JsonObject | None | Omitted = field(default=OMITTED, converter=freeze_meta)


@frozen(kw_only=True)
class ErrorStopReason(IdleStateUpdate):
    """The child stopped with an error."""

    error: Error | None | Omitted = OMITTED


@frozen(kw_only=True)
class OtherStopReason(IdleStateUpdate):
    """The child stopped for a reason that is not known, kept with its payload (LENIENT-09)."""

    rest: JsonObject | Omitted = field(
        default=OMITTED, converter=freeze_rest, metadata=wire(rest=True)
    )


@frozen(kw_only=True)
class RequiresActionStateUpdate:
    """The child waits for somebody."""

    meta: JsonObject | None | Omitted = field(default=OMITTED, converter=freeze_meta)


@frozen(kw_only=True)
class UnknownStateUpdate:
    """The agent does not know what the child does (SUB-11)."""

    meta: JsonObject | None | Omitted = field(default=OMITTED, converter=freeze_meta)


@frozen(kw_only=True)
class OtherStateUpdate:
    """A state that is not known, kept with its payload (LENIENT-09)."""

    state: str
    rest: JsonObject | Omitted = field(
        default=OMITTED, converter=freeze_rest, metadata=wire(rest=True)
    )


StateUpdate: TypeAlias = (
    RunningStateUpdate
    | IdleStateUpdate
    | ErrorStopReason
    | OtherStopReason
    | RequiresActionStateUpdate
    | UnknownStateUpdate
    | OtherStateUpdate
)

_IDLE: Final = TaggedUnion(
    tag="stopReason",
    variants={
        "end_turn": IdleStateUpdate,
        "max_tokens": IdleStateUpdate,
        "max_turn_requests": IdleStateUpdate,
        "refusal": IdleStateUpdate,
        "cancelled": IdleStateUpdate,
        "error": ErrorStopReason,
    },
    other=OtherStopReason,
    default=IdleStateUpdate,
)

STATE_UPDATE: Final = TaggedUnion(
    tag="state",
    variants={
        "running": RunningStateUpdate,
        "idle": _IDLE,
        "requires_action": RequiresActionStateUpdate,
        "unknown": UnknownStateUpdate,
    },
    other=OtherStateUpdate,
)


@frozen(kw_only=True)
class SubagentUpdate:
    """Announces a child session, or patches what its parent says of it (SUB-02).

    A malformed set of roots is a matter of security, not of leniency: it spoils the update
    (SUB-14).
    """

    session_id: str = field(metadata=wire(identifies=True))
    title: str | None | Omitted = field(default=OMITTED, metadata=wire(patch=CLEAR))
    description: str | None | Omitted = field(default=OMITTED, metadata=wire(patch=CLEAR))
    capabilities: SubagentSessionCapabilities | None | Omitted = field(
        default=OMITTED, metadata=wire(patch=CLEAR)
    )
    state: StateUpdate | None | Omitted = field(default=OMITTED, metadata=wire(patch=CLEAR))
    cwd: str | None | Omitted = field(
        default=OMITTED, metadata=wire(lenient=False, path=True, patch=CLEAR)
    )
    additional_directories: tuple[str, ...] | None | Omitted = field(
        default=OMITTED, metadata=wire(lenient=False, path=True, patch=CLEAR)
    )
    meta: JsonObject | None | Omitted = field(
        default=OMITTED, converter=freeze_meta, metadata=wire(patch=CLEAR)
    )
