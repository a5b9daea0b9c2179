"""Hypothesis strategies for protocol data.

`json_of` makes valid JSON from the published schema, `typed` makes wire objects from the wire
classes; they know nothing of each other. `json_values` is any JSON, `json_like` also what only
looks like it.
"""

from __future__ import annotations

from functools import cache
from math import inf, nan
from types import NoneType
from typing import Literal, get_args, get_origin

import attrs
from hypothesis import strategies as st
from published import Alternative, published

from acp_state.codec import encode, is_array
from acp_state.json_values import JsonArray, JsonObject, freeze
from acp_state.omitted import OMITTED
from acp_state.schema.unions import tagged_union, union_tags
from acp_state.schema.wire import TaggedUnion, WireField, rest_field, union_members, wire_fields

texts = st.sampled_from(["", "a", "b\n", "\U0001f600", "\ud83d"]) | st.text(max_size=5)
"""Strings, with a lone surrogate among them."""

keys = st.sampled_from(["_meta", "rest", "value", "type", "_vendor"]) | texts
"""Keys of raw objects: those that a codec might take for its own, and any."""

_scalars = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
)

json_values = st.recursive(
    _scalars | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=4,
)
"""JSON values as a parser gives them."""

json_objects = st.dictionaries(keys, json_values, max_size=2)

json_like = st.recursive(
    json_values
    | st.sampled_from([nan, inf, -inf, 10**400, -(10**400), 2**64, "\udc00", b"bytes", (1, 2)]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys | _scalars, inner, max_size=3),
    max_leaves=6,
)
"""What a careless parser could give as well: no JSON, but not to fall over."""


@st.composite
def json_of(draw: st.DrawFn, name: str, file: str = "unstable", **consts: str) -> object:
    """Valid JSON of a definition of the published schema; `consts` choose among its variants."""
    return draw(_values_of(file, name, frozenset(consts.items())))


@cache
def _values_of(file: str, name: str, consts: frozenset) -> st.SearchStrategy:
    node = published(file).named(name)
    if not consts:
        return _values(file, node)
    found = [each for each in published(file).alternatives(node) if each.has(dict(consts))]
    return st.one_of([_objects(file, each) for each in found])


def _values(file: str, node: dict) -> st.SearchStrategy:
    return st.one_of([_option(file, each) for each in published(file).options(node)])


def _option(file: str, node: dict) -> st.SearchStrategy:
    if "const" in node:
        return st.just(node["const"])
    if node.get("type") == "array":
        return st.lists(_items(file, node), max_size=2)
    if node.get("type") == "object":
        return st.one_of([_objects(file, each) for each in published(file).alternatives(node)])
    if node.get("type") == "string":
        return texts.filter(lambda text: len(text) >= node.get("minLength", 0))
    return {
        "null": st.none(),
        "boolean": st.booleans(),
        "integer": st.integers(node.get("minimum"), node.get("maximum")),
        "number": st.integers() | st.floats(allow_nan=False, allow_infinity=False),
    }.get(node.get("type"), json_values)


def _items(file: str, node: dict) -> st.SearchStrategy:
    return st.deferred(lambda: _values(file, node["items"]))


def _objects(file: str, alternative: Alternative) -> st.SearchStrategy:
    values = {
        key: _without(_values(file, node), alternative.excluded.get(key, ()))
        for key, node in alternative.properties.items()
    }
    required = {key: value for key, value in values.items() if key in alternative.required}
    optional = {key: value for key, value in values.items() if key not in required}
    known = st.fixed_dictionaries(required, optional=optional)
    if alternative.others is None:
        return known
    inner = _values(file, alternative.others)
    others = st.dictionaries(_without(keys, values), inner, max_size=2)
    return st.builds(lambda own, more: {**more, **own}, known, others)


def _without(values: st.SearchStrategy, excluded: object) -> st.SearchStrategy:
    return values.filter(lambda value: value not in excluded) if excluded else values


@st.composite
def typed(draw: st.DrawFn, annotation: object) -> object:
    """Wire objects of a class, or of a union of classes, or values of any field's type."""
    return draw(_typed(annotation))


@cache
def _typed(annotation: object) -> st.SearchStrategy:
    union = tagged_union(annotation)
    if union is not None:
        return _variants(union)
    if attrs.has(annotation):
        return _instances(annotation)
    members = union_members(annotation)
    if JsonArray in members:
        return json_values.map(freeze)
    if len(members) > 1:
        return st.one_of([_typed(member) for member in members])
    return _of_field(annotation)


@st.composite
def half_valid(draw: st.DrawFn, union: object) -> object:
    """JSON of the union with anything at all in one to three places, at any depth."""
    message = encode(draw(typed(union)), union)
    for _ in range(draw(st.integers(1, 3))):
        holder, key = draw(st.sampled_from([(message, draw(keys)), *_places(message)]))
        holder[key] = draw(json_like)
    return message


def _places(value: object) -> list[tuple[object, object]]:
    if not isinstance(value, dict | list):
        return []
    items = list(value.items() if isinstance(value, dict) else enumerate(value))
    return [(value, key) for key, _ in items] + [
        place for _, each in items for place in _places(each)
    ]


def _of_field(annotation: object) -> st.SearchStrategy:
    if is_array(annotation):
        return st.lists(_typed(get_args(annotation)[0]), max_size=2).map(tuple)
    if get_origin(annotation) is Literal:
        return st.sampled_from(get_args(annotation))
    return {
        NoneType: st.none(),
        str: texts,
        bool: st.booleans(),
        int: st.integers(),
        float: st.floats(allow_nan=False, allow_infinity=False),
        JsonObject: json_objects.map(JsonObject),
    }[annotation]


def _within(field: WireField, values: st.SearchStrategy) -> st.SearchStrategy:
    spec = field.wire
    if field.type is int:
        return st.integers(spec.minimum, spec.maximum)
    if spec.string_values:
        return st.dictionaries(keys, texts, max_size=2).map(JsonObject)
    return values.filter(lambda text: len(text) >= spec.min_length) if spec.min_length else values


def _variants(union: TaggedUnion) -> st.SearchStrategy:
    found = []
    for tag, variant in union.variants.items():
        if isinstance(variant, TaggedUnion):
            found.append(_variants(variant))
        else:
            found.append(_instances(variant, union.tag, st.just(tag)))
    if union.other is not None:
        unknown = texts.filter(lambda tag: tag not in union.variants)
        found.append(_instances(union.other, union.tag, unknown))
    if union.default is not None:
        found.append(_instances(union.default, union.tag, st.sampled_from([None, OMITTED])))
    return st.one_of(found)


def _instances(
    cls: type, tag: str | None = None, tags: st.SearchStrategy | None = None
) -> st.SearchStrategy:
    known = union_tags(cls) | {field.key for field in wire_fields(cls) if not field.wire.rest}
    values = {}
    for field in wire_fields(cls):
        value = _within(field, _typed(field.type))
        if field.nullable:
            value = st.none() | value
        if not field.required:
            value = st.just(OMITTED) | value
        values[field.name] = tags if field.key == tag else value
    rest = rest_field(cls)
    if rest:
        more = st.dictionaries(_without(keys, known), json_values, min_size=1, max_size=2)
        values[rest] = st.just(OMITTED) | more.map(JsonObject)
    return st.builds(cls, **values)
