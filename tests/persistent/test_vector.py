"""`Vector` behaves as a list of which every version is kept."""

import copy
import doctest
import gc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_state.persistent import Vector, vector

BOUNDARIES = [0, 1, 31, 32, 33, 63, 64, 65, 1023, 1024, 1025, 1055, 1056, 1057, 2081]
LARGE = [32_767, 32_768, 32_769, 32_799, 32_800, 32_801, 33_825]

sizes = st.sampled_from(BOUNDARIES) | st.integers(0, 100)
changes = st.tuples(st.booleans(), st.integers(0), st.integers(0), st.integers())


def test_docstring_examples():
    assert doctest.testmod(vector).failed == 0


@given(sizes, st.lists(changes, max_size=80))
def test_every_version_of_a_branching_history_stays_what_it_was(size, steps):
    versions = [(Vector.of(range(size)), list(range(size)))]
    for append, which, where, item in steps:
        held, model = versions[which % len(versions)]
        if append or not model:
            versions.append((held.append(item), [*model, item]))
        else:
            index = where % (2 * len(model)) - len(model)
            changed = list(model)
            changed[index] = item
            versions.append((held.set(index, item), changed))
    for held, model in versions:
        assert list(held) == model
        assert len(held) == len(model)
        assert held == Vector.of(model)


@given(sizes, st.slices(200) | st.slices(1100), st.integers(-1100, 1100))
def test_reading_agrees_with_a_list(size, span, item):
    held, model = Vector.of(range(size)), list(range(size))
    assert held[span] == tuple(model[span])
    assert list(reversed(held)) == model[::-1]
    assert (item in held) == (item in model)
    assert held.count(item) == model.count(item)
    if item in model:
        assert held.index(item) == model.index(item)


@pytest.mark.parametrize("size", [*BOUNDARIES, *LARGE])
def test_reads_and_sets_every_kind_of_position(size):
    held, model = Vector.of(range(size)), list(range(size))
    assert [held[i] for i in range(-size, size)] == model + model
    for index in {0, size // 3, size - 34, size - 33, size - 32, size - 2, size - 1} & set(model):
        for at in (index, index - size):
            changed = held.set(at, "x")
            assert list(changed) == [*model[:index], "x", *model[index + 1 :]]
            assert changed != held
            assert changed.set(at, index) == held
    assert list(held) == model


def test_appending_one_by_one_builds_the_same_tree_as_all_at_once():
    held, kept = Vector(), []
    for item in range(LARGE[-1] + 1):
        if item in BOUNDARIES or item in LARGE:
            kept.append((item, held))
        held = held.append(item)
    assert len(kept) == len(BOUNDARIES) + len(LARGE)
    for size, version in kept:
        assert version == Vector.of(range(size))
        assert list(version) == list(range(size))


@pytest.mark.parametrize("size", [(1 << 20), (1 << 20) + 32])
def test_grows_a_level_past_a_million(size):
    held = Vector.of(range(size))
    longer = held.append(size).append(size + 1)
    assert longer == Vector.of(range(size + 2))
    assert longer[-34:] == tuple(range(size - 32, size + 2))
    assert [longer[i] for i in range(0, size + 2, 9973)] == list(range(0, size + 2, 9973))
    assert longer.set(size // 2, "x")[size // 2] == "x"


@pytest.mark.parametrize("size", BOUNDARIES)
def test_index_out_of_range(size):
    held = Vector.of(range(size))
    for index in (size, size + 1, -size - 1, size + 32, 1 << 40):
        message = f"index {index} is out of range for a Vector of {size} items"
        with pytest.raises(IndexError, match=message):
            held[index]
        with pytest.raises(IndexError, match=message):
            held.set(index, "x")


@pytest.mark.parametrize("size", [3, 33, 2000])
def test_setting_what_is_there_gives_the_same_vector(size):
    items = [object() for _ in range(size)]
    held = Vector.of(items)
    assert all(held.set(index, item) is held for index, item in enumerate(items))
    equal = Vector.of([1.0] * size)
    assert equal.set(0, 1) is not equal


def test_a_set_copies_one_path():
    held = Vector.of(range(5000))
    _, _, before = held._trunk
    _, _, after = held.set(2000, "x")._trunk
    assert [
        i for i, pair in enumerate(zip(before, after, strict=True)) if pair[0] is not pair[1]
    ] == [1]
    leaves = zip(before[1], after[1], strict=True)
    assert [i for i, pair in enumerate(leaves) if pair[0] is not pair[1]] == [2000 // 32 - 32]
    assert held.set(-1, "x")._trunk is held._trunk
    assert held.append("x")._trunk is held._trunk


class Untouchable:
    __hash__ = None

    def __eq__(self, other):
        raise AssertionError


def test_comparing_skips_what_is_shared():
    held = Vector.of(Untouchable() for _ in range(3000))
    assert held.append(1) != held.append(2)
    assert held.append(1) == held.append(1)
    assert held.set(1500, 1) != held.set(1500, 2)
    assert held.set(1500, 1) == held.set(1500, 1)


def test_equality_is_with_vectors_of_equal_items():
    assert Vector.of([1, 2]) == Vector.of([1.0, 2.0])
    assert Vector.of([1, 2]) != Vector.of([1, 2, 3])
    assert Vector.of(range(64)) != Vector.of(range(65))
    assert Vector.of([1, 2]) != [1, 2]
    assert Vector.of([1, 2]) != (1, 2)
    assert Vector() == Vector.of() == Vector.of([])
    nan = float("nan")
    assert Vector.of([nan]) == Vector.of([nan])


@pytest.mark.parametrize("size", BOUNDARIES)
def test_equal_vectors_hash_alike(size):
    held = Vector.of(range(size))
    assert hash(held) == hash(Vector.of(float(i) for i in range(size)))
    assert hash(held) != hash(held.append(1))


def test_hash_needs_hashable_items():
    with pytest.raises(TypeError, match="unhashable"):
        hash(Vector.of([[]]))


def test_repr_shows_first_items_and_the_length_of_long_ones():
    assert repr(Vector()) == "Vector.of([])"
    assert repr(Vector.of("ab")) == "Vector.of(['a', 'b'])"
    assert repr(Vector.of(range(8))) == "Vector.of([0, 1, 2, 3, 4, 5, 6, 7])"
    assert repr(Vector.of(range(99))) == "Vector.of([0, 1, 2, 3, 4, 5, 6, 7, ... 99 in all])"


def test_no_attribute_can_be_set_or_deleted():
    held = Vector.of([1])
    for name in ("_trunk", "_tail", "other"):
        with pytest.raises(AttributeError, match=f"Vector is immutable: cannot set '{name}'"):
            setattr(held, name, ())
        with pytest.raises(AttributeError, match=f"Vector is immutable: cannot delete '{name}'"):
            delattr(held, name)
    assert not hasattr(held, "__dict__")
    assert list(held) == [1]


def test_nothing_mutable_is_reachable():
    held = Vector.of(range(2000)).append("x").set(7, "y")
    seen, todo = set(), [held._trunk, held._tail]
    while todo:
        node = todo.pop()
        seen.add(type(node))
        todo += gc.get_referents(node)
    assert seen == {tuple, int, str}


@pytest.mark.parametrize("size", [0, 5, 2000])
def test_copies_and_pickles(clones, size):
    held = Vector.of(range(size))
    assert copy.copy(held) is held
    assert all(clone == held for clone in clones(held))


def test_deepcopy_copies_mutable_items():
    held = Vector.of([[1]])
    assert copy.deepcopy(held)[0] is not held[0]


def held_elsewhere(mine, theirs):
    """The positions of both at which they hold other objects, found by looking at each."""
    pairs = enumerate(zip(mine, theirs, strict=False))
    return [(at, one, other) for at, (one, other) in pairs if one is not other]


@given(sizes, st.lists(changes, max_size=40), st.data())
def test_differing_finds_what_is_another_object_between_any_two_versions(size, steps, data):
    versions = [Vector.of([object() for _ in range(size)])]
    for append, which, where, _ in steps:
        held = versions[which % len(versions)]
        made = (
            held.append(object()) if append or not held else held.set(where % len(held), object())
        )
        versions.append(made)
    versions.append(Vector.of(versions[-1]))
    for _ in range(5):
        one, other = (data.draw(st.sampled_from(versions)) for _ in range(2))
        assert one.differing(other) == held_elsewhere(one, other)


@pytest.mark.parametrize("longer", [*BOUNDARIES, *LARGE])
def test_differing_takes_vectors_of_any_two_lengths(longer):
    items = [object() for _ in range(longer)]
    held = Vector.of(items)
    for shorter in {*BOUNDARIES, longer - 1, longer - 33} & {*range(longer + 1)}:
        part = Vector.of(items[:shorter])
        assert part.differing(held) == held.differing(part) == []
        for at in {0, shorter // 2, shorter - 1} & {*range(shorter)}:
            changed = part.set(at, "x")
            assert changed.differing(held) == [(at, "x", items[at])]
            assert held.differing(changed) == [(at, items[at], "x")]


def test_differing_asks_no_item_whether_it_is_equal():
    held = Vector.of(Untouchable() for _ in range(3000))
    changed = held.append(1).set(1500, 1)
    assert held.differing(changed) == [(1500, held[1500], 1)]
    assert Vector.of([1]).differing(Vector.of([1.0])) == [(0, 1, 1.0)]
