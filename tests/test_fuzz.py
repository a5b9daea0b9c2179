"""The fuzz targets hold for the corpus, and for what hypothesis finds; see ``fuzz/README.md``."""

import random
from pathlib import Path

import pytest
from fuzz_inputs import MOST_LINES, BytesScript, conversation
from fuzz_targets import TARGETS
from hypothesis import given, settings
from hypothesis import strategies as st

CORPUS = Path(__file__).parents[1] / "fuzz" / "corpus"
SEEDS = {name: sorted((CORPUS / name).iterdir()) for name in TARGETS}


@pytest.mark.parametrize("name", TARGETS)
def test_the_corpus(name):
    """Each input that was found worth keeping."""
    assert SEEDS[name]
    for path in SEEDS[name]:
        TARGETS[name](path.read_bytes())


def test_the_corpus_is_small():
    """It is part of the repository."""
    assert sum(path.stat().st_size for paths in SEEDS.values() for path in paths) < 300_000


def spliced(name):
    """The beginning of one seed, the end of another, and any bytes between them."""
    seeds = st.sampled_from(SEEDS[name]).map(Path.read_bytes)
    cut = st.integers(0, 400)
    return st.builds(
        lambda first, at, between, second, to: first[:at] + between + second[to:][:1000],
        seeds, cut, st.binary(max_size=20), seeds, cut,
    )  # fmt: skip


@pytest.mark.parametrize("name", TARGETS)
@settings(max_examples=150)
@given(st.data())
def test_any_input(name, data):
    """Contracts 1, 2, 4 and 6, and what each timeline must be."""
    TARGETS[name](data.draw(st.binary(max_size=100) | spliced(name)))


@given(st.binary(max_size=200))
def test_bytes_are_one_conversation(data):
    """The same bytes give the same lines, which come to an end."""
    lines = conversation(BytesScript(data))
    assert repr(lines) == repr(conversation(BytesScript(data)))
    assert len(lines) <= MOST_LINES


@pytest.mark.parametrize("name", TARGETS)
def test_a_target_that_finds_something_fails(name, monkeypatch):
    """The fuzzer would see it."""
    monkeypatch.setattr("fuzz_targets.fold", lambda connection, _: (connection, ("odd",)))
    monkeypatch.setattr("fuzz_targets.fold_updates", lambda session, _: (session, ("odd",)))
    monkeypatch.setattr("fuzz_targets.replay", lambda _: None)
    chance = random.Random(0)  # noqa: S311 - no secret
    with pytest.raises(AssertionError):
        TARGETS[name](chance.randbytes(40))
