"""``acp-state replay`` and ``acp-state check``."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from typing import BinaryIO, Final

import click
from rich.text import Text

from acp_state.cli.json_text import dumps
from acp_state.cli.limits import FULL, SHORT
from acp_state.cli.page import console, show
from acp_state.cli.progress import with_progress
from acp_state.cli.safe_text import count, one_line
from acp_state.cli.show_session import Scene, show_connection
from acp_state.cli.state_json import connection_json
from acp_state.diagnostics import Diagnostic, Severity
from acp_state.intents import Diagnose, ShowNotice
from acp_state.json_values import thaw
from acp_state.model.connection import Connection
from acp_state.recording.folding import Replayed, replay_each
from acp_state.records import frozen

FOUND_ERRORS: Final = 1

SEVERITIES: Final[dict[Severity, str]] = {"error": "red", "warning": "yellow", "info": "blue"}


class Failure(click.ClickException):
    """Something that the command cannot do; it ends with 2."""

    exit_code = 2


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def commands() -> None:
    """Read recorded Agent Client Protocol traffic.

    A recording is JSON lines, each {"from": "client" or "agent", "message": ...} or a bare
    JSON-RPC message, or one JSON document with a list "messages" of these; the name - stands for
    standard input. The sender of a bare message follows from its method or id; methods that ACP
    does not know count as the agent's.
    """


@commands.command()
@click.argument("trace", type=click.File("rb"))
@click.option("--json", "as_json", is_flag=True, help="Print the whole state as JSON.")
@click.option("--at", type=click.IntRange(min=1), help="Show the state after message N.")
@click.option("--full", is_flag=True, help="Shorten nothing.")
def replay(trace: BinaryIO, *, as_json: bool, at: int | None, full: bool) -> None:
    """Print what each session holds after the last message."""
    end = _replayed(trace, at)
    if as_json:
        _write(dumps(connection_json(end.connection, end.messages), indent=True))
    else:
        limits = FULL if full else SHORT
        scene = Scene(connection=end.connection, notices=tuple(end.notices), limits=limits)
        show(show_connection(scene), console())
    if end.found:
        name = one_line(_name(trace))
        click.echo(f"{_counts(end.found)}: see acp-state check {name}", err=True)


@commands.command()
@click.argument("trace", type=click.File("rb"))
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object for each diagnostic.")
@click.pass_context
def check(context: click.Context, trace: BinaryIO, *, as_json: bool) -> None:
    """Print where the traffic departs from the protocol.

    One line for each: FILE:LINE: SEVERITY RULE CODE: TEXT. Ends with 1 where there is an error,
    with 2 where the file cannot be read, else with 0.
    """
    found: Counter[str] = Counter()
    messages, to = 0, console()
    for step in _steps(trace):
        messages = step.number
        for diagnostic in _diagnostics(step):
            found[diagnostic.severity] += 1
            if as_json:
                _write(dumps(_as_json(diagnostic, _name(trace), step.line)))
            else:
                to.print(_as_text(diagnostic, _name(trace), step.line), soft_wrap=True)
    sys.stdout.flush()
    click.echo(f"{_counts(found)} in {count(messages, 'message')}", err=True)
    if found["error"]:
        context.exit(FOUND_ERRORS)


@frozen(kw_only=True)
class _Replayed:
    """Where a replay ended."""

    connection: Connection
    messages: int
    notices: list[ShowNotice]
    found: Counter[str]


def _replayed(trace: BinaryIO, at: int | None) -> _Replayed:
    """The state after the last message, or after message `at`."""
    connection, number = Connection(), 0
    notices: list[ShowNotice] = []
    found: Counter[str] = Counter()
    for step in _steps(trace):
        connection, number = step.connection, step.number
        notices += [intent for intent in step.intents if isinstance(intent, ShowNotice)]
        found.update(diagnostic.severity for diagnostic in _diagnostics(step))
        if number == at:
            break
    if at is not None and number < at:
        held = count(number, "message")
        raise Failure(f"there is no message {at}: {one_line(_name(trace))} holds {held}")
    return _Replayed(connection=connection, messages=number, notices=notices, found=found)


def _steps(trace: BinaryIO) -> Iterator[Replayed]:
    return replay_each(_lines(trace))


def _lines(trace: BinaryIO) -> Iterator[bytes]:
    try:
        yield from with_progress(trace)
    except OSError as error:
        raise Failure(f"cannot read {one_line(_name(trace))}: {error.strerror}") from error


def _diagnostics(step: Replayed) -> list[Diagnostic]:
    return [intent.diagnostic for intent in step.intents if isinstance(intent, Diagnose)]


def _as_text(diagnostic: Diagnostic, file: str, line: int) -> Text:
    severity = diagnostic.severity
    return Text.assemble(
        (one_line(f"{file}:{line}: "), "bold"),
        (severity, SEVERITIES[severity]),
        one_line(str(diagnostic).removeprefix(severity)),
    )


def _as_json(diagnostic: Diagnostic, file: str, line: int) -> dict[str, object]:
    return {
        "file": file,
        "line": line,
        "severity": diagnostic.severity,
        "rule": diagnostic.rule,
        "code": diagnostic.code,
        "text": diagnostic.text,
        "sessionId": diagnostic.session_id,
        "path": diagnostic.path,
        "raw": thaw(diagnostic.raw),
    }


def _counts(found: Counter[str]) -> str:
    return ", ".join(count(found[severity], severity) for severity in SEVERITIES)


def _name(trace: BinaryIO) -> str:
    name = getattr(trace, "name", None)
    return name if isinstance(name, str) else "<stdin>"


def _write(data: bytes) -> None:
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
