"""``acp-state replay``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import BinaryIO

import click

from acp_state.cli.check_command import counts
from acp_state.cli.json_text import dumps
from acp_state.cli.limits import FULL, SHORT
from acp_state.cli.output import note, write
from acp_state.cli.page import console, show
from acp_state.cli.show_session import Scene, show_connection
from acp_state.cli.state_json import connection_json
from acp_state.cli.traces import TRACES, Traces, reading_options, until
from acp_state.intents import ShowNotice
from acp_state.methods import Sender
from acp_state.model.connection import Connection
from acp_state.records import frozen


@click.command()
@TRACES
@reading_options
@click.option("--json", "as_json", is_flag=True, help="Print the whole state as JSON.")
@click.option(
    "--at", type=click.IntRange(min=1), metavar="N", help="Show the state after message N."
)
@click.option("--full", is_flag=True, help="Shorten nothing.")
def replay(  # noqa: PLR0913 - the options of a command
    *,
    traces: Sequence[BinaryIO],
    form: str | None,
    seen_from: Sender | None,
    as_json: bool,
    at: int | None,
    full: bool,
) -> None:
    """Print what each session holds after the last message."""
    read = Traces(files=traces, form=form, seen_from=seen_from)
    print_state(read, as_json=as_json, at=at, full=full)


def print_state(read: Traces, *, as_json: bool, at: int | None, full: bool) -> None:
    """Print the state after message `at`, or after the last."""
    end = _replayed(read, at)
    if as_json:
        write(dumps(connection_json(end.connection, end.messages), indent=True))
    else:
        limits = FULL if full else SHORT
        scene = Scene(connection=end.connection, notices=tuple(end.notices), limits=limits)
        show(show_connection(scene), console())
    if end.found:
        note(f"{counts(end.found)}: see acp-state check {read.name}")


@frozen(kw_only=True)
class _Replayed:
    """Where a replay ended."""

    connection: Connection
    messages: int
    notices: list[ShowNotice]
    found: Counter[str]


def _replayed(traces: Traces, at: int | None) -> _Replayed:
    """The state after the last message, or after message `at`."""
    connection, number = Connection(), 0
    notices: list[ShowNotice] = []
    found: Counter[str] = Counter()
    for step in until(traces.steps(), at, traces.name):
        connection, number = step.after.connection, step.after.number
        notices += [intent for intent in step.after.intents if isinstance(intent, ShowNotice)]
        found.update(diagnostic.severity for diagnostic in step.diagnostics)
    return _Replayed(connection=connection, messages=number, notices=notices, found=found)
