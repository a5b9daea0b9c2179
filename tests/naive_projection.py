"""A `Connection` in the form of the naive model."""

from __future__ import annotations

from naive.form import AGENT_PATHS, CLIENT_PATHS, bare, having

from acp_state.codec import encode
from acp_state.json_values import thaw
from acp_state.model import Compaction, Message, SessionMessage, ToolCall
from acp_state.schema import (
    AuthMethod,
    ContentBlock,
    PlanUpdateContent,
    SessionConfigOption,
    StateUpdate,
    ToolCallContent,
)


def projected(connection):
    """All that the naive model knows as well."""
    return bare(
        {
            "side": connection.side,
            "phase": connection.phase,
            "protocolVersion": connection.protocol_version,
            "clientInfo": encode(connection.client_info),
            "agentInfo": encode(connection.agent_info),
            "authMethods": _all(connection.auth_methods, AuthMethod),
            "authentication": {
                "required": connection.authentication.required,
                "state": connection.authentication.state,
                "accounts": _all(connection.authentication.accounts),
            },
            "catalogue": _all(connection.catalogue.values()),
            "elicitations": [_elicitation(each) for each in connection.elicitations.values()],
            "awaitedUrls": {
                name: _elicitation(each) for name, each in connection.awaited_urls.items()
            },
            "clientCapabilities": having(encode(connection.client_capabilities), CLIENT_PATHS),
            "agentCapabilities": having(encode(connection.agent_capabilities), AGENT_PATHS),
            "pending": {
                "client": [_pending(each) for each in connection.client_requests.values()],
                "agent": [_pending(each) for each in connection.agent_requests.values()],
            },
            "sessions": [_session(each) for each in connection.sessions.values()],
        }
    )


def _all(values, union=None):
    return [encode(each, union) for each in values]


def _pending(request):
    return {
        "id": request.request_id,
        "method": request.method,
        "params": thaw(request.params),
        "session": request.session_id,
        "cancelRequested": request.cancel_requested,
    }


def _elicitation(elicitation):
    return {
        "id": elicitation.request_id,
        "mode": elicitation.mode,
        "message": elicitation.message,
        "sessionId": elicitation.session_id,
        "toolCallId": elicitation.tool_call_id,
        "scopeRequestId": elicitation.scope_request_id,
        "requestedSchema": thaw(elicitation.requested_schema),
        "url": elicitation.url,
        "elicitationId": elicitation.elicitation_id,
        "turn": elicitation.turn,
    }


def _session(session):
    options, replay = session.config_options, session.replay
    return {
        "id": session.session_id,
        "parent": session.parent_id,
        "readiness": session.readiness,
        "forkedFrom": session.forked_from,
        "archived": session.archived,
        "historyIncomplete": session.history_incomplete,
        "cwd": session.cwd,
        "additionalDirectories": session.additional_directories,
        "title": session.title,
        "updatedAt": session.updated_at,
        "meta": thaw(session.meta),
        "running": session.running,
        "permissions": [_permission(each) for each in session.permissions],
        "plan": encode(session.plan),
        "plans": _all(session.plans.values(), PlanUpdateContent),
        "availableCommands": _all(session.available_commands),
        "modes": encode(session.modes),
        "configOptions": None if options is None else _all(options, SessionConfigOption),
        "usage": session.usage
        and {
            "used": session.usage.used,
            "size": session.usage.size,
            "cost": encode(session.usage.cost),
            "meta": thaw(session.usage.meta),
        },
        "terminals": [_terminal(each) for each in session.terminals.values()],
        "timeline": [_entry(each) for each in session.timeline],
        "replay": replay and [_entry(each) for each in replay.built],
        "turns": [_turn(each) for each in session.turns],
    }


def _turn(turn):
    return {
        "requestId": turn.request_id,
        "start": turn.start,
        "cancelRequested": turn.cancel_requested,
        "cancelling": turn.cancelling,
        "outcome": turn.outcome,
        "stopReason": turn.stop_reason,
        "error": error_of(turn.error),
        "usage": encode(turn.usage),
        "meta": thaw(turn.meta),
    }


def error_of(error):
    """The reducer words its own errors as it likes."""
    if error is None:
        return None
    found = encode(error)
    return {"code": -32600} if found["code"] == -32600 else found


def _permission(permission):
    return {
        "id": permission.request_id,
        "toolCall": encode(permission.tool_call),
        "options": _all(permission.options),
        "before": permission.before and _entry(permission.before),
        "turn": permission.turn,
        "outcome": permission.outcome,
        "optionId": permission.option_id,
        "error": error_of(permission.error),
    }


def _terminal(terminal):
    return {
        "id": terminal.terminal_id,
        "output": terminal.output,
        "truncated": terminal.truncated,
        "exitCode": terminal.exit_code,
        "signal": terminal.signal,
        "exited": terminal.exited,
        "released": terminal.released,
    }


def _streamed(entry, content):
    return {
        "chunks": [
            {"content": encode(each.content, ContentBlock), "meta": thaw(each.meta)}
            for each in entry.chunks
        ],
        "content": _all(content, ContentBlock),
        "text": entry.text,
        "turn": entry.turn,
    }


def _entry(entry):
    if isinstance(entry, Message):
        own = {"kind": entry.role, "id": entry.message_id, "origin": entry.origin}
        return {**own, **_streamed(entry, entry.content)}
    if isinstance(entry, ToolCall):
        return _tool_call(entry)
    if isinstance(entry, Compaction):
        return {
            "kind": "compaction",
            "id": entry.compaction_id,
            "status": entry.status,
            "error": entry.error,
            "meta": thaw(entry.meta),
            "confirmed": entry.confirmed,
            **_streamed(entry, entry.summary),
        }
    return _letter(entry) if isinstance(entry, SessionMessage) else _subagent(entry)


def _letter(entry):
    return {
        "kind": "session_message",
        "id": entry.message_id,
        "senderSessionId": entry.sender_session_id,
        "recipientSessionId": entry.recipient_session_id,
        "senderMessageId": entry.sender_message_id,
        "recipientMessageId": entry.recipient_message_id,
        "meta": thaw(entry.meta),
        **_streamed(entry, entry.content),
    }


def _tool_call(call):
    return {
        "kind": "tool_call",
        "id": call.tool_call_id,
        "title": call.title,
        "name": call.name,
        "toolKind": call.kind,
        "status": call.status,
        "content": _all(call.content, ToolCallContent),
        "locations": _all(call.locations),
        "rawInput": thaw(call.raw_input),
        "rawOutput": thaw(call.raw_output),
        "meta": thaw(call.meta),
        "cancelled": call.cancelled,
        "announced": call.announced,
        "turn": call.turn,
    }


def _subagent(entry):
    state = entry.state
    return {
        "kind": "subagent",
        "id": entry.session_id,
        "title": entry.title,
        "description": entry.description,
        "capabilities": encode(entry.capabilities),
        "state": None if state is None else encode(state, StateUpdate),
        "stateConfirmed": None if state is None else entry.state_confirmed,
        "cwd": entry.cwd,
        "additionalDirectories": entry.additional_directories,
        "meta": thaw(entry.meta),
        "turn": entry.turn,
    }
