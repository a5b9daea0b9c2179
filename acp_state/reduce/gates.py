"""What our own side may send now: what holds for every command, and for a connection's own.

A breach is refused, and changes nothing.
"""

from __future__ import annotations

from typing import Any, Final, NoReturn

from acp_state import events
from acp_state.errors import LocalProtocolError
from acp_state.methods import METHODS, Sender
from acp_state.model import Connection
from acp_state.model.connection import PROTOCOL_VERSIONS
from acp_state.omitted import OMITTED
from acp_state.reading import seen
from acp_state.reduce.answers import ELICITATION, PERMISSION
from acp_state.reduce.capabilities import advertises
from acp_state.reduce.initialization import refused_version
from acp_state.reduce.links import MCP_MESSAGE, request_key
from acp_state.schema import AuthMethodTerminal

WITHOUT_COMMAND = frozenset({"providers/list", "providers/set", "providers/disable"}) | {
    name for name, row in METHODS.items() if "client" not in row.senders
} - {PERMISSION, "session/update"}
"""Methods that are sent with `SendRequest` or `SendNotification`, for want of a command."""


def require_side(connection: Connection, side: Sender | None, name: str) -> None:
    """The command is one of our side's, and the transport is open."""
    if connection.side == "observer" or side not in (None, connection.side):
        whose = "either" if side is None else f"the {side}'s"
        seat = f"{name} is a command of {whose} side, and this is the {connection.side}'s"
        refuse(seat, "INIT-01")
    if connection.phase == "closed":
        refuse("the connection is closed: go on with connection.reopened()", "CONN-01")


_BEFORE_READY: Final = {
    "new": "send Initialize first, and wait for its answer",
    "initializing": "wait for the answer to Initialize",
    "failed": "Initialize has failed; send it again",
}


def require_ready(connection: Connection) -> None:
    """``initialize`` was answered (INIT-01)."""
    if connection.phase != "ready":
        refused = refused_version(connection)
        text = _BEFORE_READY[connection.phase] if refused is None else refused.message
        refuse(f"the connection is {connection.phase}: {text}", "INIT-01")


def require_method(connection: Connection, method: str) -> None:
    """The method may be sent now, and the agent can do what it asks (INIT-01, INIT-02)."""
    if method == "initialize":
        return
    require_ready(connection)
    row = METHODS.get(method)
    if row is not None and row.capability is not None and connection.side in row.senders:
        require_capability(connection, row.capability, "INIT-02")


def require_capability(connection: Connection, path: str, rule: str) -> None:
    """The peer advertised it, or it was not told what the peer can do."""
    peer = "client" if connection.side == "agent" else "agent"
    told = connection.client_capabilities if peer == "client" else connection.agent_capabilities
    if not advertises(told, path):
        refuse(f"the {peer} did not advertise {path!r}", rule, code="capability-missing")


def nothing_more(_: Connection, __: Any) -> None:
    """What the method table asks is all."""


def initialize(connection: Connection, command: events.Initialize) -> None:
    """Once, and again only after it failed (15.6)."""
    if connection.phase not in ("new", "failed"):
        refuse(f"the connection is {connection.phase}: Initialize is sent once", "INIT-01")
    version = command.protocol_version
    if type(version) is not int or version not in PROTOCOL_VERSIONS:
        text = f"protocol version {version!r} is not supported"
        refuse(f"{text}; there are: {sorted(PROTOCOL_VERSIONS)}", "INIT-01")


def authenticate(connection: Connection, command: events.Authenticate) -> None:
    """With one of the agent's own methods (AUTH-01)."""
    method = next((m for m in connection.auth_methods if m.id == command.method_id), None)
    if method is None:
        offered = ", ".join(repr(m.id) for m in connection.auth_methods) or "none"
        text = f"auth method {command.method_id!r} was not advertised; there are: {offered}"
        refuse(text, "AUTH-01")
    if isinstance(method, AuthMethodTerminal):
        text = f"auth method {command.method_id!r} is run in a terminal, not asked of the agent"
        refuse(text, "AUTH-01")
    if method.type not in (OMITTED, "agent"):
        text = f"auth method {command.method_id!r} is of type {method.type!r}, which is not known"
        refuse(text, "AUTH-01")


def cancel_request(connection: Connection, command: events.CancelRequest) -> None:
    """One of our own requests that is not answered yet (CANCEL-09)."""
    ours: Sender = "agent" if connection.side == "agent" else "client"
    key = request_key(command.request_id)
    if key is None or key not in connection.requests_of(ours):
        refuse(f"no request {seen(command.request_id)} of ours is outstanding", "CANCEL-09")


def extension(connection: Connection, command: Any) -> None:
    """A method that is ours to send and has no command of its own."""
    if command.method == MCP_MESSAGE and connection.side == "client":
        require_capability(connection, "mcp_capabilities.acp", "SESS-01")
    row = METHODS.get(command.method)
    if row is None:
        return
    if connection.side not in row.senders:
        refuse(f"{command.method!r} is sent by the other side", "EXT-02")
    if command.method not in WITHOUT_COMMAND:
        refuse(f"{command.method!r} has a command of its own", "EXT-02")
    if (row.kind == "request") is not isinstance(command, events.SendRequest):
        fitting = "SendRequest" if row.kind == "request" else "SendNotification"
        refuse(f"{command.method!r} is a {row.kind}: pass {fitting}", "EXT-02")
    if command.method == ELICITATION:
        require_capability(connection, f"elicitation.{command.params.get('mode')}", "ELIC-02")


def refuse(
    text: str, rule: str, *, code: str = "refused", session_id: str | None = None
) -> NoReturn:
    """Refuse a command; for the checks of this module and of those beside it.

    Raises:
        LocalProtocolError: always.
    """
    raise LocalProtocolError(text, rule=rule, code=code, session_id=session_id)
