"""How a field of a wire class is read from JSON: data on the field, for the codec and the tests.

What most fields need is said by their annotation and default alone:

- no default: required, and malformed if missing (LENIENT-05);
- ``| None``: null is a value of the type;
- ``= OMITTED``: optional, and as good as absent when malformed (LENIENT-02), the schema's
  ``x-deserialize-default-on-error``;
- ``tuple[X, ...]``: an array.

The rest is metadata made by `wire`. So the classes are the tables of null and omission for updates,
for requests and responses, and for what stands in them (4.1, 4.2, 4.3).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import NoneType, UnionType
from typing import Any, Final, Union, get_args, get_origin

import attrs
from attrs import Attribute

from acp_state.omitted import Omitted, Patch
from acp_state.records import frozen

_WIRE: Final = "acp_state.wire"


@frozen(kw_only=True)
class Wire:
    """What a field's annotation and default do not say."""

    lenient: bool | None = None
    """Malformed counts as absent, or as ``[]`` where required; by default: whether optional."""

    skip_items: bool = False
    """Malformed items of the array are left out (LENIENT-03)."""

    minimum: int | None = None
    """The least value of an integer (LENIENT-12)."""

    maximum: int | None = None
    """The greatest value of an integer (LENIENT-12)."""

    min_length: int = 0
    """The least length of a string (LENIENT-13)."""

    string_values: bool = False
    """The values of the object are strings."""

    on_null: Any = None
    """What null counts as, in a field of which it is no value (LENIENT-06)."""

    alias: str | None = None
    """Another key that is read when the field's own is absent (LENIENT-15)."""

    key: str | None = None
    """The JSON key, where it is not the attribute's name in camelCase."""

    keeps_unknown: bool = False
    """An unknown string of a closed enum is kept, and diagnosed (PERM-03)."""

    rest: bool = False
    """The field holds all keys that are no field's, for payloads of open variants (EXT-04)."""

    identifies: bool = False
    """The field is the id of an entity: an empty one is diagnosed (LENIENT-13)."""

    path: bool = False
    """The field is an absolute path: a relative one is diagnosed (TOOL-12)."""

    patch: Patch | None = None
    """What the field does to an entity that it patches."""

    @property
    def is_bounded(self) -> bool:
        """Whether not every value of the type is one of the field's."""
        bounds = (self.minimum, self.maximum, self.min_length or None)
        return self.string_values or any(bound is not None for bound in bounds)


def wire(**options: Any) -> dict[str, Wire]:
    """Metadata for ``attrs.field``: see `Wire` for the options."""
    return {_WIRE: Wire(**options)}


@frozen(kw_only=True)
class WireField:
    """One field of a wire class, as the codec sees it."""

    name: str
    key: str
    type: Any
    """The annotation without ``None`` and `Omitted`."""
    required: bool
    nullable: bool
    lenient: bool
    wire: Wire


@cache
def wire_fields(cls: type) -> tuple[WireField, ...]:
    """The fields of a wire class that have a key of their own, in order."""
    attrs.resolve_types(cls)
    return tuple(_wire_field(field) for field in attrs.fields(cls) if not _spec(field).rest)


@cache
def patch_fields(cls: type) -> tuple[tuple[str, str, Patch], ...]:
    """The fields of a patch: wire name, name of the entity's attribute, policy."""
    declared = ((field.name, field.wire.patch) for field in wire_fields(cls))
    return tuple((name, patch.into or name, patch) for name, patch in declared if patch)


def _spec(field: Attribute[Any]) -> Wire:
    spec: Wire = field.metadata.get(_WIRE, Wire())
    return spec


def _wire_field(field: Attribute[Any]) -> WireField:
    spec = _spec(field)
    members = union_members(field.type)
    options = members[:1] if spec.keeps_unknown else members
    required = field.default is attrs.NOTHING
    return WireField(
        name=field.name,
        key=spec.key or camel_case(field.name),
        type=Union[tuple(o for o in options if o not in (NoneType, Omitted))],  # noqa: UP007 - built
        required=required,
        nullable=NoneType in members,
        lenient=not required if spec.lenient is None else spec.lenient,
        wire=spec,
    )


def union_members(annotation: Any) -> tuple[Any, ...]:
    """The members of a union, or the annotation alone."""
    return get_args(annotation) if get_origin(annotation) in (Union, UnionType) else (annotation,)


def camel_case(name: str) -> str:
    """ACP's spelling of an attribute: ``message_id`` is ``messageId``, ``meta`` is ``_meta``."""
    if name == "meta":
        return "_meta"
    head, *tail = name.split("_")
    return head + "".join(map(str.capitalize, tail))


@cache
def rest_field(cls: type) -> str | None:
    """The name of the field that holds all other keys, if the class has one."""
    return next((field.name for field in attrs.fields(cls) if _spec(field).rest), None)


@frozen(kw_only=True)
class TaggedUnion:
    """A union whose variant stands in one key of the object."""

    tag: str
    variants: Mapping[str, type | TaggedUnion]
    other: type | None = None
    """The class that keeps unknown tags of an open union; None: the union is closed."""
    unknown_rule: str = "LENIENT-11"
    """The rule that leaves out what has an unknown tag."""
    default: type | None = None
    """The class where the tag is absent, null or no string; None: the object is malformed."""

    def tags(self) -> dict[type, str]:
        """Each class and the tag that it is written with."""
        return {cls: tag for tag, found in self.variants.items() for cls in _classes(found)}

    def classes(self) -> tuple[type, ...]:
        """All classes that an object can be read as."""
        found = [cls for variant in self.variants.values() for cls in _classes(variant)]
        return tuple(dict.fromkeys([*found, *filter(None, (self.other, self.default))]))


def _classes(variant: type | TaggedUnion) -> tuple[type, ...]:
    return variant.classes() if isinstance(variant, TaggedUnion) else (variant,)
