"""What may be asked of a session now.

A breach is refused, and changes nothing.
"""

from __future__ import annotations

from typing import Any

from acp_state import events
from acp_state.model import Connection, Session
from acp_state.reduce.capabilities import NEEDS, advertises
from acp_state.reduce.gates import refuse, require_capability
from acp_state.reduce.odd_values import is_absolute
from acp_state.reduce.settings import BOOLEAN_OPTIONS, is_reported, option_values
from acp_state.schema import (
    AudioContent,
    ConfigOptionUpdate,
    EmbeddedResource,
    ImageContent,
    SessionConfigBoolean,
    SessionConfigOption,
)

PROMPT_NEEDS: dict[type, str] = {
    ImageContent: "prompt_capabilities.image",
    AudioContent: "prompt_capabilities.audio",
    EmbeddedResource: "prompt_capabilities.embedded_context",
}
"""Blocks beyond text and links, and the capability of the agent that each needs (TURN-02)."""


def new_session(connection: Connection, command: Any) -> None:
    """Absolute paths, transports and roots that the agent can take (SESS-01, SESS-02)."""
    _require_absolute(command.cwd, *command.additional_directories)
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
        refuse("a turn runs in the session", "LOAD-15", session_id=command.session_id)
    if session is not None and session.readiness in ("loading", "resuming", "closing", "deleted"):
        text = f"the session is {session.readiness}"
        refuse(text, "LOAD-15", session_id=command.session_id)
    listed = connection.catalogue.get(command.session_id)
    known = [each.cwd for each in (session, listed) if each is not None and each.cwd is not None]
    if known and known[0] != command.cwd:
        text = f"the session's working directory is {known[0]!r}"
        refuse(text, "LOAD-16", session_id=command.session_id)


def fork_session(connection: Connection, command: Any) -> None:
    """As for a new session, and no child (SUB-08)."""
    new_session(connection, command)
    no_child(connection, command)


def list_sessions(connection: Connection, command: events.ListSessions) -> None:
    """An absolute path, and an agent that can archive, if the archived ones are asked for."""
    if command.cwd is not None:
        _require_absolute(command.cwd)
    if command.archived is not None:
        require_capability(connection, "session_capabilities.archive", "INIT-02")


def _require_absolute(*paths: str) -> None:
    for path in paths:
        if not is_absolute(path):
            refuse(f"{path!r} is relative: paths are absolute", "SESS-01")


def no_child(connection: Connection, command: Any) -> None:
    """All that can be done to a child is to cancel it (SUB-08)."""
    session = connection.sessions.get(command.session_id)
    if session is not None and session.parent_id is not None:
        text = "the session is a child: all that can be done to it is to cancel it"
        code = "child-mutation-refused"
        refuse(text, "SUB-08", code=code, session_id=command.session_id)


def set_mode(connection: Connection, command: events.SetMode) -> None:
    """One of the modes that were reported (MODE-02)."""
    session = _ready_session(connection, command)
    if not is_reported(session, command.mode_id):
        modes = session.modes.available_modes if session.modes else ()
        offered = ", ".join(repr(mode.id) for mode in modes) or "none"
        text = f"mode {command.mode_id!r} was not reported; there are: {offered}"
        refuse(text, "MODE-02", session_id=command.session_id)


def set_option(connection: Connection, command: events.SetConfigOption) -> None:
    """One of the options that were reported, and one of its values (CFG-02)."""
    session = _ready_session(connection, command)
    option = next((o for o in session.config_options or () if o.id == command.config_id), None)
    if option is None:
        offered = ", ".join(repr(o.id) for o in session.config_options or ()) or "none"
        text = f"option {command.config_id!r} was not reported; there are: {offered}"
        refuse(text, "CFG-02", session_id=command.session_id)
    if not _is_value(option, command.value):
        text = f"{command.value!r} is no value of option {command.config_id!r}: {_choices(option)}"
        refuse(text, "CFG-02", session_id=command.session_id)


def prompt(connection: Connection, command: events.Prompt) -> None:
    """A ready session, no turn that runs, content that the agent takes (TURN-01 to TURN-03)."""
    session = _ready_session(connection, command)
    if session.running and not command.while_running:
        text = "a turn runs: wait for its end, or say while_running=True"
        code = "prompt-while-running"
        refuse(text, "TURN-03", code=code, session_id=command.session_id)
    for block in command.content:
        needed = PROMPT_NEEDS.get(type(block))
        if needed is not None:
            require_capability(connection, needed, "TURN-02")


def cancel(connection: Connection, command: events.Cancel) -> None:
    """Something to cancel, and for a child the right to (CANCEL-01, SUB-08)."""
    session = known_session(connection, command.session_id)
    if session.parent_id is not None:
        _may_cancel_child(connection, session)
        return
    waits = session.open_permissions or any(
        asked.session_id == session.session_id for asked in connection.elicitations.values()
    )
    if not session.running and not waits and not _has_active_child(connection, session):
        text = "no turn runs, nothing waits for an answer, and no child is at work"
        refuse(text, "CANCEL-01", code="cancel-idle", session_id=command.session_id)


def send_update(connection: Connection, command: events.SendUpdate) -> None:
    """A session update that the client's capabilities allow (LENIENT-16)."""
    if isinstance(command.update, ConfigOptionUpdate) and any(
        isinstance(option, SessionConfigBoolean) for option in command.update.config_options
    ):
        require_capability(connection, BOOLEAN_OPTIONS, "CFG-05")
    need = NEEDS.get(type(command.update))
    if need is not None and not advertises(connection.client_capabilities, need[0]):
        text = f"the client did not advertise {need[0]!r}"
        refuse(text, need[1], code="capability-missing", session_id=command.session_id)


def request_permission(connection: Connection, command: events.RequestPermission) -> None:
    """A session that is known (PERM-01)."""
    known_session(connection, command.session_id)


def known_session(connection: Connection, session_id: str) -> Session:
    """The session of that id; there has to be one (TURN-01)."""
    session = connection.sessions.get(session_id)
    if session is None:
        refuse(f"session {session_id!r} is not known", "TURN-01", session_id=session_id)
    return session


def _ready_session(connection: Connection, command: Any) -> Session:
    """A session of the client's own that can be worked with (TURN-01, SUB-08)."""
    session = known_session(connection, command.session_id)
    no_child(connection, command)
    if session.readiness != "ready":
        text = f"the session is {session.readiness}: wait for SessionReady"
        refuse(text, "TURN-01", session_id=command.session_id)
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
        refuse(text, "SUB-08", code="child-mutation-refused", session_id=child.session_id)


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
