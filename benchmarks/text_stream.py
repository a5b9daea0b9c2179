"""What one chunk of a streamed message costs, and that it costs the same in a long one.

Folds a generated text stream of 1,000, 10,000 and 100,000 chunks with `apply_update` and with
`reduce`, and parses the same lines with ``json.loads`` and ``orjson.loads``. All four take turns
in one run, and the median of the rounds counts: the machine may be busy with other things.

    python benchmarks/text_stream.py

Needs the extra `fast`.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Callable, Iterable
from functools import partial
from statistics import median
from time import perf_counter_ns
from typing import Any

import orjson

from acp_state import Connection, Received, Session, apply_update, reduce

LENGTHS = (1_000, 10_000, 100_000)
ROUNDS = 5
SESSION_ID = "sess_1"


def chunk(text: str) -> dict[str, Any]:
    """The notification of one chunk."""
    return {
        "jsonrpc": "2.0",
        "method": "session/update",
        "params": {
            "sessionId": SESSION_ID,
            "update": {
                "sessionUpdate": "agent_message_chunk",
                "content": {"type": "text", "text": text},
                "messageId": "msg_1",
            },
        },
    }


def fold_updates(messages: Iterable[dict[str, Any]]) -> None:
    """Fold the updates of parsed messages, one by one, into a session."""
    session = Session(SESSION_ID)
    for message in messages:
        session, _ = apply_update(session, message["params"]["update"])


def fold_messages(messages: Iterable[dict[str, Any]]) -> None:
    """Fold parsed messages, one by one, into a connection."""
    connection = Connection(phase="ready", protocol_version=1).with_session(
        Session(SESSION_ID, readiness="ready")
    )
    for message in messages:
        connection, _ = reduce(connection, Received(message))


def parse(loads: Callable[[bytes], object], lines: Iterable[bytes]) -> None:
    """Parse the lines, one by one."""
    for line in lines:
        loads(line)


def main() -> None:
    """Print the table."""
    print(f"Python {platform.python_version()}, nanoseconds per event, median of {ROUNDS} rounds")
    print("  chunks  apply_update        reduce    json.loads  orjson.loads")
    for length in LENGTHS:
        messages = [chunk(f"word {number} ") for number in range(length)]
        lines = [json.dumps(message).encode() for message in messages]
        costs = _interleaved(
            partial(fold_updates, messages),
            partial(fold_messages, messages),
            partial(parse, json.loads, lines),
            partial(parse, orjson.loads, lines),
        )
        print(f"{length:>8,}" + "".join(f"{cost / length:>14,.0f}" for cost in costs))


def _interleaved(*runs: Callable[[], object]) -> list[float]:
    """Nanoseconds of each run, the median of rounds in which all take their turn."""
    rounds = [[_nanoseconds(run) for run in runs] for _ in range(ROUNDS)]
    return [median(costs) for costs in zip(*rounds, strict=True)]


def _nanoseconds(run: Callable[[], object]) -> int:
    start = perf_counter_ns()
    run()
    return perf_counter_ns() - start


if __name__ == "__main__":
    main()
