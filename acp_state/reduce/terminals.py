"""Terminals that the client runs for the agent: known by id, readable after release (REQ-03)."""

from __future__ import annotations

from typing import Any

import attrs

from acp_state.model import Terminal
from acp_state.model.connection import Connection, PendingRequest
from acp_state.reduce.sessions import Answer, ConnectionStep, session_of, with_session


def on_terminal_created(
    connection: Connection, request: PendingRequest, answer: Answer
) -> ConnectionStep:
    """The client made a terminal."""
    terminal_id = _fields(answer.result).get("terminalId")
    if not isinstance(terminal_id, str):
        return connection, ()
    return _with(connection, request, Terminal(terminal_id=terminal_id)), ()


def on_terminal_output(
    connection: Connection, request: PendingRequest, answer: Answer
) -> ConnectionStep:
    """The client told the output so far, and the exit status if there is one."""
    terminal, result = _held(connection, request), _fields(answer.result)
    output = result.get("output")
    if terminal is None or not isinstance(output, str):
        return connection, ()
    read = attrs.evolve(terminal, output=output, truncated=result.get("truncated") is True)
    if isinstance(result.get("exitStatus"), dict):
        read = _exited(read, result["exitStatus"])
    return _with(connection, request, read), ()


def on_terminal_exited(
    connection: Connection, request: PendingRequest, answer: Answer
) -> ConnectionStep:
    """The client told how the command ended."""
    terminal = _held(connection, request)
    if terminal is None or answer.error is not None:
        return connection, ()
    return _with(connection, request, _exited(terminal, _fields(answer.result))), ()


def on_terminal_released(
    connection: Connection, request: PendingRequest, answer: Answer
) -> ConnectionStep:
    """The agent gave the terminal up; its last output stays (TOOL-11)."""
    terminal = _held(connection, request)
    if terminal is None or answer.error is not None:
        return connection, ()
    return _with(connection, request, attrs.evolve(terminal, released=True)), ()


def _exited(terminal: Terminal, status: dict[str, Any]) -> Terminal:
    code, signal = status.get("exitCode"), status.get("signal")
    return attrs.evolve(
        terminal,
        exited=True,
        exit_code=code if isinstance(code, int) and not isinstance(code, bool) else None,
        signal=signal if isinstance(signal, str) else None,
    )


def _held(connection: Connection, request: PendingRequest) -> Terminal | None:
    session, terminal_id = session_of(connection, request), request.params.get("terminalId")
    if session is None or not isinstance(terminal_id, str):
        return None
    return session.terminals.get(terminal_id)


def _with(connection: Connection, request: PendingRequest, terminal: Terminal) -> Connection:
    session = session_of(connection, request)
    if session is None:
        return connection
    terminals = session.terminals.set(terminal.terminal_id, terminal)
    return with_session(connection, attrs.evolve(session, terminals=terminals))


def _fields(result: object) -> dict[str, Any]:
    return result if isinstance(result, dict) else {}
