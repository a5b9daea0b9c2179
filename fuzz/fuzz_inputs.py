"""Bytes as a conversation: each byte decides what is said next, by the script of the tests.

A coverage-guided fuzzer that mutates bytes thereby mutates what is said, and never wastes an input
on what is no JSON. Where the bytes end, the conversation does.
"""

from __future__ import annotations

import sys
from itertools import pairwise
from math import inf, nan
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parents[1] / "tests"))

from conversations import FAMILY, MOVES, RUNNING, Script, child, made

FAMILIES = (FAMILY, ("b",))
MOST_LINES = 60


def _nested(depth: int) -> Any:
    value: Any = []
    for level in range(depth):
        value = {"_meta": value} if level % 2 else [value]
    return value


ODD_JSON: tuple[Any, ...] = (
    None, True, False, 0, -0.0, 1, 42.0, 1.5, -1, 2**61 - 1, 2**63, 2**70, 10**400, 10**5000, 1e308,
    nan, inf, "", "a", "\ud83d", "\ude00", "\0", "__class__", "__proto__", "text", "end_turn", "s",
    [], {}, [[]], [None], ["a", 1], {"": 1}, {"_meta": {}}, {"_meta": None}, {"type": "text"},
    {"type": "text", "text": "x", "annotations": 5}, {"type": "image", "data": "", "mimeType": ""},
    {"type": "resource", "resource": {}}, {"type": "odd"}, {"__class__": {"__init__": 1}},
    {"jsonrpc": "2.0"}, {"sessionId": "a"}, {"outcome": {"outcome": "selected"}}, "x" * 300,
    _nested(40), _nested(127), _nested(128), _nested(900), [{}] * 40,
)  # fmt: skip
"""What a part of a message is replaced with: what parsers, and careless peers, give."""


class BytesScript(Script):
    """The script of the tests, which draws from bytes."""

    def __init__(self, data: bytes) -> None:
        super().__init__(None, FAMILIES)
        self._bytes = iter(data)
        self.is_over = False

    def byte(self) -> int:
        """The next byte; 0 where there is none."""
        value = next(self._bytes, None)
        self.is_over = value is None
        return value or 0

    def one_of(self, *values: Any) -> Any:
        """The value that the next byte chooses."""
        return values[self.byte() % len(values)]

    def once_in(self, times: int) -> bool:
        """Whether something happens that happens once in so many times."""
        return self.byte() % times == times - 1

    def maybe(self, value: Any) -> Any:
        """The value, or nothing, as a part of a dict."""
        return value if self.byte() % 2 else {}

    def any_json(self) -> Any:
        """A value that a part of a message is replaced with."""
        return self.one_of(*ODD_JSON)


def conversation(script: BytesScript) -> list[tuple[str, Any]]:
    """The lines of a conversation: who sent it, and the JSON value."""
    lines = _opening(script) if script.byte() % 4 else []
    for line in lines:
        script.heard(line)
    while not script.is_over and len(lines) < MOST_LINES:
        line = script.one_of(*MOVES)(script)
        if line is not None:
            script.heard(line)
            lines.append(line)
    return lines


def _opening(script: BytesScript) -> list[tuple[str, Any]]:
    """Both families, each child announced as running."""
    lines: list[tuple[str, Any]] = []
    for family in FAMILIES:
        lines += made(family[0], script.request_id)
        lines += [child(kid, parent, state=RUNNING) for parent, kid in pairwise(family)]
    return lines


def updates(script: BytesScript) -> list[Any]:
    """The updates of a conversation, as if all were for one session."""
    params = (
        message.get("params") for _, message in conversation(script) if isinstance(message, dict)
    )
    found = [each for each in params if isinstance(each, dict) and "update" in each]
    return [each["update"] for each in found]
