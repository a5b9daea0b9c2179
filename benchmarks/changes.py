"""What it costs to find what differs, and that it depends on how much differs, not on how much is.

Compares states of a session of 1,000, 10,000 and 100,000 messages, the last of as many chunks: one
chunk apart at the end and in the middle, and a hundred messages apart. One `reduce` of a chunk
takes turns with them, and the median of the rounds counts.

    python benchmarks/changes.py
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterable
from functools import partial
from statistics import median
from time import perf_counter_ns

from acp_state import Connection, Received, Session, changes, fold, reduce

LENGTHS = (1_000, 10_000, 100_000)
ROUNDS = 7
CALLS = 300
SESSION_ID = "sess_1"


def chunk(number: int) -> Received:
    """The notification of one more chunk of that message."""
    update = {
        "sessionUpdate": "agent_message_chunk",
        "content": {"type": "text", "text": "word "},
        "messageId": f"msg_{number}",
    }
    params = {"sessionId": SESSION_ID, "update": update}
    return Received({"jsonrpc": "2.0", "method": "session/update", "params": params})


def after(connection: Connection, numbers: Iterable[int]) -> Connection:
    """The connection after a chunk of each of these messages."""
    return fold(connection, map(chunk, numbers))[0]


def draw(old: Connection, new: Connection) -> int:
    """Compare two states, and read all text that was appended."""
    sessions = changes(old, new).sessions.values()
    read = (change.appended for session in sessions for change in session.entries)
    return sum(len(each.text) for each in read if each)


def main() -> None:
    """Print the table."""
    print(f"Python {platform.python_version()}, nanoseconds, median of {ROUNDS} rounds")
    print("  length    reduce   changes  and text  far back  100 apart")
    for length in LENGTHS:
        start = Connection(phase="ready").with_session(Session(SESSION_ID))
        held = after(start, [*range(length), *[length - 1] * length])
        newer = after(held, [length - 1])
        costs = _interleaved(
            partial(reduce, newer, chunk(length - 1)),
            partial(changes, held, newer),
            partial(draw, held, newer),
            partial(changes, held, after(held, [length // 2])),
            partial(changes, held, after(held, range(0, length, length // 100))),
        )
        print(f"{length:>8,}", *(f"{cost:>9,.0f}" for cost in costs))


def _interleaved(*works: Callable[[], object]) -> list[float]:
    """Nanoseconds of each, the median of rounds in which they take turns."""
    rounds = [[_cost(work) for work in works] for _ in range(ROUNDS)]
    return [median(costs) for costs in zip(*rounds, strict=True)]


def _cost(work: Callable[[], object]) -> float:
    start = perf_counter_ns()
    for _ in range(CALLS):
        work()
    return (perf_counter_ns() - start) / CALLS


if __name__ == "__main__":
    main()
