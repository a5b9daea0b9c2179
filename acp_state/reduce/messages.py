"""User, agent and thought chunks (MSG)."""

from __future__ import annotations

from typing import Final

from acp_state.intents import Intent
from acp_state.model import Message, MessageRole, Session, Timeline
from acp_state.model.copying import evolve
from acp_state.model.turn import IdStyle
from acp_state.omitted import or_none
from acp_state.reduce.echo import is_echo_expected, take_echo
from acp_state.reduce.step import (
    Faults,
    Step,
    current_turn_index,
    diagnose,
    kind_conflict,
    late,
    turn_at_first_sight,
)
from acp_state.schema import AgentMessageChunk, AgentThoughtChunk, UserMessageChunk
from acp_state.schema.messages import ContentChunk

ROLES: Final[dict[type[ContentChunk], MessageRole]] = {
    UserMessageChunk: "user",
    AgentMessageChunk: "agent",
    AgentThoughtChunk: "thought",
}


def on_message_chunk(session: Session, chunk: ContentChunk, _: Faults) -> Step:
    """Append one block to the message that the chunk names, or to the open run (MSG-01).

    An id of null is none (MSG-04).
    """
    role = ROLES[type(chunk)]
    message_id = or_none(chunk.message_id)
    session, mixed = count_id_style(session, message_id)
    echoed = take_echo(session, chunk, message_id) if role == "user" else None
    if echoed is not None:
        session, intents = echoed
    elif message_id is None:
        session, intents = _extend_run(session, role, chunk)
    else:
        session, intents = _extend_message(session, role, message_id, chunk)
    return session, mixed + intents


def _extend_run(session: Session, role: MessageRole, chunk: ContentChunk) -> Step:
    """A chunk without id goes on with the open run of its kind, or opens one (MSG-05)."""
    timeline = session.timeline
    last = timeline[-1] if timeline.run_open else None
    if isinstance(last, Message) and last.role == role:
        return session.with_timeline(_extended(timeline, len(timeline) - 1, last, chunk)), ()
    message = Message(role=role, turn=current_turn_index(session))
    opened = timeline.append(_with_chunk(message, chunk), run_open=True)
    return session.with_timeline(opened), _mismatch(session, role)


def _extend_message(
    session: Session, role: MessageRole, message_id: str, chunk: ContentChunk
) -> Step:
    """A chunk with an id goes on with the message of that id, wherever it is (MSG-02)."""
    timeline = session.timeline.close_run()
    position = timeline.find((role, message_id))
    held = None if position is None else timeline[position]
    if position is not None and isinstance(held, Message):
        intents = late(session, held, f"message {message_id!r}")
        return session.with_timeline(_extended(timeline, position, held, chunk)), intents
    turn = turn_at_first_sight(session, (role, message_id))
    message = Message(role=role, message_id=message_id, turn=turn)
    appended = timeline.append(_with_chunk(message, chunk))
    intents = kind_conflict(session, role, message_id) + _mismatch(session, role)
    return session.with_timeline(appended), intents


def _extended(timeline: Timeline, position: int, message: Message, chunk: ContentChunk) -> Timeline:
    return timeline.replace(position, _with_chunk(message, chunk))


def _with_chunk(message: Message, chunk: ContentChunk) -> Message:
    return message.append(chunk.content, or_none(chunk.meta))


def _mismatch(session: Session, role: MessageRole) -> tuple[Intent, ...]:
    """A user message in a turn that still waits for the echo of its prompt (TURN-04)."""
    if role != "user" or not is_echo_expected(session):
        return ()
    return (diagnose(session, "user-echo-mismatch", "no echo of the prompt; kept as a message"),)


_STYLES: Final[dict[tuple[IdStyle, bool], IdStyle]] = {
    ("none", True): "with_id",
    ("none", False): "without_id",
    ("with_id", False): "mixed",
    ("without_id", True): "mixed",
}
"""Style so far, and whether this chunk has an id; what has no row stays as it is."""


def count_id_style(session: Session, message_id: str | None) -> Step:
    """Notice the first chunk that departs from the style of its turn (MSG-07)."""
    index = current_turn_index(session)
    owner = session if index is None else session.turns[index]
    style = _STYLES.get((owner.id_style, message_id is not None), owner.id_style)
    if style == owner.id_style:
        return session, ()
    if index is None:
        session = evolve(session, id_style=style)
    else:
        turn = evolve(session.turns[index], id_style=style)
        session = evolve(session, turns=session.turns.set(index, turn))
    if style != "mixed":
        return session, ()
    text = "chunks with and without messageId; they are not joined"
    return session, (diagnose(session, "mixed-message-ids", text),)
