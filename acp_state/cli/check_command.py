"""``acp-state check``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import BinaryIO, Final

import click
from rich.text import Text

from acp_state.cli.failure import FOUND
from acp_state.cli.json_text import dumps
from acp_state.cli.output import note, write
from acp_state.cli.page import console
from acp_state.cli.safe_text import count, one_line
from acp_state.cli.traces import TRACES, Traces, reading_options
from acp_state.diagnostics import Diagnostic, Severity
from acp_state.json_values import thaw
from acp_state.methods import Sender

SEVERITIES: Final[dict[Severity, str]] = {"error": "red", "warning": "yellow", "info": "blue"}


@click.command()
@TRACES
@reading_options
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object for each diagnostic.")
@click.pass_context
def check(
    context: click.Context,
    *,
    traces: Sequence[BinaryIO],
    form: str | None,
    seen_from: Sender | None,
    as_json: bool,
) -> None:
    """Print where the traffic departs from the protocol.

    One line for each: FILE:LINE: SEVERITY RULE CODE: TEXT. Ends with 1 where there is an error,
    with 2 where the file cannot be read or holds no message, else with 0.
    """
    found: Counter[str] = Counter()
    messages, to = 0, console()
    for step in Traces(files=traces, form=form, seen_from=seen_from).steps():
        messages = step.after.number
        for diagnostic in step.diagnostics:
            found[diagnostic.severity] += 1
            if as_json:
                write(dumps(_as_json(diagnostic, step.file, step.after.line)))
            else:
                to.print(_as_text(diagnostic, step.file, step.after.line), soft_wrap=True)
    note(f"{counts(found)} in {count(messages, 'message')}")
    if found["error"]:
        context.exit(FOUND)


def counts(found: Counter[str]) -> str:
    """How many of each severity."""
    return ", ".join(count(found[severity], severity) for severity in SEVERITIES)


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
