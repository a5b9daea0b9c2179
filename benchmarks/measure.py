"""Medians of rounds in which all peers take turns, since the machine may be busy.

Times are those of the processor, not of the clock on the wall: nothing here waits for anything,
and what other processes take away is no cost of an event.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from time import process_time_ns
from typing import Any, Final, TypeAlias

from attrs import define, field, frozen

from benchmarks.peers import PEERS, Peer, Take
from benchmarks.traffic import Talk

ENOUGH: Final = 50_000
"""Events in the turns of one round; short traffic has more turns than long."""


@frozen
class Case:
    """A cell of the table."""

    peer: str
    length: int
    collector: bool


@define
class Cost:
    """What a case was measured to cost."""

    samples: list[float] = field(factory=list)
    """Nanoseconds per event, one a turn."""
    stopped: int | None = None
    """The events after which its time was used up; None: it was not."""

    @property
    def median(self) -> float:
        """Nanoseconds per event."""
        return median(self.samples)


Costs: TypeAlias = Mapping[Case, Cost]


@frozen(kw_only=True)
class Rounds:
    """How much is measured."""

    count: int
    most_turns: int = 5
    """How often all take their turn in one round, at most."""
    budget: float = 2.0
    """Seconds that a quadratic peer may take."""

    def turns(self, length: int) -> int:
        """How often all take their turn in one round of this length."""
        return max(1, min(self.most_turns, ENOUGH // length))


def costs(talks: Mapping[int, Sequence[Talk]], rounds: Rounds) -> Costs:
    """What each peer costs at each length."""
    found: dict[Case, Cost] = {}
    _warm_up(talks[min(talks)])
    for number in range(rounds.count):
        for length, conversation in talks.items():
            for turn in range(rounds.turns(length)):
                cases = _rotated([*_cases(length, first=turn == 0)], number + turn)
                for peer, case in cases:
                    _take_turn(found, case, peer, conversation, rounds.budget)
    return found


def _warm_up(talks: Sequence[Talk]) -> None:
    """What is built when it is first needed is no cost of an event."""
    for peer in PEERS:
        if not peer.quadratic:
            _timed(peer, talks, float("inf"), collector=False)


def _cases(length: int, *, first: bool) -> Iterator[tuple[Peer, Case]]:
    """Who takes part in a turn: quadratic peers in the first of a round only."""
    for peer in PEERS:
        if (peer.longest is None or length <= peer.longest) and (first or not peer.quadratic):
            for collector in peer.collectors:
                yield peer, Case(peer.name, length, collector)


def _rotated(cases: list[Any], by: int) -> list[Any]:
    """Each turn begins with another peer."""
    by %= len(cases)
    return cases[by:] + cases[:by]


def _take_turn(
    found: dict[Case, Cost], case: Case, peer: Peer, talks: Sequence[Talk], budget: float
) -> None:
    if peer.quadratic and any(c.peer == peer.name and found[c].stopped for c in found):
        return
    limit = budget if peer.quadratic else float("inf")
    nanoseconds, events, done = _timed(peer, talks, limit, collector=case.collector)
    cost = found.setdefault(case, Cost())
    cost.samples.append(nanoseconds / events)
    cost.stopped = None if done else events


def _timed(
    peer: Peer, talks: Sequence[Talk], limit: float, *, collector: bool
) -> tuple[int, int, bool]:
    """Nanoseconds, events, and whether these were all."""
    nanoseconds = events = 0
    gc.disable()
    gc.collect()
    gc.freeze()  # what the benchmark itself holds is not walked
    for talk in talks:
        take, kept = peer.start(), list[object]()
        for count, batch in peer.batches(talk):
            spent, held = _clocked(take, batch, collector=collector)
            kept.append(held)
            nanoseconds, events = nanoseconds + spent, events + count
            if nanoseconds > limit * 1e9:
                return nanoseconds, events, False
    return nanoseconds, events, True


def _clocked(take: Take, batch: object, *, collector: bool) -> tuple[int, object]:
    """The collector runs, if at all, while the clock does."""
    if collector:
        gc.enable()
    begin = process_time_ns()
    held = take(batch)
    spent = process_time_ns() - begin
    gc.disable()
    return spent, held
