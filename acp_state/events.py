"""What goes into `reduce`: messages that were seen, and commands, what the host wants to happen.

A command makes a message, the intent to send it, and the same change that seeing that message
sent would make. One that the protocol does not allow now raises `LocalProtocolError` and changes
nothing.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from attrs import field

from acp_state.host_values import (
    to_blocks,
    to_content,
    to_data,
    to_json,
    to_object,
    to_paths,
    to_servers,
    to_update,
)
from acp_state.json_values import JsonObject, JsonValue
from acp_state.omitted import OMITTED, Omitted
from acp_state.records import frozen
from acp_state.schema import (
    ClientCapabilities,
    ContentBlock,
    Implementation,
    PermissionOption,
    RequestId,
    SessionUpdate,
    StopReason,
    ToolCallUpdate,
    Usage,
)


@frozen(init=False)
class Received:
    """The peer sent a message; `message` is the JSON value as the parser gave it."""

    message: Any

    def __init__(self, message: Any) -> None:
        # One is made for each message, and attrs' own takes half as long again.
        _set_received(self, message)


_set_received = Received.__dict__["message"].__set__


@frozen
class Sent:
    """Our side sent a message that this reducer did not make."""

    message: Any


@frozen
class Disconnected:
    """The transport has ended (CONN-01)."""


@frozen(kw_only=True)
class Initialize:
    """Client: open the connection (INIT-01)."""

    client_capabilities: ClientCapabilities = field(factory=ClientCapabilities)
    client_info: Implementation | None = None
    protocol_version: int = 1


@frozen
class Authenticate:
    """Client: authenticate with one of the agent's own methods (AUTH-01)."""

    method_id: str


@frozen
class Logout:
    """Client: forget who is authenticated (AUTH-02)."""


@frozen
class GetAuthStatus:
    """Client: ask who is authenticated (AUTH-03)."""


@frozen(kw_only=True)
class NewSession:
    """Client: make a session; paths are absolute (SESS-01, SESS-02)."""

    cwd: str
    mcp_servers: tuple[JsonObject, ...] = field(default=(), converter=to_servers)
    """As in the protocol's ``McpServer``, such as ``{"name": "files", "command": "/bin/files",
    "args": [], "env": []}``, or with ``type`` and ``url``."""
    additional_directories: tuple[str, ...] = field(default=(), converter=to_paths)


@frozen(kw_only=True)
class LoadSession:
    """Client: take up a session, with its history replayed (LOAD-01)."""

    session_id: str
    cwd: str
    mcp_servers: tuple[JsonObject, ...] = field(default=(), converter=to_servers)
    additional_directories: tuple[str, ...] = field(default=(), converter=to_paths)


@frozen(kw_only=True)
class ResumeSession:
    """Client: take up a session, without a replay (LOAD-13)."""

    session_id: str
    cwd: str
    mcp_servers: tuple[JsonObject, ...] = field(default=(), converter=to_servers)
    additional_directories: tuple[str, ...] = field(default=(), converter=to_paths)


@frozen(kw_only=True)
class ForkSession:
    """Client: make a session that goes on from another."""

    session_id: str
    cwd: str
    mcp_servers: tuple[JsonObject, ...] = field(default=(), converter=to_servers)
    additional_directories: tuple[str, ...] = field(default=(), converter=to_paths)


@frozen(kw_only=True)
class ListSessions:
    """Client: ask for a page of the catalogue (INFO-03)."""

    cwd: str | None = None
    cursor: str | None = None
    archived: str | None = None


@frozen
class CloseSession:
    """Client: end the session's work and free what it holds (SESS-06)."""

    session_id: str


@frozen
class DeleteSession:
    """Client: remove the session from the agent's store."""

    session_id: str


@frozen
class ArchiveSession:
    """Client: close the session and hide it (SESS-06)."""

    session_id: str


@frozen
class UnarchiveSession:
    """Client: show the session again; it is not loaded (SESS-06)."""

    session_id: str


@frozen
class GetSessionStatus:
    """Client: ask whether the session is open (SESS-05)."""

    session_id: str


@frozen
class SetTitle:
    """Client: give the session another title."""

    session_id: str
    title: str


@frozen
class SetMode:
    """Client: put the session into one of its modes (MODE-02)."""

    session_id: str
    mode_id: str


@frozen
class SetConfigOption:
    """Client: give one of the session's options another of its values (CFG-02)."""

    session_id: str
    config_id: str
    value: str | bool


@frozen
class Prompt:
    """Client: say something, which starts a turn (TURN-01 to TURN-03)."""

    session_id: str
    content: tuple[ContentBlock, ...] = field(converter=to_blocks)
    """A string stands for one text block."""
    while_running: bool = field(default=False, kw_only=True)
    """Send it even though a turn runs; what the agent makes of that differs from agent to agent."""


@frozen
class Cancel:
    """Client: cancel the session's current turn and its children's work (CANCEL)."""

    session_id: str


@frozen
class CancelRequest:
    """Ask the peer to give up one of our requests; it is still answered (CANCEL-09)."""

    request_id: RequestId


@frozen
class AnswerPermission:
    """Client: answer a permission request; no option: it is cancelled (PERM-04)."""

    request_id: RequestId
    option_id: str | None = None


@frozen
class AnswerElicitation:
    """Client: answer a question to the user (ELIC-03)."""

    request_id: RequestId
    action: Literal["accept", "decline", "cancel"]
    content: JsonObject | None | Omitted = field(default=None, converter=to_content)
    """What was filled in; only with ``accept``, and only for a form."""


@frozen
class Respond:
    """Answer a request of the peer's with a result."""

    request_id: RequestId
    result: JsonValue = field(default=JsonObject({}), converter=to_json)


@frozen
class RespondError:
    """Answer a request of the peer's with an error."""

    request_id: RequestId
    code: int
    message: str
    data: JsonValue | Omitted = field(default=OMITTED, converter=to_data)


@frozen
class SendRequest:
    """Send a request that has no command of its own, such as a vendor's (EXT-02)."""

    method: str
    params: JsonObject = field(default=JsonObject({}), converter=to_object)


@frozen
class SendNotification:
    """Send a notification that has no command of its own, such as a vendor's (EXT-02)."""

    method: str
    params: JsonObject = field(default=JsonObject({}), converter=to_object)


@frozen
class SendUpdate:
    """Agent: report something in a session that the client has the capability for (LENIENT-16)."""

    session_id: str
    update: SessionUpdate = field(converter=to_update)
    """A JSON object, such as those of `materialize`, stands for the update that it says."""


@frozen(kw_only=True)
class EndTurn:
    """Agent: answer a prompt (TURN-05)."""

    request_id: RequestId
    """The id of the ``session/prompt``."""
    stop_reason: StopReason
    usage: Usage | None = None


@frozen(kw_only=True)
class RequestPermission:
    """Agent: ask whether a tool call may go on (PERM)."""

    session_id: str
    tool_call: ToolCallUpdate
    options: tuple[PermissionOption, ...]


Command: TypeAlias = (
    Initialize
    | Authenticate
    | Logout
    | GetAuthStatus
    | NewSession
    | LoadSession
    | ResumeSession
    | ForkSession
    | ListSessions
    | CloseSession
    | DeleteSession
    | ArchiveSession
    | UnarchiveSession
    | GetSessionStatus
    | SetTitle
    | SetMode
    | SetConfigOption
    | Prompt
    | Cancel
    | CancelRequest
    | AnswerPermission
    | AnswerElicitation
    | Respond
    | RespondError
    | SendRequest
    | SendNotification
    | SendUpdate
    | EndTurn
    | RequestPermission
)

Event: TypeAlias = Received | Sent | Disconnected | Command
