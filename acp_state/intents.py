"""What comes out of a reducer beside the new state: things for the host to do or to know."""

from __future__ import annotations

from typing import Any, TypeAlias, cast

from attrs import field

from acp_state.diagnostics import Diagnostic
from acp_state.json_values import JsonObject, JsonValue, thaw
from acp_state.model import Elicitation, Permission, ToolCall, Turn
from acp_state.records import frozen
from acp_state.schema import (
    CreateTerminalRequest,
    Error,
    KillTerminalRequest,
    Notice,
    ReadTextFileRequest,
    ReleaseTerminalRequest,
    RequestId,
    TerminalOutputRequest,
    WaitForTerminalExitRequest,
    WriteTextFileRequest,
)


@frozen
class Send:
    """Send this message to the peer."""

    _message: JsonObject = field(converter=JsonObject)

    @property
    def message(self) -> dict[str, Any]:
        """The JSON-RPC message, a new dict each time."""
        return cast("dict[str, Any]", thaw(self._message))

    @property
    def request_id(self) -> RequestId:
        """The id of the request that it makes, to await its answer by; None: it makes none."""
        is_request = "method" in self._message and "id" in self._message
        return cast("RequestId", self._message["id"]) if is_request else None


@frozen(kw_only=True)
class AskPermission:
    """Ask the user, and answer with `AnswerPermission`."""

    session_id: str
    permission: Permission
    tool_call: ToolCall
    """The call as it stands with what the request says of it (PERM-02)."""

    @property
    def request_id(self) -> RequestId:
        """What to answer with `AnswerPermission`."""
        return self.permission.request_id


@frozen(kw_only=True)
class PermissionWithdrawn:
    """The question needs no answer any more."""

    session_id: str
    permission: Permission

    @property
    def request_id(self) -> RequestId:
        """Which question it was."""
        return self.permission.request_id


@frozen
class AskElicitation:
    """Ask the user, and answer with `AnswerElicitation`."""

    elicitation: Elicitation

    @property
    def request_id(self) -> RequestId:
        """What to answer with `AnswerElicitation`."""
        return self.elicitation.request_id


@frozen
class ElicitationWithdrawn:
    """The question needs no answer any more."""

    elicitation: Elicitation

    @property
    def request_id(self) -> RequestId:
        """Which question it was."""
        return self.elicitation.request_id


@frozen
class ElicitationCompleted:
    """What the user went to a URL for is done (ELIC-04)."""

    elicitation: Elicitation


@frozen
class ReadTextFile:
    """Read the file, and answer with `Respond(request_id, {"content": …})` or `RespondError`."""

    request_id: RequestId
    request: ReadTextFileRequest


@frozen
class WriteTextFile:
    """Write the file, and answer with `Respond` or `RespondError`."""

    request_id: RequestId
    request: WriteTextFileRequest


@frozen
class CreateTerminal:
    """Start the command, and answer with `Respond(request_id, {"terminalId": …})`."""

    request_id: RequestId
    request: CreateTerminalRequest


@frozen
class ReadTerminal:
    """Answer with `Respond`: ``output``, ``truncated``, and ``exitStatus`` if it has ended."""

    request_id: RequestId
    request: TerminalOutputRequest


@frozen
class AwaitTerminal:
    """Answer with `Respond`, ``exitCode`` and ``signal``, when the command has ended."""

    request_id: RequestId
    request: WaitForTerminalExitRequest


@frozen
class KillTerminal:
    """End the command, and answer with `Respond` or `RespondError`."""

    request_id: RequestId
    request: KillTerminalRequest


@frozen
class ReleaseTerminal:
    """End the command if it runs, free the terminal, and answer with `Respond`."""

    request_id: RequestId
    request: ReleaseTerminalRequest


@frozen(kw_only=True)
class HandleExtension:
    """Do what a method beyond the protocol's asks; a request is answered with `Respond`."""

    method: str
    params: JsonObject
    request_id: RequestId = None
    is_request: bool = False
    """False: a notification, which is never answered."""


@frozen(kw_only=True)
class HandleRequest:
    """Agent: do what the client asks, and answer with `Respond`, `RespondError` or `EndTurn`."""

    request_id: RequestId
    method: str
    params: JsonObject


@frozen(kw_only=True)
class WorkWithdrawn:
    """Stop this work, nobody wants it any more (CANCEL-10)."""

    request_id: RequestId
    method: str


@frozen
class CancelRequested:
    """Agent: stop what the session does, its children's work too, and end its turn (CANCEL)."""

    session_id: str


@frozen(kw_only=True)
class ShowNotice:
    """Show a notice to the user now; it is no history (NOTICE-02)."""

    session_id: str
    notice: Notice
    position: int
    """Length of the timeline when it came, so that a host can show it in its place."""


@frozen(kw_only=True)
class TurnEnded:
    """A prompt was answered, or never will be."""

    session_id: str
    turn: Turn

    @property
    def request_id(self) -> RequestId:
        """The id of the ``session/prompt``."""
        return self.turn.request_id


@frozen
class SessionReady:
    """The session can be prompted now."""

    session_id: str
    request_id: RequestId
    """The request that made, loaded or resumed it."""


@frozen(kw_only=True)
class RequestAnswered:
    """A request of ours was answered with a result."""

    request_id: RequestId
    method: str
    result: JsonValue
    session_id: str | None = None


@frozen(kw_only=True)
class RequestFailed:
    """A request of ours was answered with an error, or never will be."""

    request_id: RequestId
    method: str
    error: Error | None
    """None: the connection was lost, and what became of it is not known (CONN-01)."""
    session_id: str | None = None


@frozen
class Diagnose:
    """The peer did something that the rules do not foresee."""

    diagnostic: Diagnostic


Intent: TypeAlias = (
    Send
    | AskPermission
    | PermissionWithdrawn
    | AskElicitation
    | ElicitationWithdrawn
    | ElicitationCompleted
    | ReadTextFile
    | WriteTextFile
    | CreateTerminal
    | ReadTerminal
    | AwaitTerminal
    | KillTerminal
    | ReleaseTerminal
    | HandleExtension
    | HandleRequest
    | WorkWithdrawn
    | CancelRequested
    | ShowNotice
    | TurnEnded
    | SessionReady
    | RequestAnswered
    | RequestFailed
    | Diagnose
)
