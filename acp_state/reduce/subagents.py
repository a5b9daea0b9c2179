"""What a parent reports of its child sessions (SUB)."""

from __future__ import annotations

from acp_state.model import Entry, Session, Subagent
from acp_state.model.copying import evolve
from acp_state.omitted import OMITTED
from acp_state.reduce.patch import patch
from acp_state.reduce.step import (
    Faults,
    Step,
    current_turn_index,
    diagnose,
    retained,
    with_each_entry,
    with_entry,
)
from acp_state.schema import SubagentUpdate
from acp_state.transitions import CHILD_WORK, ChildEvent


def on_subagent_update(session: Session, update: SubagentUpdate, _: Faults) -> Step:
    """Announce a child, or patch what the parent says of it (SUB-02)."""
    if update.session_id == session.session_id:
        text = "a session cannot be its own child; the update is ignored"
        return session, (diagnose(session, "reparent", text),)
    position = session.timeline.find(("subagent", update.session_id))
    held = None if position is None else session.timeline[position]
    if not isinstance(held, Subagent):
        held = _first_sight(session, update.session_id)
    patched = _with_work_state(patch(held, update), update, in_replay=session.replay is not None)
    return with_entry(session, position, patched), ()


def invalidate(subagent: Subagent, event: ChildEvent) -> Subagent:
    """Nothing said of the child is asserted any more, and no right is left (SUB-15, SUB-16)."""
    _, confirmed = CHILD_WORK[event]
    if subagent.capabilities is None and subagent.state_confirmed is confirmed:
        return subagent
    return evolve(subagent, capabilities=None, state_confirmed=confirmed)


def invalidate_all(session: Session, event: ChildEvent) -> Session:
    """Likewise for all children of a session."""

    def invalid(entry: Entry) -> Entry:
        return invalidate(entry, event) if isinstance(entry, Subagent) else entry

    return with_each_entry(session, invalid)


def _first_sight(session: Session, child_id: str) -> Subagent:
    before = retained(session, ("subagent", child_id))
    if isinstance(before, Subagent):
        return before
    return Subagent(session_id=child_id, turn=current_turn_index(session))


def _with_work_state(subagent: Subagent, update: SubagentUpdate, *, in_replay: bool) -> Subagent:
    """Whether the state is asserted now; rights of a replay are not kept (15.7, SUB-17)."""
    confirmed, rights = subagent.state_confirmed, subagent.capabilities
    if update.state is not OMITTED:
        snapshot: ChildEvent = "replayed snapshot" if in_replay else "snapshot"
        _, confirmed = CHILD_WORK["null" if update.state is None else snapshot]
    if in_replay:
        rights = None
    if (confirmed, rights) == (subagent.state_confirmed, subagent.capabilities):
        return subagent
    return evolve(subagent, state_confirmed=confirmed, capabilities=rights)
