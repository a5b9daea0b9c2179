"""Permission requests and their answers.

Source: protocol v1 draft, Tool Calls, Requesting permission; ``$defs``: RequestPermissionRequest,
PermissionOption, RequestPermissionResponse, RequestPermissionOutcome.
"""

from typing import Final, Literal, TypeAlias

from attrs import field

from acp_state.json_values import JsonObject, freeze_meta
from acp_state.omitted import OMITTED, Omitted
from acp_state.records import frozen
from acp_state.schema.tool_calls import ToolCallUpdate
from acp_state.schema.wire import TaggedUnion, wire

PermissionOptionKind: TypeAlias = Literal[
    "allow_once", "allow_always", "reject_once", "reject_always"
]


@frozen(kw_only=True)
class PermissionOption:
    """An answer that the agent offers; `kind` is only a hint, an unknown one is kept (PERM-03)."""

    option_id: str = field(metadata=wire(identifies=True))
    name: str
    kind: PermissionOptionKind | str = field(metadata=wire(keeps_unknown=True))
    meta: JsonObject | None | Omitted = field(default=OMITTED, converter=freeze_meta)


@frozen(kw_only=True)
class RequestPermissionRequest:
    """Asks whether a tool call may go on; its `tool_call` patches that call (PERM-02)."""

    session_id: str
    tool_call: ToolCallUpdate
    options: tuple[PermissionOption, ...]
    meta: JsonObject | None | Omitted = field(default=OMITTED, converter=freeze_meta)


@frozen(kw_only=True)
class SelectedPermissionOutcome:
    """One of the options was chosen."""

    option_id: str
    meta: JsonObject | None | Omitted = field(default=OMITTED, converter=freeze_meta)


@frozen(kw_only=True)
class CancelledPermissionOutcome:
    """The turn was cancelled before anything was chosen."""


RequestPermissionOutcome: TypeAlias = SelectedPermissionOutcome | CancelledPermissionOutcome

REQUEST_PERMISSION_OUTCOME: Final = TaggedUnion(
    tag="outcome",
    variants={"cancelled": CancelledPermissionOutcome, "selected": SelectedPermissionOutcome},
)


@frozen(kw_only=True)
class RequestPermissionResponse:
    """The answer to a permission request (PERM-04)."""

    outcome: RequestPermissionOutcome
    meta: JsonObject | None | Omitted = field(default=OMITTED, converter=freeze_meta)
