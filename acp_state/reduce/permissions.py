"""Permission requests: what they say of their tool call (14.3)."""

from __future__ import annotations

from typing import Any

from acp_state.codec import Malformed
from acp_state.leniency import decode
from acp_state.model.connection import Connection, PendingRequest
from acp_state.reduce.sessions import RequestStep, provisional, session_of, with_session
from acp_state.reduce.tool_calls import on_permission_tool_call
from acp_state.schema import RequestPermissionRequest


def on_request_permission(
    connection: Connection, request: PendingRequest, params: dict[str, Any]
) -> RequestStep:
    """Patch the call that the request is about before anyone is asked (PERM-02)."""
    try:
        decoded = decode(params, RequestPermissionRequest)
    except Malformed:
        return connection, request, ()
    held = session_of(connection, request)
    session, noticed = (held, ()) if held else provisional(connection, decoded.value.session_id)
    call = decoded.value.tool_call
    session, intents = on_permission_tool_call(session, call, decoded.faults)
    return with_session(connection, session), request, noticed + intents
