"""Recorded traffic: the example of the docs, and the recordings of real agents where they are."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

import orjson

from benchmarks.traffic import SEEN, Talk

ROOT: Final = Path(__file__).parents[1]
EXAMPLE: Final = ROOT / "docs" / "examples" / "conversation.jsonl"
TRACES: Final = ROOT.parent / "shared" / "traces"
"""Beside the checkout; they are no part of it."""


def recordings(*, every: int = 1) -> list[Talk]:
    """The example and each so manieth recording, each a connection of its own."""
    return [_read(path) for path in (EXAMPLE, *sorted(TRACES.glob("*.jsonl"))[::every])]


def told(talks: Iterable[Talk]) -> str:
    """How many they are, and whether the recordings of real agents are missing."""
    counts = [len(talk.lines) for talk in talks]
    missing = "" if TRACES.is_dir() else f"; the recordings of real agents are not at {TRACES}"
    return f"{len(counts)} recordings of {sum(counts):,} messages{missing}"


def _read(path: Path) -> Talk:
    lines = path.read_bytes().splitlines()
    senders = [orjson.loads(line)["from"] for line in lines]
    return Talk(lines=lines, seen=[SEEN[sender] for sender in senders], wrapped=True)
