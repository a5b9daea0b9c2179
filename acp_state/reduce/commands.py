"""Commands become messages: a row for each, with the check that it needs.

A message carries the fields of the protocol's own types, and none beside them (EXT-03).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, Literal, TypeAlias

from acp_state import events
from acp_state.codec import encode
from acp_state.errors import LocalProtocolError
from acp_state.intents import Send
from acp_state.json_values import JsonObject, thaw, thaw_object
from acp_state.methods import Sender
from acp_state.model import Connection
from acp_state.omitted import Omitted
from acp_state.records import frozen
from acp_state.reduce import answer_gates, gates, session_gates
from acp_state.reduce.command_types import require_types
from acp_state.schema import ContentBlock, SessionUpdate

Params: TypeAlias = dict[str, Any]
Check: TypeAlias = Callable[[Connection, Any], None]


@frozen
class Row:
    """What a command sends: its method, its parameters, and who may send it, when."""

    method: str | None
    """None: the command names it."""
    params: Callable[[Any], Params]
    check: Check
    side: Sender | None = "client"
    """None: either side."""
    kind: Literal["request", "notification"] = "request"


@frozen
class AnswerRow:
    """What a command answers a request of the peer's with, and when it may."""

    answer: Callable[[Any], Params]
    check: Check
    side: Sender | None = "client"


def command_message(connection: Connection, command: Any) -> Send:
    """The message that a command makes.

    Raises:
        LocalProtocolError: the protocol does not allow it now.
    """
    row = COMMANDS.get(type(command))
    if row is None:
        return _answer(connection, command)
    gates.require_side(connection, row.side, type(command).__name__)
    require_types(command)
    method = command.method if row.method is None else row.method
    gates.require_method(connection, method)
    row.check(connection, command)
    head: dict[str, Any] = {"jsonrpc": "2.0"}
    if row.kind == "request":
        head["id"] = connection.next_request_id
    return Send({**head, "method": method, "params": row.params(command)})


def _answer(connection: Connection, command: Any) -> Send:
    row = ANSWERS.get(type(command))
    if row is None:
        text = f"{type(command).__name__} is no event: pass one of the classes in acp_state.events"
        raise LocalProtocolError(text, rule="RPC-01")
    gates.require_side(connection, row.side, type(command).__name__)
    require_types(command)
    row.check(connection, command)
    return Send({"jsonrpc": "2.0", "id": command.request_id, **row.answer(command)})


def _none(_: Any) -> Params:
    return {}


def _session(command: Any) -> Params:
    return {"sessionId": command.session_id}


def _initialize(command: events.Initialize) -> Params:
    params: Params = {
        "protocolVersion": command.protocol_version,
        "clientCapabilities": encode(command.client_capabilities),
    }
    if command.client_info is not None:
        params["clientInfo"] = encode(command.client_info)
    return params


def _setup(command: events.NewSession) -> Params:
    params: Params = {"cwd": command.cwd, "mcpServers": [thaw(s) for s in command.mcp_servers]}
    if command.additional_directories:
        params["additionalDirectories"] = list(command.additional_directories)
    return params


def _attach(command: Any) -> Params:
    return {"sessionId": command.session_id, **_setup(command)}


def _list(command: events.ListSessions) -> Params:
    given = {"cwd": command.cwd, "cursor": command.cursor, "archived": command.archived}
    return {name: value for name, value in given.items() if value is not None}


def _set_option(command: events.SetConfigOption) -> Params:
    params = {"sessionId": command.session_id, "configId": command.config_id}
    kind = {"type": "boolean"} if isinstance(command.value, bool) else {}
    return {**params, **kind, "value": command.value}


def _prompt(command: events.Prompt) -> Params:
    """A prompt has no id of a message: those are the agent's (MSG-10)."""
    blocks = [encode(block, ContentBlock) for block in command.content]
    return {"sessionId": command.session_id, "prompt": blocks}


def _permission(command: events.RequestPermission) -> Params:
    return {
        "sessionId": command.session_id,
        "toolCall": encode(command.tool_call),
        "options": [encode(option) for option in command.options],
    }


def _permission_answer(command: events.AnswerPermission) -> Params:
    if command.option_id is None:
        return {"result": {"outcome": {"outcome": "cancelled"}}}
    return {"result": {"outcome": {"outcome": "selected", "optionId": command.option_id}}}


def _elicitation_answer(command: events.AnswerElicitation) -> Params:
    content = (
        {}
        if not isinstance(command.content, JsonObject)
        else {"content": thaw_object(command.content)}
    )
    return {"result": {"action": command.action, **content}}


def _error(command: events.RespondError) -> Params:
    data = {} if isinstance(command.data, Omitted) else {"data": thaw(command.data)}
    return {"error": {"code": command.code, "message": command.message, **data}}


def _turn_end(command: events.EndTurn) -> Params:
    usage = {} if command.usage is None else {"usage": encode(command.usage)}
    return {"result": {"stopReason": command.stop_reason, **usage}}


def _update(command: events.SendUpdate) -> Params:
    return {"sessionId": command.session_id, "update": encode(command.update, SessionUpdate)}


COMMANDS: Final[Mapping[type, Row]] = {
    events.Initialize: Row("initialize", _initialize, gates.initialize),
    events.Authenticate: Row(
        "authenticate", lambda c: {"methodId": c.method_id}, gates.authenticate
    ),
    events.Logout: Row("logout", _none, gates.nothing_more),
    events.GetAuthStatus: Row("auth/status", _none, gates.nothing_more),
    events.NewSession: Row("session/new", _setup, session_gates.new_session),
    events.LoadSession: Row("session/load", _attach, session_gates.attach),
    events.ResumeSession: Row("session/resume", _attach, session_gates.attach),
    events.ForkSession: Row("session/fork", _attach, session_gates.fork_session),
    events.ListSessions: Row("session/list", _list, session_gates.list_sessions),
    events.CloseSession: Row("session/close", _session, session_gates.no_child),
    events.DeleteSession: Row("session/delete", _session, session_gates.no_child),
    events.ArchiveSession: Row("session/archive", _session, session_gates.no_child),
    events.UnarchiveSession: Row("session/unarchive", _session, session_gates.no_child),
    events.GetSessionStatus: Row("session/status", _session, gates.nothing_more),
    events.SetTitle: Row(
        "session/set_title",
        lambda c: {"sessionId": c.session_id, "title": c.title},
        session_gates.no_child,
    ),
    events.SetMode: Row(
        "session/set_mode",
        lambda c: {"sessionId": c.session_id, "modeId": c.mode_id},
        session_gates.set_mode,
    ),
    events.SetConfigOption: Row("session/set_config_option", _set_option, session_gates.set_option),
    events.Prompt: Row("session/prompt", _prompt, session_gates.prompt),
    events.Cancel: Row("session/cancel", _session, session_gates.cancel, kind="notification"),
    events.CancelRequest: Row(
        "$/cancel_request",
        lambda c: {"requestId": c.request_id},
        gates.cancel_request,
        side=None,
        kind="notification",
    ),
    events.SendRequest: Row(None, lambda c: thaw_object(c.params), gates.extension, side=None),
    events.SendNotification: Row(
        None, lambda c: thaw_object(c.params), gates.extension, side=None, kind="notification"
    ),
    events.SendUpdate: Row(
        "session/update", _update, session_gates.send_update, side="agent", kind="notification"
    ),
    events.RequestPermission: Row(
        "session/request_permission", _permission, session_gates.request_permission, side="agent"
    ),
}
"""The commands that begin something."""

ANSWERS: Final[Mapping[type, AnswerRow]] = {
    events.AnswerPermission: AnswerRow(_permission_answer, answer_gates.answer_permission),
    events.AnswerElicitation: AnswerRow(_elicitation_answer, answer_gates.answer_elicitation),
    events.Respond: AnswerRow(
        lambda c: {"result": thaw(c.result)}, answer_gates.respond, side=None
    ),
    events.RespondError: AnswerRow(_error, answer_gates.respond, side=None),
    events.EndTurn: AnswerRow(_turn_end, answer_gates.end_turn, side="agent"),
}
"""The commands that answer something."""
