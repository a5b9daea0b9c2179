"""Raw JSON in the model reads like ordinary JSON, and nobody can change it."""

import copy
import json
import pickle
from math import inf, nan
from types import MappingProxyType

import pytest
from hypothesis import given
from strategies import json_objects, json_values

from acp_state.json_values import (
    MAX_DEPTH,
    JsonArray,
    JsonObject,
    freeze,
    freeze_meta,
    freeze_raw,
    freeze_rest,
    thaw,
)
from acp_state.omitted import OMITTED


def nested(levels, inner=None):
    """Arrays inside arrays, so many levels of them."""
    for _ in range(levels):
        inner = [] if inner is None else [inner]
    return inner


def spoil(value):
    """Change every dict and list of an ordinary JSON value."""
    if isinstance(value, dict):
        for each in value.values():
            spoil(each)
        value["spoiled"] = True
    if isinstance(value, list):
        for each in value:
            spoil(each)
        value.append("spoiled")


# In and out


@given(json_values)
def test_thaw_undoes_freeze(value):
    """EXT-04: raw JSON goes out as it came in, byte for byte."""
    thawed = thaw(freeze(value))
    assert thawed == value
    assert json.dumps(thawed) == json.dumps(value)


@given(json_values)
def test_a_frozen_value_does_not_change_with_its_source(value):
    """Contract 1: the host may go on using the object that it parsed."""
    before = copy.deepcopy(value)
    frozen = freeze(value)
    spoil(value)
    assert frozen == before


@given(json_values)
def test_a_frozen_value_does_not_change_with_what_was_thawed_of_it(value):
    """Contract 1: what is thawed is new each time, and the caller's own."""
    frozen = freeze(value)
    spoil(thaw(frozen))
    assert frozen == value


@given(json_values)
def test_freezing_twice_is_freezing_once(value):
    """What is frozen is not copied again."""
    frozen = freeze(value)
    assert freeze(frozen) is frozen


def test_tuples_and_mappings_are_json_too():
    """A host may have other containers than dict and list."""
    assert freeze((1, MappingProxyType({"a": ()}))) == [1, {"a": []}]


@pytest.mark.parametrize("value", [nan, inf, -inf, b"bytes", object, {1}, 1j])
def test_what_is_no_json_is_refused(value):
    """Not what Python's parser lets through either: NaN and the infinities."""
    for nesting in (value, [value], {"a": [value]}):
        with pytest.raises(ValueError, match="is no JSON value"):
            freeze(nesting)


def test_the_text_says_what_is_no_json():
    with pytest.raises(ValueError, match=r"^nan is no JSON value$"):
        freeze([nan])


def test_the_text_stays_short():
    with pytest.raises(ValueError, match=r"^b'x{38} is no JSON value$"):
        freeze(b"x" * 1000)


@pytest.mark.parametrize("key", [1, None, True, b"a", (1,)])
def test_keys_are_strings(key):
    """A JSON object has no other keys."""
    with pytest.raises(ValueError, match="is no key of a JSON object"):
        freeze({key: 1})
    with pytest.raises(ValueError, match="is no key of a JSON object"):
        JsonObject({key: 1})


def test_a_key_may_be_of_a_class_of_strings():
    """A parser may have its own; it is a string all the same."""

    class Text(str):
        __slots__ = ()

    assert freeze({Text("a"): 1}) == JsonObject({"a": 1})


@pytest.mark.parametrize("items", [5, None, "a", [1], [("a", 1)]])
def test_what_is_no_object(items):
    with pytest.raises(ValueError, match=r"is no JSON object$"):
        JsonObject(items)


def test_the_text_says_what_is_no_key():
    with pytest.raises(ValueError, match=r"^5 is no key of a JSON object$"):
        freeze([{5: 1}])


def test_as_many_levels_as_allowed():
    """128 levels of nesting are taken, scalars inside them are no level."""
    assert freeze(nested(MAX_DEPTH)) == nested(MAX_DEPTH)
    assert freeze(nested(MAX_DEPTH, inner="a")) == nested(MAX_DEPTH, inner="a")


@pytest.mark.parametrize("levels", [MAX_DEPTH + 1, 100_000])
def test_no_deeper_than_allowed(levels):
    """However deep it is: nothing that a peer sends exhausts the stack."""
    with pytest.raises(ValueError, match=r"^nested deeper than 128 levels$"):
        freeze(nested(levels))


def test_an_object_is_a_level_however_it_is_made():
    """`JsonObject` and `freeze` draw the line at the same depth."""
    assert JsonObject({"a": nested(MAX_DEPTH - 1)}) == freeze({"a": nested(MAX_DEPTH - 1)})
    with pytest.raises(ValueError, match=r"^nested deeper than 128 levels$"):
        freeze({"a": nested(MAX_DEPTH)})
    with pytest.raises(ValueError, match=r"^nested deeper than 128 levels$"):
        JsonObject({"a": nested(MAX_DEPTH)})


# Reading


@given(json_objects)
def test_an_object_reads_like_a_dict(value):
    frozen = JsonObject(value)
    assert dict(frozen) == value
    assert list(frozen) == list(value)
    assert len(frozen) == len(value)
    assert [frozen[key] for key in value] == list(value.values())
    assert frozen.get("no such key") is None
    assert repr(frozen) == repr(value)


def test_an_array_reads_like_a_list():
    frozen = freeze([1, [2], {"a": [3]}])
    assert list(frozen) == [1, [2], {"a": [3]}]
    assert frozen[1] == [2]
    assert len(frozen) == 3
    assert repr(frozen) == "[1, [2], {'a': [3]}]"


# Equality


@given(json_values)
def test_a_frozen_value_equals_its_source(value):
    """On both sides, and never unequal at once."""
    frozen = freeze(value)
    assert frozen == value
    assert value == frozen
    assert not frozen != value  # noqa: SIM202 - both operators are ours
    assert not value != frozen  # noqa: SIM202 - likewise


@given(json_values, json_values)
def test_equality_is_that_of_the_json(left, right):
    """JSON that is written differently is different, but for ``1`` and ``1.0``."""
    if freeze(left) == freeze(right):
        assert hash(freeze(left)) == hash(freeze(right))
        assert left == right
    else:
        assert json.dumps(left) != json.dumps(right)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ([1], [True]),
        ([0], [False]),
        ({"a": 1}, {"a": True}),
        ({"a": [0]}, {"a": [False]}),
        ([[1.0]], [[True]]),
        ([1], [1, 1]),
        ([1], ["1"]),
        ([None], []),
        ({"a": None}, {}),
        ({"a": None}, {"b": None}),
        ({"a": 1}, {"a": 1, "b": 2}),
        ({}, []),
        ([{}], [[]]),
        ([[]], [{}]),
        ([], ""),
        ({}, None),
    ],
)
def test_what_differs(left, right):
    """``true`` is no number, absent is not null, and an empty object is no empty array."""
    assert freeze(left) != right
    assert freeze(left) != freeze(right)
    assert freeze(right) != freeze(left)
    assert right != freeze(left)


def test_one_is_one_point_nought():
    """JSON has one kind of number."""
    assert freeze([1, {"a": 2}]) == freeze([1.0, {"a": 2.0}])
    assert hash(freeze([1, {"a": 2}])) == hash(freeze([1.0, {"a": 2.0}]))


def test_order_matters_in_arrays_alone():
    assert freeze({"a": 1, "b": 2}) == freeze({"b": 2, "a": 1})
    assert hash(freeze({"a": 1, "b": 2})) == hash(freeze({"b": 2, "a": 1}))
    assert freeze([1, 2]) != freeze([2, 1])


def test_an_array_equals_a_tuple():
    assert freeze([1, 2]) == (1, 2)
    assert freeze([1]) != (True,)


# Nobody can change it


def test_an_object_cannot_be_changed():
    """Contract 1: neither by key nor by attribute."""
    frozen = JsonObject({"a": [1]})
    with pytest.raises(TypeError):
        frozen["a"] = 2
    with pytest.raises(TypeError):
        del frozen["a"]
    with pytest.raises(AttributeError, match="a JsonObject is immutable: cannot set '_items'"):
        frozen._items = {}
    with pytest.raises(AttributeError):
        frozen.other = 1
    with pytest.raises(AttributeError):
        del frozen._items
    assert frozen == {"a": [1]}


def test_an_array_cannot_be_changed():
    """Contract 1: neither by index nor by attribute."""
    frozen = freeze([1, [2]])
    with pytest.raises(TypeError):
        frozen[0] = 2
    with pytest.raises(AttributeError):
        frozen.other = 1
    assert frozen == [1, [2]]


# Copies


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_pickles(protocol):
    frozen = freeze({"a": [1, {"b": [None, True, "\ud83d"]}]})
    loaded = pickle.loads(pickle.dumps(frozen, protocol))  # noqa: S301 - our own bytes
    assert loaded == frozen
    assert type(loaded) is JsonObject
    assert type(loaded["a"]) is JsonArray


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy])
def test_copies(copied):
    frozen = freeze({"a": [1, {"b": []}]})
    assert copied(frozen) == frozen
    assert type(copied(frozen)) is JsonObject
    assert type(copied(frozen)["a"]) is JsonArray


# Merging


def test_merge_replaces_key_by_key():
    """PATCH-03: top-level keys replace one by one, what is in them is not merged."""
    held = JsonObject({"a": {"x": 1}, "b": 2})
    patch = JsonObject({"a": {"y": 3}, "c": 4})
    assert held.merge(patch) == {"a": {"y": 3}, "b": 2, "c": 4}
    assert held == {"a": {"x": 1}, "b": 2}


def test_merge_removes_on_null():
    """PATCH-03: a null removes its key, also one that is not there."""
    merged = JsonObject({"a": 1, "b": None}).merge(JsonObject({"a": None, "c": None}))
    assert merged == {"b": None}


# Converters of attrs fields


@pytest.mark.parametrize("value", [None, OMITTED, JsonObject({"a": 1})])
def test_freeze_meta_keeps_what_is_frozen(value):
    assert freeze_meta(value) is value


def test_freeze_meta_freezes_objects():
    source = {"a": [1]}
    frozen = freeze_meta(source)
    source["a"].append(2)
    assert frozen == {"a": [1]}
    assert type(frozen) is JsonObject


@pytest.mark.parametrize("value", [OMITTED, JsonObject({"a": 1})])
def test_freeze_rest_keeps_what_is_frozen(value):
    assert freeze_rest(value) is value


def test_freeze_rest_freezes_objects():
    """EXT-04: a payload is a copy that nobody can change."""
    source = {"a": [1]}
    frozen = freeze_rest(source)
    source["a"].append(2)
    assert frozen == {"a": [1]}
    assert type(frozen) is JsonObject


def test_freeze_raw_keeps_omitted():
    assert freeze_raw(OMITTED) is OMITTED


@pytest.mark.parametrize("value", [None, True, 1, "a", [1, [2]], {"a": []}])
def test_freeze_raw_freezes_any_json(value):
    assert freeze_raw(value) == value
    assert hash(freeze_raw(value)) == hash(freeze(value))
