"""The model as plain JSON, for snapshots: classes of the model here, ACP's own by the codec.

A class of the model is an object of its attributes, spelled in camelCase; what equals its default
is left out. Beyond that:

- an entry of a timeline says its kind in the key ``entry``;
- a sequence is a list, a set a sorted list;
- a map by strings is an object, in the order of the map; one by request ids is a list of pairs of
  id and value;
- a chunk of nothing but plain text is its string, and so is a run of text of an expected echo.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from types import NoneType
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, Union, cast, get_args, get_origin

import attrs

from acp_state import codec
from acp_state.json_values import JsonObject, PlainJson, thaw
from acp_state.model import (
    Chunk,
    Chunks,
    Compaction,
    Entry,
    Message,
    RequestKey,
    SessionMessage,
    Subagent,
    Timeline,
    ToolCall,
)
from acp_state.persistent import Map, Vector
from acp_state.schema.wire import TaggedUnion, camel_case, union_members

if TYPE_CHECKING:
    from cattrs import Converter

Write: TypeAlias = Callable[[Any], Any]

ENTRY: Final = TaggedUnion(
    tag="entry",
    variants={
        "message": Message,
        "tool_call": ToolCall,
        "compaction": Compaction,
        "session_message": SessionMessage,
        "subagent": Subagent,
    },
)
"""The kinds of entries; ``kind`` is a field of tool calls, and so no tag."""


def write(value: object) -> PlainJson:
    """The JSON value of an object of the model."""
    return cast("PlainJson", _converter().unstructure(value))


def is_model(cls: Any) -> bool:
    """Whether it is a class of the model, not of the protocol."""
    return attrs.has(cls) and cls.__module__.startswith("acp_state.model.")


def is_entry(annotation: Any) -> bool:
    """Whether the annotation is the union of all kinds of entries."""
    return frozenset(union_members(annotation)) == frozenset(ENTRY.classes())


def is_one_of_many(annotation: Any) -> bool:
    """Whether the annotation is a union that no tag tells apart, or has null beside it."""
    told_apart = codec.is_tagged(annotation) or codec.is_raw_json(annotation)
    return len(union_members(annotation)) > 1 and not told_apart and not is_entry(annotation)


def is_request_key(annotation: Any) -> bool:
    """Whether the annotation is `RequestKey`."""
    return bool(annotation == RequestKey)


def members(annotation: Any) -> Mapping[type, Any]:
    """The members of a union by the class of their values, all but null; wire classes as one."""
    found = [member for member in union_members(annotation) if member is not NoneType]
    classes = tuple(member for member in found if attrs.has(member))
    return {
        _value_class(member): Union[classes] if attrs.has(member) else member  # noqa: UP007 - built
        for member in found
    }


def _value_class(member: Any) -> type:
    origin = get_origin(member)
    return str if origin is Literal else origin or member


@lru_cache(maxsize=1)
def _converter() -> Converter:
    """The one converter, made when it is first needed."""
    from cattrs import Converter  # noqa: PLC0415 - half of the import, and not always needed

    made = Converter(detailed_validation=False)
    made.register_unstructure_hook_factory(_is_of_protocol, _wire_writer)
    made.register_unstructure_hook_factory(is_model, _object_writer)
    made.register_unstructure_hook_factory(is_one_of_many, _union_writer)
    made.register_unstructure_hook_factory(is_entry, _entry_writer)
    for origin, factory in _CONTAINERS.items():
        made.register_unstructure_hook_factory(is_of_origin(origin), factory)
    made.register_unstructure_hook_func(is_request_key, lambda key: key[1])
    made.register_unstructure_hook(JsonObject, thaw)
    made.register_unstructure_hook(bytes, _units_as_text)
    made.register_unstructure_hook_factory(is_class(Chunks), _chunks_writer)
    made.register_unstructure_hook_factory(is_class(Timeline), _timeline_writer)
    return made


def is_class(cls: type) -> Callable[[Any], bool]:
    """The predicate of one class."""
    return lambda annotation: annotation is cls


def is_of_origin(origin: Any) -> Callable[[Any], bool]:
    """The predicate of what is spelled with that class and arguments."""
    return lambda annotation: get_origin(annotation) is origin


def _is_of_protocol(annotation: Any) -> bool:
    return attrs.has(annotation) or codec.is_tagged(annotation) or codec.is_raw_json(annotation)


def _wire_writer(annotation: Any, _: Converter) -> Write:
    write_wire: Write = codec.converter().get_unstructure_hook(annotation)
    return write_wire


def _object_writer(cls: type, made: Converter) -> Write:
    from cattrs.gen import make_dict_unstructure_fn, override  # noqa: PLC0415 - half of the import, and not always needed

    attrs.resolve_types(cls)
    hooks: dict[str, Any] = {
        field.name: override(
            rename=camel_case(field.name), unstruct_hook=made.get_unstructure_hook(field.type)
        )
        for field in attrs.fields(cls)
    }
    return make_dict_unstructure_fn(cls, made, _cattrs_omit_if_default=True, **hooks)


def _union_writer(annotation: Any, made: Converter) -> Write:
    hooks: dict[type, Write] = {
        cls: made.get_unstructure_hook(member) for cls, member in members(annotation).items()
    }
    return lambda value: None if value is None else hooks[type(value)](value)


def _entry_writer(_: Any, made: Converter) -> Write:
    writers = {cls: (tag, made.get_unstructure_hook(cls)) for cls, tag in ENTRY.tags().items()}

    def write_entry(entry: Entry) -> dict[str, Any]:
        tag, write_fields = writers[type(entry)]
        return {ENTRY.tag: tag, **write_fields(entry)}

    return write_entry


def _sequence_writer(annotation: Any, made: Converter) -> Write:
    write_item: Write = made.get_unstructure_hook(get_args(annotation)[0])
    return lambda items: [write_item(item) for item in items]


def _set_writer(annotation: Any, made: Converter) -> Write:
    write_items = _sequence_writer(annotation, made)
    return lambda items: write_items(sorted(items))


def _map_writer(annotation: Any, made: Converter) -> Write:
    key, value = get_args(annotation)
    write_key: Write = made.get_unstructure_hook(key)
    write_value: Write = made.get_unstructure_hook(value)
    if key is str:
        return lambda items: {name: write_value(item) for name, item in items.items()}
    return lambda items: [[write_key(name), write_value(item)] for name, item in items.items()]


def _chunks_writer(_: Any, made: Converter) -> Write:
    write_chunk: Write = made.get_unstructure_hook(Chunk)
    return lambda chunks: [
        held if isinstance(held, str) else write_chunk(held) for held in chunks.held
    ]


def _timeline_writer(_: Any, made: Converter) -> Write:
    write_entries: Write = made.get_unstructure_hook(Vector[Entry])

    def write_timeline(timeline: Timeline) -> dict[str, Any]:
        run_open = {"runOpen": True} if timeline.run_open else {}
        return {"entries": write_entries(timeline), **run_open}

    return write_timeline


def _units_as_text(units: bytes) -> str:
    """The text of UTF-16 units."""
    return units.decode("utf-16-le", "surrogatepass")


_CONTAINERS: Final = {
    tuple: _sequence_writer,
    Vector: _sequence_writer,
    frozenset: _set_writer,
    Map: _map_writer,
}
