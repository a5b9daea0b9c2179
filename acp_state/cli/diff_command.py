"""``acp-state diff``."""

from __future__ import annotations

from typing import BinaryIO

import click

from acp_state.changes import changes
from acp_state.cli.failure import FOUND, Failure
from acp_state.cli.json_text import dumps
from acp_state.cli.output import write
from acp_state.cli.page import console
from acp_state.cli.show_changes import changes_json, changes_lines, paired
from acp_state.cli.traces import Traces, reading_options, until
from acp_state.methods import Sender
from acp_state.model.connection import Connection


@click.command()
@click.argument("first", type=click.File("rb"), metavar="FIRST")
@click.argument("second", type=click.File("rb"), required=False, metavar="[SECOND]")
@reading_options
@click.option("--at", type=click.IntRange(min=0), metavar="N", help="Take FIRST after message N.")
@click.option(
    "--to", type=click.IntRange(min=0), metavar="M", help="Take the other after message M."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.pass_context
def diff(  # noqa: PLR0913 - the options of a command
    context: click.Context,
    *,
    first: BinaryIO,
    second: BinaryIO | None,
    form: str | None,
    seen_from: Sender | None,
    at: int | None,
    to: int | None,
    as_json: bool,
) -> None:
    """Print what differs between the ends of two recordings, or between two points of one.

    A line for each difference: + for what is new, - for what is gone, ~ for what changed, and the
    names of the fields that did. Sessions of two recordings that share no id are compared in the
    order in which they came. Message 0 is the beginning, before everything.

    Ends with 1 where something differs, with 0 where nothing does.
    """
    if second is None and at is None and to is None:
        raise click.UsageError("one recording needs --at N, --to M or both")
    one = Traces(files=[first], form=form, seen_from=seen_from)
    if second is None:
        old, new = _two_points(one, at, to)
    else:
        other = Traces(files=[second], form=form, seen_from=seen_from)
        old, new = _state(one, at), _state(other, to)
    new = paired(old, new)
    found = changes_json(changes(old, new), old, new)
    if as_json:
        write(dumps(found, indent=True))
    else:
        printer = console()
        for line in changes_lines(found):
            printer.print(line, soft_wrap=True)
    if any(found.values()):
        context.exit(FOUND)


def _state(traces: Traces, at: int | None) -> Connection:
    """The state after a message, or after all; it is read where the beginning is asked for, too."""
    connection = beginning = Connection(side="observer")
    for step in until(traces.steps(), 1 if at == 0 else at, traces.name):
        connection = step.after.connection
    return beginning if at == 0 else connection


def _two_points(traces: Traces, at: int | None, to: int | None) -> tuple[Connection, Connection]:
    """Two states of one recording, which is read once; the end, where none is asked for."""
    found = {0: Connection(side="observer")}
    number, last = 0, found[0]
    for step in traces.steps():
        number, last = step.after.number, step.after.connection
        if number in (at, to):
            found[number] = last
    wanted = [number if each is None else each for each in (at, to)]
    found[number] = last
    missing = [each for each in wanted if each not in found]
    if missing:
        raise Failure(f"there is no message {missing[0]}: {traces.name} holds {number}")
    return found[wanted[0]], found[wanted[1]]
