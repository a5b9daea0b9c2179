"""Session modes.

Source: protocol v1 draft, Session Modes; ``$defs``: SessionModeState, SessionMode,
CurrentModeUpdate.
"""

from attrs import field

from acp_state.json_values import JsonObject, freeze_meta
from acp_state.omitted import OMITTED, Omitted
from acp_state.records import frozen
from acp_state.schema.wire import wire


@frozen(kw_only=True)
class SessionMode:
    """A mode that the session can be in."""

    id: str = field(metadata=wire(identifies=True))
    name: str
    description: str | None | Omitted = OMITTED
    meta: JsonObject | None | Omitted = field(default=OMITTED, converter=freeze_meta)


@frozen(kw_only=True)
class SessionModeState:
    """The modes there are, and the current one (MODE-01)."""

    current_mode_id: str = field(metadata=wire(identifies=True))
    available_modes: tuple[SessionMode, ...] = field(metadata=wire(lenient=True, skip_items=True))
    meta: JsonObject | None | Omitted = field(default=OMITTED, converter=freeze_meta)


@frozen(kw_only=True)
class CurrentModeUpdate:
    """Changes the current mode; ``modeId`` is read as well (CONF-08)."""

    current_mode_id: str = field(metadata=wire(identifies=True, alias="modeId"))
    meta: JsonObject | None | Omitted = field(default=OMITTED, converter=freeze_meta)
