"""What an agent asks a client to do: files and terminals.

Source: protocol v1 draft, File System, Terminals; ``$defs``: ReadTextFileRequest,
WriteTextFileRequest, CreateTerminalRequest and its kin, TerminalExitStatus.
"""

from attrs import field

from acp_state.json_values import JsonObject, freeze_meta
from acp_state.omitted import OMITTED, Omitted
from acp_state.records import frozen
from acp_state.schema.wire import wire


@frozen(kw_only=True)
class ReadTextFileRequest:
    """Read a file, or `limit` lines of it from `line` on, counted from 1."""

    session_id: str
    path: str = field(metadata=wire(path=True))
    line: int | None | Omitted = field(default=OMITTED, metadata=wire(lenient=False, minimum=0))
    limit: int | None | Omitted = field(default=OMITTED, metadata=wire(lenient=False, minimum=0))
    meta: JsonObject | None | Omitted = field(default=OMITTED, converter=freeze_meta)


@frozen(kw_only=True)
class ReadTextFileResponse:
    """What the file holds, or the lines of it that were asked for."""

    content: str
    meta: JsonObject | None | Omitted = field(default=OMITTED, converter=freeze_meta)


@frozen(kw_only=True)
class WriteTextFileRequest:
    """Write a file whole."""

    session_id: str
    path: str = field(metadata=wire(path=True))
    content: str
    meta: JsonObject | None | Omitted = field(default=OMITTED, converter=freeze_meta)


@frozen(kw_only=True)
class EnvVariable:
    """A variable of a process's environment."""

    name: str
    value: str
    meta: JsonObject | None | Omitted = field(default=OMITTED, converter=freeze_meta)


@frozen(kw_only=True)
class CreateTerminalRequest:
    """Start a command in a terminal; `output_byte_limit` in bytes."""

    session_id: str
    command: str
    args: tuple[str, ...] | Omitted = field(
        default=OMITTED, metadata=wire(lenient=False, on_null=())
    )
    env: tuple[EnvVariable, ...] | Omitted = field(
        default=OMITTED, metadata=wire(lenient=False, on_null=())
    )
    cwd: str | None | Omitted = field(default=OMITTED, metadata=wire(lenient=False, path=True))
    output_byte_limit: int | None | Omitted = field(
        default=OMITTED, metadata=wire(lenient=False, minimum=0)
    )
    meta: JsonObject | None | Omitted = field(default=OMITTED, converter=freeze_meta)


@frozen(kw_only=True)
class CreateTerminalResponse:
    """The terminal is made."""

    terminal_id: str
    meta: JsonObject | None | Omitted = field(default=OMITTED, converter=freeze_meta)


@frozen(kw_only=True)
class _TerminalRequest:
    session_id: str
    terminal_id: str
    meta: JsonObject | None | Omitted = field(default=OMITTED, converter=freeze_meta)


@frozen(kw_only=True)
class TerminalOutputRequest(_TerminalRequest):
    """Tell the output so far."""


@frozen(kw_only=True)
class WaitForTerminalExitRequest(_TerminalRequest):
    """Tell when the command has ended."""


@frozen(kw_only=True)
class KillTerminalRequest(_TerminalRequest):
    """End the command; the terminal stays valid (REQ-03)."""


@frozen(kw_only=True)
class ReleaseTerminalRequest(_TerminalRequest):
    """Give the terminal up; its id is invalid from then on (REQ-03)."""


@frozen(kw_only=True)
class TerminalExitStatus:
    """How a command ended; a signal, or an exit code."""

    exit_code: int | None | Omitted = field(default=OMITTED, metadata=wire(minimum=0))
    signal: str | None | Omitted = OMITTED
    meta: JsonObject | None | Omitted = field(default=OMITTED, converter=freeze_meta)


@frozen(kw_only=True)
class WaitForTerminalExitResponse(TerminalExitStatus):
    """The command has ended."""


@frozen(kw_only=True)
class TerminalOutputResponse:
    """The output so far, and how the command ended if it has."""

    output: str
    truncated: bool
    exit_status: TerminalExitStatus | None | Omitted = OMITTED
    meta: JsonObject | None | Omitted = field(default=OMITTED, converter=freeze_meta)
