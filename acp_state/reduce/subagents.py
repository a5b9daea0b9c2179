"""What a parent reports of its child sessions (section 11)."""

from __future__ import annotations

import attrs

from acp_state.model import Session, Subagent
from acp_state.omitted import OMITTED
from acp_state.reduce.patch import patch
from acp_state.reduce.step import Faults, Step, current_turn_index, diagnose, with_entry
from acp_state.schema import SubagentUpdate


def on_subagent_update(session: Session, update: SubagentUpdate, _: Faults) -> Step:
    """Announce a child, or patch what the parent says of it (SUB-02)."""
    if update.session_id == session.session_id:
        text = "a session cannot be its own child; the update is ignored"
        return session, (diagnose(session, "reparent", text),)
    position = session.timeline.find(("subagent", update.session_id))
    held = None if position is None else session.timeline[position]
    if not isinstance(held, Subagent):
        held = Subagent(session_id=update.session_id, turn=current_turn_index(session))
    patched = patch(held, update)
    if update.state is not OMITTED and not patched.state_confirmed:
        patched = attrs.evolve(patched, state_confirmed=True)
    return with_entry(session, position, patched), ()
