"""Whether the answer to a form has what its schema asks for (ELIC-03)."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from acp_state.json_values import JsonArray, JsonObject, JsonValue


def _is_string(value: object) -> bool:
    return isinstance(value, str)


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_integer(value: object) -> bool:
    """As in JSON Schema and LENIENT-12, 5.0 is an integer."""
    return _is_number(value) and value == value // 1  # type: ignore[operator] # a number


def _is_strings(value: object) -> bool:
    return isinstance(value, JsonArray) and all(isinstance(each, str) for each in value)


TYPES: Final[Mapping[str, Callable[[object], bool]]] = {
    "string": _is_string,
    "number": _is_number,
    "integer": _is_integer,
    "boolean": lambda value: isinstance(value, bool),
    "array": _is_strings,
}
"""The types that a form's fields can have; others are open and allow everything."""


Check: TypeAlias = Callable[[object], bool]

BOUNDS: Final[Mapping[str, tuple[Check, Check, Callable[[Any, Any], bool]]]] = {
    "minimum": (_is_number, _is_number, operator.ge),
    "maximum": (_is_number, _is_number, operator.le),
    "minLength": (_is_string, _is_number, lambda value, least: len(value) >= least),
    "maxLength": (_is_string, _is_number, lambda value, most: len(value) <= most),
    "minItems": (_is_strings, _is_number, lambda value, least: len(value) >= least),
    "maxItems": (_is_strings, _is_number, lambda value, most: len(value) <= most),
}
"""What a field can ask of its value: what values it is for, what bounds it reads, the test.

Reading: a ``pattern`` is left to the agent, who checks what it gets (READ-03). To match one takes
as long as its author, the peer, likes, and nothing in Python bounds that.
"""


def form_fault(content: JsonObject, schema: JsonObject) -> str | None:
    """What is wrong with the content, in the schema's terms; None: nothing."""
    properties, required = schema.get("properties"), schema.get("required")
    fields = properties if isinstance(properties, JsonObject) else JsonObject({})
    for name in required if isinstance(required, JsonArray) else ():
        if isinstance(name, str) and name not in content:
            return f"{name!r} is missing"
    for name, value in content.items():
        field = fields.get(name)
        if field is None:
            return f"the form has no {name!r}"
        if isinstance(field, JsonObject) and not _fits(value, field):
            return f"{value!r:.60} does not fit {name!r}"
    return None


def _fits(value: JsonValue, field: JsonObject) -> bool:
    kind = field.get("type")
    if isinstance(kind, str) and kind in TYPES and not TYPES[kind](value):
        return False
    if not all(_is_within(value, field, keyword) for keyword in BOUNDS):
        return False
    choices = _choices(field)
    chosen = value if isinstance(value, JsonArray) else (value,)
    return choices is None or all(each in choices for each in chosen)


def _is_within(value: Any, field: JsonObject, keyword: str) -> bool:
    is_for, reads, holds = BOUNDS[keyword]
    bound: Any = field.get(keyword)
    return not is_for(value) or not reads(bound) or holds(value, bound)


def _choice(listed: JsonValue, name: str | None) -> JsonValue:
    return listed.get(name) if isinstance(listed, JsonObject) and name else listed


def _choices(field: JsonObject) -> list[Any] | None:
    """The values that a field lists, or the items of an array do; None: it lists none."""
    items = field.get("items")
    source = items if isinstance(items, JsonObject) else field
    for key, name in (("enum", None), ("oneOf", "const"), ("anyOf", "const")):
        listed = source.get(key)
        if isinstance(listed, JsonArray):
            return [_choice(each, name) for each in listed]
    return None
