"""Whether the schema of a form is one that can be asked for (ELIC-02, LENIENT-05)."""

from __future__ import annotations

import pytest
from judges.verdicts import validator
from shared import needs_shared

from acp_state import JsonObject
from acp_state.reduce.form_schemas import KEYWORDS, schema_fault

TITLED = [{"const": "r", "title": "Red", "description": "like a rose"}]
WORDS = {"type": "string", "enum": ["r", "g"]}

RIGHT = {
    "string": {
        "minLength": [0, 5, 5.0],
        "maxLength": [0, 5],
        "pattern": ["", "^a"],
        "format": ["email", "uri", "date", "date-time"],
        "enum": [[], ["a"]],
        "oneOf": [[], TITLED],
    },
    "number": {"minimum": [0, -1.5], "maximum": [0, 2**70]},
    "integer": {"minimum": [0, -1, 5.0], "maximum": [0, 5]},
    "boolean": {},
    "array": {"minItems": [0, 5], "maxItems": [0, 5]},
}
"""What each field may say of its values."""

WRONG = {
    "string": {
        "minLength": [-1, 1.5, "1", True, [], {}],
        "maxLength": [-1, "1"],
        "pattern": [5, ["a"]],
        "format": ["phone", "", 5],
        "enum": ["a", ["a", 5], {"a": "b"}],
        "oneOf": [
            {},
            ["a"],
            [{}],
            [{"const": "r"}],
            [{"title": "Red"}],
            [{"const": 1, "title": "Red"}],
            [*TITLED, 5],
        ],
    },
    "number": {"minimum": ["0", True, []], "maximum": ["0", {}]},
    "integer": {"minimum": [1.5, "0", False], "maximum": [1.5, "0"]},
    "boolean": {},
    "array": {"minItems": [-1, 1.5, "1"], "maxItems": [-1, "1"]},
}
"""What none may say."""

ITEMS_RIGHT = [WORDS, {"anyOf": TITLED}, {"anyOf": []}, {"type": "_v/colour"}, {"type": "number"}]
ITEMS_WRONG = [
    None,
    5,
    [],
    {},
    {"type": "string"},
    {"type": "string", "enum": "r"},
    {"type": "string", "enum": [1]},
    {"type": None, "anyOf": ["r"]},
    {"anyOf": {}},
]


def of(cases):
    """Each keyword of each type with each of its values, and the field that says it."""
    for kind, keywords in cases.items():
        items = {"items": WORDS} if kind == "array" else {}
        for keyword, values in keywords.items():
            for value in values:
                yield keyword, {"type": kind, **items, keyword: value}


def form(field):
    return {"type": "object", "properties": {"n": field}}


def fault(schema):
    return schema_fault(JsonObject(schema))


def test_every_keyword_is_tested():
    for cases in (RIGHT, WRONG):
        assert {kind: list(keywords) for kind, keywords in cases.items()} == {
            kind: list(keywords) for kind, keywords in KEYWORDS.items()
        }


@pytest.mark.parametrize(("keyword", "field"), [*of(RIGHT)])
def test_what_a_field_may_say(keyword, field):
    assert fault(form(field)) is None
    assert fault(form({**field, keyword: None})) is None


@pytest.mark.parametrize(("keyword", "field"), [*of(WRONG)])
def test_what_no_field_may_say(keyword, field):
    """LENIENT-05: it is not annotated to fall back, so it spoils what is around it."""
    assert fault(form(field)) == f"'{keyword}' of 'n' is malformed"


@pytest.mark.parametrize("items", ITEMS_RIGHT)
def test_items_of_a_list(items):
    assert fault(form({"type": "array", "items": items})) is None


@pytest.mark.parametrize("items", ITEMS_WRONG)
def test_items_that_are_none(items):
    assert (
        fault(form({"type": "array", "items": items})) == "'items' of 'n' are missing or malformed"
    )
    assert fault(form({"type": "array"})) == "'items' of 'n' are missing or malformed"


@pytest.mark.parametrize("field", [None, 5, [], {}, {"type": None}, {"type": 5}, "string"])
def test_a_field_that_is_none(field):
    assert fault(form(field)) == "'n' must be an object with a 'type'"
    assert fault({"properties": {"m": {"type": "boolean"}, "n": field}}) == fault(form(field))


@pytest.mark.parametrize("kind", ["_v/colour", "object", "null"])
def test_a_type_that_is_not_known_is_open(kind):
    """Section 2: kept, and never shown as a field of another type."""
    assert fault(form({"type": kind, "minLength": "x", "items": 5})) is None


@pytest.mark.parametrize("schema", [{}, {"required": None}, {"required": []}, {"required": ["n"]}])
def test_a_form_without_fields(schema):
    """The schema has a default for its fields, and needs none to be filled in."""
    assert fault(schema) is None


def test_what_is_around_the_fields():
    assert fault({"properties": []}) == "'properties' must be an object"
    assert fault({"properties": None}) == "'properties' must be an object"
    for required in ("n", ["n", 5], {}):
        assert fault({"required": required}) == "'required' must be a list of strings"


@pytest.mark.parametrize("key", ["title", "description", "default"])
def test_what_falls_back_is_no_fault(key):
    """LENIENT-02: a malformed one counts as absent."""
    assert fault(form({"type": "string", key: {}})) is None
    assert fault({key: {}}) is None


def test_a_long_name_is_cut():
    told = fault({"properties": {"n" * 1000: 5}})
    assert told == f"'{'n' * 59} must be an object with a 'type'"


@needs_shared
def test_the_published_schema_says_the_same():
    judge = validator("unstable", "ElicitationSchema")
    right = [form(field) for _, field in of(RIGHT)]
    right += [form({"type": "array", "items": items}) for items in ITEMS_RIGHT]
    wrong = [form(field) for _, field in of(WRONG)]
    wrong += [form({"type": "array", "items": items}) for items in ITEMS_WRONG]
    assert all(map(judge.is_valid, right))
    assert not any(map(judge.is_valid, wrong))
