"""Ways to authenticate, and who is authenticated.

Source: protocol v1 draft, Authentication; ``$defs``: AuthMethod, its variants, AuthStatusResponse,
AuthStatusUpdateNotification, AuthAccount.
"""

from typing import Final, TypeAlias

from attrs import field

from acp_state.json_values import JsonObject, freeze_meta, freeze_rest
from acp_state.omitted import OMITTED, Omitted
from acp_state.records import frozen
from acp_state.schema.wire import TaggedUnion, wire

AuthState: TypeAlias = str
"""Open: ``authenticated``, ``unauthenticated``, ``not_required``, ``unknown``, or any other."""


@frozen(kw_only=True)
class AuthMethodAgent:
    """The agent does it, when asked with ``authenticate``; so is a method without a type."""

    id: str
    name: str
    type: str | Omitted = OMITTED
    """Absent, ``agent``, or a type that is not known, which is not to be asked for (AUTH-01)."""
    description: str | None | Omitted = OMITTED
    meta: JsonObject | None | Omitted = field(default=OMITTED, converter=freeze_meta)


@frozen(kw_only=True)
class AuthMethodTerminal:
    """The user does it in a terminal, out of band (AUTH-01)."""

    id: str
    name: str
    description: str | None | Omitted = OMITTED
    args: tuple[str, ...] | Omitted = field(
        default=OMITTED, metadata=wire(lenient=False, on_null=())
    )
    env: JsonObject | Omitted = field(
        default=OMITTED,
        converter=freeze_rest,
        metadata=wire(lenient=False, on_null=JsonObject({}), string_values=True),
    )
    meta: JsonObject | None | Omitted = field(default=OMITTED, converter=freeze_meta)


AuthMethod: TypeAlias = AuthMethodAgent | AuthMethodTerminal

AUTH_METHOD: Final = TaggedUnion(
    tag="type",
    variants={"terminal": AuthMethodTerminal},
    other=AuthMethodAgent,
    default=AuthMethodAgent,
)
"""No type is the agent's own way."""


@frozen(kw_only=True)
class AuthAccount:
    """An account that the agent knows."""

    label: str
    active: bool | None | Omitted = OMITTED
    name: str | None | Omitted = OMITTED
    email: str | None | Omitted = OMITTED
    organization: str | None | Omitted = OMITTED
    meta: JsonObject | None | Omitted = field(default=OMITTED, converter=freeze_meta)


@frozen(kw_only=True)
class AuthStatusResponse:
    """Whether somebody is authenticated, and who (AUTH-03)."""

    state: AuthState
    accounts: tuple[AuthAccount, ...] | Omitted = field(
        default=OMITTED, metadata=wire(skip_items=True)
    )
    meta: JsonObject | None | Omitted = field(default=OMITTED, converter=freeze_meta)


@frozen(kw_only=True)
class AuthStatusUpdateNotification(AuthStatusResponse):
    """Likewise, when it changes."""
