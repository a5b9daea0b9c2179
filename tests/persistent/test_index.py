"""`Index` gives an owner's versions the right candidates, however its owners branch."""

import copy
import doctest

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_state.persistent import Index, index

ROUNDS = 400


class Owner:
    """The simplest owner: a version is a tuple of keys, each at its position."""

    def __init__(self, keys=(), held=None):
        self.keys = keys
        self.index = Index() if held is None else held

    def position(self, key):
        position = self.index.get(key)
        if position is None or position >= len(self.keys) or self.keys[position] != key:
            return None
        return position

    def add(self, key):
        if self.position(key) is not None:
            return self
        return Owner((*self.keys, key), self.index.insert(key, len(self.keys)))

    def is_right(self, others=()):
        keys = self.keys
        return all(
            self.position(key) == (keys.index(key) if key in keys else None)
            for key in {*keys, *others}
        )


def test_docstring_examples():
    assert doctest.testmod(index).failed == 0


@given(st.lists(st.tuples(st.integers(0), st.integers(0, 9)), max_size=80))
def test_every_version_of_a_branching_owner_finds_its_own_keys_and_no_others(steps):
    versions = [Owner()]
    models = [()]
    for which, key in steps:
        at = which % len(versions)
        versions.append(versions[at].add(key))
        model = models[at]
        models.append(model if key in model else (*model, key))
    for version, model in zip(versions, models, strict=True):
        assert version.keys == model
        assert version.is_right(range(10))


def test_a_line_of_versions_shares_one_dict():
    held = Index.of({"first": 0})
    assert all(held.insert(str(i), i) is held for i in range(1, 33_000))
    assert all(held.get(str(i)) == i for i in range(1, 33_000))


def test_a_key_at_the_same_position_is_shared():
    held = Index.of({"a": 0})
    assert held.insert("a", 0) is held


def test_a_key_at_another_position_copies_and_leaves_the_first_alone():
    held = Index.of({"a": 0, "b": 1})
    branch = held.insert("b", 2)
    assert branch is not held
    assert (held.get("b"), branch.get("b"), branch.get("a")) == (1, 2, 0)
    assert branch.insert("c", 3) is branch
    assert held.get("c") is None


def test_an_empty_index_never_takes_anything_in():
    empty = Index()
    one, two = empty.insert("a", 1), empty.insert("a", 2)
    assert (one.get("a"), two.get("a"), empty.get("a")) == (1, 2, None)
    assert Index.of([]).insert("a", 0).get("a") == 0


def test_of_does_not_alias_what_it_was_given():
    positions = {"a": 0}
    held = Index.of(positions)
    held.insert("b", 1)
    positions["a"] = 5
    assert positions == {"a": 5}
    assert held.get("a") == 0


@pytest.mark.parametrize("start", [(), ("x",)])
def test_threads_that_branch_off_one_owner_find_their_own_keys(race, start):
    def base():
        owner = Owner()
        for key in start:
            owner = owner.add(key)
        return owner

    def work(owner, thread):
        chain = [owner]
        # Keys that all threads add at other positions, keys of a thread's own, one all share.
        for key in ("same", thread, *((thread + i) % 4 for i in range(4)), "last"):
            chain.append(chain[-1].add(key))
        return chain

    for chains in race(work, [base() for _ in range(ROUNDS)]):
        for thread, chain in enumerate(chains):
            rotated = tuple((thread + i) % 4 for i in range(4))
            assert chain[-1].keys == (*start, "same", *rotated, "last")
            assert all(version.is_right(chain[-1].keys) for version in chain)


def test_threads_that_insert_one_key_at_once_all_keep_their_position(race):
    def work(base, thread):
        return [base.insert(key, thread) for key in range(8)]

    for branches in race(work, [Index.of({"x": 0}) for _ in range(ROUNDS)]):
        for thread, held in enumerate(branches):
            assert [held[key].get(key) for key in range(8)] == [thread] * 8


def test_unhashable_keys_are_type_errors():
    for call in (lambda: Index.of({"a": 0}).get([]), lambda: Index.of({"a": 0}).insert([], 0)):
        with pytest.raises(TypeError, match="unhashable"):
            call()


def test_compares_and_hashes_by_identity():
    held = Index.of({"a": 0})
    assert held != Index.of({"a": 0})
    assert len({held, held, Index.of({"a": 0})}) == 2


def test_repr_says_how_many_keys():
    assert repr(Index.of({"a": 0, "b": 1})) == "<Index of 2 keys>"


def test_no_attribute_can_be_set_or_deleted():
    held = Index.of({"a": 0})
    for name in ("_positions", "other"):
        with pytest.raises(AttributeError, match=f"Index is immutable: cannot set '{name}'"):
            setattr(held, name, {})
        with pytest.raises(AttributeError, match=f"Index is immutable: cannot delete '{name}'"):
            delattr(held, name)
    assert not hasattr(held, "__dict__")
    assert held.get("a") == 0


def test_copies_and_pickles(clones):
    held = Index.of({"a": 0, "b": 1})
    assert copy.copy(held) is held
    for clone in clones(held):
        assert clone.insert("c", 2) is clone
        assert [clone.get(key) for key in "abc"] == [0, 1, 2]
    assert held.get("c") is None
