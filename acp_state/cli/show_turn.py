"""Turns as lines."""

from __future__ import annotations

from collections.abc import Iterator

from acp_state.cli.json_text import dumps
from acp_state.cli.limits import Limits
from acp_state.cli.page import Line, line
from acp_state.cli.safe_text import one_line
from acp_state.json_values import thaw
from acp_state.model import Turn
from acp_state.omitted import Omitted
from acp_state.schema import Error, Usage

_STYLES = {"failed": "red", "cancelled": "magenta", "interrupted": "magenta"}


def show_turn(turn: Turn, number: int, limits: Limits) -> Iterator[Line]:
    """How a turn ended; `number` counts from 1."""
    facts = turn_facts(turn)
    style = _STYLES.get(turn.outcome or "", "green" if turn.outcome else "blue")
    yield line((f"-- turn {number} ", "dim"), (facts, style), rule="-")
    if turn.error is not None:
        yield from _show_error(turn.error, limits)
    if turn.usage is not None:
        yield line((tokens(turn.usage), "dim"), indent=3)


def turn_facts(turn: Turn) -> str:
    """How a turn ended, in a few words."""
    return "; ".join([_end(turn), *_asides(turn)])


def _end(turn: Turn) -> str:
    """The judgement, and what was sent where the judgement does not say it."""
    if turn.outcome is None:
        return "is running"
    if turn.error is not None:
        ended = f"error {turn.error.code}"
        return f"failed: {ended}" if turn.outcome == "failed" else f"{turn.outcome}: {ended}"
    reason = turn.stop_reason or ("connection lost" if turn.outcome == "interrupted" else "none")
    if turn.outcome == "cancelled":
        return "was cancelled"
    return f"{turn.outcome}: {one_line(reason, 40)}"


def _asides(turn: Turn) -> Iterator[str]:
    if turn.cancel_requested:
        yield "cancel asked"
    if turn.is_refused:
        yield "excluded from the next prompt"


def _show_error(error: Error, limits: Limits) -> Iterator[Line]:
    yield line((one_line(error.message, limits.title), "red"), indent=3)
    if not isinstance(error.data, Omitted) and error.data is not None:
        data = dumps(thaw(error.data)).decode().strip()
        yield line((one_line(data, limits.title), "dim"), indent=3)


def tokens(usage: Usage) -> str:
    """What a turn used, in a few words."""
    parts = {
        "in": usage.input_tokens,
        "out": usage.output_tokens,
        "thought": usage.thought_tokens,
        "read from cache": usage.cached_read_tokens,
        "written to cache": usage.cached_write_tokens,
    }
    shown = ", ".join(f"{value:,} {name}" for name, value in parts.items() if value)
    return f"{usage.total_tokens:,} tokens" + (f": {shown}" if shown else "")
