"""What a parent session says of its children (SUB)."""

from __future__ import annotations

from acp_state.json_values import JsonObject
from acp_state.model.copying import Versioned
from acp_state.omitted import OMITTED
from acp_state.records import frozen
from acp_state.schema import (
    IdleStateUpdate,
    RunningStateUpdate,
    StateUpdate,
    SubagentSessionCapabilities,
)


@frozen(kw_only=True, repr=False)
class Subagent(Versioned):
    """The association of a parent with one child session; the child's history is the child's."""

    session_id: str
    """The child."""
    title: str | None = None
    """The parent's label, not the child's own title (SUB-06)."""
    description: str | None = None
    capabilities: SubagentSessionCapabilities | None = None
    state: StateUpdate | None = None
    """The child's last known work, whole (SUB-10); None: unconfirmed (SUB-11)."""
    state_confirmed: bool = True
    """Whether `state` is asserted as current; False: only last known (SUB-15, SUB-16)."""
    cwd: str | None = None
    """None: the parent's (SUB-14)."""
    additional_directories: tuple[str, ...] | None = None
    """None: the parent's; empty: none (SUB-14)."""
    meta: JsonObject | None = None
    turn: int | None = None
    """The turn in which it was first seen: an index into the session's `turns`."""

    @property
    def may_cancel(self) -> bool:
        """Whether the client has the right to cancel the child (SUB-07)."""
        rights = self.capabilities
        return rights is not None and rights.cancel is not None and rights.cancel is not OMITTED

    @property
    def is_active(self) -> bool:
        """Whether the child is known to work, or may be: not confirmed as idle."""
        return not (self.state_confirmed and isinstance(self.state, IdleStateUpdate))

    @property
    def is_confirmed_running(self) -> bool:
        """Whether the child is asserted to be at work now (LOAD-06)."""
        return self.state_confirmed and isinstance(self.state, RunningStateUpdate)

    @property
    def key(self) -> tuple[str, str]:
        """What the association is found by."""
        return ("subagent", self.session_id)

    def __repr__(self) -> str:
        state = type(self.state).__name__ if self.state is not None else "unconfirmed"
        return f"<subagent {self.session_id!r}: {state}>"
