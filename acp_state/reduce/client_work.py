"""Files and terminals: what an agent asks of the client's host (REQ)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from acp_state.intents import (
    AwaitTerminal,
    CreateTerminal,
    Intent,
    KillTerminal,
    ReadTerminal,
    ReadTextFile,
    ReleaseTerminal,
    WriteTextFile,
)
from acp_state.leniency import Decoded, decode
from acp_state.methods import METHODS
from acp_state.model import Connection, PendingRequest, RequestKey, Session, Terminal
from acp_state.model.copying import evolve
from acp_state.omitted import or_none
from acp_state.reading import Malformed
from acp_state.reduce.capabilities import advertises
from acp_state.reduce.links import (
    Answer,
    ConnectionStep,
    not_found,
    session_of,
    tell,
    text_of,
    told_faults,
)
from acp_state.reduce.odd_values import check_values
from acp_state.reduce.settling import refuse, refuse_params, tell_agent
from acp_state.schema import (
    CreateTerminalResponse,
    Error,
    TerminalExitStatus,
    TerminalOutputResponse,
)
from acp_state.schema.errors import METHOD_NOT_FOUND

WORK: Final[Mapping[str, Callable[[Any, Any], Intent]]] = {
    "fs/read_text_file": ReadTextFile,
    "fs/write_text_file": WriteTextFile,
    "terminal/create": CreateTerminal,
    "terminal/output": ReadTerminal,
    "terminal/wait_for_exit": AwaitTerminal,
    "terminal/kill": KillTerminal,
    "terminal/release": ReleaseTerminal,
}
"""What the client's host is told of each request for work (REQ-02)."""


def on_work(
    connection: Connection, key: RequestKey, request: PendingRequest, params: dict[str, Any]
) -> ConnectionStep:
    """Hand the work to the client's host, or refuse it (REQ-01 to REQ-04)."""
    row = METHODS[request.method]
    if not advertises(connection.client_capabilities, row.capability or ""):
        error = Error(code=METHOD_NOT_FOUND, message=f"{request.method} was not advertised")
        return refuse(connection, key, request, error)
    try:
        decoded: Decoded[Any] = decode(params, row.params or type(None))
    except Malformed as malformed:
        return refuse_params(connection, key, request, str(malformed))
    wanted = decoded.value
    odd = check_values(request.session_id, wanted)
    noticed = (*told_faults(decoded, request.session_id), *odd)
    unknown = _unknown(connection, wanted.session_id, getattr(wanted, "terminal_id", None))
    if unknown is not None:
        connection, refused = refuse(connection, key, request, unknown)
        return connection, noticed + refused
    work = WORK[request.method]
    return connection, noticed + tell(
        connection, "client", lambda: work(request.request_id, wanted)
    )


def on_terminal_created(
    connection: Connection, request: PendingRequest, answer: Answer
) -> ConnectionStep:
    """The client made a terminal."""
    if answer.error is None:
        created: CreateTerminalResponse = answer.value
        terminal = Terminal(terminal_id=created.terminal_id)
        connection = _with(connection, request, terminal)
    return connection, tell_agent(connection, request, answer)


def on_terminal_output(
    connection: Connection, request: PendingRequest, answer: Answer
) -> ConnectionStep:
    """The client told the output so far, and the exit status if there is one."""
    terminal = _held(connection, request)
    if terminal is not None and answer.error is None:
        told: TerminalOutputResponse = answer.value
        read = evolve(terminal, output=told.output, truncated=told.truncated)
        status = or_none(told.exit_status)
        connection = _with(connection, request, _exited(read, status) if status else read)
    return connection, tell_agent(connection, request, answer)


def on_terminal_exited(
    connection: Connection, request: PendingRequest, answer: Answer
) -> ConnectionStep:
    """The client told how the command ended."""
    terminal = _held(connection, request)
    if terminal is not None and answer.error is None:
        connection = _with(connection, request, _exited(terminal, answer.value))
    return connection, tell_agent(connection, request, answer)


def on_terminal_released(
    connection: Connection, request: PendingRequest, answer: Answer
) -> ConnectionStep:
    """The agent gave the terminal up; its last output stays (TOOL-11)."""
    terminal = _held(connection, request)
    if terminal is not None and answer.error is None:
        connection = _with(connection, request, evolve(terminal, released=True))
    return connection, tell_agent(connection, request, answer)


def _unknown(connection: Connection, session_id: str, terminal_id: str | None) -> Error | None:
    """An error for a session or terminal that is not known, or was released (REQ-03, REQ-04)."""
    session = connection.sessions.get(session_id)
    if session is None:
        return not_found("session", sessionId=session_id)
    if terminal_id is None:
        return None
    terminal = session.terminals.get(terminal_id)
    if terminal is None or terminal.released:
        return not_found("terminal", terminalId=terminal_id)
    return None


def _exited(terminal: Terminal, status: TerminalExitStatus) -> Terminal:
    return evolve(
        terminal,
        exited=True,
        exit_code=or_none(status.exit_code),
        signal=or_none(status.signal),
    )


def _held(connection: Connection, request: PendingRequest) -> Terminal | None:
    session, terminal_id = session_of(connection, request), text_of(request.params, "terminalId")
    return session.terminals.get(terminal_id) if session and terminal_id is not None else None


def _with(connection: Connection, request: PendingRequest, terminal: Terminal) -> Connection:
    session: Session | None = session_of(connection, request)
    if session is None:
        return connection
    terminals = session.terminals.set(terminal.terminal_id, terminal)
    return connection.with_session(evolve(session, terminals=terminals))
