"""Whether the answer to a form has what its schema asks for (ELIC-03)."""

from __future__ import annotations

import pytest

from acp_state import JsonObject
from acp_state.reduce.forms import BOUNDS, TYPES, form_fault

ONE_OF = [{"const": "r", "title": "Red"}, {"const": "g", "title": "Green"}]


def fault(content, properties=None, **more):
    """What is wrong with the content of a form with these fields."""
    schema = {"type": "object", **more}
    if properties is not None:
        schema["properties"] = properties
    return form_fault(JsonObject(content), JsonObject(schema))


def fits(value, **field):
    """Whether a value is one for such a field."""
    told = fault({"n": value}, {"n": field})
    assert told in (None, f"{value!r:.60} does not fit 'n'")
    return told is None


VALUES = {
    "string": ["", "a", "1"],
    "number": [0, -1, 1.5, 2**70],
    "integer": [0, -1, 2**70, 5.0],
    "boolean": [True, False],
    "array": [[], ["a"], ["a", "b", "a"]],
}
"""What fits each type."""

OTHER_VALUES = [None, {}, {"a": 1}, [1], ["a", None], [["a"]], 1.5, 1, True, "a", ["a"]]


@pytest.mark.parametrize("kind", VALUES)
def test_a_value_of_the_fields_type_fits(kind):
    """ELIC-03: conforming to the schema."""
    for value in VALUES[kind]:
        assert fits(value, type=kind)


@pytest.mark.parametrize("kind", VALUES)
def test_a_value_of_another_type_does_not_fit(kind):
    """ELIC-03; a boolean is no number, and an array is one of strings."""
    kinds = {
        "string": {"a"},
        "number": {1.5, 1},
        "integer": {1},
        "boolean": set(),
        "array": set(),
    }[kind]
    for value in OTHER_VALUES:
        if kind == "boolean":
            expected = value is True
        elif kind == "array":
            expected = value == ["a"]
        else:
            hashable = isinstance(value, (str, int, float)) and not isinstance(value, bool)
            expected = hashable and value in kinds
        assert fits(value, type=kind) is expected, value


def test_every_type_is_tested():
    """The five that the schema of elicitations has."""
    assert set(TYPES) == set(VALUES)


@pytest.mark.parametrize("kind", [{}, {"type": "date"}, {"type": None}, {"type": ["string"]}])
def test_a_field_of_another_type_takes_everything(kind):
    """LENIENT-09: types are open."""
    for value in OTHER_VALUES:
        assert fits(value, **kind)


@pytest.mark.parametrize("field", [True, 5, "string", ["string"]])
def test_a_field_that_is_no_object_takes_everything(field):
    """What it asks for is not known."""
    for value in OTHER_VALUES:
        assert fault({"n": value}, {"n": field}) is None


ASKED = [
    ({"type": "integer", "minimum": 1}, 1, 0),
    ({"type": "number", "maximum": 1}, 1, 1.5),
    ({"type": "string", "minLength": 2}, "ab", "a"),
    ({"type": "string", "maxLength": 2}, "ab", "abc"),
    ({"type": "array", "minItems": 1}, ["a"], []),
    ({"type": "array", "maxItems": 1}, ["a"], ["a", "b"]),
]
"""What a schema can ask of a value beside its type, one that keeps it and one that breaks it."""


@pytest.mark.parametrize(("field", "within", "outside"), ASKED)
def test_a_value_out_of_bounds_does_not_fit(field, within, outside):
    """ELIC-03 (MUST O)."""
    assert fits(within, **field)
    assert not fits(outside, **field)


@pytest.mark.parametrize("pattern", ["^a", "(b+)+$", "(", "b{99999999999}", "(" * 5000, 5])
def test_a_pattern_is_the_peers_to_match(pattern):
    """READ-03: what a peer writes neither raises nor takes for ever (contract 2)."""
    assert fault({"n": "b" * 40 + "!"}, {"n": {"type": "string", "pattern": pattern}}) is None


def test_every_bound_is_tested():
    assert {keyword for field, *_ in ASKED for keyword in field} - {"type"} == set(BOUNDS)


@pytest.mark.parametrize("keyword", BOUNDS)
@pytest.mark.parametrize("bound", [None, {}, [], True, "("])
def test_a_bound_that_cannot_be_read_takes_everything(keyword, bound):
    """What it asks for is not known."""
    for value in OTHER_VALUES:
        assert fits(value, **{keyword: bound})


def test_a_whole_number_is_an_integer():
    """LENIENT-12, RPC-02: `1.0` is `1`."""
    assert fits(5.0, type="integer")


# Choices


@pytest.mark.parametrize(
    "choices", [{"enum": ["r", "g"]}, {"oneOf": ONE_OF}, {"anyOf": ONE_OF}, {"oneOf": ["r", "g"]}]
)
def test_one_of_the_listed_values(choices):
    """`enum` lists the values, `oneOf` and `anyOf` objects with a `const`."""
    assert fits("r", type="string", **choices)
    assert fits("g", **choices)
    assert not fits("b", type="string", **choices)
    assert not fits("Red", **choices)
    assert not fits("rg", type="string", **choices)
    assert not fits("", type="string", **choices)
    assert not fits(5, type="string", **choices)


@pytest.mark.parametrize("items", [{"type": "string", "enum": ["r", "g"]}, {"anyOf": ONE_OF}])
def test_some_of_the_listed_values(items):
    """The items of an array list them."""
    assert fits([], type="array", items=items)
    assert fits(["g", "r"], type="array", items=items)
    assert not fits(["r", "b"], type="array", items=items)
    assert not fits("r", type="array", items=items)


@pytest.mark.parametrize("more", [{"items": True}, {"items": {"type": "string"}}, {"enum": "r"}])
def test_where_nothing_is_listed_everything_fits(more):
    """Malformed lists are none."""
    assert fits(["b"], type="array", **more)


def test_the_first_list_counts():
    """`enum` before `oneOf` before `anyOf`."""
    assert fits("r", enum=["r"], oneOf=[{"const": "g"}])
    assert not fits("g", enum=["r"], oneOf=[{"const": "g"}])


def test_a_choice_without_a_value_is_no_choice_of_a_string():
    """A `oneOf` without a `const`."""
    assert not fits("Red", type="string", oneOf=[{"title": "Red"}])


# Fields


def test_what_is_required_is_there():
    """ELIC-03: the first that is missing is told; others may be left out."""
    fields = {"a": {"type": "string"}, "b": {}, "c": {}}
    assert fault({"a": "x", "b": 1}, fields, required=["a", "b"]) is None
    assert fault({"a": "x"}, fields, required=["a", "b"]) == "'b' is missing"
    assert fault({}, fields, required=["a", "b"]) == "'a' is missing"
    assert fault({}, fields) is None


@pytest.mark.parametrize("required", [None, "a", {"a": True}, [], [5, None, {"a": 1}]])
def test_malformed_requirements_are_none(required):
    """What is asked for is not known."""
    assert fault({}, {"a": {}}, required=required) is None


def test_what_is_required_need_not_be_a_field():
    """The content has to have it, and has nowhere to."""
    assert fault({}, {}, required=["a"]) == "'a' is missing"
    assert fault({"a": 1}, {}, required=["a"]) == "the form has no 'a'"


@pytest.mark.parametrize("properties", [None, {}, {"b": {}}, [], "n"])
def test_what_the_form_has_not_is_told(properties):
    """ELIC-03: a host's slip of the pen; malformed fields are none."""
    assert fault({"n": 1}, properties) == "the form has no 'n'"
    assert fault({}, properties) is None


def test_the_first_value_that_does_not_fit_is_told_in_short():
    """Style 6: what was seen; a long value is cut."""
    fields = {"a": {"type": "string"}, "b": {"type": "integer"}, "c": {"type": "boolean"}}
    assert fault({"a": "x", "b": "y", "c": "z"}, fields) == "'y' does not fit 'b'"
    long = "x" * 100
    assert fault({"b": long}, fields) == f"'{'x' * 59} does not fit 'b'"
