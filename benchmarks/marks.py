"""What acp_state holds itself to, and whether it does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Final, TypeAlias

from attrs import frozen

from benchmarks.measure import Case, Costs

Tables: TypeAlias = Mapping[str, Costs]
"""The costs of each workload."""


@frozen(kw_only=True)
class Mark:
    """A number that is to be at most its bound."""

    name: str
    measured: float
    bound: float

    @property
    def met(self) -> bool:
        """Whether it is."""
        return self.measured <= self.bound


SHORT: Final = 10_000
"""The length that a longer one is compared with."""
FLAT: Final = 1.15
FLAT_WITH_COLLECTOR: Final = 1.5
"""Less where the collector has nothing to walk: in a text stream."""
TIMES_FLOOR: Final = {"text": 2.5, "mixed": 3.5}
TIMES_ORJSON: Final = 6.5
TIMES_REDUCE: Final = 10
CHUNK_BYTES: Final = 160
STATE_BYTES: Final = 1_200
TIMES_DEPENDENCIES: Final = 2


def flat(tables: Tables) -> Iterator[Mark]:
    """An event costs the same in the longest traffic as in that of 10,000 events."""
    for (workload, costs), peer, on in product(tables.items(), FOLDS, (False, True)):
        long = max((case.length for case in costs), default=0)
        short_cost, long_cost = costs.get(Case(peer, SHORT, on)), costs.get(Case(peer, long, on))
        if long > SHORT and short_cost and long_cost:
            lengths = f"{long:,} events against {SHORT:,}, collector {'on' if on else 'off'}"
            yield Mark(
                name=f"{peer}, {workload}: {lengths}",
                measured=long_cost.median / short_cost.median,
                bound=FLAT_WITH_COLLECTOR if on and workload != "text" else FLAT,
            )


FOLDS: Final = ("reduce", "fold", "replay")


def against(tables: Tables) -> Iterator[Mark]:
    """`replay` against the mutable floor, `reduce` against orjson alone, at every length."""
    for workload, costs in tables.items():
        if workload in TIMES_FLOOR:
            yield from _times(workload, costs, "replay", "mutable floor", TIMES_FLOOR[workload])
        yield from _times(workload, costs, "reduce", "orjson.loads", TIMES_ORJSON)


def _times(workload: str, costs: Costs, peer: str, base: str, bound: float) -> Iterator[Mark]:
    for length in sorted({case.length for case in costs}):
        name = f"{peer}, {workload}: {length:,} events against {base}"
        own, other = (costs[Case(each, length, collector=False)] for each in (peer, base))
        yield Mark(name=name, measured=own.median / other.median, bound=bound)


def differences(times_reduce: Mapping[tuple[str, int], float]) -> Iterator[Mark]:
    """`changes` between two states one event apart, against the `reduce` of that event."""
    for (workload, length), times in times_reduce.items():
        name = f"changes, {workload}: {length:,} events against reduce"
        yield Mark(name=name, measured=times, bound=TIMES_REDUCE)


def memory(per_chunk: Mapping[str, float], per_state: Mapping[str, float]) -> Iterator[Mark]:
    """Bytes that are held."""
    for way, held in per_chunk.items():
        name = f"{way}, text: bytes held per chunk beyond its text"
        yield Mark(name=name, measured=held, bound=CHUNK_BYTES)
    for workload, held in per_state.items():
        name = f"replay_each, {workload}: bytes held per state when all are kept"
        yield Mark(name=name, measured=held, bound=STATE_BYTES)


def imports(package: float, dependencies: float, converters: int) -> Iterator[Mark]:
    """The import of the package against that of attrs and cattrs; converters that it builds."""
    name = "import acp_state against import attrs, cattrs"
    yield Mark(name=name, measured=package / dependencies, bound=TIMES_DEPENDENCIES)
    yield Mark(name="converters built by the import", measured=converters, bound=0)
