"""Prompts, their answers, and their cancellation (section 14)."""

from __future__ import annotations

from typing import Any

from acp_state.codec import Malformed
from acp_state.diagnostics import diagnostic
from acp_state.intents import Diagnose, Intent
from acp_state.leniency import decode, hold
from acp_state.model.connection import Connection, PendingRequest
from acp_state.reduce.sessions import (
    Answer,
    ConnectionStep,
    RequestStep,
    lift,
    provisional,
    session_of,
    with_session,
)
from acp_state.reduce.turns import end_turn, fail_turn, open_turn, request_cancel
from acp_state.schema import ContentBlock


def on_prompt(
    connection: Connection, request: PendingRequest, params: dict[str, Any]
) -> RequestStep:
    """Open a turn, in a session that need not be known yet (15.5)."""
    if request.session_id is None:
        return connection, request, ()
    held = session_of(connection, request)
    session, noticed = (held, ()) if held else provisional(connection, request.session_id)
    prompt, spoiled = _blocks(params.get("prompt"), request.session_id)
    opened = open_turn(session, request.request_id, prompt)
    return with_session(connection, opened), request, noticed + spoiled


def on_prompt_answered(
    connection: Connection, request: PendingRequest, answer: Answer
) -> ConnectionStep:
    """End the turn that the request opened (TURN-05, TURN-09)."""
    session = session_of(connection, request)
    if session is None:
        return connection, ()
    if answer.error is not None:
        return lift(connection, fail_turn(session, request.request_id, answer.error))
    return lift(connection, end_turn(session, request.request_id, answer.result))


def on_cancel(connection: Connection, params: dict[str, Any]) -> ConnectionStep:
    """``session/cancel`` was sent for the current turn (CANCEL-02)."""
    session_id = params.get("sessionId")
    session = connection.sessions.get(session_id) if isinstance(session_id, str) else None
    if session is None:
        return connection, ()
    return with_session(connection, request_cancel(session)), ()


def _blocks(prompt: object, session_id: str) -> tuple[tuple[ContentBlock, ...], tuple[Intent, ...]]:
    """What of the prompt can be read."""
    kept: list[ContentBlock] = []
    spoiled: tuple[Intent, ...] = ()
    for index, block in enumerate(prompt if isinstance(prompt, list) else []):
        try:
            kept.append(decode(block, ContentBlock).value)  # type: ignore[arg-type] # a union
        except Malformed as malformed:
            noticed = diagnostic(
                "item-dropped",
                str(malformed),
                session_id=session_id,
                path=f"prompt[{index}]",
                raw=hold(block),
            )
            spoiled += (Diagnose(noticed),)
    return tuple(kept), spoiled
