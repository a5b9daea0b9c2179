"""What is printed."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable, Iterator, Sequence
from importlib.metadata import version

from benchmarks.marks import Mark
from benchmarks.measure import Case, Costs
from benchmarks.peers import PEERS, Peer

SHOWN = ("attrs", "cattrs", "orjson", "pydantic", "agent-client-protocol")


def machine() -> str:
    """Where and with what it was measured."""
    packages = ", ".join(f"{name} {version(name)}" for name in SHOWN)
    where = f"{platform.machine()}, {os.cpu_count()} processors, {platform.system()}"
    return f"Python {platform.python_version()}, {where}\n{packages}"


def table(costs: Costs) -> str:
    """Nanoseconds per event: peers down, lengths across."""
    lengths = sorted({case.length for case in costs})
    head = f"{'':<20}{'collector':<10}" + "".join(f"{length:>14,}" for length in lengths)
    return "\n".join([head, *_rows(costs, lengths), *_stops(costs)])


def _rows(costs: Costs, lengths: Sequence[int]) -> Iterator[str]:
    for peer in PEERS:
        for collector in peer.collectors:
            cells = (_cell(costs, Case(peer.name, length, collector)) for length in lengths)
            yield f"{peer.name:<20}{'on' if collector else 'off':<10}" + "".join(cells)


def _cell(costs: Costs, case: Case) -> str:
    cost = costs.get(case)
    if cost is None:
        return f"{'-':>14}"
    star = "*" if cost.stopped else ""
    return f"{cost.median:>{14 - len(star)},.0f}{star}"


def _stops(costs: Costs) -> Iterator[str]:
    for case, cost in costs.items():
        if cost.stopped:
            yield f"* {case.peer} was stopped after {cost.stopped:,} events"


def marks_table(marks: Iterable[Mark]) -> str:
    """Each mark: whether it is met, what was measured, what it is at most."""
    return "\n".join(map(_mark, marks))


def _mark(mark: Mark) -> str:
    said = "met" if mark.met else "NOT met"
    return f"{said:<9}{mark.measured:>10,.2f}{mark.bound:>10,.2f}  {mark.name}"


def legend(peers: Iterable[Peer]) -> str:
    """What each row is."""
    return "\n".join(f"{peer.name:<20}{peer.about}" for peer in peers)
