"""Reading what is not valid in every part, as far as the rules of leniency allow (LENIENT).

A message goes through the strict codec first. Only when that refuses it, it is walked field by
field here: a malformed optional field counts as absent (LENIENT-02), a malformed item is left out
(LENIENT-03), and what else is malformed spoils the object around it (LENIENT-05). Each repair is a
`Fault`; one malformed field or item is one fault, not one for each of its parts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, Literal, TypeVar, get_args

import attrs

from acp_state.codec import Hook, is_array, is_untagged, reader, structure
from acp_state.json_values import JsonObject, JsonValue, freeze
from acp_state.reading import (
    Malformed,
    check_bounds,
    read_array,
    read_object,
    read_rest,
    seen,
    variant,
)
from acp_state.records import frozen
from acp_state.schema.unions import tagged_union
from acp_state.schema.wire import WireField, rest_field, union_members, wire_fields

T = TypeVar("T")

FaultCode = Literal["field-defaulted", "item-dropped", "alias"]


@frozen(kw_only=True)
class Fault:
    """One part of a message that was not taken as sent."""

    code: FaultCode
    rule: str
    path: str
    """Where, from the root of what was decoded: ``"content[2].annotations"``."""
    text: str
    raw: JsonValue
    """What was there; None where it cannot be held."""


@frozen
class Decoded(Generic[T]):
    """A wire object and what of its JSON was not taken as sent."""

    value: T
    faults: tuple[Fault, ...] = ()


def decode(json: object, cls: type[T]) -> Decoded[T]:
    """Read a JSON value as a wire class or a union of them.

    Raises:
        Malformed: it is spoiled as a whole; the text begins with the path of the part that did it.
    """
    try:
        return Decoded(structure(json, cls))
    except Malformed:
        faults: list[Fault] = []
        return Decoded(_salvage(cls, json, "", faults), tuple(faults))


def decoder(cls: Any) -> Callable[[object], Decoded[Any]]:
    """`decode` for one class or union: a function that need not find out each time how to read it.

    Nothing is made before its first call.
    """
    read: Hook | None = None

    def decode_it(json: object) -> Decoded[Any]:
        nonlocal read
        if read is None:
            read = reader(cls)
        try:
            return Decoded(read(json, cls))
        except Malformed:
            return decode(json, cls)

    return decode_it


def hold(json: object) -> JsonValue:
    """The JSON value frozen for a diagnostic; None where it cannot be held."""
    try:
        return freeze(json)
    except ValueError:
        return None


def hold_parts(json: dict[str, Any]) -> Decoded[JsonObject]:
    """The JSON object frozen, less the members that cannot be held; each of these is a fault.

    They are what no JSON has, such as NaN, or are nested too deeply (LENIENT-14).
    """
    try:
        return Decoded(JsonObject(json))
    except ValueError:
        held: dict[str, JsonValue] = {}
        faults: list[Fault] = []
    for key, value in json.items():
        try:
            held.update(JsonObject({key: value}))
        except ValueError as error:
            text = f"{key}: {error}; counts as absent"
            faults.append(_fault("field-defaulted", "LENIENT-14", str(key), text, None))
    return Decoded(JsonObject(held), tuple(faults))


def _salvage(annotation: Any, json: object, path: str, faults: list[Fault]) -> Any:
    union = tagged_union(annotation)
    try:
        if union is not None:
            return _salvage_object(variant(union, json), json, path, faults)
        if attrs.has(annotation):
            return _salvage_object(annotation, json, path, faults)
        if is_array(annotation):
            item = get_args(annotation)[0]
            items = enumerate(read_array(json))
            return tuple(_salvage(item, each, f"{path}[{i}]", faults) for i, each in items)
        if is_untagged(annotation):
            return _salvage_first(annotation, json, path, faults)
        return structure(json, annotation)
    except Malformed as fault:
        raise fault.at(path) from None


def _salvage_first(annotation: Any, json: object, path: str, faults: list[Fault]) -> Any:
    *members, last = union_members(annotation)
    for member in members:
        found: list[Fault] = []
        try:
            value = _salvage(member, json, path, found)
        except Malformed:
            continue
        faults += found
        return value
    return _salvage(last, json, path, faults)


def _salvage_object(cls: type, json: object, path: str, faults: list[Fault]) -> Any:
    source = read_object(json)
    values: dict[str, Any] = {}
    for field in wire_fields(cls):
        key = _key_of(field, source, path, faults)
        if key is not None:
            _take_field(field, source[key], f"{path}.{key}" if path else key, values, faults)
    rest = rest_field(cls)
    return cls(**values, **({rest: read_rest(cls, source)} if rest else {}))


def _key_of(field: WireField, source: dict[str, Any], path: str, faults: list[Fault]) -> str | None:
    """The key that holds the field, or None if it is absent and may be."""
    alias = field.wire.alias
    if field.key in source:
        return field.key
    if alias is not None and alias in source:
        text = f"{alias!r} is read as {field.key!r}"
        where = f"{path}.{alias}" if path else alias
        faults.append(Fault(code="alias", rule="LENIENT-15", path=where, text=text, raw=None))
        return alias
    if field.required:
        raise Malformed(f"{field.key!r} is missing")
    return None


def _take_field(
    field: WireField, json: object, path: str, values: dict[str, Any], faults: list[Fault]
) -> None:
    found: list[Fault] = []
    try:
        values[field.name] = _salvage_field(field, json, path, found)
    except Malformed as fault:
        if not field.lenient:
            raise fault.at(path) from None
        if field.required:
            values[field.name] = ()
        rule, outcome = ("LENIENT-04", "[]") if field.required else ("LENIENT-02", "absent")
        text = f"{_within(path, fault)}; counts as {outcome}"
        found = [_fault("field-defaulted", rule, path, text, json)]
    faults += found


def _salvage_field(field: WireField, json: object, path: str, faults: list[Fault]) -> Any:
    if json is None and (field.nullable or field.wire.on_null is not None):
        return field.wire.on_null
    if field.wire.keeps_unknown and isinstance(json, str):
        return _salvage_enum(field, json, path, faults)
    if field.wire.skip_items:
        return _salvage_items(get_args(field.type)[0], json, path, faults)
    return check_bounds(_salvage(field.type, json, path, faults), field)


def _salvage_enum(field: WireField, json: str, path: str, faults: list[Fault]) -> str:
    if json not in get_args(field.type):
        text = f"unknown {field.key} {seen(json)} is kept"
        faults.append(_fault("field-defaulted", "PERM-03", path, text, json))
    return json


def _salvage_items(
    item: Any,
    json: object,
    path: str,
    faults: list[Fault],
) -> tuple[Any, ...]:
    kept: list[Any] = []
    for index, each in enumerate(read_array(json)):
        found: list[Fault] = []
        where = f"{path}[{index}]"
        try:
            kept.append(_salvage(item, each, where, found))
        except Malformed as fault:
            rule = fault.rule or "LENIENT-03"
            found = [_fault("item-dropped", rule, where, _within(where, fault), each)]
        faults += found
    return tuple(kept)


def _fault(code: FaultCode, rule: str, path: str, text: str, json: object) -> Fault:
    return Fault(code=code, rule=rule, path=path, text=text, raw=hold(json))


def _within(path: str, fault: Malformed) -> str:
    """The verdict, with the way from `path` to the part that it is about."""
    inner = fault.path[len(path) :].lstrip(".")
    return f"{inner}: {fault.text}" if inner else fault.text
