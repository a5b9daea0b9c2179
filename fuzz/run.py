"""Fuzz one target: ``python fuzz/run.py messages -runs=1000000``.

With atheris the fuzzer is led by coverage; all arguments after the target are libFuzzer's, and
what it finds worth keeping goes into the first folder that is named. Without atheris, inputs of
the corpus are mutated at random; ``-runs`` and ``-seed`` are understood there as well.
"""

from __future__ import annotations

import random
import sys
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]

try:
    import atheris
except ImportError:  # only built for some versions of Python
    atheris = None

CORPUS = Path(__file__).parent / "corpus"


def main(name: str, *arguments: str) -> None:
    """Run the target until it fails, or as often as was said."""
    if atheris is None:
        _at_random(name, arguments)
        return
    with atheris.instrument_imports(include=["acp_state"]):
        from fuzz_targets import TARGETS  # noqa: PLC0415 - instrumented while it is imported
    atheris.Setup([sys.argv[0], *arguments, str(CORPUS / name)], TARGETS[name])
    atheris.Fuzz()


def _at_random(name: str, arguments: tuple[str, ...]) -> None:
    from fuzz_targets import TARGETS  # noqa: PLC0415 - see main

    options = dict(each.lstrip("-").split("=") for each in arguments if "=" in each)
    seeds = [path.read_bytes() for path in sorted((CORPUS / name).iterdir())]
    chance, runs = random.Random(int(options.get("seed", "0"))), int(options.get("runs", "100000"))
    started = time.monotonic()
    for _ in range(runs):
        data = _mutated(chance, seeds)
        try:
            TARGETS[name](data)
        except BaseException:
            Path(f"crash-{name}").write_bytes(data)
            raise
    print(f"{runs} inputs of {name} in {time.monotonic() - started:.0f} s, without a fault")


def _mutated(chance: random.Random, seeds: list[bytes]) -> bytes:
    """A part of one seed after a part of another, with some bytes changed."""
    first, second = chance.choice(seeds), chance.choice(seeds)
    data = bytearray(
        first[: chance.randint(0, len(first))] + second[chance.randint(0, len(second)) :]
    )
    for _ in range(min(len(data), chance.choice([0, 1, 1, 2, 4, 16]))):
        data[chance.randrange(len(data))] = chance.randrange(256)
    if chance.random() < 1 / 4:
        data += chance.randbytes(chance.randint(0, 60))
    return bytes(data[:4096])


if __name__ == "__main__":
    main(*sys.argv[1:])
