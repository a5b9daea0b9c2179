"""Permission requests (14.3)."""

from __future__ import annotations

from typing import Any

import attrs

from acp_state.codec import Malformed
from acp_state.diagnostics import diagnostic
from acp_state.intents import AskPermission, Diagnose
from acp_state.leniency import Decoded, decode
from acp_state.model import Connection, PendingRequest, Permission, RequestKey, Session, ToolCall
from acp_state.reduce.links import (
    Answer,
    ConnectionStep,
    Effects,
    For,
    find_or_provisional,
    with_session,
)
from acp_state.reduce.loading import after_replayed, replaying
from acp_state.reduce.odd_values import check_values
from acp_state.reduce.settling import CANCELLED_ANSWERS, PERMISSION, settle
from acp_state.reduce.step import Step, current_turn_index
from acp_state.reduce.tool_calls import on_permission_tool_call
from acp_state.schema import Error, RequestPermissionRequest
from acp_state.schema.errors import INVALID_PARAMS


def on_request_permission(
    connection: Connection, key: RequestKey, request: PendingRequest, params: dict[str, Any]
) -> ConnectionStep:
    """Apply what is said of the call, then ask; or answer at once where nobody is to be asked."""
    try:
        decoded = decode(params, RequestPermissionRequest)
    except Malformed as malformed:
        error = Error(code=INVALID_PARAMS, message=str(malformed))
        return settle(connection, key, request, Answer(error=error))
    asked = decoded.value
    session, noticed = find_or_provisional(connection, asked.session_id)
    before = _call(session, asked.tool_call.tool_call_id)
    session, intents = _patched(session, decoded)
    odd = check_values(session, asked.tool_call, "toolCall.")
    effects: Effects = (*noticed, *_faults(session, decoded), *odd, *intents)
    permission = Permission(
        request_id=request.request_id,
        tool_call=asked.tool_call,
        options=asked.options,
        before=before,
        turn=current_turn_index(session),
    )
    index = len(session.permissions)
    session = attrs.evolve(
        session,
        permissions=session.permissions.append(permission),
        open_permissions=(*session.open_permissions, index),
    )
    connection = with_session(connection, session)
    if _is_moot(connection, session):
        connection, settled = settle(
            connection, key, request, CANCELLED_ANSWERS[PERMISSION], "cancelled"
        )
        return connection, effects + settled
    call = _call(session, asked.tool_call.tool_call_id)
    if call is None:
        return connection, effects
    ask = AskPermission(session_id=asked.session_id, permission=permission, tool_call=call)
    return connection, (*effects, For("client", ask))


def _is_moot(connection: Connection, session: Session) -> bool:
    """Whether the answer is known: the turn is being cancelled, or the session is not there.

    Source: CANCEL-05, PERM-07.
    """
    if session.readiness in {"closing", "closed", "deleted"} or session.is_cancelling:
        return True
    ancestors = connection.ancestors_of(session.session_id)
    return any(ancestor.is_cancelling for ancestor in ancestors)


def _patched(session: Session, decoded: Decoded[RequestPermissionRequest]) -> Step:
    """The request is live even while history is replayed: both timelines learn of it (LOAD-10)."""
    call, faults = decoded.value.tool_call, decoded.faults
    if session.replay is None:
        return on_permission_tool_call(session, call, faults)
    built, _ = on_permission_tool_call(replaying(session), call, faults)
    after = after_replayed(built)
    replay = after.replay
    if replay is None or replay.is_visible:
        return after, ()
    shown, intents = on_permission_tool_call(attrs.evolve(after, replay=None), call, faults)
    held = attrs.evolve(replay, held=shown.timeline)
    return attrs.evolve(shown, replay=held), intents


def _call(session: Session, tool_call_id: str) -> ToolCall | None:
    return session.tool_calls.get(tool_call_id)


def _faults(session: Session, decoded: Decoded[RequestPermissionRequest]) -> Effects:
    return tuple(
        Diagnose(
            diagnostic(
                fault.code,
                fault.text,
                rule=fault.rule,
                session_id=session.session_id,
                path=fault.path,
                raw=fault.raw,
            )
        )
        for fault in decoded.faults
    )
