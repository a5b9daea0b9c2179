"""The catalogue of sessions, and what is asked of one by its id.

Source: protocol v1 draft, Session List; ``$defs``: ListSessionsResponse, SessionInfo,
SetSessionTitleResponse, SessionStatusResponse.
"""

from typing import TypeAlias

from attrs import field

from acp_state.json_values import JsonObject, freeze_meta
from acp_state.omitted import OMITTED, Omitted
from acp_state.records import frozen
from acp_state.schema.wire import wire

SessionStatus: TypeAlias = str
"""Open: ``open``, ``saved``, or any other, which counts as saved (SESS-05)."""


@frozen(kw_only=True)
class SessionInfo:
    """A session that the agent has stored (INFO-03)."""

    session_id: str
    cwd: str = field(metadata=wire(path=True))
    additional_directories: tuple[str, ...] | Omitted = field(
        default=OMITTED, metadata=wire(skip_items=True, path=True)
    )
    title: str | None | Omitted = OMITTED
    updated_at: str | None | Omitted = OMITTED
    archived: bool | None | Omitted = OMITTED
    meta: JsonObject | None | Omitted = field(default=OMITTED, converter=freeze_meta)


@frozen(kw_only=True)
class ListSessionsResponse:
    """A page of the catalogue; no cursor: the last (INFO-03)."""

    sessions: tuple[SessionInfo, ...] = field(metadata=wire(lenient=True, skip_items=True))
    next_cursor: str | None | Omitted = OMITTED
    meta: JsonObject | None | Omitted = field(default=OMITTED, converter=freeze_meta)


@frozen(kw_only=True)
class SetSessionTitleResponse:
    """The title as the agent took it."""

    title: str
    meta: JsonObject | None | Omitted = field(default=OMITTED, converter=freeze_meta)


@frozen(kw_only=True)
class SessionStatusResponse:
    """Whether the session is open."""

    status: SessionStatus
    meta: JsonObject | None | Omitted = field(default=OMITTED, converter=freeze_meta)
