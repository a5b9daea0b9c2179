r"""Text from strangers, made fit for a terminal: nothing in it moves the cursor or hides a line.

Control characters, marks that turn the direction of writing and line separators are shown as
escapes (``\x1b`` as its four characters). Colours alone are taken out, since the output of most
commands is full of them. Line ends and tabs stay, tabs as spaces.
"""

from __future__ import annotations

import re
from typing import Final

from acp_state.records import frozen

TAB: Final = 4

_COLOUR: Final = re.compile(r"\x1b\[[0-9;:]*m")
_LINE_END: Final = re.compile(r"\r+\n")
_UNSAFE: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]"
)


@frozen
class Limit:
    """How much of a long text is shown."""

    head: int
    """Lines from its beginning."""
    tail: int = 0
    """Lines from its end."""
    columns: int = 400
    """Characters of one line."""


def whole(text: str) -> str:
    """The text with surrogate pairs joined, and halves that are alone as U+FFFD."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def clean(text: str) -> str:
    """The text with nothing in it that a terminal obeys, except line ends."""
    text = _LINE_END.sub("\n", _COLOUR.sub("", whole(text)))
    return _UNSAFE.sub(_escape, text.expandtabs(TAB))


def one_line(text: str, columns: int | None = None) -> str:
    r"""Likewise on one line: line ends as ``\n``; cut after so many characters."""
    shown = clean(text).replace("\n", "\\n")
    return shown if columns is None else _cut(shown, columns)


def clip(text: str, limit: Limit | None) -> list[str]:
    """The lines of a text, cleaned, without empty ones at both ends.

    Where they are too many, a line says how many are left out.
    """
    text = clean(text).strip("\n")
    lines = text.split("\n") if text else []
    if limit is None:
        return lines
    left_out = len(lines) - limit.head - limit.tail
    if left_out <= 1:
        return [_cut(line, limit.columns) for line in lines]
    head, tail = lines[: limit.head], lines[len(lines) - limit.tail :]
    shown = [_cut(line, limit.columns) for line in (*head, *tail)]
    return [*shown[: limit.head], f"... {left_out:,} lines left out ...", *shown[limit.head :]]


def count(number: int, noun: str) -> str:
    """A number and what it counts: ``1 line``, ``2,000 lines``."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _cut(line: str, columns: int) -> str:
    left_out = len(line) - columns
    return line if left_out <= 0 else f"{line[:columns]}... ({left_out:,} more characters)"


def _escape(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"  # noqa: PLR2004 - one byte
