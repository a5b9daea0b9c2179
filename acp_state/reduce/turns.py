"""Prompt turns: opened by the request, ended by its response (TURN)."""

from __future__ import annotations

from typing import Any

from acp_state.intents import Intent, TurnEnded
from acp_state.leniency import decode
from acp_state.model import Echo, Session
from acp_state.model.copying import evolve
from acp_state.model.message import prompted
from acp_state.model.session import with_turn
from acp_state.model.turn import begun
from acp_state.omitted import or_none
from acp_state.reading import seen
from acp_state.reduce.step import Step, current_turn_index, diagnose, with_closed_run
from acp_state.reduce.tool_calls import cancel_unfinished, unfinished_calls
from acp_state.schema import ContentBlock, Error, PromptResponse, RequestId
from acp_state.schema.errors import REQUEST_CANCELLED
from acp_state.transitions import TURN_ENDS, TurnEnd


def open_turn(session: Session, request_id: RequestId, prompt: tuple[ContentBlock, ...]) -> Session:
    """Put the user's message on the timeline, and start its turn (TURN-04)."""
    index = len(session.turns)
    message = prompted(prompt, index)
    turn = begun(request_id, len(session.timeline), Echo.of(message.chunks))
    return evolve(
        session,
        timeline=session.timeline.append(message),
        turns=session.turns.append(turn),
        running=(*session.running, index),
    )


def ask_to_cancel(session: Session) -> Session:
    """Note that the current turn is to be cancelled, and overlay its calls (CANCEL-02).

    It runs on until it is answered, and updates count (CANCEL-06).
    """
    index = current_turn_index(session)
    return session if index is None else _asked(session, index)


def ask_to_cancel_all(session: Session) -> Session:
    """Likewise for all turns that run: the session is being closed (SESS-06)."""
    for index in session.running:
        session = _asked(session, index)
    return session


def end_turn(session: Session, index: int, response: PromptResponse) -> Step:
    """End the turn with its result (TURN-05), which says nothing about children (SUB-12)."""
    cancelled = response.stop_reason == "cancelled"
    return _end(
        session,
        index,
        "stop reason cancelled" if cancelled else "stop reason",
        stop_reason=response.stop_reason,
        usage=or_none(response.usage),
        meta=or_none(response.meta),
    )


def end_turn_unread(session: Session, index: int, result: object) -> Step:
    """A malformed result ends the turn all the same, with the reason as sent (TURN-08)."""
    if not isinstance(result, dict):
        return _end(session, index, "stop reason")
    reason = result.get("stopReason")
    rest: PromptResponse = decode({**result, "stopReason": "end_turn"}, PromptResponse).value
    return _end(
        session,
        index,
        "stop reason",
        stop_reason=reason if isinstance(reason, str) else None,
        usage=or_none(rest.usage),
        meta=or_none(rest.meta),
    )


def fail_turn(session: Session, index: int, error: Error) -> Step:
    """End the turn with an error; after a cancel that is a cancelled end (TURN-09)."""
    by: TurnEnd = "error -32800" if error.code == REQUEST_CANCELLED else "error"
    ended, intents = _end(session, index, by, error=error)
    if not session.turns[index].cancelling:
        return ended, intents
    text = f"error {seen(error.code)} after the cancel; the turn counts as cancelled"
    return ended, (diagnose(session, "cancel-error-response", text), *intents)


def end_all(session: Session, by: TurnEnd) -> Step:
    """End all turns that run, without an answer to their prompts."""
    told: list[Intent] = []
    for index in session.running:
        session, intents = _end(session, index, by)
        told += intents
    return session, tuple(told)


def turn_of(session: Session, request_id: RequestId) -> int | None:
    """The running turn of that request."""
    for index in session.running:
        held = session.turns[index].request_id
        if type(held) is type(request_id) and held == request_id:
            return index
    return None


def _asked(session: Session, index: int) -> Session:
    turn = evolve(session.turns[index], cancel_requested=True, cancelling=True)
    return cancel_unfinished(with_turn(session, index, turn), index)


def _end(session: Session, index: int, by: TurnEnd, **facts: Any) -> Step:
    held = session.turns[index]
    state = "cancelling" if held.cancel_requested else "running"
    turn = evolve(held, outcome=TURN_ENDS[state, by], echo=None, **facts)
    ended = with_closed_run(with_turn(session, index, turn))
    found: tuple[Intent, ...] = ()
    if by == "connection lost":
        pass
    elif turn.ended_as_cancelled:
        ended = cancel_unfinished(ended, index)
    elif left_open := unfinished_calls(ended, index):
        names = ", ".join(repr(call.tool_call_id) for _, call in left_open)
        text = f"the turn ended while tool calls were unfinished: {names}"
        found = (diagnose(session, "open-tool-calls", text),)
    return ended, (*found, TurnEnded(session_id=session.session_id, turn=turn))
