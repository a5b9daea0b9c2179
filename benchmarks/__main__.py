"""``python -m benchmarks``: the tables, the plot, and the marks with what was measured."""

from __future__ import annotations

import argparse
import gc
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from time import perf_counter
from typing import Final

from benchmarks import marks
from benchmarks.differences import times_reduce
from benchmarks.imports import DEPENDENCIES, PACKAGE, converters_built, import_seconds
from benchmarks.measure import Costs, Rounds, costs
from benchmarks.memory import STATES, WAYS, bytes_per_chunk, bytes_per_state
from benchmarks.peers import PEERS
from benchmarks.plot import plot
from benchmarks.recordings import recordings, told
from benchmarks.tables import legend, machine, marks_table, table
from benchmarks.traffic import diagnosed, talk
from benchmarks.workloads import WORKLOADS

LENGTHS: Final = (1_000, 10_000, 100_000, 1_000_000)
QUICK_LENGTHS: Final = (1_000, 10_000)
HELD: Final = 100_000
QUICK_HELD: Final = 3_000
"""The events of which memory is measured, state by state."""
RECORDED: Final = "recordings"
QUICK_EVERY: Final = 20
"""In a quick run one of so many recordings is replayed."""


def main() -> None:
    """Measure and print."""
    begin = perf_counter()
    asked = _arguments()
    print(machine(), "\n", legend(PEERS), sep="\n")
    rounds = (
        Rounds(count=1, most_turns=1, budget=0.2) if asked.quick else Rounds(count=asked.rounds)
    )
    tables: dict[str, Costs] = {}
    for name in asked.workloads:
        tables[name] = _measured(name, asked.lengths, rounds, quick=asked.quick)
        print(table(tables[name]), flush=True)
    print("\nmarks: measured, at most\n")
    print(marks_table(_marks(tables, asked.lengths, quick=asked.quick)))
    plot({name: tables[name] for name in WORKLOADS if name in tables}, asked.plot)
    print(f"\n{asked.plot} is the plot; {perf_counter() - begin:.0f} seconds")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    names = [*WORKLOADS, RECORDED]
    parser.add_argument("--lengths", type=int, nargs="+", help="events of the synthetic traffic")
    parser.add_argument("--workloads", nargs="+", choices=names, default=names)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--quick", action="store_true", help="short traffic, one round")
    parser.add_argument("--plot", type=Path, default=Path("benchmarks.png"), metavar="FILE")
    asked = parser.parse_args()
    asked.lengths = sorted(asked.lengths or (QUICK_LENGTHS if asked.quick else LENGTHS))
    return asked


def _measured(name: str, lengths: Sequence[int], rounds: Rounds, *, quick: bool) -> Costs:
    """The costs of one workload, under its title."""
    if name == RECORDED:
        talks = recordings(every=QUICK_EVERY if quick else 1)
        print(f"\n{name}: {told(talks)}; nanoseconds per event\n")
        return costs({sum(len(each.lines) for each in talks): talks}, rounds)
    make = WORKLOADS[name]
    print(f"\n{name}: {_first_line(make.__doc__)} Nanoseconds per event\n")
    _check(name)
    return costs({length: [talk(make(length))] for length in lengths}, rounds)


def _first_line(text: str | None) -> str:
    return (text or "").partition("\n")[0]


def _check(name: str) -> None:
    """Synthetic traffic is legal, or the benchmark measures diagnostics."""
    found = diagnosed(talk(WORKLOADS[name](min(QUICK_LENGTHS))))
    if found:
        raise SystemExit(f"{name} breaks the protocol: {found[0]}")


def _marks(
    tables: dict[str, Costs], lengths: Sequence[int], *, quick: bool
) -> Iterator[marks.Mark]:
    held = QUICK_HELD if quick else HELD
    gc.unfreeze()
    gc.enable()
    yield from marks.flat(tables)
    yield from marks.against(tables)
    yield from marks.differences(
        {
            (name, length): times_reduce(name, length)
            for name, length in product(tables, lengths)
            if name in WORKLOADS
        }
    )
    yield from marks.memory(
        {way: bytes_per_chunk(way, held) for way in WAYS},
        {workload: bytes_per_state(workload, held) for workload in STATES},
    )
    seconds = import_seconds(3 if quick else 15)
    yield from marks.imports(seconds[PACKAGE], seconds[DEPENDENCIES], converters_built())


if __name__ == "__main__":
    main()
