"""`Log` behaves as a list of which every version is kept, whichever threads append to them."""

import copy
import doctest
import gc
from itertools import accumulate

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from acp_state.persistent import Log, log
from acp_state.persistent.log import _made as made

ROUNDS = 400

# Few distinct items, so that branches often put the very same object into the same slot.
items = st.sampled_from(["a", "b", 1, None])
changes = st.tuples(st.integers(0), items | st.lists(items, max_size=4))


def test_docstring_examples():
    assert doctest.testmod(log).failed == 0


def grown(held, change):
    return held.extend(change) if isinstance(change, list) else held.append(change)


@given(st.lists(items, max_size=40), st.lists(changes, max_size=80))
def test_every_version_of_a_branching_history_stays_what_it_was(start, steps):
    versions = [(Log.of(start), start)]
    for which, change in steps:
        held, model = versions[which % len(versions)]
        added = change if isinstance(change, list) else [change]
        versions.append((grown(held, change), model + added))
    for held, model in versions:
        assert list(held) == model
        assert len(held) == len(model)
        assert held == Log.of(model)
        assert hash(held) == hash(Log.of(model))


@example(5, 2, slice(None, None, 2), 3)
@example(5, 2, slice(1, 4), 3)
@given(st.integers(0, 40), st.integers(0, 10), st.slices(40), st.integers(-1, 50))
def test_reading_agrees_with_a_list_and_never_sees_later_items(size, later, span, item):
    held, model = Log.of(range(size)), list(range(size))
    held.extend(range(size, size + later))
    assert held[span] == tuple(model[span])
    assert [held[i] for i in range(-size, size)] == model + model
    assert list(reversed(held)) == model[::-1]
    assert (item in held) == (item in model)
    assert held.count(item) == model.count(item)
    for index in (size, -size - 1):
        message = f"index {index} is out of range for a Log of {size} items"
        with pytest.raises(IndexError, match=message):
            held[index]


def test_an_iterator_ends_where_its_version_ends():
    held = Log.of([1, 2])
    iterator = iter(held)
    assert next(iterator) == 1
    held.append(3)
    assert list(iterator) == [2]


def test_a_long_line_of_versions_shares_one_buffer():
    versions = list(accumulate(map(str, range(33_000)), Log.append, initial=Log.of(["first"])))
    assert {id(version._buffer) for version in versions} == {id(versions[0]._buffer)}
    assert all(len(version) == size for size, version in enumerate(versions, start=1))
    assert list(versions[-1]) == ["first", *map(str, range(33_000))]
    assert list(versions[1024]) == ["first", *map(str, range(1024))]


def test_an_old_version_copies_once_and_then_appends_in_place():
    old = Log.of("ab")
    newest = old.append("c")
    branch = old.append("d")
    assert newest._buffer is old._buffer
    assert branch._buffer is not old._buffer
    assert branch.append("e")._buffer is branch._buffer
    assert branch.extend("ef")._buffer is not branch._buffer
    assert [list(held) for held in (old, newest, branch)] == [
        ["a", "b"],
        ["a", "b", "c"],
        ["a", "b", "d"],
    ]


def test_appending_the_object_that_is_there_shares_it():
    one, two, three = object(), object(), object()
    old = Log.of("ab")
    newest = old.extend([one, two])
    assert old.append(one)._buffer is newest._buffer
    assert old.extend([one, two])._buffer is newest._buffer
    assert old.extend([one, two]) == old.append(one).append(two) == newest
    assert list(old.extend([one, two, three])) == ["a", "b", one, two, three]


def test_an_empty_log_never_takes_anything_in():
    empty = Log()
    assert list(empty.append("a")) == list(empty.extend("a")) == ["a"]
    assert empty._buffer == []
    assert Log.of().append("a")._buffer is not empty.append("a")._buffer


def test_extending_by_nothing_gives_the_same_log():
    held = Log.of([1])
    assert held.extend([]) is held
    assert held.extend(iter(())) is held


def test_extending_by_itself_or_by_an_iterator_over_itself():
    held = Log.of([1, 2])
    assert list(held.extend(held)) == list(held.extend(iter(held))) == [1, 2, 1, 2]


class Outrun(list):
    """A buffer in which another thread is always a moment earlier."""

    def append(self, item):
        super().append("theirs")
        super().append(item)

    def extend(self, added):
        super().append(added[0])
        super().extend(added)


def test_who_comes_second_goes_on_in_a_buffer_of_its_own():
    old = made(Outrun("ab"), 2)
    appended = old.append("c")
    assert list(appended) == ["a", "b", "c"]
    assert list(old) == ["a", "b"]
    assert type(appended._buffer) is list


def test_who_extends_second_is_not_fooled_by_an_equal_first_item():
    old = made(Outrun("ab"), 2)
    extended = old.extend("cd")
    assert list(extended) == ["a", "b", "c", "d"]
    assert list(old) == ["a", "b"]
    assert type(extended._buffer) is list


@pytest.mark.parametrize("start", [[], ["x"], ["x"] * 50])
def test_threads_that_append_to_one_version_get_what_they_appended(race, start):
    def work(base, thread):
        return list(accumulate(((thread, i) for i in range(6)), Log.append, initial=base))

    for chains in race(work, [Log.of(start) for _ in range(ROUNDS)]):
        for thread, chain in enumerate(chains):
            for size, version in enumerate(chain):
                assert list(version) == start + [(thread, i) for i in range(size)]


def test_threads_that_add_the_same_objects_get_what_they_added(race):
    added = [["a", "a"], ["a", "b"], ["a"], ["b", "a", "a"]]

    def work(base, thread):
        changes = [added[thread], "a", added[thread], "b"]
        return list(accumulate(changes, grown, initial=base))

    for chains in race(work, [Log.of("xy") for _ in range(ROUNDS)]):
        for thread, chain in enumerate(chains):
            mine = added[thread]
            expected = [[], mine, [*mine, "a"], [*mine, "a", *mine], [*mine, "a", *mine, "b"]]
            assert [list(version) for version in chain] == [["x", "y", *rest] for rest in expected]


def test_equality_is_with_logs_of_equal_items():
    held = Log.of([1, 2])
    longer = held.append(3)
    assert held == Log.of([1.0, 2.0])
    assert held != longer
    assert longer == held.append(3) == Log.of([1, 2, 3])
    assert held.append(4) != longer
    assert held != (1, 2)
    assert held != [1, 2]
    assert Log() == Log.of([])
    assert hash(held) == hash(Log.of([1.0, 2.0]))
    with pytest.raises(TypeError, match="unhashable"):
        hash(Log.of([[]]))


def test_repr_shows_first_items_and_the_length_of_long_ones():
    held = Log.of("ab")
    held.append("c")
    assert repr(Log()) == "Log.of([])"
    assert repr(held) == "Log.of(['a', 'b'])"
    assert repr(Log.of(range(99))) == "Log.of([0, 1, 2, 3, 4, 5, 6, 7, ... 99 in all])"


def test_no_attribute_can_be_set_or_deleted():
    held = Log.of([1])
    for name in ("_buffer", "_length", "other"):
        with pytest.raises(AttributeError, match=f"Log is immutable: cannot set '{name}'"):
            setattr(held, name, [])
        with pytest.raises(AttributeError, match=f"Log is immutable: cannot delete '{name}'"):
            delattr(held, name)
    assert not hasattr(held, "__dict__")
    assert list(held) == [1]


def test_the_collector_has_one_list_to_walk_however_many_strings_there_are():
    held = Log.of(str(i) for i in range(1000)).append("x")
    buffer, *others = filter(gc.is_tracked, gc.get_referents(held))
    assert buffer is held._buffer
    assert others == [Log]
    assert not any(map(gc.is_tracked, buffer))


def test_copies_and_pickles_its_own_part(clones):
    held = Log.of([1, 2])
    held.append(3)
    assert copy.copy(held) is held
    for clone in clones(held):
        assert clone == held
        assert clone._buffer == [1, 2]


@given(st.lists(items, max_size=40), st.lists(changes, max_size=40), st.data())
def test_a_log_starts_with_what_its_list_starts_with(start, steps, data):
    versions = [Log.of(start)]
    for which, change in steps:
        versions.append(grown(versions[which % len(versions)], change))
    versions.append(Log.of(versions[-1]))
    for _ in range(5):
        one, other = (data.draw(st.sampled_from(versions)) for _ in range(2))
        assert one.starts_with(other) == ([*one][: len(other)] == [*other])


class Untouchable:
    __hash__ = None

    def __eq__(self, other):
        raise AssertionError


def test_a_log_and_its_successors_are_told_by_their_lengths():
    held = Log.of([Untouchable() for _ in range(3)])
    longer = held.append(1)
    assert longer.starts_with(held)
    assert longer.starts_with(longer)
    assert not held.starts_with(longer)
    assert longer.starts_with(Log())
    branch = held.append(2)
    assert branch.starts_with(held)
    assert not branch.starts_with(longer)
