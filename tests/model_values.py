"""A strategy for objects of the model, from the annotations of its classes alone.

So a new class or field is drawn as soon as it is there. The values are well formed and no more than
that: a turn may start anywhere, and an entry may be there twice.
"""

from __future__ import annotations

from functools import cache
from types import NoneType
from typing import Union, get_args, get_origin

import attrs
from hypothesis import strategies as st
from strategies import texts, typed

from acp_state.model import Chunk, Chunks, Connection, Entry, RequestKey, Timeline
from acp_state.model.echo import units_of
from acp_state.omitted import OMITTED
from acp_state.persistent import Map, Vector
from acp_state.reduce.links import request_key
from acp_state.schema import AuthMethod, ContentBlock, RequestId
from acp_state.schema.wire import union_members

MANY = 2
"""How many items there are at most, in each container."""


def is_of_model(annotation: object) -> bool:
    """Whether it is a class of the model."""
    return attrs.has(annotation) and annotation.__module__.startswith("acp_state.model.")


def model_classes(root: type = Connection) -> list[type]:
    """All classes of the model and of the protocol that are found in the fields of one."""
    found: dict[type, None] = {}
    waiting: list[object] = [root]
    while waiting:
        annotation = waiting.pop()
        if attrs.has(annotation) and get_origin(annotation) is None and annotation not in found:
            found[annotation] = None
            attrs.resolve_types(annotation)
            waiting += [field.type for field in attrs.fields(annotation)]
        waiting += get_args(annotation)
    return sorted(found, key=lambda cls: (cls.__module__, cls.__name__))


@cache
def values(annotation: object) -> st.SearchStrategy:
    """Values of an annotation that a field of the model has."""
    if annotation in _OF_THEIR_OWN:
        return st.deferred(_OF_THEIR_OWN[annotation])
    if is_of_model(annotation):
        return _objects(annotation)
    if get_origin(annotation) in _CONTAINERS:
        return _CONTAINERS[get_origin(annotation)](*get_args(annotation))
    members = union_members(annotation)
    others = tuple(member for member in members if member is not NoneType)
    if NoneType in members and others:
        return st.none() | values(Union[others])  # noqa: UP007 - built
    return _union(members) if _is_mixed(members) else typed(annotation)


def _is_mixed(members: tuple[object, ...]) -> bool:
    """Whether the protocol has no such union."""
    return bytes in members or any(get_origin(member) is frozenset for member in members)


def _union(members: tuple[object, ...]) -> st.SearchStrategy:
    return st.one_of([values(member) for member in members])


def _objects(cls: type) -> st.SearchStrategy:
    attrs.resolve_types(cls)
    fields = {field.alias: _of_field(field) for field in attrs.fields(cls)}
    return st.deferred(lambda: st.builds(cls, **fields))


def _of_field(field: attrs.Attribute) -> st.SearchStrategy:
    value = st.deferred(lambda: values(field.type))
    return value if field.default is attrs.NOTHING else st.just(field.default) | value


def _lists(item: object) -> st.SearchStrategy:
    return st.lists(values(item), max_size=MANY)


def _has_no_null_type(method: object) -> bool:
    """A null there counts as absent when it is read."""
    return getattr(method, "type", OMITTED) is not None


def _tuples(item: object, *more: object) -> st.SearchStrategy:
    if more == (...,):
        return _lists(item).map(tuple)
    return st.tuples(*map(values, (item, *more)))


def _maps(key: object, value: object) -> st.SearchStrategy:
    return st.lists(st.tuples(values(key), values(value)), max_size=MANY).map(Map.of)


_CONTAINERS = {
    tuple: _tuples,
    Vector: lambda item: _lists(item).map(Vector.of),
    frozenset: lambda item: _lists(item).map(frozenset),
    Map: _maps,
}

_OF_THEIR_OWN = {
    bytes: lambda: texts.map(units_of),
    Chunks: lambda: st.lists(texts | values(Chunk), max_size=4).map(Chunks.holding),
    Timeline: lambda: st.builds(Timeline.of, _lists(Entry), run_open=st.booleans()),
    Entry: lambda: st.one_of([values(member) for member in union_members(Entry)]),
    RequestKey: lambda: values(RequestId).map(request_key),
    RequestId: lambda: st.none() | st.integers(-(2**63), 2**63 - 1) | texts,
    ContentBlock: lambda: typed(ContentBlock),
    AuthMethod: lambda: typed(AuthMethod).filter(_has_no_null_type),
}
