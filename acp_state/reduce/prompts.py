"""Prompts and their answers (TURN)."""

from __future__ import annotations

from typing import Any

from acp_state.diagnostics import diagnostic
from acp_state.intents import Diagnose, Intent
from acp_state.leniency import decoder, hold
from acp_state.model import Connection, PendingRequest, RequestKey, Session
from acp_state.reading import Malformed
from acp_state.reduce.cancelling import cancel_requests
from acp_state.reduce.links import (
    Answer,
    ConnectionStep,
    find_or_provisional,
    lift,
    session_of,
    told_faults,
)
from acp_state.reduce.loading import open_live_turn
from acp_state.reduce.settling import find_permission, questions_of
from acp_state.reduce.step import Step
from acp_state.reduce.turns import end_turn, end_turn_unread, fail_turn, turn_of
from acp_state.schema import ContentBlock

_decode_block = decoder(ContentBlock)


def on_prompt(
    connection: Connection, _: RequestKey, request: PendingRequest, params: dict[str, Any]
) -> ConnectionStep:
    """Open a turn, in a session that need not be known yet (15.5)."""
    if request.session_id is None:
        return connection, ()
    session, noticed = find_or_provisional(connection, request.session_id)
    prompt, spoiled = _blocks(params.get("prompt"), request.session_id)
    opened = open_live_turn(session, request.request_id, prompt)
    return connection.with_session(opened), noticed + spoiled


def on_prompt_answered(
    connection: Connection, request: PendingRequest, answer: Answer
) -> ConnectionStep:
    """End the turn that the request opened, and the questions of a cancelled one (TURN-10)."""
    session = session_of(connection, request)
    index = None if session is None else turn_of(session, request.request_id)
    if session is None or index is None:
        return connection, ()
    connection, told = lift(connection, _ended(session, index, answer))
    turn = connection.sessions[session.session_id].turns[index]
    if not turn.ended_as_cancelled:
        return connection, told
    connection, settled = _cancel_questions_of_turn(connection, session.session_id, index)
    return connection, (*settled, *told)


def _ended(session: Session, index: int, answer: Answer) -> Step:
    if answer.malformed:
        return end_turn_unread(session, index, answer.result)
    if answer.error is not None:
        return fail_turn(session, index, answer.error)
    return end_turn(session, index, answer.value)


def _cancel_questions_of_turn(
    connection: Connection, session_id: str, index: int
) -> ConnectionStep:
    keys = [key for key in questions_of(connection, session_id) if _turn(connection, key) == index]
    return cancel_requests(connection, keys)


def _turn(connection: Connection, key: RequestKey) -> int | None:
    """The turn in which a question came."""
    if key in connection.elicitations:
        return connection.elicitations[key].turn
    found = find_permission(connection, connection.agent_requests[key])
    return None if found is None else found[1].turn


def _blocks(prompt: object, session_id: str) -> tuple[tuple[ContentBlock, ...], tuple[Intent, ...]]:
    """What of the prompt can be read."""
    kept: list[ContentBlock] = []
    spoiled: list[Intent] = []
    for index, block in enumerate(prompt if isinstance(prompt, list) else []):
        try:
            read = _decode_block(block)
            kept.append(read.value)
            spoiled += told_faults(read, session_id, f"prompt[{index}].")
        except Malformed as malformed:
            noticed = diagnostic(
                "item-dropped",
                str(malformed),
                session_id=session_id,
                path=f"prompt[{index}]",
                raw=hold(block),
            )
            spoiled.append(Diagnose(noticed))
    return tuple(kept), tuple(spoiled)
