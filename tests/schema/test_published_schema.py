"""The wire classes say what the published schema says, field by field.

The schema is the oracle: every definition that the messages lead to has its class or alias in
`acp_state.schema`, and each field of each class is held against the schema twice: by what it
declares, and by what decoding does to every kind of value. The known departures are one table.
"""

from __future__ import annotations

from functools import cache
from typing import Literal, NamedTuple, Union

import attrs
import pytest
from published import (
    EMPTY,
    LENIENT,
    NULL_IS_DEFAULT,
    SKIPS_ITEMS,
    Published,
    branches,
    published,
    reference,
    shape,
)
from shared import SHARED, needs_shared

from acp_state import schema
from acp_state.codec import encode
from acp_state.json_values import JsonArray, JsonObject
from acp_state.leniency import Fault, decode
from acp_state.reading import Malformed
from acp_state.schema.unions import TAGGED_UNIONS, tagged_union
from acp_state.schema.wire import TaggedUnion, WireField, wire_fields

pytestmark = needs_shared

FILES = ("unstable", "stable") if SHARED.is_dir() else ()

DEPARTURES = {
    "CancelledPermissionOutcome": "the schema gives it no name of its own",
    "OtherStateUpdate": "LENIENT-09: the schema gives it no name of its own",
    "CurrentModeUpdate.modeId": "LENIENT-15: an alias",
    "PermissionOption.kind": "PERM-03: an unknown kind is kept",
    "SessionMessageChunk.senderSessionId": "CONF-02: chunks have participants too",
    "SessionMessageChunk.recipientSessionId": "CONF-02: chunks have participants too",
    "AuthMethodAgent.type": "AUTH-01: a type that is not known is not asked for",
    "CompactionCapabilities._meta": "EXT-03: vendor features are advertised in `_meta`",
    "NoticeCapabilities._meta": "EXT-03: vendor features are advertised in `_meta`",
}
"""Where the wire classes have something that the schema has not, and why."""


def wire_classes() -> list[type]:
    """The public classes, and those of the unions."""
    public = [getattr(schema, name) for name in schema.__all__]
    members = [cls for union in TAGGED_UNIONS.values() for cls in union.classes()]
    return list(dict.fromkeys(cls for cls in [*public, *members] if attrs.has(cls)))


def definition(cls: type, file: Published) -> str | None:
    """The definition that a class stands for: the one of its name, or of its base's."""
    return next((base.__name__ for base in cls.__mro__ if base.__name__ in file.closure), None)


def keys(cls: type) -> set[str]:
    """All JSON keys that a class reads."""
    fields = wire_fields(cls)
    return {field.key for field in fields} | {f.wire.alias for f in fields if f.wire.alias}


class Spot(NamedTuple):
    """One field of one class, and the file that it is held against."""

    cls: type
    field: WireField
    file: Published

    @property
    def name(self) -> str:
        """As in the table of departures."""
        return f"{self.cls.__name__}.{self.field.key}"

    @property
    def node(self) -> dict:
        """What the schema says of the field."""
        return self.file.declared(definition(self.cls, self.file)).properties[self.field.key]

    @property
    def required(self) -> bool:
        """Whether the schema wants the key."""
        return self.field.key in self.file.declared(definition(self.cls, self.file)).required

    def objects(self) -> list[dict]:
        """Valid objects of the class: one with no key too many, one with all keys."""
        declared = self.file.declared(definition(self.cls, self.file))
        return [self.file.example_of(declared, full=full) for full in (False, True)]


def spots() -> list:
    """Every field that both a class and a file have."""
    return [
        pytest.param(Spot(cls, field, file), id=f"{prefix}{cls.__name__}.{field.key}")
        for file, prefix in zip(map(published, FILES), ("", "stable-"), strict=False)
        for cls in wire_classes()
        if definition(cls, file) is not None
        for field in wire_fields(cls)
        if field.key in file.declared(definition(cls, file)).properties
    ]


def definitions() -> list:
    """Every definition that the messages lead to."""
    return [
        pytest.param(published(file), name, id=f"{file}-{name}")
        for file in FILES
        for name in published(file).closure
    ]


each_spot = pytest.mark.parametrize("spot", spots())
each_definition = pytest.mark.parametrize(("file", "name"), definitions())


# What the classes declare


@each_definition
def test_every_definition_has_its_class_or_alias(file, name):
    """Class names equal the schema's `$defs` names; aliases mean what the schema means.

    Ids and other plain strings and numbers of the schema have no name of their own here.
    """
    node = file.defs[name]
    ours = getattr(schema, name, None)
    if is_class(node):
        assert attrs.has(ours)
        assert ours.__name__ == name
    elif node.get("type") in {"string", "integer"}:
        assert ours is None
    elif tagged_union(ours):
        assert ours == Union[tagged_union(ours).classes()]  # noqa: UP007 - of a tuple
    else:
        assert ours == meaning(node, file)


@each_definition
def test_a_tagged_union_has_the_tags_of_the_schema(file, name):
    """LENIENT-10, LENIENT-11: each tag leads to its class; only open unions take others.

    The stable schema has some of the variants, the unstable one has them all.
    """
    ours = tagged_union(getattr(schema, name, None))
    theirs = variants_in_schema(file, file.defs[name])
    if ours is None:
        assert theirs == {} or is_class(file.defs[name])
    elif file.name == "unstable":
        assert variants_in_classes(ours, file) == theirs
    else:
        assert variants_in_classes(ours, file).items() >= theirs.items()


@pytest.mark.parametrize("cls", wire_classes())
def test_a_class_has_the_keys_of_its_definition(cls):
    """No field of the schema is missing, and none is made up but for the table's."""
    departures = {
        name.partition(".")[2] for name in DEPARTURES if name.startswith(f"{cls.__name__}.")
    }
    name = definition(cls, published())
    if name is None:
        assert cls.__name__ in DEPARTURES
    else:
        declared = set(published().declared(name).properties)
        assert keys(cls) == declared | departures


@pytest.mark.parametrize("cls", wire_classes())
def test_the_stable_schema_has_no_key_that_the_classes_lack(cls):
    """What is stable is in the unstable schema as well."""
    name = definition(cls, published("stable")) if FILES else None
    if name is not None:
        assert set(published("stable").declared(name).properties) <= keys(cls)


@each_spot
def test_a_field_declares_what_the_schema_says(spot):
    """LENIENT-02 to LENIENT-05, LENIENT-12, LENIENT-13: a field's data is the schema's."""
    field, node = spot.field, spot.node
    ours = {
        "type": field.type,
        "required": field.required,
        "nullable": field.nullable,
        "lenient": field.lenient,
        "skip items": field.wire.skip_items,
        "minimum": field.wire.minimum,
        "maximum": field.wire.maximum,
        "least length": field.wire.min_length,
        "null is default": field.wire.on_null is not None,
    }
    assert ours == {
        "type": meaning(node, spot.file),
        "required": spot.required,
        "nullable": spot.file.valid(None, node),
        "lenient": node.get(LENIENT, False),
        "skip items": node.get(SKIPS_ITEMS, False),
        "minimum": spot.file.bound("minimum", node),
        "maximum": spot.file.bound("maximum", node),
        "least length": spot.file.bound("minLength", node) or 0,
        "null is default": node.get(NULL_IS_DEFAULT, False),
    }


def test_each_departure_is_in_the_table_and_still_there():
    """A departure that the schema has caught up with leaves the table."""
    file = published()
    found = set()
    for cls in wire_classes():
        name = definition(cls, file)
        if name is None:
            found.add(cls.__name__)
            continue
        for key in keys(cls) - set(file.declared(name).properties):
            found.add(f"{cls.__name__}.{key}")
        for field in wire_fields(cls):
            if field.wire.keeps_unknown and "unknown" not in values_of(file, cls, field):
                found.add(f"{cls.__name__}.{field.key}")
            if field.type is JsonObject:
                assert field.wire.string_values == values_are_typed(file, cls, field)
    assert found == set(DEPARTURES)


# What decoding does


def outcome(cls: type, message: object) -> object:
    """What was read, as JSON, and its faults; or where the object is malformed."""
    try:
        decoded = decode(message, cls)
    except Malformed as fault:
        return f"malformed: {fault.path}"
    faults = [(fault.code, fault.rule, fault.path, fault.raw) for fault in decoded.faults]
    assert all(isinstance(fault, Fault) for fault in decoded.faults)
    return encode(decoded.value), faults


@each_spot
def test_without_the_key(spot):
    """LENIENT-05: a required key that is missing spoils the object, another is just absent."""
    for whole in spot.objects():
        rest = {key: value for key, value in whole.items() if key != spot.field.key}
        assert outcome(spot.cls, rest) == ("malformed: " if spot.required else (rest, []))


@each_spot
def test_each_kind_of_value(spot):
    """LENIENT-01, -02, -04 to -06, -08, -12 to -14: what is read of a value of each JSON type.

    Valid is taken as it is. Else: optional and lenient counts as absent, required and lenient as
    ``[]``, null as empty where the schema says so, and strict spoils the object.
    """
    key, node = spot.field.key, spot.node
    kept = "PERM-03" if spot.name == "PermissionOption.kind" else None
    for whole in spot.objects():
        rest = {name: value for name, value in whole.items() if name != key}
        for sample, valid in spot.file.judged(node):
            sent = {**whole, key: sample}
            if valid:
                expected = (sent, [])
            elif sample is None and node.get(NULL_IS_DEFAULT):
                expected = ({**rest, key: EMPTY[node["type"]]}, [])
            elif kept and isinstance(sample, str):
                expected = (sent, [("field-defaulted", kept, key, sample)])
            elif not node.get(LENIENT):
                expected = f"malformed: {key}"
            elif spot.required:
                expected = ({**rest, key: []}, [("field-defaulted", "LENIENT-04", key, sample)])
            else:
                expected = (rest, [("field-defaulted", "LENIENT-02", key, sample)])
            assert outcome(spot.cls, sent) == expected, sample


@each_spot
def test_an_array_with_bad_items(spot):
    """LENIENT-03: bad items are left out one by one where the schema says so, else spoil all."""
    key, node = spot.field.key, spot.node
    arrays = [option for option in spot.file.options(node) if "items" in option]
    for whole in spot.objects():
        for items in arrays:
            good = spot.file.example(items["items"])
            for bad in spot.file.wrong(items["items"]):
                dropped = [("item-dropped", "LENIENT-03", f"{key}[{i}]", bad) for i in range(4)]
                some, all_bad = {**whole, key: [bad, good, good, bad]}, {**whole, key: [bad, bad]}
                if node.get(SKIPS_ITEMS):
                    assert outcome(spot.cls, some) == (
                        {**whole, key: [good, good]},
                        [dropped[0], dropped[3]],
                    )
                    assert outcome(spot.cls, all_bad) == ({**whole, key: []}, dropped[:2])
                else:
                    assert outcome(spot.cls, some).startswith(f"malformed: {key}[0]")
                    assert outcome(spot.cls, all_bad).startswith(f"malformed: {key}[0]")


# The schema, read as Python types


def is_class(node: dict) -> bool:
    """Whether the definition is an object, and not only a choice among other definitions."""
    known = [reference(branch) for branch in branches(node)]
    return node.get("type") == "object" and not (known and all(known))


def meaning(node: dict, file: Published) -> object:
    """The annotation of a field that the schema describes so, without null."""
    name = None if "properties" in node else reference(node)
    if name:
        return getattr(schema, name, None) or meaning(file.defs[name], file)
    if branches(node):
        members = [each for each in branches(node) if each.get("type") != "null"]
        if all("const" in each for each in members):
            return Literal[tuple(each["const"] for each in members)]
        return Union[tuple(meaning(each, file) for each in members)]  # noqa: UP007 - of a tuple
    kinds = node.get("type", ())
    [kind] = [
        each for each in ([kinds] if isinstance(kinds, str) else kinds) if each != "null"
    ] or ["any"]
    if kind == "array":
        return tuple[meaning(node["items"], file), ...]
    return {
        "string": str,
        "integer": int,
        "number": float,
        "boolean": bool,
        "object": JsonObject,
        "any": str | int | float | bool | JsonObject | JsonArray,
    }[kind]


def variants_in_schema(file: Published, node: dict, inside: str | None = None) -> dict:
    """The classes of a tagged union by tag; ``...`` stands for other tags, None for no tag.

    A branch that says nothing of the tag takes both.
    """
    found = {}
    for branch in branches(node):
        for tag, value in branch.get("properties", {}).items():
            const = value.get("const", None if value.get("type") == "null" else ...)
            name = reference(branch) or inside
            inner = variants_in_schema(file, file.defs[name], name) if reference(branch) else {}
            found[tag, const] = inner or name
    untagged = [reference(each) for each in branches(node) if "properties" not in each]
    for tag in {tag for tag, _ in found}:
        found |= {(tag, const): name for name in untagged for const in (..., None)}
    return found


def variants_in_classes(union: TaggedUnion, file: Published) -> dict:
    """The same of ours, each class by the name of its definition."""
    found = {
        (union.tag, tag): variants_in_classes(variant, file)
        if isinstance(variant, TaggedUnion)
        else definition(variant, file)
        for tag, variant in union.variants.items()
    }
    others = {...: union.other, None: union.default}
    return found | {
        (union.tag, const): definition(cls, file) for const, cls in others.items() if cls
    }


@cache
def values_of(file: Published, cls: type, field: WireField) -> list[str]:
    """The constants that the schema knows for a field; "unknown" where any string is valid."""
    node = file.declared(definition(cls, file)).properties[field.key]
    return [option.get("const", "unknown") for option in file.options(node)]


def values_are_typed(file: Published, cls: type, field: WireField) -> bool:
    """Whether the schema says what the values of a map must be."""
    node = file.declared(definition(cls, file)).properties.get(field.key, {})
    return any(shape(option).others for option in file.options(node))
