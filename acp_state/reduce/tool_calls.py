"""Tool calls: announced, updated, asked about (TOOL, 15.2)."""

from __future__ import annotations

from acp_state.intents import Diagnose, Intent
from acp_state.model import Entry, Session, ToolCall
from acp_state.model.copying import evolve
from acp_state.omitted import OMITTED
from acp_state.reduce.patch import patch
from acp_state.reduce.step import (
    Faults,
    Step,
    diagnose,
    late,
    retained,
    turn_at_first_sight,
    with_each_entry,
    with_entry,
)
from acp_state.schema import ToolCallUpdate
from acp_state.schema.tool_calls import ToolCall as ToolCallAnnouncement
from acp_state.transitions import TOOL_CALL_STATUS


def on_tool_call(session: Session, announced: ToolCallAnnouncement, faults: Faults) -> Step:
    """Announce a call (TOOL-01), or report a known one anew in its place (TOOL-04).

    In a replay it replaces the whole call, unless an update came before it (LOAD-08).
    """
    position, known = _find(session, announced.tool_call_id)
    in_replay = session.replay is not None
    replaces = known is not None and in_replay and not known.updated_in_replay
    held = None if replaces else known
    call = held or _blank(session, announced.tool_call_id, known)
    again = held is not None and held.announced and not in_replay
    patched = patch(call, announced, resets=again, merges=held is not None)
    patched = patched if patched.announced else evolve(patched, announced=True)
    patched = _settle_overlay(patched, announced.status, faults)
    intents = _diagnostics(session, held, patched, faults)
    if again:
        text = f"tool call {announced.tool_call_id!r} was announced again; reported in place"
        intents += (diagnose(session, "duplicate-tool-call", text),)
    if replaces and patched == known:
        return session, intents
    return with_entry(session, position, patched), intents


def on_tool_call_update(session: Session, update: ToolCallUpdate, faults: Faults) -> Step:
    """Patch a call, or create it if it was not announced; at any time (TOOL-02, -03, -08)."""
    position, held = _find(session, update.tool_call_id)
    patched = _patched(session, held, update, faults)
    intents = _diagnostics(session, held, patched, faults)
    if held is None and retained(session, patched.key) is None:
        text = f"tool call {update.tool_call_id!r} was not announced; created from the update"
        intents += (diagnose(session, "tool-update-first", text),)
    return with_entry(session, position, patched), intents


def on_permission_tool_call(session: Session, update: ToolCallUpdate, faults: Faults) -> Step:
    """Patch the call that a permission request is about, or create it (PERM-02).

    Its ``status: pending`` says that the call awaits approval: it is applied, and no step back.
    """
    position, held = _find(session, update.tool_call_id)
    patched = _patched(session, held, update, faults)
    found = _diagnostics(session, held, patched, faults)
    if update.status == "pending":
        found = tuple(i for i in found if not _is_about(i, "tool-status-regress"))
    return with_entry(session, position, patched), found


def cancel_unfinished(session: Session, turn: int) -> Session:
    """Lay the overlay on all unfinished calls of a turn (CANCEL-02, TURN-07)."""
    if session.replay is not None:
        return _overlaid_in_replay(session, turn)
    return _overlaid(session, unfinished_calls(session, turn))


def cancel_all_unfinished(session: Session) -> Session:
    """Lay the overlay on all unfinished calls of a child session (CANCEL-02)."""
    if session.replay is not None:
        return _overlaid_in_replay(session, None)
    return _overlaid(session, _unfinished(session, 0))


def unfinished_calls(session: Session, turn: int) -> list[tuple[int, ToolCall]]:
    """Position and call of all that the turn left unfinished."""
    start = session.turns[turn].start or 0
    return [(position, call) for position, call in _unfinished(session, start) if call.turn == turn]


def _unfinished(session: Session, start: int) -> list[tuple[int, ToolCall]]:
    return [
        (position, entry)
        for position, entry in enumerate(session.timeline[start:], start)
        if isinstance(entry, ToolCall) and not entry.is_finished
    ]


def _overlaid(session: Session, calls: list[tuple[int, ToolCall]]) -> Session:
    timeline = session.timeline
    for position, call in calls:
        if not call.cancelled:
            timeline = timeline.replace(position, evolve(call, cancelled=True))
    return session.with_timeline(timeline)


def _overlaid_in_replay(session: Session, turn: int | None) -> Session:
    """The same on both timelines of a replay; None: all turns."""

    def overlaid(entry: Entry) -> Entry:
        if not isinstance(entry, ToolCall) or entry.is_finished or entry.cancelled:
            return entry
        return evolve(entry, cancelled=True) if turn in {None, entry.turn} else entry

    return with_each_entry(session, overlaid)


def _is_about(intent: Intent, code: str) -> bool:
    return isinstance(intent, Diagnose) and intent.diagnostic.code == code


def _find(session: Session, tool_call_id: str) -> tuple[int | None, ToolCall | None]:
    position = session.timeline.find(("tool_call", tool_call_id))
    held = None if position is None else session.timeline[position]
    return position, held if isinstance(held, ToolCall) else None


def _blank(session: Session, tool_call_id: str, known: ToolCall | None = None) -> ToolCall:
    """A call of which nothing is told yet, but that it is there, and since which turn."""
    key = ("tool_call", tool_call_id)
    turn = turn_at_first_sight(session, key) if known is None else known.turn
    return ToolCall(tool_call_id=tool_call_id, announced=False, turn=turn)


def _first_sight(session: Session, tool_call_id: str) -> ToolCall:
    """A call that nothing is known of yet, or what was held before the replay (LOAD-08)."""
    before = retained(session, ("tool_call", tool_call_id))
    if isinstance(before, ToolCall):
        return before
    return _blank(session, tool_call_id)


def _patched(
    session: Session, held: ToolCall | None, update: ToolCallUpdate, faults: Faults
) -> ToolCall:
    call = held or _first_sight(session, update.tool_call_id)
    patched = _settle_overlay(patch(call, update), update.status, faults)
    if session.replay is None or patched.updated_in_replay:
        return patched
    return evolve(patched, updated_in_replay=True)


def _settle_overlay(call: ToolCall, status: object, faults: Faults) -> ToolCall:
    """A valid status lifts the overlay (TOOL-07), a wire `cancelled` lays it (TOOL-09)."""
    if status is not OMITTED and status is not None:
        return evolve(call, cancelled=False) if call.cancelled else call
    if _says_cancelled(faults) and not call.is_finished and not call.cancelled:
        return evolve(call, cancelled=True)
    return call


def _says_cancelled(faults: Faults) -> bool:
    return any(fault.path.endswith("status") and fault.raw == "cancelled" for fault in faults)


def _diagnostics(
    session: Session, held: ToolCall | None, call: ToolCall, faults: Faults
) -> tuple[Intent, ...]:
    name = f"tool call {call.tool_call_id!r}"
    found: tuple[Intent, ...] = ()
    if held is not None:
        found += late(session, held, name)
        code = TOOL_CALL_STATUS[held.status, call.status]
        if code is not None:
            text = f"{name} went from {held.status} to {call.status}; applied"
            found += (diagnose(session, code, text),)
    if _says_cancelled(faults) and not call.is_finished:
        text = f"{name} is shown as cancelled; its status on the wire stays {call.status}"
        found += (diagnose(session, "v1-cancelled-status", text),)
    return found
