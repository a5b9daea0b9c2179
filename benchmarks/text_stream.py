"""What one chunk of a streamed message costs, and that it costs the same in a long one.

Folds a generated text stream of 1,000, 10,000 and 100,000 chunks with `apply_update`, and parses
the same lines with ``json.loads`` and ``orjson.loads``. All three take turns in one run, and the
median of the rounds counts: the machine may be busy with other things.

    python benchmarks/text_stream.py
"""

from __future__ import annotations

import json
import platform
from collections.abc import Callable
from statistics import median
from time import perf_counter_ns

from acp_state import Session, apply_update

try:
    import orjson
except ImportError:
    orjson = None  # type: ignore[assignment]

LENGTHS = (1_000, 10_000, 100_000)
ROUNDS = 5


def stream(length: int) -> list[bytes]:
    """The lines of a message that comes in `length` chunks."""
    notification = {
        "jsonrpc": "2.0",
        "method": "session/update",
        "params": {
            "sessionId": "sess_1",
            "update": {
                "sessionUpdate": "agent_message_chunk",
                "content": {"type": "text", "text": ""},
                "messageId": "msg_1",
            },
        },
    }
    return [_line(notification, f"word {number} ") for number in range(length)]


def fold(messages: list[dict[str, dict[str, dict[str, object]]]]) -> None:
    """Fold the updates of parsed messages one by one."""
    session = Session("sess_1")
    for message in messages:
        session, _ = apply_update(session, message["params"]["update"])


def main() -> None:
    """Print the table."""
    print(f"Python {platform.python_version()}, nanoseconds per event, median of {ROUNDS} rounds")
    print(f"{'chunks':>8} {'apply_update':>13} {'json.loads':>11} {'orjson.loads':>13}")
    for length in LENGTHS:
        lines = stream(length)
        messages = [json.loads(line) for line in lines]
        costs = _interleaved(
            length,
            lambda messages=messages: fold(messages),
            lambda lines=lines: [json.loads(line) for line in lines],
            lambda lines=lines: [orjson.loads(line) for line in lines] if orjson else None,
        )
        print(f"{length:>8,} {costs[0]:>13,.0f} {costs[1]:>11,.0f} {costs[2]:>13,.0f}")


def _line(notification: dict[str, object], text: str) -> bytes:
    line = json.dumps(notification)
    return line.replace('"text": ""', f'"text": {json.dumps(text)}').encode()


def _interleaved(length: int, *runs: Callable[[], object]) -> list[float]:
    """Nanoseconds per event of each run, the median of rounds in which all take their turn."""
    rounds = [[_nanoseconds(run) / length for run in runs] for _ in range(ROUNDS)]
    return [median(costs) for costs in zip(*rounds, strict=True)]


def _nanoseconds(run: Callable[[], object]) -> int:
    start = perf_counter_ns()
    run()
    return perf_counter_ns() - start


if __name__ == "__main__":
    main()
