"""JSON objects to wire classes and back, on cattrs.

`structure` is strict: a scalar is of its type (LENIENT-12, LENIENT-13), a required field is there,
a tag is known; keys that a class does not know are no fault (LENIENT-07). What is valid goes
straight through it; what is not is looked at field by field in `acp_state.leniency`. `encode`
leaves out what was omitted and keeps null, so that what was decoded from a valid message encodes to
an equal JSON value.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast, get_args, get_origin

import attrs

from acp_state.json_values import (
    JsonArray,
    JsonObject,
    PlainJson,
    thaw,
    thaw_object,
)
from acp_state.omitted import Omitted
from acp_state.reading import (
    SCALARS,
    Malformed,
    check_bounds,
    freeze_json,
    read_array,
    read_object,
    read_rest,
    seen,
    variant,
)
from acp_state.schema.unions import tagged_union
from acp_state.schema.wire import WireField, rest_field, union_members, wire_fields

if TYPE_CHECKING:
    from cattrs import Converter

T = TypeVar("T")
Hook = Callable[[Any, Any], Any]


def structure(json: object, cls: type[T]) -> T:
    """The wire object that a JSON value is, when it is valid in every part.

    Raises:
        Malformed: some part is not valid.
    """
    annotation: Any = cls
    value: T = reader(annotation)(json, cls)
    return value


@cache
def reader(cls: Any) -> Hook:
    """The function that reads a wire class or a union of them, made when it is first needed."""
    made: Hook = converter().get_structure_hook(cls)
    return made


def encode(value: object, union: object = None) -> PlainJson:
    """The JSON value of a wire object; `union` is the tagged union it stands in, if it does."""
    return cast("PlainJson", converter().unstructure(value, unstructure_as=union))


@lru_cache(maxsize=1)
def converter() -> Converter:
    """The one converter, made when it is first needed."""
    from cattrs import Converter  # noqa: PLC0415 - half of the import, and not always needed

    made = Converter(detailed_validation=False)
    for scalar, read in SCALARS.items():
        made.register_structure_hook(scalar, read)
    made.register_structure_hook_func(is_raw_json, lambda json, _: freeze_json(json))
    made.register_structure_hook_factory(_is_literal, _literal_reader)
    made.register_structure_hook_factory(attrs.has, _object_reader)
    made.register_structure_hook_factory(is_array, _array_reader)
    made.register_structure_hook_factory(is_tagged, _union_reader)
    made.register_structure_hook_factory(is_untagged, _first_reader)
    made.register_unstructure_hook(JsonObject, thaw)
    made.register_unstructure_hook(JsonArray, thaw)
    made.register_unstructure_hook_func(is_raw_json, thaw)
    made.register_unstructure_hook_factory(attrs.has, _object_writer)
    made.register_unstructure_hook_factory(is_tagged, _union_writer)
    return made


def is_array(annotation: Any) -> bool:
    """Whether the annotation is ``tuple[X, ...]``."""
    return get_origin(annotation) is tuple


def is_tagged(annotation: Any) -> bool:
    """Whether the annotation is a tagged union."""
    return tagged_union(annotation) is not None


def is_untagged(annotation: Any) -> bool:
    """Whether the annotation is a union of which the first member that fits is meant."""
    members = union_members(annotation)
    structured = len(members) > 1 and all(attrs.has(m) or is_array(m) for m in members)
    return structured and not is_tagged(annotation)


def is_raw_json(annotation: Any) -> bool:
    """Whether the annotation is any JSON value, kept as it came."""
    return JsonObject in union_members(annotation) and JsonArray in union_members(annotation)


def _is_literal(annotation: Any) -> bool:
    return get_origin(annotation) is Literal


def _literal_reader(annotation: Any) -> Hook:
    """A closed enumeration: a word that it does not know is malformed (LENIENT-08)."""
    values = frozenset(get_args(annotation))
    wanted = ", ".join(get_args(annotation))

    def read(json: object, _: object) -> str:
        if isinstance(json, str) and json in values:
            return json
        raise Malformed(f"must be one of {wanted}, not {seen(json)}")

    return read


def _object_reader(cls: type, made: Converter) -> Hook:
    from cattrs.gen import make_dict_structure_fn, override  # noqa: PLC0415 - half of the import, and not always needed

    fields = wire_fields(cls)
    hooks: dict[str, Any] = {
        f.name: override(rename=f.key, struct_hook=_field_reader(f, made)) for f in fields
    }
    rest = rest_field(cls)
    if rest:
        hooks[rest] = override(omit=True)
    read_fields: Hook = make_dict_structure_fn(
        cls, made, _cattrs_detailed_validation=False, **hooks
    )

    def read(json: object, _: object) -> Any:
        try:
            return read_fields(read_object(json), cls)
        except KeyError as key:
            raise Malformed(f"{key} is missing") from None

    def read_with_rest(json: object, _: object) -> Any:
        return attrs.evolve(read(json, cls), **{rest or "": read_rest(cls, read_object(json))})

    return read_with_rest if rest else read


def _field_reader(field: WireField, made: Converter) -> Hook:
    read: Hook = made.get_structure_hook(field.type)
    takes_null = field.nullable or field.wire.on_null is not None

    def read_checked(json: object, annotation: object) -> object:
        return check_bounds(read(json, annotation), field)

    inner = read_checked if field.wire.is_bounded else read

    def read_nullable(json: object, annotation: object) -> object:
        return field.wire.on_null if json is None else inner(json, annotation)

    return read_nullable if takes_null else inner


def _array_reader(annotation: Any, made: Converter) -> Hook:
    item = get_args(annotation)[0]
    read: Hook = made.get_structure_hook(item)
    return lambda json, _: tuple([read(each, item) for each in read_array(json)])


def _union_reader(annotation: Any, made: Converter) -> Hook:
    union = tagged_union(annotation)
    assert union is not None  # noqa: S101 - the predicate of this factory
    readers: dict[type, Hook] = {cls: made.get_structure_hook(cls) for cls in union.classes()}

    def read(json: object, _: object) -> object:
        cls = variant(union, json)
        return readers[cls](json, cls)

    return read


def _first_reader(annotation: Any, made: Converter) -> Hook:
    # Only leniency can tell whether the first member fits, so all but a perfect fit is left to it.
    first = union_members(annotation)[0]
    read: Hook = made.get_structure_hook(first)
    return lambda json, _: read(json, first)


def _object_writer(cls: type, made: Converter) -> Callable[[Any], Any]:
    from cattrs.gen import make_dict_unstructure_fn, override  # noqa: PLC0415 - half of the import, and not always needed

    fields = wire_fields(cls)
    hooks: dict[str, Any] = {
        f.name: override(
            rename=f.key, omit_if_default=not f.required, unstruct_hook=_field_writer(f, made)
        )
        for f in fields
    }
    rest = rest_field(cls)
    if rest:
        hooks[rest] = override(omit=True)
    write: Callable[[Any], Any] = make_dict_unstructure_fn(cls, made, **hooks)
    if not rest:
        return write

    def write_with_rest(value: object) -> dict[str, Any]:
        kept: JsonObject | Omitted = getattr(value, rest)
        return {**(thaw_object(kept) if kept else {}), **write(value)}

    return write_with_rest


def _field_writer(field: WireField, made: Converter) -> Callable[[Any], Any]:
    write: Callable[[Any], Any] = made.get_unstructure_hook(field.type)
    return (lambda value: None if value is None else write(value)) if field.nullable else write


def _union_writer(annotation: Any, made: Converter) -> Callable[[Any], Any]:
    union = tagged_union(annotation)
    assert union is not None  # noqa: S101 - the predicate of this factory
    tags = union.tags()

    def write(value: object) -> dict[str, Any]:
        cls = type(value)
        tag = {union.tag: tags[cls]} if cls in tags else {}
        return {**tag, **made.unstructure(value, unstructure_as=cls)}

    return write
