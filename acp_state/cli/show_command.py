"""``acp-state show``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import BinaryIO

import click

from acp_state.cli.output import OUTPUT, note, output
from acp_state.cli.replay_command import print_state
from acp_state.cli.safe_text import one_line
from acp_state.cli.traces import TRACES, Traces, reading_options
from acp_state.cli.web.page import html_page
from acp_state.methods import Sender


@click.command()
@TRACES
@reading_options
@click.option(
    "--html", type=OUTPUT, metavar="FILE", help="Write a page for a browser to this file."
)
@click.option("--json", "as_json", is_flag=True, help="Print the whole state as JSON.")
@click.option(
    "--at", type=click.IntRange(min=1), metavar="N", help="Show the state after message N."
)
@click.option("--full", is_flag=True, help="Shorten nothing.")
def show(  # noqa: PLR0913 - the options of a command
    *,
    traces: Sequence[BinaryIO],
    form: str | None,
    seen_from: Sender | None,
    html: str | None,
    as_json: bool,
    at: int | None,
    full: bool,
) -> None:
    """Show the conversation: in the terminal as replay does, or with --html as one page.

    The page holds all that it needs and loads nothing: the conversation, tool calls with their
    diffs and outputs, plans, the use of the context window over time, diagnostics where they arose,
    and the raw messages, with a slider through time.
    """
    read = Traces(files=traces, form=form, seen_from=seen_from)
    if html is None:
        print_state(read, as_json=as_json, at=at, full=full)
        return
    if as_json or at is not None or full:
        raise click.UsageError("--html shows everything: it goes without --json, --at and --full")
    with output(html) as put:
        page = html_page(read.name, read.steps())
        put(page.encode())
    name = "<stdout>" if html == "-" else one_line(html)
    note(f"{name}: {len(page):,} characters")
