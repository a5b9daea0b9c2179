"""Lines of text with a margin, printed on a terminal or into a pipe.

Text never goes through rich's markup: a stranger's ``[bold]`` is six characters.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from io import TextIOWrapper
from typing import Final, TypeAlias

from rich.console import Console
from rich.text import Text

from acp_state.cli.safe_text import Limit, clip, one_line
from acp_state.records import frozen

PIPED_WIDTH: Final = 80
MOST: Final = 100
"""Columns that are used of a wide terminal: longer lines are hard to read."""

Part: TypeAlias = "str | tuple[str, str]"
"""A text, or a text and its style."""


@frozen
class Line:
    """One logical line: wrapped where it is too long, and indented as a whole."""

    text: Text
    indent: int = 0
    label: str = ""
    """What stands in the margin of its first line."""
    style: str = ""
    """The label's style."""
    rule: str = ""
    """A character that fills the rest of the line."""


BLANK: Final = Line(Text(""))


def line(*parts: Part, indent: int = 0, label: str = "", style: str = "", rule: str = "") -> Line:
    """A line from texts with their styles; whatever is in them stays on one line."""
    text = Text()
    for part in parts:
        shown, its_style = (part, "") if isinstance(part, str) else part
        text.append(one_line(shown), its_style)
    return Line(text, indent, label, style, rule)


def headed(label: str, style: str, *parts: Part) -> Line:
    """A line that begins with a heading; empty parts are left out."""
    shown = [part for part in parts if part and part[0]]
    spaced = [each for part in shown for each in ("  ", part)][1:]
    return line(*spaced, label=label, style=f"bold {style}", indent=len(label) + 2)


def lines(text: str, limit: Limit | None, *, indent: int = 0, style: str = "") -> Iterator[Line]:
    """The lines of a text, shortened to the limit."""
    for each in clip(text, limit):
        yield line((each, style), indent=indent)


class _Console(Console):
    """A console that leaves it to the command what happens where nobody reads."""

    def on_broken_pipe(self) -> None:
        """Rich would end the command itself."""
        raise BrokenPipeError


def console() -> Console:
    """Standard output: as wide as the terminal, or 80 columns without colours in a pipe."""
    _never_fail(sys.stdout)
    on_terminal = sys.stdout.isatty()
    made = _Console(
        file=sys.stdout,
        force_terminal=on_terminal,
        color_system="auto" if on_terminal else None,
        width=None if on_terminal else PIPED_WIDTH,
        highlight=False,
        markup=False,
        emoji=False,
    )
    made.width = min(made.width, MOST)
    return made


def show(content: Iterable[Line], to: Console) -> None:
    """Print lines."""
    for each in content:
        for text in _laid_out(each, to):
            to.print(text, soft_wrap=True)


def _laid_out(each: Line, to: Console) -> Iterator[Text]:
    width = to.width - each.indent
    for number, text in enumerate(each.text.wrap(to, width, overflow="fold") or [Text("")]):
        text.rstrip()
        if each.rule:
            text.append(" " + each.rule * (width - text.cell_len - 1), "dim")
        margin = each.label if number == 0 else ""
        laid = Text.assemble((margin.ljust(each.indent), each.style), text)
        laid.rstrip()
        yield laid


def _never_fail(stream: object) -> None:
    """What the terminal's encoding lacks is shown as an escape."""
    if isinstance(stream, TextIOWrapper):
        stream.reconfigure(errors="backslashreplace")
