"""Whether the answer to a form has what its schema asks for (ELIC-03)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from acp_state.json_values import JsonArray, JsonObject, JsonValue


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_integer(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_strings(value: object) -> bool:
    return isinstance(value, JsonArray) and all(isinstance(each, str) for each in value)


TYPES: Final[Mapping[str, Callable[[object], bool]]] = {
    "string": lambda value: isinstance(value, str),
    "number": _is_number,
    "integer": _is_integer,
    "boolean": lambda value: isinstance(value, bool),
    "array": _is_strings,
}
"""The types that a form's fields can have; others are open and allow everything."""


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
    choices = _choices(field)
    chosen = value if isinstance(value, JsonArray) else (value,)
    return choices is None or all(each in choices for each in chosen)


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
