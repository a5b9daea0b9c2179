"""What it costs to write a session as JSON and to read it back, and that it is linear.

Takes sessions of 1,000, 10,000 and 100,000 chunks of one message, and of as many tool calls with a
location, raw input and one text block each. JSON text is made and parsed by ``orjson``. The median
of the rounds counts: the machine may be busy with other things.

    python benchmarks/snapshots.py

Needs the extra `fast`.
"""

from __future__ import annotations

import platform
from collections.abc import Callable
from statistics import median
from time import process_time_ns
from typing import Any, TypeVar

import orjson

from acp_state import Session, fold_updates, restore, snapshot

LENGTHS = (1_000, 10_000, 100_000)
ROUNDS = 5

T = TypeVar("T")


def chunk(number: int) -> dict[str, Any]:
    """One chunk of the one message."""
    return {
        "sessionUpdate": "agent_message_chunk",
        "messageId": "msg_1",
        "content": {"type": "text", "text": f"word {number} "},
    }


def tool_call(number: int) -> dict[str, Any]:
    """A tool call of its own."""
    path = f"/work/{number}.py"
    return {
        "sessionUpdate": "tool_call",
        "toolCallId": f"call_{number}",
        "title": f"Read {path}",
        "kind": "read",
        "status": "completed",
        "locations": [{"path": path, "line": number}],
        "rawInput": {"path": path},
        "content": [{"type": "content", "content": {"type": "text", "text": "ok"}}],
    }


def main() -> None:
    """Print the table."""
    print(f"Python {platform.python_version()}, milliseconds, median of {ROUNDS} rounds")
    print("            number  snapshot     dumps     loads   restore  megabytes")
    for update in (chunk, tool_call):
        for length in LENGTHS:
            session, _ = fold_updates(Session("sess_1"), map(update, range(length)))
            print(f"{update.__name__:10}{length:8}{_row(session)}")


def _row(session: Session) -> str:
    writing, value = _timed(lambda: snapshot(session))
    dumping, text = _timed(lambda: orjson.dumps(value))
    loading, parsed = _timed(lambda: orjson.loads(text))
    reading, restored = _timed(lambda: restore(parsed, Session))
    if restored != session:
        raise AssertionError("the session did not survive")
    times = "".join(f"{each:10.1f}" for each in (writing, dumping, loading, reading))
    return f"{times}{len(text) / 1e6:11.2f}"


def _timed(run: Callable[[], T]) -> tuple[float, T]:
    """Milliseconds of the median round, and what came out."""
    costs: list[int] = []
    result = run()
    for _ in range(ROUNDS):
        start = process_time_ns()
        result = run()
        costs.append(process_time_ns() - start)
    return median(costs) / 1e6, result


if __name__ == "__main__":
    main()
