"""`Map` behaves as a dict of which every version is kept, whichever threads change them."""

import copy
import doctest
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_state.persistent import Map
from acp_state.persistent import map as map_module

ROUNDS = 300

changes = st.tuples(
    st.integers(0),
    st.sampled_from(["set", "set", "set", "remove", "churn"]),
    st.integers(0, 7),
    st.integers(0, 3),
)


def test_docstring_examples():
    assert doctest.testmod(map_module).failed == 0


def changed(held, model, kind, key, value):
    """One change of a map and of its model; churn is removing and setting many times."""
    model = dict(model)
    if kind == "set":
        model[key] = value
        return held.set(key, value), model
    for _ in range(40 if kind == "churn" else 1):
        if key in model:
            del model[key]
            held = held.remove(key)
        if kind == "churn":
            model[key] = value
            held = held.set(key, value)
    return held, model


def check(held, model):
    assert list(held.items()) == list(model.items())
    assert list(reversed(held)) == list(reversed(model))
    assert len(held) == len(model)
    for key in range(8):
        assert held.get(key, "none") == model.get(key, "none")
        assert (key in held) == (key in model)
    assert all(held[key] == value for key, value in model.items())
    assert held == model
    assert held == Map.of(model)


@given(st.lists(changes, max_size=60))
def test_every_version_of_a_branching_history_stays_what_it_was(steps):
    versions = [(Map(), {})]
    for which, *change in steps:
        versions.append(changed(*versions[which % len(versions)], *change))
    for held, model in versions:
        check(held, model)


@pytest.mark.parametrize("size", [31, 32, 33, 1024, 1057, 33_000])
def test_grows_and_shrinks_past_the_boundaries_of_its_vector(size):
    model, held, kept = {}, Map(), []
    for key in range(size):
        held = held.set(key, str(key))
        model[key] = str(key)
    kept.append((held, dict(model)))
    for key in range(0, size, 2):
        held = held.remove(key)
        del model[key]
    kept.append((held, dict(model)))
    for key in range(0, size, 3):
        held = held.set(key, "again")
        model[key] = "again"
    kept.append((held, dict(model)))
    for key in list(model):
        held = held.remove(key)
    kept.append((held, {}))
    for version, expected in kept:
        assert list(version.items()) == list(expected.items())
        assert version == expected


def test_a_known_key_keeps_its_place_and_its_object():
    first, second = 1, 1.0
    held = Map.of([(first, "a"), (2, "b")]).set(second, "c")
    assert list(held.items()) == [(1, "c"), (2, "b")]
    assert next(iter(held)) is first


def test_setting_the_value_that_is_there_gives_the_same_map():
    value = object()
    held = Map.of({"a": value})
    assert held.set("a", value) is held
    again = held.remove("a").set("a", value)
    assert again.set("a", value) is again
    assert Map.of({"a": 1.0}).set("a", 1)["a"] == 1


def test_a_key_set_again_goes_to_the_end():
    held = Map.of({"a": 1, "b": 2})
    for value in range(3):
        held = held.remove("a").set("a", value)
        assert list(held) == ["b", "a"]
    held = held.set("c", 3).remove("b").set("b", 4)
    assert list(held.items()) == [("a", 2), ("c", 3), ("b", 4)]


def test_removing_and_setting_again_copies_no_index_and_leaves_no_heap_of_tombstones():
    held = Map.of(dict.fromkeys(range(100), 0))
    indexes, slots = set(), set()
    for i in range(1000):
        held = held.remove(7).set(7, i)
        indexes.add(held._index)
        slots.add(len(held._slots))
    assert len(indexes) == 11
    assert max(slots) <= 202
    assert held[7] == 999


def test_a_small_map_is_not_built_anew_for_few_removals():
    held = Map.of({0: 0, 1: 1})
    for i in range(32):
        held = held.remove(1).set(1, i)
    assert len(held._slots) == 34
    assert len(held.remove(1)._slots) == 1


def test_a_map_from_which_all_is_removed_is_the_empty_one():
    held = Map.of({1: 1})
    for i in range(3):
        held = held.remove(1).set(1, i)
    assert len(held._slots) == 1
    assert held.remove(1) == Map()
    assert len(held.remove(1)._slots) == 0


@pytest.mark.parametrize("held", [Map(), Map.of({"b": 1}), Map.of({"a": 1}).remove("a")])
def test_absent_keys(held):
    assert "a" not in held
    assert held.get("a") is None
    assert held.get("a", 5) == 5
    with pytest.raises(KeyError, match=r"^'a'$"):
        held["a"]
    with pytest.raises(KeyError, match="cannot remove 'a': there is no such key"):
        held.remove("a")


def test_a_key_of_another_branch_is_not_found():
    base = Map.of({"a": 1})
    longer = base.set("b", 2).set("c", 3)
    other = base.set("d", 4)
    for key in "bc":
        assert key not in base
        assert key not in other
        with pytest.raises(KeyError):
            other.remove(key)
    branch = other.set("c", 5).set("b", 6)
    assert list(branch.items()) == [("a", 1), ("d", 4), ("c", 5), ("b", 6)]
    assert list(longer.items()) == [("a", 1), ("b", 2), ("c", 3)]


def test_an_empty_map_never_takes_anything_in():
    empty = Map()
    one, two = empty.set("a", 1), empty.set("b", 2).set("a", 3)
    assert (list(one), list(two), list(empty)) == (["a"], ["b", "a"], [])
    assert one._index is not empty._index


def test_unhashable_keys_are_type_errors():
    held = Map.of({"a": 1})
    calls = [held.get, held.__getitem__, held.remove, held.__contains__, lambda k: held.set(k, 1)]
    for call in calls:
        with pytest.raises(TypeError, match="unhashable"):
            call([])


def test_keys_and_values_may_be_anything_hashable_and_anything():
    nan = float("nan")
    held = Map.of([(nan, nan), (None, None), ((), [])])
    assert held[nan] is nan
    assert held[None] is None
    assert None in held
    assert held.remove(None).get(None, "gone") == "gone"
    assert list(held.values()) == [nan, None, []]


def test_of_takes_mappings_and_pairs_and_the_last_value_of_a_key():
    expected = Map().set("a", 3).set("b", 2)
    assert Map.of([("a", 1), ("b", 2), ("a", 3)]) == expected
    assert list(Map.of([("a", 1), ("b", 2), ("a", 3)])) == ["a", "b"]
    assert Map.of({"a": 3, "b": 2}) == Map.of(expected) == expected
    assert Map.of() == Map.of({}) == Map()


def test_equality_disregards_order_and_holds_with_any_mapping():
    held = Map.of({"a": 1, "b": 2})
    assert held == held.set("a", 1)
    assert held == Map.of({"b": 2, "a": 1.0}) == {"b": 2, "a": 1}
    assert held == MappingProxyType({"a": 1, "b": 2})
    assert held != {"a": 1}
    assert held != {"a": 1, "c": 2}
    assert held != Map.of({"a": 1, "b": 3})
    assert held != [("a", 1), ("b", 2)]
    assert held.remove("a").remove("b") == Map() == {}


def test_equal_maps_hash_alike():
    held = Map.of({"a": 1, "b": 2})
    assert hash(held) == hash(Map.of({"b": 2.0, "a": 1}))
    assert hash(held) == hash(held.set("c", 1).remove("c"))
    assert hash(held) != hash(held.remove("a"))
    with pytest.raises(TypeError, match="unhashable"):
        hash(Map.of({"a": []}))


def test_repr_shows_first_items_and_the_length_of_long_ones():
    assert repr(Map()) == "Map.of({})"
    assert repr(Map.of({"a": 1, "b": 2}).remove("a")) == "Map.of({'b': 2})"
    long = Map.of(zip(range(99), "x" * 99, strict=True))
    shown = ", ".join(f"{key}: 'x'" for key in range(8))
    assert repr(long) == f"Map.of({{{shown}, ... 99 in all}})"


def test_no_attribute_can_be_set_or_deleted():
    held = Map.of({"a": 1})
    for name in ("_slots", "_index", "_length", "other"):
        with pytest.raises(AttributeError, match=f"Map is immutable: cannot set '{name}'"):
            setattr(held, name, None)
        with pytest.raises(AttributeError, match=f"Map is immutable: cannot delete '{name}'"):
            delattr(held, name)
    with pytest.raises(TypeError):
        held["a"] = 2
    assert not hasattr(held, "__dict__")
    assert held == {"a": 1}


def test_copies_and_pickles(clones):
    held = Map.of({"a": 1, "b": 2}).remove("a").set("c", 3).set("a", 4)
    assert copy.copy(held) is held
    for clone in clones(held):
        assert list(clone.items()) == list(held.items())
        assert clone.set("d", 5) == {"b": 2, "c": 3, "a": 4, "d": 5}


@pytest.mark.parametrize("start", [{}, {"x": 0, 1: 0}])
def test_threads_that_change_one_map_get_what_they_set(race, start):
    def steps(thread):
        own = [("set", (thread, i), i) for i in range(3)]
        shared = [("set", (thread + i) % 4, thread) for i in range(4)]
        return [
            *own,
            *shared,
            ("remove", thread, None),
            ("set", thread, "back"),
            ("remove", 3, None),
        ]

    def work(base, thread):
        chain = [(base, start)]
        for step in steps(thread):
            chain.append(changed(*chain[-1], *step))
        return chain

    for chains in race(work, [Map.of(start) for _ in range(ROUNDS)]):
        for chain in chains:
            for held, model in chain:
                assert list(held.items()) == list(model.items())
                assert held == model


def applied(model, gone, changed, new):
    """The items after the changes, made of the items before them."""
    model = dict(model)
    for key, value in gone.items():
        assert model.pop(key) is value
    for key, (before, after) in changed.items():
        assert model[key] is before
        assert after is not before
        model[key] = after
    for key, value in new.items():
        assert key not in model
        model[key] = value
    return model


@given(st.lists(changes, max_size=60), st.data())
def test_differing_makes_the_items_of_any_version_of_those_of_any_other(steps, data):
    versions = [(Map(), {})]
    for which, kind, key, _ in steps:
        held, model = versions[which % len(versions)]
        versions.append(changed(held, model, kind, key, object()))
    versions.append((Map.of(versions[-1][0]), versions[-1][1]))
    for _ in range(5):
        (one, before), (other, after) = (data.draw(st.sampled_from(versions)) for _ in range(2))
        gone, changed_values, new = one.differing(other)
        made = applied(before, gone, changed_values, new)
        assert made == after
        assert new or list(made) == list(after)
        assert all(made[key] is value for key, value in after.items())


@given(st.lists(changes, max_size=60), st.integers(0, 60))
def test_differing_tells_the_order_too_of_a_later_version(steps, count):
    versions = [(Map(), {})]
    for _, kind, key, _ in steps:
        versions.append(changed(*versions[-1], kind, key, object()))
    earlier, before = versions[min(count, len(steps))]
    later, after = versions[-1]
    assert list(applied(before, *earlier.differing(later))) == list(after)


def test_differing_takes_no_notice_of_a_rebuilding_without_tombstones():
    held = Map.of(dict.fromkeys(range(40), 0))
    without = held
    for key in range(35):
        without = without.remove(key)
    assert without._index is not held._index
    assert held.differing(without) == (dict.fromkeys(range(35), 0), {}, {})
    assert held.differing(without.set(36, 1)) == (dict.fromkeys(range(35), 0), {36: (0, 1)}, {})
    assert without.differing(Map.of(without)) == ({}, {}, {})


def test_a_key_that_was_set_again_is_both_gone_and_new():
    held = Map.of({"a": 1, "b": 2})
    assert held.differing(held.remove("a").set("a", 1)) == ({"a": 1}, {}, {"a": 1})
    assert held.differing(held.remove("a")) == ({"a": 1}, {}, {})
    assert held.remove("a").differing(held) == ({}, {}, {"a": 1})
    assert held.differing(held) == ({}, {}, {})


def test_a_value_that_is_a_key_as_well_is_not_taken_for_one():
    """What was set last lies beside the slots, and is found by its key alone."""
    held = Map.of({"a": 1, "b": 2}).set("a", "b")
    assert (held["b"], held.get("b"), held.get("c"), "c" in held) == (2, 2, None, False)
    assert held.set("b", 5) == {"a": "b", "b": 5}
    assert list(held.set("c", 5).items()) == [("a", "b"), ("b", 2), ("c", 5)]
    assert held.remove("b") == {"a": "b"}
