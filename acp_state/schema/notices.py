"""Live advisory notices.

Source: protocol v1 draft, Prompt Turn, Session Notices; ``$defs``: Notice.
"""

from typing import TypeAlias

from attrs import field

from acp_state.json_values import JsonObject, freeze_meta
from acp_state.omitted import OMITTED, Omitted
from acp_state.records import frozen
from acp_state.schema.wire import wire

NoticeSeverity: TypeAlias = str
"""Open: ``info``, ``warning``, ``error``, or any other (NOTICE-03)."""


@frozen(kw_only=True)
class Notice:
    """Something to tell the user now; no history, and it changes no state (NOTICE-02)."""

    severity: NoticeSeverity
    title: str = field(metadata=wire(min_length=1))
    description: str | None | Omitted = OMITTED
    meta: JsonObject | None | Omitted = field(default=OMITTED, converter=freeze_meta)
