"""What goes into `reduce`: messages that were seen, and commands, what the host wants to happen.

A command makes a message, the intent to send it, and the same change that seeing that message
sent would make. One that the protocol does not allow now raises `LocalProtocolError` and changes
nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, TypeAlias, TypeVar, cast

from attrs import field

from acp_state.errors import LocalProtocolError
from acp_state.json_values import (
    JsonObject,
    JsonValue,
    freeze,
    freeze_meta,
    freeze_raw,
    thaw_object,
)
from acp_state.leniency import Decoded, decode
from acp_state.omitted import OMITTED, Omitted
from acp_state.reading import Malformed
from acp_state.records import frozen
from acp_state.schema import (
    ClientCapabilities,
    ContentBlock,
    Implementation,
    PermissionOption,
    RequestId,
    SessionUpdate,
    StopReason,
    TextContent,
    ToolCallUpdate,
    Usage,
)
from acp_state.schema.content import CONTENT_BLOCK
from acp_state.schema.updates import SESSION_UPDATE

A = TypeVar("A")
B = TypeVar("B")


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


def _blocks(content: str | Iterable[ContentBlock]) -> tuple[ContentBlock, ...]:
    """A string is one text block."""
    if isinstance(content, str):
        return (TextContent(text=content),)
    try:
        blocks = tuple(content)
    except TypeError:
        raise _no_block(content) from None
    for block in blocks:
        if type(block) not in CONTENT_BLOCK.classes():
            raise _no_block(block)
    return blocks


def _no_block(value: object) -> LocalProtocolError:
    text = f"{value!r:.60} is no content block: pass a string or objects of ContentBlock"
    return LocalProtocolError(text, rule="TURN-02")


def _update(update: SessionUpdate | JsonObject | dict[str, Any]) -> SessionUpdate:
    """A JSON object is the update that it says; of our own, all parts have to fit."""
    if type(update) in SESSION_UPDATE.classes():
        return cast("SessionUpdate", update)
    try:
        json = thaw_object(update) if isinstance(update, JsonObject) else update
        read: Decoded[SessionUpdate] = decode(json, SessionUpdate)  # type: ignore[arg-type] # a union
    except Malformed as malformed:
        raise _no_update(str(malformed)) from None
    if read.faults:
        raise _no_update(f"{read.faults[0].path}: {read.faults[0].text}")
    return read.value


def _no_update(fault: str) -> LocalProtocolError:
    text = f"this is no session update: {fault}; pass an object of SessionUpdate, or its JSON"
    return LocalProtocolError(text, rule="RPC-07")


def _json(convert: Callable[[A], B], value: A) -> B:
    """JSON of a host's, frozen; what is none is the host's mistake."""
    try:
        return convert(value)
    except ValueError as fault:
        raise LocalProtocolError(f"{fault}: pass JSON", rule="RPC-01") from None


def _params(params: Mapping[str, object]) -> JsonObject:
    return _json(JsonObject, params)


def _result(result: object) -> JsonValue:
    return _json(freeze, result)


def _data(data: object) -> JsonValue | Omitted:
    return _json(freeze_raw, data)


def _content(content: Mapping[str, object] | Omitted | None) -> JsonObject | Omitted | None:
    return _json(freeze_meta, content)


def _servers(servers: Iterable[Mapping[str, object]]) -> tuple[JsonObject, ...]:
    return tuple(_json(JsonObject, each) for each in _several(servers))


def _paths(paths: Iterable[str]) -> tuple[str, ...]:
    return tuple(_several(paths))


def _several(values: Iterable[A]) -> Iterable[A]:
    """The values, unless it is one alone: a string is no list of its letters."""
    given = cast("object", values)  # whatever the host passed
    if isinstance(given, Iterable) and not isinstance(given, (str, Mapping)):
        return values
    raise LocalProtocolError(f"{values!r:.60} is one alone: pass a tuple", rule="SESS-01")


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
    mcp_servers: tuple[JsonObject, ...] = field(default=(), converter=_servers)
    """As in the schema's ``McpServer``."""
    additional_directories: tuple[str, ...] = field(default=(), converter=_paths)


@frozen(kw_only=True)
class LoadSession:
    """Client: take up a session, with its history replayed (LOAD-01)."""

    session_id: str
    cwd: str
    mcp_servers: tuple[JsonObject, ...] = field(default=(), converter=_servers)
    additional_directories: tuple[str, ...] = field(default=(), converter=_paths)


@frozen(kw_only=True)
class ResumeSession:
    """Client: take up a session, without a replay (LOAD-13)."""

    session_id: str
    cwd: str
    mcp_servers: tuple[JsonObject, ...] = field(default=(), converter=_servers)
    additional_directories: tuple[str, ...] = field(default=(), converter=_paths)


@frozen(kw_only=True)
class ForkSession:
    """Client: make a session that goes on from another."""

    session_id: str
    cwd: str
    mcp_servers: tuple[JsonObject, ...] = field(default=(), converter=_servers)
    additional_directories: tuple[str, ...] = field(default=(), converter=_paths)


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
    content: tuple[ContentBlock, ...] = field(converter=_blocks)
    """A string stands for one text block."""
    while_running: bool = field(default=False, kw_only=True)
    """Send it even though a turn runs; what the agent makes of that differs from agent to agent."""


@frozen
class Cancel:
    """Client: cancel the session's current turn and its children's work (14.2)."""

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
    content: JsonObject | None | Omitted = field(default=None, converter=_content)
    """What was filled in; only with ``accept``, and only for a form."""


@frozen
class Respond:
    """Answer a request of the peer's with a result."""

    request_id: RequestId
    result: JsonValue = field(default=JsonObject({}), converter=_result)


@frozen
class RespondError:
    """Answer a request of the peer's with an error."""

    request_id: RequestId
    code: int
    message: str
    data: JsonValue | Omitted = field(default=OMITTED, converter=_data)


@frozen
class SendRequest:
    """Send a request that has no command of its own, such as a vendor's (EXT-02)."""

    method: str
    params: JsonObject = field(default=JsonObject({}), converter=_params)


@frozen
class SendNotification:
    """Send a notification that has no command of its own, such as a vendor's (EXT-02)."""

    method: str
    params: JsonObject = field(default=JsonObject({}), converter=_params)


@frozen
class SendUpdate:
    """Agent: report something in a session that the client has the capability for (LENIENT-16)."""

    session_id: str
    update: SessionUpdate = field(converter=_update)
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
    """Agent: ask whether a tool call may go on (14.3)."""

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
