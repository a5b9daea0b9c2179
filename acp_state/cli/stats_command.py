"""``acp-state stats``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from typing import TYPE_CHECKING, Any, BinaryIO, Final, TypeAlias

import click
from rich.table import Table
from rich.text import Text

from acp_state.cli.counting import Counts, Key, Stall, Tally, ToolRun
from acp_state.cli.json_text import dumps, exact
from acp_state.cli.output import write
from acp_state.cli.page import console
from acp_state.cli.safe_text import count, one_line
from acp_state.cli.traces import TRACES, Messages, Traces, reading_options
from acp_state.methods import Sender
from acp_state.model import ToolCall

if TYPE_CHECKING:
    from rich.console import Console

Json: TypeAlias = dict[str, Any]

COLUMNS: Final = 60
"""Characters of a name or title."""


@click.command()
@TRACES
@reading_options
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option(
    "--top",
    type=click.IntRange(min=0),
    default=5,
    show_default=True,
    metavar="N",
    help="How many slow tool calls and silences to list.",
)
def stats(
    *,
    traces: Sequence[BinaryIO],
    form: str | None,
    seen_from: Sender | None,
    as_json: bool,
    top: int,
) -> None:
    """Print what the traffic consists of: counts, sizes, and times where they are recorded.

    A response counts with its request. A tool's time runs from the first sight of a call until it
    is completed or failed; a silence is the time between two messages.

    Lines that hold no message are left out, and told on standard error.
    """
    messages = Messages(Traces(files=traces, form=form, seen_from=seen_from))
    counted = Counts(lambda message: len(exact(message).encode())).take(messages)
    if as_json:
        write(dumps(_as_json(counted, top), indent=True))
    else:
        _print(counted, top, console())
    messages.tell_left_out()


def _as_json(counted: Counts, top: int) -> Json:
    return {
        "messages": counted.messages,
        "bytes": counted.size,
        "seconds": None if counted.seconds is None else round(counted.seconds, 6),
        "methods": list(_rows(("sender", "method"), counted.methods)),
        "updates": list(_rows(("update",), counted.variants)),
        "tools": list(_rows(("tool",), counted.tools())),
        "slowest": [_slow(call, run) for call, run in counted.slowest(top)],
        "silences": [_silence(stall) for stall in counted.longest_silences(top)],
    }


def _rows(names: tuple[str, ...], tallies: Mapping[Key, Tally]) -> Iterator[Json]:
    for key, tally in _sorted(tallies):
        named = dict(zip(names, key, strict=True))
        yield {**named, "count": tally.count, "bytes": tally.size, **_times(tally.seconds)}


def _sorted(tallies: Mapping[Key, Tally]) -> list[tuple[Key, Tally]]:
    return sorted(tallies.items(), key=lambda item: (-item[1].count, item[0]))


def _times(seconds: list[float]) -> Json:
    if not seconds:
        return {"medianSeconds": None, "maxSeconds": None}
    return {"medianSeconds": round(median(seconds), 6), "maxSeconds": round(max(seconds), 6)}


def _slow(call: ToolCall, run: ToolRun) -> Json:
    return {
        "seconds": round(run.seconds or 0.0, 6),
        "tool": call.name or call.kind,
        "title": call.title,
        "toolCallId": call.tool_call_id,
        "sessionId": run.session_id,
    }


def _silence(stall: Stall) -> Json:
    return {"seconds": round(stall.seconds, 6), "before": stall.before, "until": stall.said}


def _print(counted: Counts, top: int, to: Console) -> None:
    lasted = counted.seconds
    during = "no times recorded" if lasted is None else f"{lasted:,.3f} s"
    to.print(f"{count(counted.messages, 'message')}, {counted.size:,} bytes, {during}")
    for title, tallies in (
        ("method", counted.methods),
        ("session update", counted.variants),
        ("tool", counted.tools()),
    ):
        _print_tallies(title, tallies, to)
    for call, run in counted.slowest(top)[:top]:
        title = one_line(call.title or call.tool_call_id, COLUMNS)
        _print_slow("slow tool call", run.seconds or 0.0, title, to)
    for stall in counted.longest_silences(top):
        text = f"before message {stall.before}, {one_line(stall.said, COLUMNS)}"
        _print_slow("silence", stall.seconds, text, to)


def _print_slow(what: str, seconds: float, text: str, to: Console) -> None:
    to.print(Text(f"{what:<15}{seconds:>10.3f} s  {text}"), soft_wrap=True)


def _print_tallies(title: str, tallies: Mapping[Key, Tally], to: Console) -> None:
    if not tallies:
        return
    table = Table(box=None, pad_edge=False, show_edge=False)
    table.add_column(title)
    for name in ("count", "bytes", "median s", "max s"):
        table.add_column(name, justify="right")
    for key, tally in _sorted(tallies):
        times = [median(tally.seconds), max(tally.seconds)] if tally.seconds else []
        shown = [f"{each:.3f}" for each in times] or ["", ""]
        size = f"{tally.size:,}" if tally.size else ""
        told = Text(one_line(" ".join(key), COLUMNS))
        table.add_row(told, f"{tally.count:,}", size, *shown)
    to.print(table)
    to.print()
