"""Whether the schema of a form is one that can be asked for (ELIC-02, LENIENT-05).

What is annotated to fall back, titles, descriptions and defaults, is not looked at here; types that
the protocol does not know are open, with all that they hold.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from acp_state.json_values import JsonArray, JsonObject, JsonValue
from acp_state.reduce.forms import TYPES, Check


def _is_count(value: Any) -> bool:
    return TYPES["integer"](value) and value >= 0


def _is_format(value: object) -> bool:
    return value in ("email", "uri", "date", "date-time")


def _is_choice(value: object) -> bool:
    return isinstance(value, JsonObject) and all(
        isinstance(value.get(key), str) for key in ("const", "title")
    )


def _is_choices(value: object) -> bool:
    return isinstance(value, JsonArray) and all(map(_is_choice, value))


def _is_items(value: object) -> bool:
    """Words to choose from, choices with titles, or items of a type that is not known."""
    if not isinstance(value, JsonObject):
        return False
    if isinstance(kind := value.get("type"), str):
        return kind != "string" or TYPES["array"](value.get("enum"))
    return _is_choices(value.get("anyOf"))


KEYWORDS: Final[Mapping[str, Mapping[str, Check]]] = {
    "string": {
        "minLength": _is_count,
        "maxLength": _is_count,
        "pattern": TYPES["string"],
        "format": _is_format,
        "enum": TYPES["array"],
        "oneOf": _is_choices,
    },
    "number": {"minimum": TYPES["number"], "maximum": TYPES["number"]},
    "integer": {"minimum": TYPES["integer"], "maximum": TYPES["integer"]},
    "boolean": {},
    "array": {"minItems": _is_count, "maxItems": _is_count},
}
"""What a field of each type may say of its values; null says nothing, as what is omitted does."""


def schema_fault(schema: JsonObject) -> str | None:
    """What of the schema is malformed; None: nothing."""
    required, fields = schema.get("required"), schema.get("properties", JsonObject({}))
    if required is not None and not TYPES["array"](required):
        return "'required' must be a list of strings"
    if not isinstance(fields, JsonObject):
        return "'properties' must be an object"
    faults = (_field_fault(name, field) for name, field in fields.items())
    return next(filter(None, faults), None)


def _field_fault(name: str, field: JsonValue) -> str | None:
    kind = field.get("type") if isinstance(field, JsonObject) else None
    if not isinstance(field, JsonObject) or not isinstance(kind, str):
        return f"{name!r:.60} must be an object with a 'type'"
    if kind == "array" and not _is_items(field.get("items")):
        return f"'items' of {name!r:.60} are missing or malformed"
    for keyword, is_right in KEYWORDS.get(kind, {}).items():
        said = field.get(keyword)
        if said is not None and not is_right(said):
            return f"{keyword!r} of {name!r:.60} is malformed"
    return None
