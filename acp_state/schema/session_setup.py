"""What a session is told to be when it is made, loaded, resumed or forked.

Source: protocol v1 draft, Session Setup; ``$defs``: NewSessionResponse, LoadSessionResponse,
ResumeSessionResponse, ForkSessionResponse.
"""

from attrs import field

from acp_state.json_values import JsonObject, freeze_meta
from acp_state.omitted import OMITTED, Omitted
from acp_state.records import frozen
from acp_state.schema.config_options import SessionConfigOption
from acp_state.schema.session_modes import SessionModeState
from acp_state.schema.wire import wire


@frozen(kw_only=True)
class LoadSessionResponse:
    """The session is loaded; what is not reported keeps what is held (LOAD-12)."""

    modes: SessionModeState | None | Omitted = OMITTED
    config_options: tuple[SessionConfigOption, ...] | None | Omitted = field(
        default=OMITTED, metadata=wire(skip_items=True)
    )
    meta: JsonObject | None | Omitted = field(default=OMITTED, converter=freeze_meta)


@frozen(kw_only=True)
class ResumeSessionResponse(LoadSessionResponse):
    """The session goes on without a replay (LOAD-13)."""


@frozen(kw_only=True)
class NewSessionResponse(LoadSessionResponse):
    """The session is made."""

    session_id: str = field(metadata=wire(identifies=True))


@frozen(kw_only=True)
class ForkSessionResponse(NewSessionResponse):
    """A session is made that goes on from another."""
