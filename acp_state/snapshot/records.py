"""Readers of objects: the classes of the model, and those of the protocol that it holds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import attrs
from attrs import Factory, field

from acp_state.reading import Malformed, check_bounds, freeze_json, read_object, seen, variant
from acp_state.records import frozen
from acp_state.schema.unions import tagged_union
from acp_state.schema.wire import TaggedUnion, WireField, camel_case, rest_field, wire_fields
from acp_state.snapshot.containers import Read, below
from acp_state.snapshot.writing import is_model

if TYPE_CHECKING:
    from cattrs import Converter


@frozen
class Part:
    """What one key of an object holds."""

    name: str
    read: Read
    required: bool


def _required(record: Record) -> frozenset[str]:
    return frozenset(key for key, part in record.parts.items() if part.required)


@frozen
class Record:
    """Reads an object of named parts."""

    make: Callable[..., Any]
    parts: Mapping[str, Part]
    tag: str | None = None
    """A key that was looked at before."""
    rest: str | None = None
    """The part that takes what no other part takes; None: there must be no such thing."""
    required: frozenset[str] = field(init=False, default=Factory(_required, takes_self=True))

    def __call__(self, json: object, _: object = None) -> Any:
        """What the object is.

        Raises:
            Malformed: a part is missing, not known, or not as it must be.
        """
        source = read_object(json)
        values, others = self._read_parts(source)
        if others:
            values |= self._keep(others)
        missing = self.required - source.keys()
        if missing:
            raise Malformed(f"{min(missing)!r} is missing")
        return self.make(**values)

    def _read_parts(self, source: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        values: dict[str, Any] = {}
        others: dict[str, Any] = {}
        key = ""
        try:
            for key, value in source.items():
                part = self.parts.get(key)
                if part is not None:
                    values[part.name] = part.read(value, None)
                elif key != self.tag:
                    others[key] = value
        except Malformed as fault:
            raise below(fault, f".{key}") from None
        return values, others

    def _keep(self, others: dict[str, Any]) -> dict[str, Any]:
        if self.rest is not None:
            return {self.rest: freeze_json(others)}
        known = ", ".join(filter(None, (self.tag, *self.parts)))
        raise Malformed(f"unknown field {seen(next(iter(others)))}; known are {known}")


def object_reader(cls: type, made: Converter, tag: str | None = None) -> Read:
    """The reader of a class; `tag` is the key by which it was chosen, if it was."""
    parts = _model_parts(cls, made) if is_model(cls) else _wire_parts(cls, made)
    return Record(cls, parts, tag, rest_field(cls))


def _model_parts(cls: type, made: Converter) -> dict[str, Part]:
    attrs.resolve_types(cls)
    return {
        camel_case(each.name): Part(
            each.name, made.get_structure_hook(each.type), each.default is attrs.NOTHING
        )
        for each in attrs.fields(cls)
    }


def _wire_parts(cls: type, made: Converter) -> dict[str, Part]:
    return {
        each.key: Part(each.name, _wire_field_reader(each, made), each.required)
        for each in wire_fields(cls)
    }


def _wire_field_reader(part: WireField, made: Converter) -> Read:
    read_value: Read = made.get_structure_hook(str if part.wire.keeps_unknown else part.type)

    def read_part(json: object, _: object) -> object:
        if json is None and part.nullable:
            return None
        return check_bounds(read_value(json, part.type), part)

    return read_part if part.nullable or part.wire.is_bounded else read_value


def tagged_reader(annotation: Any, made: Converter) -> Read:
    """The reader of one of the protocol's tagged unions."""
    union = tagged_union(annotation)
    assert union is not None  # noqa: S101 - the predicate of this factory
    return variant_reader(union, made)


def variant_reader(union: TaggedUnion, made: Converter) -> Read:
    """The reader of whatever variant the tag names."""
    readers = {cls: object_reader(cls, made, union.tag) for cls in union.classes()}
    return lambda json, _: readers[variant(union, json)](json, None)
