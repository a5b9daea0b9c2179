"""The whole state as JSON, for ``acp-state replay --json``.

Keys are spelled as on the wire and always in this order; what is not known is null. Wire objects
(content blocks, tool call content, plans, commands, modes, options) are as `acp_state.codec`
encodes them.

- root: ``messages`` (how many were folded), ``phase``, ``protocolVersion``,
  ``clientCapabilities``, ``clientInfo``, ``agentCapabilities``, ``agentInfo``, ``sessions``,
  ``clientRequests`` and ``agentRequests`` (without a response so far, oldest first: ``id``,
  ``method``, ``sessionId``, ``params``).
- session: ``sessionId``, ``parentId``, ``forkedFrom``, ``readiness``, ``cwd``,
  ``additionalDirectories`` (a child's own or its parent's), ``title``, ``updatedAt``, ``_meta``,
  ``usage``, ``preferredSettings``, ``modes``, ``configOptions``, ``availableCommands``, ``plan``,
  ``plans``, ``timeline``, ``turns``, ``running`` (indices of turns), ``permissions``,
  ``terminals``.
- permission: ``id`` of its request, ``toolCallId``, ``turn``, ``options``, ``outcome`` (null: it
  waits), ``optionId``.
- turn: ``id`` of its request, ``start`` (its first entry's index), ``cancelRequested``,
  ``outcome``, ``stopReason``, ``error``, ``usage``, ``_meta``.
- timeline entries begin with ``kind``, and all but it and ``turn`` (the index of the turn in which
  the entry was first seen) differ from kind to kind:
  ``message``, ``tool_call``, ``compaction``, ``session_message``, ``subagent``.
  ``content`` has adjacent text joined; ``text`` is the text alone; ``chunks`` counts what came.

Left out is what only the reducer needs: the echo cursor, styles of ids, open runs.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

from acp_state import codec
from acp_state.model import (
    Compaction,
    ContextUsage,
    Entry,
    Message,
    Permission,
    Session,
    SessionMessage,
    Subagent,
    Terminal,
    ToolCall,
    Turn,
)
from acp_state.model.connection import Connection, PendingRequests
from acp_state.schema import (
    ContentBlock,
    PlanUpdateContent,
    SessionConfigOption,
    StateUpdate,
    ToolCallContent,
)

Json: TypeAlias = dict[str, Any]


def connection_json(connection: Connection, messages: int) -> Json:
    """Everything that is known of a connection."""
    return {
        "messages": messages,
        "phase": connection.phase,
        "protocolVersion": connection.protocol_version,
        "clientCapabilities": codec.encode(connection.client_capabilities),
        "clientInfo": codec.encode(connection.client_info),
        "agentCapabilities": codec.encode(connection.agent_capabilities),
        "agentInfo": codec.encode(connection.agent_info),
        "sessions": [_session(each, connection) for each in connection.sessions.values()],
        "clientRequests": _requests(connection.client_requests),
        "agentRequests": _requests(connection.agent_requests),
    }


def _session(session: Session, connection: Connection) -> Json:
    options = session.config_options
    return {
        "sessionId": session.session_id,
        "parentId": session.parent_id,
        "forkedFrom": session.forked_from,
        "readiness": session.readiness,
        "cwd": connection.cwd_of(session.session_id),
        "additionalDirectories": connection.additional_directories_of(session.session_id),
        "title": session.title,
        "updatedAt": session.updated_at,
        "_meta": codec.encode(session.meta),
        "usage": None if session.usage is None else _usage(session.usage),
        "preferredSettings": session.preferred_settings,
        "modes": codec.encode(session.modes),
        "configOptions": None if options is None else _encoded(options, SessionConfigOption),
        "availableCommands": _encoded(session.available_commands),
        "plan": codec.encode(session.plan),
        "plans": _encoded(session.plans.values(), PlanUpdateContent),
        "timeline": [_entry(entry) for entry in session.timeline],
        "turns": [_turn(turn) for turn in session.turns],
        "running": session.running,
        "permissions": [_permission(each) for each in session.permissions],
        "terminals": [_terminal(each) for each in session.terminals.values()],
    }


def _entry(entry: Entry) -> Json:
    if isinstance(entry, Message):
        return _message(entry)
    if isinstance(entry, ToolCall):
        return _tool_call(entry)
    if isinstance(entry, Compaction):
        return _compaction(entry)
    return _session_message(entry) if isinstance(entry, SessionMessage) else _subagent(entry)


def _message(message: Message) -> Json:
    return {
        "kind": "message",
        "turn": message.turn,
        "role": message.role,
        "messageId": message.message_id,
        "origin": message.origin,
        "text": message.text,
        "content": _encoded(message.content, ContentBlock),
        "chunks": len(message.chunks),
    }


def _tool_call(call: ToolCall) -> Json:
    return {
        "kind": "tool_call",
        "turn": call.turn,
        "toolCallId": call.tool_call_id,
        "title": call.title,
        "name": call.name,
        "toolKind": call.kind,
        "status": call.status,
        "effectiveStatus": call.effective_status,
        "announced": call.announced,
        "content": _encoded(call.content, ToolCallContent),
        "locations": _encoded(call.locations),
        "rawInput": codec.encode(call.raw_input),
        "rawOutput": codec.encode(call.raw_output),
        "_meta": codec.encode(call.meta),
    }


def _compaction(compaction: Compaction) -> Json:
    return {
        "kind": "compaction",
        "turn": compaction.turn,
        "compactionId": compaction.compaction_id,
        "status": compaction.status,
        "error": compaction.error,
        "text": compaction.text,
        "summary": _encoded(compaction.summary, ContentBlock),
        "chunks": len(compaction.chunks),
        "_meta": codec.encode(compaction.meta),
    }


def _session_message(message: SessionMessage) -> Json:
    return {
        "kind": "session_message",
        "turn": message.turn,
        "messageId": message.message_id,
        "senderSessionId": message.sender_session_id,
        "recipientSessionId": message.recipient_session_id,
        "senderMessageId": message.sender_message_id,
        "recipientMessageId": message.recipient_message_id,
        "text": message.text,
        "content": _encoded(message.content, ContentBlock),
        "chunks": len(message.chunks),
        "_meta": codec.encode(message.meta),
    }


def _subagent(subagent: Subagent) -> Json:
    state = subagent.state
    return {
        "kind": "subagent",
        "turn": subagent.turn,
        "sessionId": subagent.session_id,
        "title": subagent.title,
        "description": subagent.description,
        "state": None if state is None else codec.encode(state, StateUpdate),
        "stateConfirmed": subagent.state_confirmed,
        "capabilities": codec.encode(subagent.capabilities),
        "cwd": subagent.cwd,
        "additionalDirectories": subagent.additional_directories,
        "_meta": codec.encode(subagent.meta),
    }


def _turn(turn: Turn) -> Json:
    return {
        "id": turn.request_id,
        "start": turn.start,
        "cancelRequested": turn.cancel_requested,
        "outcome": turn.outcome,
        "stopReason": turn.stop_reason,
        "error": codec.encode(turn.error),
        "usage": codec.encode(turn.usage),
        "_meta": codec.encode(turn.meta),
    }


def _permission(permission: Permission) -> Json:
    return {
        "id": permission.request_id,
        "toolCallId": permission.tool_call.tool_call_id,
        "turn": permission.turn,
        "options": _encoded(permission.options),
        "outcome": permission.outcome,
        "optionId": permission.option_id,
    }


def _usage(usage: ContextUsage) -> Json:
    return {
        "used": usage.used,
        "size": usage.size,
        "cost": codec.encode(usage.cost),
        "_meta": codec.encode(usage.meta),
    }


def _terminal(terminal: Terminal) -> Json:
    return {
        "terminalId": terminal.terminal_id,
        "output": terminal.output,
        "truncated": terminal.truncated,
        "exited": terminal.exited,
        "exitCode": terminal.exit_code,
        "signal": terminal.signal,
        "released": terminal.released,
    }


def _requests(requests: PendingRequests) -> list[Json]:
    return [
        {
            "id": request.request_id,
            "method": request.method,
            "sessionId": request.session_id,
            "params": codec.encode(request.params),
        }
        for request in requests.values()
    ]


def _encoded(values: Iterable[object], union: object = None) -> list[Any]:
    return [codec.encode(value, union) for value in values]
