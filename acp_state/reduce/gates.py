"""What our own side may send now; a breach is refused, and changes nothing (sections 19, 20)."""

from __future__ import annotations

from functools import cache
from typing import Any, NoReturn, get_args

import attrs

from acp_state import events
from acp_state.errors import LocalProtocolError
from acp_state.json_values import JsonObject
from acp_state.methods import METHODS, Sender
from acp_state.model import Connection, Permission, RequestKey, Session
from acp_state.model.connection import PROTOCOL_VERSIONS
from acp_state.omitted import OMITTED
from acp_state.reading import seen
from acp_state.reduce.capabilities import NEEDS, advertises
from acp_state.reduce.forms import form_fault
from acp_state.reduce.initialization import refused_version
from acp_state.reduce.links import MCP_MESSAGE, request_key
from acp_state.reduce.odd_values import is_absolute
from acp_state.reduce.settings import BOOLEAN_OPTIONS, is_reported, option_values
from acp_state.reduce.settling import ELICITATION, PERMISSION, find_permission
from acp_state.schema import (
    AudioContent,
    AuthMethodTerminal,
    ConfigOptionUpdate,
    EmbeddedResource,
    ImageContent,
    SessionConfigBoolean,
    SessionConfigOption,
    StopReason,
)

PROMPT_NEEDS: dict[type, str] = {
    ImageContent: "prompt_capabilities.image",
    AudioContent: "prompt_capabilities.audio",
    EmbeddedResource: "prompt_capabilities.embedded_context",
}
"""Blocks beyond text and links, and the capability of the agent that each needs (TURN-02)."""


WITHOUT_COMMAND = frozenset({"providers/list", "providers/set", "providers/disable"}) | {
    name for name, row in METHODS.items() if "agent" in row.senders and row.kind == "request"
} - {PERMISSION}
"""Methods that are sent with `SendRequest`, for want of a command of their own."""

ELICITATION_ACTIONS = ("accept", "decline", "cancel")


@cache
def _texts(cls: Any) -> tuple[tuple[str, bool], ...]:
    """The fields of a command that are strings, and whether None will do as well."""
    types = ((each.name, each.type) for each in attrs.fields(attrs.resolve_types(cls)))
    return tuple((name, kind is not str) for name, kind in types if kind in (str, str | None))


def require_texts(command: Any) -> None:
    """Ids, paths and names are strings; a message with anything else would be no ACP (RPC-01)."""
    for name, may_be_none in _texts(command.__class__):
        value = getattr(command, name)
        if not isinstance(value, str) and not (may_be_none and value is None):
            what = "a string or None" if may_be_none else "a string"
            _refuse(f"{type(command).__name__}.{name} is {value!r:.60}: pass {what}", "RPC-01")


def require_side(connection: Connection, side: Sender | None, name: str) -> None:
    """The command is one of our side's, and the transport is open."""
    if connection.side == "observer" or side not in (None, connection.side):
        whose = "either" if side is None else f"the {side}'s"
        seat = f"{name} is a command of {whose} side, and this is the {connection.side}'s"
        _refuse(seat, "INIT-01")
    if connection.phase == "closed":
        _refuse("the connection is closed: go on with connection.reopened()", "CONN-01")


def require_ready(connection: Connection) -> None:
    """``initialize`` was answered (INIT-01)."""
    if connection.phase != "ready":
        refused = refused_version(connection)
        text = "wait for the answer to Initialize" if refused is None else refused.message
        _refuse(f"the connection is {connection.phase}: {text}", "INIT-01")


def initialize(connection: Connection, command: events.Initialize) -> None:
    """Once, and again only after it failed (15.6)."""
    if connection.phase not in ("new", "failed"):
        _refuse(f"the connection is {connection.phase}: Initialize is sent once", "INIT-01")
    version = command.protocol_version
    if type(version) is not int or version not in PROTOCOL_VERSIONS:
        text = f"protocol version {version!r} is not supported"
        _refuse(f"{text}; there are: {sorted(PROTOCOL_VERSIONS)}", "INIT-01")


def authenticate(connection: Connection, command: events.Authenticate) -> None:
    """With one of the agent's own methods (AUTH-01)."""
    method = next((m for m in connection.auth_methods if m.id == command.method_id), None)
    if method is None:
        offered = ", ".join(repr(m.id) for m in connection.auth_methods) or "none"
        text = f"auth method {command.method_id!r} was not advertised; there are: {offered}"
        _refuse(text, "AUTH-01")
    if isinstance(method, AuthMethodTerminal):
        text = f"auth method {command.method_id!r} is run in a terminal, not asked of the agent"
        _refuse(text, "AUTH-01")
    if method.type not in (OMITTED, "agent"):
        text = f"auth method {command.method_id!r} is of type {method.type!r}, which is not known"
        _refuse(text, "AUTH-01")


def require_method(connection: Connection, method: str) -> None:
    """The method may be sent now, and the agent can do what it asks (INIT-01, section 20)."""
    if method == "initialize":
        return
    require_ready(connection)
    row = METHODS.get(method)
    if row is not None and row.capability is not None and connection.side in row.senders:
        require_capability(connection, row.capability, "INIT-02")


def nothing_more(_: Connection, __: Any) -> None:
    """What the method table asks is all."""


def require_capability(connection: Connection, path: str, rule: str) -> None:
    """The peer advertised it, or it was not told what the peer can do."""
    peer = "client" if connection.side == "agent" else "agent"
    told = connection.client_capabilities if peer == "client" else connection.agent_capabilities
    if not advertises(told, path):
        _refuse(f"the {peer} did not advertise {path!r}", rule, code="capability-missing")


def new_session(connection: Connection, command: Any) -> None:
    """Absolute paths, transports and roots that the agent can take (SESS-01, SESS-02)."""
    for path in (command.cwd, *command.additional_directories):
        if not isinstance(path, str) or not is_absolute(path):
            _refuse(f"{path!r} is relative: paths are absolute", "SESS-01")
    if command.additional_directories:
        needed = "session_capabilities.additional_directories"
        require_capability(connection, needed, "SESS-02")
    for server in command.mcp_servers:
        transport = server.get("type")
        if isinstance(transport, str) and transport in ("http", "sse", "acp"):
            require_capability(connection, f"mcp_capabilities.{transport}", "SESS-01")


def attach(connection: Connection, command: Any) -> None:
    """A session at rest, in its own directory, and no child (LOAD-15, LOAD-16, SUB-08)."""
    fork_session(connection, command)
    session = connection.sessions.get(command.session_id)
    if session is not None and session.running:
        _refuse("a turn runs in the session", "LOAD-15", session_id=command.session_id)
    if session is not None and session.readiness in ("loading", "resuming", "closing", "deleted"):
        text = f"the session is {session.readiness}"
        _refuse(text, "LOAD-15", session_id=command.session_id)
    listed = connection.catalogue.get(command.session_id)
    known = [each.cwd for each in (session, listed) if each is not None and each.cwd is not None]
    if known and known[0] != command.cwd:
        text = f"the session's working directory is {known[0]!r}"
        _refuse(text, "LOAD-16", session_id=command.session_id)


def fork_session(connection: Connection, command: Any) -> None:
    """As for a new session, and no child (SUB-08)."""
    new_session(connection, command)
    no_child(connection, command)


def list_sessions(connection: Connection, command: events.ListSessions) -> None:
    """An agent that can archive, if the archived ones are asked for."""
    if command.archived is not None:
        require_capability(connection, "session_capabilities.archive", "INIT-02")


def no_child(connection: Connection, command: Any) -> None:
    """All that can be done to a child is to cancel it (SUB-08)."""
    session = connection.sessions.get(command.session_id)
    if session is not None and session.parent_id is not None:
        text = "the session is a child: all that can be done to it is to cancel it"
        code = "child-mutation-refused"
        _refuse(text, "SUB-08", code=code, session_id=command.session_id)


def set_mode(connection: Connection, command: events.SetMode) -> None:
    """One of the modes that were reported (MODE-02)."""
    session = _ready_session(connection, command)
    if not is_reported(session, command.mode_id):
        modes = session.modes.available_modes if session.modes else ()
        offered = ", ".join(repr(mode.id) for mode in modes) or "none"
        text = f"mode {command.mode_id!r} was not reported; there are: {offered}"
        _refuse(text, "MODE-02", session_id=command.session_id)


def set_option(connection: Connection, command: events.SetConfigOption) -> None:
    """One of the options that were reported, and one of its values (CFG-02)."""
    session = _ready_session(connection, command)
    option = next((o for o in session.config_options or () if o.id == command.config_id), None)
    if option is None:
        offered = ", ".join(repr(o.id) for o in session.config_options or ()) or "none"
        text = f"option {command.config_id!r} was not reported; there are: {offered}"
        _refuse(text, "CFG-02", session_id=command.session_id)
    if not _is_value(option, command.value):
        text = f"{command.value!r} is no value of option {command.config_id!r}: {_choices(option)}"
        _refuse(text, "CFG-02", session_id=command.session_id)


def prompt(connection: Connection, command: events.Prompt) -> None:
    """A ready session, no turn that runs, content that the agent takes (TURN-01 to TURN-03)."""
    session = _ready_session(connection, command)
    if session.running and not command.while_running:
        text = "a turn runs: wait for its end, or say while_running=True"
        code = "prompt-while-running"
        _refuse(text, "TURN-03", code=code, session_id=command.session_id)
    for block in command.content:
        needed = PROMPT_NEEDS.get(type(block))
        if needed is not None:
            require_capability(connection, needed, "TURN-02")


def cancel(connection: Connection, command: events.Cancel) -> None:
    """Something to cancel, and for a child the right to (CANCEL-01, SUB-08)."""
    session = _session(connection, command.session_id)
    if session.parent_id is not None:
        _may_cancel_child(connection, session)
        return
    waits = session.open_permissions or any(
        asked.session_id == session.session_id for asked in connection.elicitations.values()
    )
    if not session.running and not waits and not _has_active_child(connection, session):
        text = "no turn runs, nothing waits for an answer, and no child is at work"
        _refuse(text, "CANCEL-01", code="cancel-idle", session_id=command.session_id)


def cancel_request(connection: Connection, command: events.CancelRequest) -> None:
    """One of our own requests that is not answered yet (CANCEL-09)."""
    ours: Sender = "agent" if connection.side == "agent" else "client"
    key = request_key(command.request_id)
    if key is None or key not in connection.requests_of(ours):
        _refuse(f"no request {seen(command.request_id)} of ours is outstanding", "CANCEL-09")


def extension(connection: Connection, command: Any) -> None:
    """A method that is ours to send and has no command of its own."""
    if command.method == MCP_MESSAGE and connection.side == "client":
        require_capability(connection, "mcp_capabilities.acp", "SESS-01")
    row = METHODS.get(command.method)
    if row is None:
        return
    if connection.side not in row.senders:
        _refuse(f"{command.method!r} is sent by the other side", "EXT-02")
    if command.method not in WITHOUT_COMMAND:
        _refuse(f"{command.method!r} has a command of its own", "EXT-02")
    if command.method == ELICITATION:
        require_capability(connection, f"elicitation.{command.params.get('mode')}", "ELIC-02")


def answer_permission(connection: Connection, command: events.AnswerPermission) -> None:
    """A pending permission request, and one of its options (PERM-04)."""
    permission = _pending_permission(connection, command.request_id)
    offered = [option.option_id for option in permission.options]
    if command.option_id is not None and command.option_id not in offered:
        text = f"option {command.option_id!r} was not offered; there are: {offered}"
        _refuse(text, "PERM-04")


def answer_elicitation(connection: Connection, command: events.AnswerElicitation) -> None:
    """A pending question; content only with ``accept``, and only for a form (ELIC-03)."""
    key = _pending(connection, command.request_id, ELICITATION, "ELIC-03")
    asked = connection.elicitations[key]
    if command.action not in ELICITATION_ACTIONS:
        text = f"{command.action!r} is no answer; there are: {', '.join(ELICITATION_ACTIONS)}"
        _refuse(text, "ELIC-03")
    if command.action != "accept" or asked.mode == "url":
        if command.content is not None:
            _refuse("content goes with accept, and with a form alone", "ELIC-03")
        return
    fault = form_fault(command.content or JsonObject({}), asked.requested_schema or JsonObject({}))
    if fault is not None:
        _refuse(f"the content is not what the form asks for: {fault}", "ELIC-03")


def respond(connection: Connection, command: Any) -> None:
    """A pending request of the peer's, answered once (RPC-04); a child's too (SUB-09)."""
    theirs: Sender = "client" if connection.side == "agent" else "agent"
    key = request_key(command.request_id)
    if key is None or key not in connection.requests_of(theirs):
        text = f"no request {seen(command.request_id)} of the {theirs} waits for an answer"
        _refuse(text, "RPC-04")
    asked = connection.requests_of(theirs)[key].method
    if isinstance(command, events.Respond) and asked in (PERMISSION, ELICITATION):
        _refuse(f"{asked} is answered with its own command", "PERM-04")


def end_turn(connection: Connection, command: events.EndTurn) -> None:
    """A prompt that is not answered yet (TURN-05)."""
    key = request_key(command.request_id)
    request = None if key is None else connection.client_requests.get(key)
    if request is None or request.method != "session/prompt":
        _refuse(f"no prompt {seen(command.request_id)} waits for an answer", "TURN-05")
    if command.stop_reason not in get_args(StopReason):
        text = f"{command.stop_reason!r} is no stop reason; there are: {get_args(StopReason)}"
        _refuse(text, "TURN-05")


def send_update(connection: Connection, command: events.SendUpdate) -> None:
    """A session update that the client's capabilities allow (LENIENT-16)."""
    if isinstance(command.update, ConfigOptionUpdate) and any(
        isinstance(option, SessionConfigBoolean) for option in command.update.config_options
    ):
        require_capability(connection, BOOLEAN_OPTIONS, "CFG-05")
    need = NEEDS.get(type(command.update))
    if need is not None and not advertises(connection.client_capabilities, need[0]):
        text = f"the client did not advertise {need[0]!r}"
        _refuse(text, need[1], code="capability-missing", session_id=command.session_id)


def request_permission(connection: Connection, command: events.RequestPermission) -> None:
    """A session that is known (PERM-01)."""
    _session(connection, command.session_id)


def _pending(
    connection: Connection, request_id: int | str | None, method: str, rule: str
) -> RequestKey:
    key = request_key(request_id)
    request = None if key is None else connection.agent_requests.get(key)
    if key is None or request is None or request.method != method:
        _refuse(f"no {method} {seen(request_id)} waits for an answer", rule)
    return key


def _pending_permission(connection: Connection, request_id: int | str | None) -> Permission:
    key = _pending(connection, request_id, PERMISSION, "PERM-04")
    found = find_permission(connection, connection.agent_requests[key])
    if found is None:
        _refuse(f"permission request {seen(request_id)} is answered", "PERM-04")
    return found[1]


def _session(connection: Connection, session_id: str) -> Session:
    session = connection.sessions.get(session_id)
    if session is None:
        _refuse(f"session {session_id!r} is not known", "TURN-01", session_id=session_id)
    return session


def _ready_session(connection: Connection, command: Any) -> Session:
    """A session of the client's own that can be worked with (TURN-01, SUB-08)."""
    session = _session(connection, command.session_id)
    no_child(connection, command)
    if session.readiness != "ready":
        text = f"the session is {session.readiness}: wait for SessionReady"
        _refuse(text, "TURN-01", session_id=command.session_id)
    return session


def _may_cancel_child(connection: Connection, child: Session) -> None:
    """The parent said so, and neither it nor a parent of its is being taken up (SUB-08, SUB-18)."""
    parent = connection.sessions.get(child.parent_id or "")
    association = parent.subagents.get(child.session_id) if parent else None
    settling = any(
        ancestor.readiness in ("loading", "resuming")
        for ancestor in connection.ancestors_of(child.session_id)
    )
    if association is None or not association.may_cancel or settling:
        text = "the agent gives no right to cancel this child"
        _refuse(text, "SUB-08", code="child-mutation-refused", session_id=child.session_id)


def _has_active_child(connection: Connection, session: Session) -> bool:
    parents = [session, *connection.descendants_of(session.session_id)]
    return any(child.is_active for parent in parents for child in parent.subagents.values())


def _is_value(option: SessionConfigOption, value: object) -> bool:
    if isinstance(option, SessionConfigBoolean):
        return isinstance(value, bool)
    return isinstance(value, str) and value in option_values(option)


def _choices(option: SessionConfigOption) -> str:
    """What an option can be, in words."""
    if isinstance(option, SessionConfigBoolean):
        return "it is True or False"
    return f"there are: {', '.join(map(repr, sorted(option_values(option)))) or 'none'}"


def _refuse(
    text: str, rule: str, *, code: str = "refused", session_id: str | None = None
) -> NoReturn:
    raise LocalProtocolError(text, rule=rule, code=code, session_id=session_id)
