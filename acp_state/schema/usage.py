"""Use of the context window, and cost.

Source: protocol v1 draft, Prompt Turn, Session Usage Updates; ``$defs``: UsageUpdate, Cost.
"""

from attrs import field

from acp_state.json_values import JsonObject, freeze_meta
from acp_state.omitted import CLEAR, KEEP, OMITTED, RESET, Omitted
from acp_state.records import frozen
from acp_state.schema.wire import wire


@frozen(kw_only=True)
class Cost:
    """What the session has cost so far, in units of `currency` (USAGE-02, CONF-13)."""

    amount: float
    currency: str
    meta: JsonObject | None | Omitted = field(default=OMITTED, converter=freeze_meta)


@frozen(kw_only=True)
class UsageUpdate:
    """Tokens in context now, tokens that fit, and the cumulative cost (USAGE-01, USAGE-02)."""

    used: int = field(metadata=wire(minimum=0, patch=KEEP))
    size: int = field(metadata=wire(minimum=0, patch=KEEP))
    cost: Cost | None | Omitted = field(default=OMITTED, metadata=wire(patch=CLEAR))
    meta: JsonObject | None | Omitted = field(
        default=OMITTED, converter=freeze_meta, metadata=wire(patch=RESET)
    )
