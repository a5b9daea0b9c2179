"""The model out of the JSON of a snapshot: each part is what `acp_state.snapshot_writing` writes.

Nothing is turned into something else and nothing is passed over: what is of another type, what is
missing, and what is not known is `Malformed`, with the path of the part. The leniency that the
protocol asks for with what a peer sends has no place here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from types import NoneType
from typing import Any, Final, Literal, TypeAlias, TypeVar, get_args, get_origin

import attrs
from attrs import Factory, field, frozen
from cattrs import Converter

from acp_state.codec import is_raw_json, is_tagged, is_untagged
from acp_state.model import Chunk, Chunks, Entry, Timeline
from acp_state.model.echo import units_of
from acp_state.persistent import Map, Vector
from acp_state.reading import (
    SCALARS,
    Malformed,
    check_bounds,
    freeze_json,
    read_array,
    read_object,
    seen,
    variant,
)
from acp_state.reduce.links import request_key
from acp_state.schema import RequestId
from acp_state.schema.unions import tagged_union
from acp_state.schema.wire import (
    TaggedUnion,
    WireField,
    camel_case,
    rest_field,
    union_members,
    wire_fields,
)
from acp_state.snapshot_writing import (
    ENTRY,
    is_entry,
    is_model,
    is_one_of_many,
    is_request_key,
    members,
)

T = TypeVar("T")
Read: TypeAlias = Callable[[Any, Any], Any]
"""A hook of cattrs; its second argument, the annotation, is not looked at."""


def read(json: object, cls: type[T]) -> T:
    """The object of the model that the JSON value is.

    Raises:
        Malformed: some part is not as it must be; `path` says which.
    """
    return _converter().structure(json, cls)


@lru_cache(maxsize=1)
def _converter() -> Converter:
    """The one converter, made when it is first needed."""
    made = Converter(detailed_validation=False)
    for scalar, read_scalar in {**SCALARS, int: _read_int, bytes: _read_units}.items():
        made.register_structure_hook(scalar, read_scalar)
    made.register_structure_hook_factory(attrs.has, _object_reader)
    made.register_structure_hook_factory(is_tagged, _tagged_reader)
    made.register_structure_hook_factory(is_one_of_many, _union_reader)
    made.register_structure_hook_factory(is_untagged, _first_reader)
    made.register_structure_hook_factory(is_entry, lambda _, made: _variants(ENTRY, made))
    made.register_structure_hook_func(is_raw_json, lambda json, _: freeze_json(json))
    for origin, factory in _ORIGINS.items():
        made.register_structure_hook_factory(_is_of(origin), factory)
    made.register_structure_hook_factory(is_request_key, _request_key_reader)
    made.register_structure_hook_factory(_is(Chunks), _chunks_reader)
    made.register_structure_hook_factory(_is(Timeline), _timeline_reader)
    return made


def _is(cls: type) -> Callable[[Any], bool]:
    return lambda annotation: annotation is cls


def _is_of(origin: Any) -> Callable[[Any], bool]:
    return lambda annotation: get_origin(annotation) is origin


# Scalars


def _read_int(json: object, _: object = None) -> int:
    if isinstance(json, int) and not isinstance(json, bool):
        return json
    raise Malformed(f"must be an integer, not {seen(json)}")


def _read_units(json: object, _: object = None) -> bytes:
    return units_of(SCALARS[str](json))


def _literal_reader(annotation: Any, _: Converter) -> Read:
    values = frozenset(get_args(annotation))
    wanted = ", ".join(map(repr, get_args(annotation)))

    def read_literal(json: object, _: object) -> str:
        if isinstance(json, str) and json in values:
            return json
        raise Malformed(f"must be one of {wanted}, not {seen(json)}")

    return read_literal


# Objects


@frozen
class _Part:
    """What one key of an object holds."""

    name: str
    read: Read
    required: bool


def _required(record: _Record) -> frozenset[str]:
    return frozenset(key for key, part in record.parts.items() if part.required)


@frozen
class _Record:
    """Reads an object of named parts."""

    make: Callable[..., Any]
    parts: Mapping[str, _Part]
    tag: str | None = None
    """A key that was looked at before."""
    rest: str | None = None
    """The part that takes what no other part takes; None: there must be no such thing."""
    required: frozenset[str] = field(init=False, default=Factory(_required, takes_self=True))

    def __call__(self, json: object, _: object = None) -> Any:
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
            raise _below(fault, f".{key}") from None
        return values, others

    def _keep(self, others: dict[str, Any]) -> dict[str, Any]:
        if self.rest is not None:
            return {self.rest: freeze_json(others)}
        known = ", ".join(filter(None, (self.tag, *self.parts)))
        raise Malformed(f"unknown field {seen(next(iter(others)))}; known are {known}")


def _object_reader(cls: type, made: Converter, tag: str | None = None) -> Read:
    parts = _model_parts(cls, made) if is_model(cls) else _wire_parts(cls, made)
    return _Record(cls, parts, tag, rest_field(cls))


def _model_parts(cls: type, made: Converter) -> dict[str, _Part]:
    attrs.resolve_types(cls)
    return {
        camel_case(each.name): _Part(
            each.name, made.get_structure_hook(each.type), each.default is attrs.NOTHING
        )
        for each in attrs.fields(cls)
    }


def _wire_parts(cls: type, made: Converter) -> dict[str, _Part]:
    return {
        each.key: _Part(each.name, _wire_field_reader(each, made), each.required)
        for each in wire_fields(cls)
    }


def _wire_field_reader(part: WireField, made: Converter) -> Read:
    read_value: Read = made.get_structure_hook(str if part.wire.keeps_unknown else part.type)

    def read_part(json: object, _: object) -> object:
        if json is None and part.nullable:
            return None
        return check_bounds(read_value(json, part.type), part)

    return read_part if part.nullable or part.wire.is_bounded else read_value


def _chunks_reader(_: Any, made: Converter) -> Read:
    read_chunk: Read = made.get_structure_hook(Chunk)

    def read_held(json: object, _: object) -> str | Chunk:
        if isinstance(json, str):
            return json
        chunk: Chunk = read_chunk(json, Chunk)
        return chunk

    return lambda json, _: Chunks.holding(_items(json, read_held))


def _timeline_reader(_: Any, made: Converter) -> Read:
    entries: Read = made.get_structure_hook(Vector[Entry])
    run_open: Read = made.get_structure_hook(bool)
    parts = {
        "entries": _Part("entries", entries, required=True),
        "runOpen": _Part("run_open", run_open, required=False),
    }
    return _Record(Timeline.of, parts)


# Unions


def _tagged_reader(annotation: Any, made: Converter) -> Read:
    union = tagged_union(annotation)
    assert union is not None  # noqa: S101 - the predicate of this factory
    return _variants(union, made)


def _variants(union: TaggedUnion, made: Converter) -> Read:
    readers = {cls: _object_reader(cls, made, union.tag) for cls in union.classes()}
    return lambda json, _: readers[variant(union, json)](json, None)


def _first_reader(annotation: Any, made: Converter) -> Read:
    *others, last = (made.get_structure_hook(member) for member in union_members(annotation))

    def read_first(json: object, _: object) -> object:
        for read_member in others:
            try:
                return read_member(json, None)
            except Malformed:
                continue
        return last(json, None)

    return read_first


_JSON_CLASSES: Final[Mapping[type, type]] = {bytes: str, frozenset: list}
"""The class of the JSON value, where it is not that of the value; objects are dicts."""


def _union_reader(annotation: Any, made: Converter) -> Read:
    readers: dict[type, Read] = {
        dict if attrs.has(cls) else _JSON_CLASSES.get(cls, cls): made.get_structure_hook(member)
        for cls, member in members(annotation).items()
    }
    nullable = NoneType in union_members(annotation)
    *_, only = readers.values()
    wanted = " or ".join(_NAMES[cls] for cls in readers if cls in _NAMES)

    def read_member(json: object, _: object) -> object:
        if json is None and nullable:
            return None
        found = only if len(readers) == 1 else readers.get(type(json))
        if found is None:
            raise Malformed(f"must be {wanted}, not {seen(json)}")
        return found(json, None)

    return read_member


_NAMES: Final = {str: "a string", int: "an integer", list: "an array", dict: "an object"}


# Containers


def _items(json: object, read_item: Read) -> list[Any]:
    source = read_array(json)
    items: list[Any] = []
    try:
        for each in source:
            items.append(read_item(each, None))  # noqa: PERF401 - the length is the fault's place
    except Malformed as fault:
        raise _below(fault, f"[{len(items)}]") from None
    return items


def _sequence_reader(annotation: Any, made: Converter) -> Read:
    item, *more = get_args(annotation)
    make: Callable[[Iterable[Any]], Any] = _SEQUENCES[get_origin(annotation)]
    read_item: Read = made.get_structure_hook(item)
    length = None if more in ([], [...]) else 1 + len(more)

    def read_sequence(json: object, _: object) -> Any:
        items = _items(json, read_item)
        if length is not None and len(items) != length:
            raise Malformed(f"must be an array of {length} items, not of {len(items)}")
        return make(items)

    return read_sequence


def _map_reader(annotation: Any, made: Converter) -> Read:
    key, value = get_args(annotation)
    read_value: Read = made.get_structure_hook(value)
    if key is str:
        return lambda json, _: Map.of(_values_by_name(json, read_value))
    read_key: Read = made.get_structure_hook(key)
    return lambda json, _: Map.of(_values_by_key(json, read_key, read_value))


def _values_by_name(json: object, read_value: Read) -> list[tuple[str, Any]]:
    source = read_object(json)
    items: list[tuple[str, Any]] = []
    name: object = ""
    try:
        for name, each in source.items():
            items.append((SCALARS[str](name), read_value(each, None)))
    except Malformed as fault:
        raise _below(fault, f"[{seen(name)}]") from None
    return items


def _values_by_key(json: object, read_key: Read, read_value: Read) -> dict[Any, Any]:
    found: dict[Any, Any] = {}

    def read_pair(pair: object, _: object) -> None:
        if not isinstance(pair, list) or len(pair) != len(("id", "value")):
            raise Malformed(f"must be a pair of id and value, not {seen(pair)}")
        key = _at("[0]", read_key, pair[0])
        if key in found:
            raise Malformed(f"the id {seen(pair[0])} is there twice")
        found[key] = _at("[1]", read_value, pair[1])

    _items(json, read_pair)
    return found


def _request_key_reader(_: Any, made: Converter) -> Read:
    read_id: Read = made.get_structure_hook(RequestId)
    return lambda json, _: request_key(read_id(json, None))


_SEQUENCES: Final[Mapping[Any, Callable[[Iterable[Any]], Any]]] = {
    tuple: tuple,
    Vector: Vector.of,
    frozenset: frozenset,
}
_ORIGINS: Final = {
    Literal: _literal_reader,
    Map: _map_reader,
    **dict.fromkeys(_SEQUENCES, _sequence_reader),
}


def _at(step: str, read_part: Read, json: object) -> Any:
    """What is read one level further down."""
    try:
        return read_part(json, None)
    except Malformed as fault:
        raise _below(fault, step) from None


def _below(fault: Malformed, step: str) -> Malformed:
    """The verdict, seen from one level further up."""
    return Malformed(fault.text, step + fault.path)
