"""The agent's echo of a prompt is adopted, not doubled (TURN-04)."""

from __future__ import annotations

from acp_state.model import Echo, Message, Session
from acp_state.model.copying import evolve
from acp_state.model.session import with_turn
from acp_state.omitted import or_none
from acp_state.reduce.step import Step, current_turn_index, diagnose, kind_conflict
from acp_state.schema.messages import ContentChunk


def is_echo_expected(session: Session) -> bool:
    """Whether some running turn's prompt has not been echoed whole."""
    return session.replay is None and any(
        session.turns[index].echo is not None for index in session.running
    )


def take_echo(session: Session, chunk: ContentChunk, message_id: str | None) -> Step | None:
    """Take a user chunk as (part of) an echo; None if it is a message of its own.

    What is replayed is no echo (LOAD-05).
    """
    if session.replay is not None:
        return None
    waiting = [
        (index, echo)
        for index in session.running
        if (echo := session.turns[index].echo) is not None and _may_go_on(session, echo, message_id)
    ]
    for index, echo in waiting:
        advanced = echo.advance(chunk.content)
        if advanced is not None:
            return _adopt(session, index, advanced, chunk, message_id)
    under_way = [(index, echo) for index, echo in waiting if echo.is_under_way]
    return _break_off(session, *under_way[0], chunk) if under_way else None


def _may_go_on(session: Session, echo: Echo, message_id: str | None) -> bool:
    """Whether a chunk with this id can belong to the echo."""
    if echo.is_under_way:
        return echo.message_id == message_id
    return message_id is None or session.timeline.find(("user", message_id)) is None


def _adopt(
    session: Session, index: int, echo: Echo, chunk: ContentChunk, message_id: str | None
) -> Step:
    """The prompt's entry takes over the id; its content is there already."""
    echo = evolve(
        echo, chunks=echo.chunks.append(chunk.content, or_none(chunk.meta)), message_id=message_id
    )
    first = message_id is not None and session.timeline.find(("user", message_id)) is None
    intents = kind_conflict(session, "user", message_id) if first and message_id else ()
    turn = evolve(session.turns[index], echo=None if echo.is_complete else echo)
    session = _name_prompt(with_turn(session, index, turn), turn.start, message_id)
    return session.with_timeline(session.timeline.close_run()), intents


def _break_off(session: Session, index: int, echo: Echo, chunk: ContentChunk) -> Step:
    """What looked like an echo goes on otherwise: it becomes a message, the wait starts anew."""
    prompt_turn = session.turns[index]
    waiting = Echo(expected=echo.expected)
    session = with_turn(session, index, evolve(prompt_turn, echo=waiting))
    session = _name_prompt(session, prompt_turn.start, None)
    message = Message(
        role="user",
        message_id=echo.message_id,
        chunks=echo.chunks.append(chunk.content, or_none(chunk.meta)),
        turn=current_turn_index(session),
    )
    timeline = session.timeline.append(message, run_open=echo.message_id is None)
    text = "the echo of the prompt goes on with other content; kept as a message"
    return session.with_timeline(timeline), (diagnose(session, "user-echo-mismatch", text),)


def _name_prompt(session: Session, position: int | None, message_id: str | None) -> Session:
    prompt = None if position is None else session.timeline[position]
    if position is None or not isinstance(prompt, Message) or prompt.message_id == message_id:
        return session
    named = evolve(prompt, message_id=message_id)
    return session.with_timeline(session.timeline.replace(position, named))
