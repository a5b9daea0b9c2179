"""What `changes` costs between two states one event apart, beside the `reduce` of that event."""

from __future__ import annotations

import gc
from collections.abc import Callable
from itertools import pairwise
from statistics import median
from time import process_time_ns
from typing import Final

from acp_state import Connection, Event, changes, fold, reduce
from benchmarks.traffic import talk
from benchmarks.workloads import WORKLOADS

STEPS: Final = 500
"""So many of the last events are compared, each with the state before it."""
ROUNDS: Final = 5


def times_reduce(workload: str, length: int) -> float:
    """How many times one `reduce` one `changes` costs, at the end of traffic of that length."""
    heard = talk(WORKLOADS[workload](length))
    start, _ = fold(Connection(), heard.events(end=-STEPS))
    events = list(heard.events(start=-STEPS))
    return median(_ratio(start, events) for _ in range(ROUNDS))


def _ratio(start: Connection, events: list[Event]) -> float:
    states = [start]

    def reduce_all() -> None:
        for event in events:
            states.append(reduce(states[-1], event)[0])

    def compare_all() -> None:
        for old, new in pairwise(states):
            changes(old, new)

    reducing = _nanoseconds(reduce_all)
    return _nanoseconds(compare_all) / reducing


def _nanoseconds(work: Callable[[], object]) -> int:
    gc.collect()
    gc.disable()
    begin = process_time_ns()
    work()
    spent = process_time_ns() - begin
    gc.enable()
    return spent
