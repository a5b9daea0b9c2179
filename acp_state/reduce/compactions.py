"""Context compactions (CMP, 15.3): applied in receive order, breaches included (CMP-04)."""

from __future__ import annotations

from acp_state.intents import Intent
from acp_state.model import Compaction, Session
from acp_state.model.copying import evolve
from acp_state.omitted import OMITTED, or_none
from acp_state.reduce.patch import patch
from acp_state.reduce.step import Faults, Step, current_turn_index, diagnose, retained, with_entry
from acp_state.schema import CompactionSummaryChunk, CompactionUpdate
from acp_state.transitions import COMPACTION_CHUNK, COMPACTION_FIELDS, COMPACTION_TERMINAL


def on_compaction_update(session: Session, update: CompactionUpdate, _: Faults) -> Step:
    """Create a compaction, which fixes its position, or patch it in place (CMP-02)."""
    position, held = _find(session, update.compaction_id)
    known = held or _first_sight(session, update.compaction_id)
    patched = patch(known, update)
    if not patched.confirmed:
        patched = evolve(patched, confirmed=True)
    intents = _transition(session, known, update) + _fields(session, update)
    return with_entry(session, position, patched), intents


def on_compaction_summary_chunk(session: Session, chunk: CompactionSummaryChunk, _: Faults) -> Step:
    """Append one block to the summary, whatever the status is (CMP-04)."""
    position, held = _find(session, chunk.compaction_id)
    compaction = held or _first_sight(session, chunk.compaction_id)
    grown = evolve(compaction, chunks=compaction.chunks.append(chunk.content, or_none(chunk.meta)))
    return with_entry(session, position, grown), _out_of_place(session, held, chunk)


def _find(session: Session, compaction_id: str) -> tuple[int | None, Compaction | None]:
    position = session.timeline.find(("compaction", compaction_id))
    held = None if position is None else session.timeline[position]
    return position, held if isinstance(held, Compaction) else None


def _first_sight(session: Session, compaction_id: str) -> Compaction:
    """A compaction that nothing is known of yet; a chunk implies that it is in progress.

    A replay does not reset what was held (LOAD-07).
    """
    before = retained(session, ("compaction", compaction_id))
    if isinstance(before, Compaction):
        return before
    return Compaction(compaction_id=compaction_id, turn=current_turn_index(session))


def _transition(
    session: Session, known: Compaction, update: CompactionUpdate
) -> tuple[Intent, ...]:
    """One terminal status, and nothing after it (CMP-07); a replay resets none (LOAD-07)."""
    if known.status not in COMPACTION_TERMINAL or known.status == update.status:
        return ()
    step = f"from {known.status} to {update.status}"
    text = f"compaction {update.compaction_id!r} went {step}; applied"
    return (diagnose(session, "compaction-transition", text),)


def _fields(session: Session, update: CompactionUpdate) -> tuple[Intent, ...]:
    """An error only with `failed`, a summary only with `completed` (CONF-06)."""
    given = {name for name in ("error", "summary") if _is_given(getattr(update, name))}
    misplaced = given - COMPACTION_FIELDS.get(update.status, given)
    return tuple(
        diagnose(
            session,
            "compaction-field-status",
            f"compaction {update.compaction_id!r}: {name} with status {update.status}; applied",
            path=name,
        )
        for name in sorted(misplaced)
    )


def _is_given(value: object) -> bool:
    """Whether the field holds something: an empty error is one, an empty summary is none."""
    return value is not OMITTED and value is not None and value != ()


def _out_of_place(
    session: Session, held: Compaction | None, chunk: CompactionSummaryChunk
) -> tuple[Intent, ...]:
    """Chunks come after the first update and before a terminal status (CMP-06)."""
    code = "compaction-chunk-first" if held is None else COMPACTION_CHUNK.get(held.status)
    if session.replay is not None:
        code = "compaction-chunk-replay"
    if code is None:
        return ()
    state = "was not announced" if held is None else f"is {held.status}"
    text = f"compaction {chunk.compaction_id!r} {state}; the chunk is appended"
    return (diagnose(session, code, text),)
