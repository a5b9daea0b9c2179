"""Permission requests (PERM)."""

from __future__ import annotations

from typing import Any

from acp_state.intents import AskPermission
from acp_state.leniency import Decoded, decode
from acp_state.model import Connection, PendingRequest, Permission, RequestKey, Session
from acp_state.model.copying import evolve
from acp_state.reading import Malformed
from acp_state.reduce.answers import PERMISSION
from acp_state.reduce.links import (
    ConnectionStep,
    find_or_provisional,
    tell,
    told_faults,
)
from acp_state.reduce.loading import after_replayed, replaying
from acp_state.reduce.odd_values import check_values
from acp_state.reduce.settling import (
    CANCELLED_ANSWERS,
    is_moot,
    refuse_params,
    settle,
)
from acp_state.reduce.step import Step, current_turn_index
from acp_state.reduce.tool_calls import on_permission_tool_call
from acp_state.schema import RequestPermissionRequest


def on_request_permission(
    connection: Connection, key: RequestKey, request: PendingRequest, params: dict[str, Any]
) -> ConnectionStep:
    """Apply what is said of the call, then ask; or answer at once where nobody is to be asked."""
    try:
        decoded = decode(params, RequestPermissionRequest)
    except Malformed as malformed:
        return refuse_params(connection, key, request, str(malformed))
    asked = decoded.value
    session, noticed = find_or_provisional(connection, asked.session_id)
    before = session.tool_calls.get(asked.tool_call.tool_call_id)
    session, found = _patched(session, decoded)
    odd = check_values(asked.session_id, asked)
    intents = (*noticed, *told_faults(decoded, asked.session_id), *odd, *found)
    permission = Permission(
        request_id=request.request_id,
        tool_call=asked.tool_call,
        options=asked.options,
        before=before,
        turn=current_turn_index(session),
    )
    session = _with_open(session, key, permission)
    connection = connection.with_session(session)
    if is_moot(connection, session):
        connection, settled = settle(
            connection, key, request, CANCELLED_ANSWERS[PERMISSION], "cancelled"
        )
        return connection, intents + settled
    return connection, intents + tell(
        connection,
        "client",
        lambda: AskPermission(
            session_id=asked.session_id,
            permission=permission,
            tool_call=session.tool_calls[asked.tool_call.tool_call_id],
        ),
    )


def _with_open(session: Session, key: RequestKey, permission: Permission) -> Session:
    return evolve(
        session,
        permissions=session.permissions.append(permission),
        open_permissions=session.open_permissions.set(key, len(session.permissions)),
    )


def _patched(session: Session, decoded: Decoded[RequestPermissionRequest]) -> Step:
    """The request is live even while history is replayed: both timelines learn of it (LOAD-10)."""
    call, faults = decoded.value.tool_call, decoded.faults
    if session.replay is None:
        return on_permission_tool_call(session, call, faults)
    built, intents = on_permission_tool_call(replaying(session), call, faults)
    after = after_replayed(built, live=True)
    replay = after.replay
    if replay is None or replay.is_visible:
        return after, intents
    shown, intents = on_permission_tool_call(evolve(after, replay=None), call, faults)
    held = evolve(replay, held=shown.timeline)
    return evolve(shown, replay=held), intents
