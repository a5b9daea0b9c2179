"""What all reducers of a session share: the shape of a step, and how entries get into a session."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias, get_args

from acp_state.diagnostics import diagnostic
from acp_state.intents import Diagnose, Intent
from acp_state.leniency import Fault
from acp_state.model import Entry, EntryKey, MessageRole, Session
from acp_state.model.copying import evolve

Step: TypeAlias = tuple[Session, tuple[Intent, ...]]
"""The session after an event, and what comes out beside it, in order."""

Faults: TypeAlias = tuple[Fault, ...]
"""What of the update was not taken as sent."""


def diagnose(session: Session, code: str, text: str, **details: Any) -> Diagnose:
    """A diagnostic about something in this session, as an intent."""
    return Diagnose(diagnostic(code, text, session_id=session.session_id, **details))


def current_turn_index(session: Session) -> int | None:
    """The turn that new entries belong to: the oldest that runs (TURN-11); None: none (MSG-08)."""
    return session.running[0] if session.running else None


def with_entry(session: Session, position: int | None, entry: Entry) -> Session:
    """The session with the entry at its position, or at the end where that is None (TL-01)."""
    timeline = session.timeline
    changed = timeline.append(entry) if position is None else timeline.replace(position, entry)
    return session.with_timeline(changed)


def with_closed_run(session: Session) -> Session:
    """The session in which the next chunk without an id starts a message (MSG-06).

    In a replay on both timelines, as of `with_each_entry`.
    """
    replay = session.replay
    if replay is None:
        return session.with_timeline(session.timeline.close_run())
    both = evolve(replay, held=replay.held.close_run(), built=replay.built.close_run())
    return evolve(session, timeline=both.shown, replay=both)


def with_each_entry(session: Session, change: Callable[[Entry], Entry]) -> Session:
    """The session with what `change` makes of each entry, in a replay on both timelines (LOAD-09).

    What readers see is one of the two, and the other may be what is left in the end.
    """
    replay = session.replay
    if replay is None:
        return session.with_timeline(session.timeline.map(change))
    held, built = replay.held.map(change), replay.built.map(change)
    if held is replay.held and built is replay.built:
        return session
    both = evolve(replay, held=held, built=built)
    return evolve(session, timeline=both.shown, replay=both)


def retained(session: Session, key: EntryKey) -> Entry | None:
    """The entry that was held before a replay that runs, which does not reset it (PATCH-07)."""
    if session.replay is None:
        return None
    position = session.replay.held.find(key)
    return None if position is None else session.replay.held[position]


def turn_at_first_sight(session: Session, key: EntryKey) -> int | None:
    """The turn of a new entry: the current one, or in a replay the one it had before."""
    before = retained(session, key)
    return current_turn_index(session) if before is None else before.turn


def late(session: Session, entry: Entry, what: str) -> tuple[Intent, ...]:
    """The diagnostic for a patch of something whose own turn ended as cancelled (TURN-06)."""
    if entry.turn is None or session.replay is not None:
        return ()
    if not session.turns[entry.turn].ended_as_cancelled:
        return ()
    return (diagnose(session, "late-update", f"{what} belongs to a turn that was cancelled"),)


def kind_conflict(session: Session, role: MessageRole, message_id: str) -> tuple[Intent, ...]:
    """One id on messages of two kinds: they stay two messages (MSG-03)."""
    find = session.timeline.find
    roles: tuple[MessageRole, ...] = get_args(MessageRole)
    others = [other for other in roles if other != role and find((other, message_id)) is not None]
    if not others:
        return ()
    text = f"messageId {message_id!r} of a {others[0]} message is on a {role} message too"
    return (diagnose(session, "message-id-kind-conflict", text),)
