"""Reading JSON values strictly: each part is what it must be, or `Malformed` says what it is.

A scalar is of its type, and none is turned into another (LENIENT-12, LENIENT-13): 5 is no title,
"5" no number, true no integer; but 42.0 is the integer 42.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, cast

from acp_state.json_values import JsonObject, JsonValue, freeze
from acp_state.omitted import OMITTED, Omitted
from acp_state.schema.unions import union_tags
from acp_state.schema.wire import TaggedUnion, WireField, wire_fields

_LONG_INTEGER: Final = 200
"""Bits beyond which an integer is not written out; Python refuses to write very long ones."""


class Malformed(ValueError):  # noqa: N818 - a verdict on the peer's JSON, not an error of ours
    """The JSON value does not fit the wire class.

    Attributes:
        text: what was expected, and what was seen.
        path: the part that did not fit, from the root of what was decoded.
        rule: the rule that says so, where it is a special one.
    """

    def __init__(self, text: str, path: str = "", rule: str | None = None) -> None:
        super().__init__(f"{path}: {text}" if path else text)
        self.text = text
        self.path = path
        self.rule = rule

    def at(self, path: str) -> Malformed:
        """The same verdict with the path of the part, unless it has one."""
        return self if self.path else Malformed(self.text, path, self.rule)


def read_object(json: object) -> dict[str, Any]:
    """The JSON object, if it is one.

    Raises:
        Malformed: it is none.
    """
    if isinstance(json, dict):
        return json
    raise Malformed(f"must be an object, not {seen(json)}")


def read_array(json: object) -> list[Any]:
    """The JSON array, if it is one.

    Raises:
        Malformed: it is none.
    """
    if isinstance(json, list):
        return json
    raise Malformed(f"must be an array, not {seen(json)}")


def freeze_json(json: object) -> JsonValue:
    """The JSON value, frozen.

    Raises:
        Malformed: it is no JSON value, or too deep.
    """
    try:
        return freeze(json)
    except ValueError as error:
        raise Malformed(str(error)) from None


def _read_str(json: object, _: object = None) -> str:
    if isinstance(json, str):
        return json
    raise Malformed(f"must be a string, not {seen(json)}")


def _read_bool(json: object, _: object = None) -> bool:
    if isinstance(json, bool):
        return json
    raise Malformed(f"must be true or false, not {seen(json)}")


def _read_int(json: object, _: object = None) -> int:
    if isinstance(json, int) and not isinstance(json, bool):
        return json
    if isinstance(json, float) and json.is_integer():
        return int(json)
    raise Malformed(f"must be an integer, not {seen(json)}")


def _read_float(json: object, _: object = None) -> float:
    if isinstance(json, (int, float)) and not isinstance(json, bool):
        freeze_json(json)
        return json
    raise Malformed(f"must be a number, not {seen(json)}")


def _read_json_object(json: object, _: object = None) -> JsonObject:
    """``_meta`` and the like; anything else is malformed, so absent (LENIENT-14)."""
    return cast("JsonObject", freeze_json(read_object(json)))


SCALARS: Final[Mapping[type, Callable[..., Any]]] = {
    str: _read_str,
    bool: _read_bool,
    int: _read_int,
    float: _read_float,
    JsonObject: _read_json_object,
}


def variant(union: TaggedUnion, json: object) -> type:
    """The class that the object's tag names, whatever the rest of it is (LENIENT-10).

    Raises:
        Malformed: no object, no tag, or a tag that a closed union does not know.
    """
    source = read_object(json)
    tag = source.get(union.tag)
    if not isinstance(tag, str):
        if union.default is not None:
            return union.default
        if union.tag not in source:
            raise Malformed(f"{union.tag!r} is missing")
        raise Malformed(f"{union.tag!r} must be a string, not {seen(tag)}")
    chosen = union.variants.get(tag, union.other)
    if chosen is None:
        raise Malformed(f"unknown {union.tag} {seen(tag)}", rule=union.unknown_rule)
    return variant(chosen, json) if isinstance(chosen, TaggedUnion) else chosen


def read_rest(cls: type, json: Mapping[str, Any]) -> JsonObject | Omitted:
    """The keys of the object that are neither a field's nor a tag (EXT-04)."""
    known = union_tags(cls) | {field.key for field in wire_fields(cls)}
    unknown = {key: value for key, value in json.items() if key not in known}
    return cast("JsonObject", freeze_json(unknown)) if unknown else OMITTED


def check_bounds(value: Any, field: WireField) -> Any:
    """The value, if it is within the field's bounds.

    Raises:
        Malformed: it is not.
    """
    if isinstance(value, int) and field.wire.minimum is not None and value < field.wire.minimum:
        raise Malformed(f"must be at least {field.wire.minimum}, not {seen(value)}")
    if isinstance(value, int) and field.wire.maximum is not None and value > field.wire.maximum:
        raise Malformed(f"must be at most {field.wire.maximum}, not {seen(value)}")
    if isinstance(value, str) and len(value) < field.wire.min_length:
        raise Malformed("must not be empty")
    if field.wire.string_values and not all(map(_is_str, cast("JsonObject", value).values())):
        raise Malformed("its values must be strings")
    return value


def _is_str(value: object) -> bool:
    return isinstance(value, str)


def seen(json: object) -> str:
    """A short text for what a message held, for diagnostics."""
    if json is None:
        return "null"
    if isinstance(json, dict):
        return "an object"
    if isinstance(json, list):
        return "an array"
    if isinstance(json, int) and json.bit_length() > _LONG_INTEGER:
        return f"an integer of {json.bit_length()} bits"
    return f"{json!r:.60}"
