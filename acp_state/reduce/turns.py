"""Prompt turns: opened by the request, ended by its response (14.1)."""

from __future__ import annotations

from typing import Any

import attrs

from acp_state.codec import Malformed
from acp_state.intents import Intent, TurnEnded
from acp_state.leniency import decode
from acp_state.model import Chunks, Echo, Message, RequestId, Session, Turn, TurnOutcome
from acp_state.model.session import with_turn
from acp_state.omitted import or_none
from acp_state.reduce.step import Step, current_turn_index, diagnose
from acp_state.reduce.tool_calls import cancel_unfinished, unfinished_calls
from acp_state.schema import ContentBlock, Error, PromptResponse

REQUEST_CANCELLED = -32800


def open_turn(session: Session, request_id: RequestId, prompt: tuple[ContentBlock, ...]) -> Session:
    """Put the user's message on the timeline, and start its turn (TURN-04)."""
    index = len(session.turns)
    message = Message(role="user", origin="local", chunks=Chunks.of(prompt), turn=index)
    turn = Turn(request_id=request_id, start=len(session.timeline), echo=Echo.of(message.chunks))
    return attrs.evolve(
        session,
        timeline=session.timeline.append(message),
        turns=session.turns.append(turn),
        running=(*session.running, index),
    )


def request_cancel(session: Session) -> Session:
    """Note that the current turn is to be cancelled, and overlay its calls (CANCEL-02)."""
    index = current_turn_index(session)
    if index is None:
        return session
    turn = attrs.evolve(session.turns[index], cancel_requested=True)
    return cancel_unfinished(with_turn(session, index, turn), index)


def end_turn(session: Session, request_id: RequestId, result: object) -> Step:
    """End the turn with a result; a malformed one ends it all the same (TURN-05, TURN-08)."""
    try:
        response: PromptResponse = decode(result, PromptResponse).value
    except Malformed as malformed:
        reason = result.get("stopReason") if isinstance(result, dict) else None
        as_sent = reason if isinstance(reason, str) else None
        text = f"{malformed}; the turn ends all the same"
        bad = diagnose(session, "bad-response", text, path=malformed.path)
        ended, intents = _end(session, request_id, outcome="ended", stop_reason=as_sent)
        return ended, (bad, *intents)
    return _end(
        session,
        request_id,
        outcome="cancelled" if response.stop_reason == "cancelled" else "ended",
        stop_reason=response.stop_reason,
        usage=or_none(response.usage),
        meta=or_none(response.meta),
    )


def fail_turn(session: Session, request_id: RequestId, error: Error) -> Step:
    """End the turn with an error; after a cancel that is a cancelled end (TURN-09)."""
    index = _index(session, request_id)
    asked = index is not None and session.turns[index].cancel_requested
    outcome: TurnOutcome = "cancelled" if asked or error.code == REQUEST_CANCELLED else "failed"
    ended, intents = _end(session, request_id, outcome=outcome, error=error)
    if not asked:
        return ended, intents
    text = f"error {error.code} after the cancel; the turn counts as cancelled"
    return ended, (diagnose(session, "cancel-error-response", text), *intents)


def _end(session: Session, request_id: RequestId, **facts: Any) -> Step:
    index = _index(session, request_id)
    if index is None:
        return session, ()
    turn = attrs.evolve(session.turns[index], echo=None, **facts)
    ended = attrs.evolve(session, timeline=session.timeline.close_run())
    ended = with_turn(ended, index, turn)
    found: tuple[Intent, ...] = ()
    if turn.outcome == "cancelled" or turn.cancel_requested:
        ended = cancel_unfinished(ended, index)
    elif left_open := unfinished_calls(ended, index):
        names = ", ".join(repr(call.tool_call_id) for _, call in left_open)
        text = f"the turn ended while tool calls were unfinished: {names}"
        found = (diagnose(session, "open-tool-calls", text),)
    return ended, (*found, TurnEnded(session_id=session.session_id, turn=turn))


def _index(session: Session, request_id: RequestId) -> int | None:
    """The running turn of that request."""
    for index in session.running:
        held = session.turns[index].request_id
        if type(held) is type(request_id) and held == request_id:
            return index
    return None
