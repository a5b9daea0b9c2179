"""The model out of the JSON of a snapshot: each part is what `acp_state.snapshot.writing` writes.

Nothing is turned into something else and nothing is passed over: what is of another type, what is
missing, and what is not known is `Malformed`, with the path of the part. The leniency that the
protocol asks for with what a peer sends has no place here.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import NoneType
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar, get_args

import attrs

from acp_state.codec import is_raw_json, is_tagged, is_untagged
from acp_state.model import Chunk, Chunks, Entry, RequestKey, Timeline
from acp_state.model.echo import units_of
from acp_state.persistent import Map, Vector
from acp_state.reading import SCALARS, Malformed, freeze_json, seen
from acp_state.reduce.links import request_key
from acp_state.schema import RequestId
from acp_state.schema.wire import union_members
from acp_state.snapshot.containers import SEQUENCES, Read, map_reader, read_items, sequence_reader
from acp_state.snapshot.records import Part, Record, object_reader, tagged_reader, variant_reader
from acp_state.snapshot.writing import (
    ENTRY,
    is_class,
    is_entry,
    is_of_origin,
    is_one_of_many,
    is_request_key,
    members,
)

if TYPE_CHECKING:
    from cattrs import Converter

T = TypeVar("T")


def read(json: object, cls: type[T]) -> T:
    """The object of the model that the JSON value is.

    Raises:
        Malformed: some part is not as it must be; `path` says which.
    """
    return _converter().structure(json, cls)


@lru_cache(maxsize=1)
def _converter() -> Converter:
    """The one converter, made when it is first needed."""
    from cattrs import Converter  # noqa: PLC0415 - half of the import, and not always needed

    made = Converter(detailed_validation=False)
    for scalar, read_scalar in {**SCALARS, int: _read_int, bytes: _read_units}.items():
        made.register_structure_hook(scalar, read_scalar)
    made.register_structure_hook_factory(attrs.has, object_reader)
    made.register_structure_hook_factory(is_tagged, tagged_reader)
    made.register_structure_hook_factory(is_one_of_many, _union_reader)
    made.register_structure_hook_factory(is_untagged, _first_reader)
    made.register_structure_hook_factory(is_entry, lambda _, made: variant_reader(ENTRY, made))
    made.register_structure_hook_func(is_raw_json, lambda json, _: freeze_json(json))
    for origin, factory in _ORIGINS.items():
        made.register_structure_hook_factory(is_of_origin(origin), factory)
    made.register_structure_hook_factory(is_request_key, _request_key_reader)
    made.register_structure_hook_factory(is_class(Chunks), _chunks_reader)
    made.register_structure_hook_factory(is_class(Timeline), _timeline_reader)
    return made


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


# Unions


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


# Structures of the model


def _chunks_reader(_: Any, made: Converter) -> Read:
    read_chunk: Read = made.get_structure_hook(Chunk)

    def read_held(json: object, _: object) -> str | Chunk:
        if isinstance(json, str):
            return json
        chunk: Chunk = read_chunk(json, Chunk)
        return chunk

    return lambda json, _: Chunks.holding(read_items(json, read_held))


def _timeline_reader(_: Any, made: Converter) -> Read:
    entries: Read = made.get_structure_hook(Vector[Entry])
    run_open: Read = made.get_structure_hook(bool)
    parts = {
        "entries": Part("entries", entries, required=True),
        "runOpen": Part("run_open", run_open, required=False),
    }
    return Record(Timeline.of, parts)


def _request_key_reader(_: Any, made: Converter) -> Read:
    read_id: Read = made.get_structure_hook(RequestId)

    def read_key(json: object, _: object) -> RequestKey:
        key = request_key(read_id(json, None))
        if key is None:
            raise Malformed(f"must be an integer of 64 bits, not {seen(json)}")
        return key

    return read_key


_ORIGINS: Final = {
    Literal: _literal_reader,
    Map: map_reader,
    **dict.fromkeys(SEQUENCES, sequence_reader),
}
