"""Conversations by chance, told to `reduce` and to the naive model of the tests.

    python fuzz/beside_the_model.py 0 20000

takes the seeds from the first number to the second, a conversation of up to sixty lines each, and
stops at the first after whose lines the two do not agree: it prints what was said. It is what
`tests/test_naive_model.py` does under Hypothesis, many times as fast, and without shrinking.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "tests")]

from conversations import Script  # noqa: E402 - see above
from naive.form import form_of  # noqa: E402
from naive_projection import projected  # noqa: E402
from naive_talk import RICH, mutated  # noqa: E402
from observing import SEATS  # noqa: E402
from test_naive_model import FAMILIES, BesideTheNaiveModel  # noqa: E402

LINES = 60


class ByChance(Script):
    """What may be said next, drawn from a generator of random numbers."""

    def __init__(self, chance: random.Random) -> None:
        super().__init__(None, FAMILIES)
        self.chance = chance

    def one_of(self, *values: object) -> object:
        """One of the values."""
        return self.chance.choice(values)

    def once_in(self, times: int) -> bool:
        """Whether something happens that happens once in so many times."""
        return self.chance.randint(1, times) == times

    def maybe(self, value: object) -> object:
        """The value, or nothing, as a part of a dict."""
        return self.one_of({}, value)

    def any_json(self) -> object:
        """A JSON value of any kind."""
        return self.one_of(None, 5, "x", [], {"x": [1]})


def conversation(seed: int) -> int:
    """Say one conversation to both, and count its lines."""
    chance = random.Random(seed)
    both, said = BesideTheNaiveModel(), []
    both.start(side=chance.choice(SEATS), is_new=chance.choice([True, False]))
    both.script = ByChance(chance)
    try:
        for _ in range(chance.randint(1, LINES)):
            if chance.random() < 1 / LINES:
                said.append("the connection is lost, and opened again")
                both.loses_the_connection(again=True, odds=1)
            line = chance.choice(RICH)(both.script)
            if line is not None and isinstance(line[1], dict) and chance.choice([True, False]):
                line = mutated(both.script, line)
            said.append(line)
            both.tell(line)
    except BaseException:
        seat = both.connection.side
        print(f"seed {seed}, {seat}'s seat:", *map(repr, filter(None, said)), sep="\n")
        print(*differences(projected(both.connection), form_of(both.naive)), sep="\n")
        raise
    return len(said)


def differences(here: object, naive: object, path: str = "") -> Iterator[str]:
    """Where two states differ: what is here, and what the naive model has."""
    if isinstance(here, dict) and isinstance(naive, dict):
        for key in here.keys() | naive.keys():
            yield from differences(here.get(key), naive.get(key), f"{path}.{key}")
    elif isinstance(here, list) and isinstance(naive, list) and len(here) == len(naive):
        for index, pair in enumerate(zip(here, naive, strict=True)):
            yield from differences(*pair, f"{path}[{index}]")
    elif here != naive:
        yield f"{path}: {here!r:.300} here, {naive!r:.300} in the naive model"


def main(first: str, end: str) -> None:
    """All conversations of these seeds."""
    started = time.monotonic()
    lines = sum(map(conversation, range(int(first), int(end))))
    passed = time.monotonic() - started
    print(f"{int(end) - int(first)} conversations, {lines} lines, {passed:.0f} s: no difference")


if __name__ == "__main__":
    main(*sys.argv[1:])
