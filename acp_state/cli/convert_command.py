"""``acp-state convert``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import tee
from typing import BinaryIO

import click

from acp_state.cli.anonymise import Anonymiser
from acp_state.cli.failure import Failure
from acp_state.cli.json_text import exact
from acp_state.cli.output import OUTPUT, output
from acp_state.cli.traces import TRACES, Messages, Step, Traces, reading_options
from acp_state.cli.writing import Said, methods_of, written
from acp_state.methods import Sender
from acp_state.recording.forms import FORMS
from acp_state.recording.json_text import Json
from acp_state.recording.trace import Record


@click.command()
@TRACES
@reading_options
@click.option(
    "--to",
    type=click.Choice(list(FORMS)),
    metavar="FORM",
    default="recording",
    show_default=True,
    help="The form to write.",
)
@click.option("--anonymise", is_flag=True, help="Replace texts, paths, names and ids.")
@click.option("--salt", metavar="TEXT", help="What the other words depend on, for --anonymise.")
@click.option(
    "--output", "-o", "name", type=OUTPUT, metavar="FILE", help="Where to write; else printed."
)
@click.option("--json", "as_json", is_flag=True, help="The same as --to recording.")
def convert(  # noqa: PLR0913 - the options of a command
    *,
    traces: Sequence[BinaryIO],
    form: str | None,
    seen_from: Sender | None,
    to: str,
    anonymise: bool,
    salt: str | None,
    name: str | None,
    as_json: bool,
) -> None:
    """Write the traffic in another form, each message with its sender and its time.

    Lines that hold no message are left out, and told on standard error. Forms that know out and in
    only are written from the client's side.

    With --anonymise, every word becomes another one of the same length, the same wherever it
    stands, and streamed text is hidden altogether; what the protocol defines stays, and so do
    numbers and what the peers call themselves. This hides words from readers; who knows the salt
    can still try out whether a given word was there.
    """
    if salt is not None and not anonymise:
        raise click.UsageError("--salt goes with --anonymise")
    hidden = Anonymiser(salt or "") if anonymise else None
    messages = Messages(Traces(files=traces, form=form, seen_from=seen_from))
    with output(name) as put:
        for line in written("recording" if as_json else to, _said(messages, hidden), exact):
            put(line.encode() + b"\n")
    messages.tell_left_out()


def _said(messages: Iterable[Step], hidden: Anonymiser | None) -> Iterator[Said]:
    records, again = tee(step.record for step in messages)
    methods = methods_of((each.sender or "agent", each.message) for each in again)
    for record, method in zip(records, methods, strict=True):
        message = record.message if hidden is None else _hidden(hidden, record)
        sender = record.sender or "agent"
        yield Said(message=message, sender=sender, time=record.time, method=method)


def _hidden(hidden: Anonymiser, record: Record) -> Json:
    try:
        return hidden(record.message)
    except RecursionError:
        raise Failure(f"the message of line {record.line} is nested too deeply") from None
