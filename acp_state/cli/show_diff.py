"""Diffs as lines with + and -."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import unified_diff
from typing import Final

from acp_state.cli.limits import Limits
from acp_state.cli.page import Line, line
from acp_state.cli.safe_text import clean, clip, count
from acp_state.schema import Diff

MOST_COMPARED: Final = 3_000
"""Lines of both sides together; comparing takes time that grows with the square of it."""

_SIGNS: Final = frozenset("+- ")
_STYLES: Final = {"+": "green", "-": "red", "@": "cyan"}


def show_diff(diff: Diff, limits: Limits, *, indent: int) -> Iterator[Line]:
    """The file, how much of it changed, and the changed lines with a line around them."""
    size, changed = summed_up(diff)
    yield line(f"diff {diff.path} ({size})", indent=indent)
    for each in clip("\n".join(changed).rstrip(" \n"), limits.diff):
        yield _show_changed(each, indent + 3)


def summed_up(diff: Diff) -> tuple[str, list[str]]:
    """How much changed, in a few words, and the changed lines with their signs."""
    is_new = not isinstance(diff.old_text, str)
    old = [] if is_new else _text_lines(str(diff.old_text))
    changed = _changed(old, _text_lines(diff.new_text))
    added = sum(each.startswith("+") for each in changed)
    removed = sum(each.startswith("-") for each in changed)
    return f"new file, {count(added, 'line')}" if is_new else f"+{added:,} -{removed:,}", changed


def _show_changed(each: str, indent: int) -> Line:
    """A line of the diff, its sign in the margin; places and notes have none."""
    style = _STYLES.get(each[:1], "dim")
    if each[:1] not in _SIGNS:
        return line((each, style), indent=indent - 2)
    label = " " * (indent - 2) + each[:1]
    return line((each[1:], style), indent=indent, label=label, style=style)


def _changed(old: list[str], new: list[str]) -> list[str]:
    """The changed lines with their signs, and between them where they are."""
    if not old or len(old) + len(new) > MOST_COMPARED:
        return [f"-{each}" for each in old] + [f"+{each}" for each in new]
    found = list(unified_diff(old, new, n=1, lineterm=""))[2:]
    return found[1:] if sum(each.startswith("@") for each in found) == 1 else found


def _text_lines(text: str) -> list[str]:
    return clean(text).removesuffix("\n").split("\n") if text else []
