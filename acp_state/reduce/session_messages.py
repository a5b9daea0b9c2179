"""Messages between sessions (SMSG).

The two transcripts' views are two messages; neither is made from the other (SMSG-07).
"""

from __future__ import annotations

from acp_state.intents import Intent
from acp_state.model import EntryKey, Session, SessionMessage
from acp_state.model.chunks import NO_CHUNKS
from acp_state.model.copying import evolve
from acp_state.omitted import OMITTED, or_none
from acp_state.reduce.patch import patch
from acp_state.reduce.step import (
    Faults,
    Step,
    current_turn_index,
    diagnose,
    retained,
    with_entry,
)
from acp_state.schema import SessionMessageChunk
from acp_state.schema.session_messages import SessionMessage as SessionMessageUpdate


def on_session_message(session: Session, update: SessionMessageUpdate, _: Faults) -> Step:
    """Create or patch a message (SMSG-03); it announces none of the sessions it names (SMSG-09)."""
    position, held = _find(session, update.message_id)
    message = held or _first_sight(session, update.message_id)
    patched = patch(message, update)
    intents = _participants(session, message, patched)
    if update.content is not OMITTED:
        session = _mark(session, message.key, stale=False)
    elif held is None:
        session = _mark(session, message.key, stale=True)
    return with_entry(session, position, patched), intents


def on_session_message_chunk(session: Session, chunk: SessionMessageChunk, _: Faults) -> Step:
    """Append one block, and learn participants that were not known (SMSG-03, SMSG-04)."""
    position, held = _find(session, chunk.message_id)
    message = held or _first_sight(session, chunk.message_id)
    if held is None or _is_stale(session, message.key):
        message = evolve(message, chunks=NO_CHUNKS)
    patched = patch(message, chunk)
    grown = evolve(patched, chunks=patched.chunks.append(chunk.content, or_none(chunk.meta)))
    intents = _participants(session, message, grown)
    session = _mark(session, message.key, stale=False)
    return with_entry(session, position, grown), intents


def _find(session: Session, message_id: str) -> tuple[int | None, SessionMessage | None]:
    position = session.timeline.find(("session_message", message_id))
    held = None if position is None else session.timeline[position]
    return position, held if isinstance(held, SessionMessage) else None


def _first_sight(session: Session, message_id: str) -> SessionMessage:
    """A message that nothing is known of yet, or what was held before the replay (LOAD-04)."""
    before = retained(session, ("session_message", message_id))
    if isinstance(before, SessionMessage):
        return before
    return SessionMessage(message_id=message_id, turn=current_turn_index(session))


def _is_stale(session: Session, key: EntryKey) -> bool:
    return session.replay is not None and key in session.replay.stale


def _mark(session: Session, key: EntryKey, *, stale: bool) -> Session:
    """Remember, in a replay, whether the message's content is still the held one (LOAD-04)."""
    replay = session.replay
    if replay is None or (key in replay.stale) is stale:
        return session
    marked = replay.stale.set(key, True) if stale else replay.stale.remove(key)  # noqa: FBT003
    return evolve(session, replay=evolve(replay, stale=marked))


def _participants(
    session: Session, held: SessionMessage, message: SessionMessage
) -> tuple[Intent, ...]:
    """Participants that do not fit the transcript, or have changed (SMSG-05, SMSG-06)."""
    before, after = _ids(held), _ids(message)
    if before == after:
        return ()
    name = f"session message {message.message_id!r}"
    found: tuple[Intent, ...] = ()
    for role, old, new in zip(("sender", "recipient"), before, after, strict=True):
        if old not in (None, new):
            text = f"{name}: the {role} changed from {old!r} to {new!r}; replaced"
            found += (diagnose(session, "smsg-participant-changed", text),)
    if None not in after and message.direction(session.session_id) is None:
        text = f"{name} goes from {after[0]!r} to {after[1]!r}; its direction is unknown"
        found += (diagnose(session, "smsg-participants", text),)
    return found


def _ids(message: SessionMessage) -> tuple[str | None, str | None]:
    return message.sender_session_id, message.recipient_session_id
