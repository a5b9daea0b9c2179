"""Title and other data about a session.

Source: protocol v1 draft, Session List, Updating session metadata; ``$defs``: SessionInfoUpdate.
"""

from attrs import field

from acp_state.json_values import JsonObject, freeze_meta
from acp_state.omitted import CLEAR, OMITTED, Omitted
from acp_state.records import frozen
from acp_state.schema.wire import wire


@frozen(kw_only=True)
class SessionInfoUpdate:
    """Patches title, time of last activity (ISO 8601, kept as text) and metadata (INFO-01)."""

    title: str | None | Omitted = field(default=OMITTED, metadata=wire(patch=CLEAR))
    updated_at: str | None | Omitted = field(default=OMITTED, metadata=wire(patch=CLEAR))
    meta: JsonObject | None | Omitted = field(
        default=OMITTED, converter=freeze_meta, metadata=wire(patch=CLEAR)
    )
