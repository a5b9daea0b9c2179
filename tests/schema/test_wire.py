"""A wire class says in its fields how it is read and what it patches."""

from __future__ import annotations

from typing import Literal, TypeAlias, Union

import pytest
from attrs import field, frozen

from acp_state.json_values import JsonObject, freeze_meta
from acp_state.omitted import CLEAR, KEEP, OMITTED, Omitted, Patch
from acp_state.schema.wire import (
    TaggedUnion,
    Wire,
    WireField,
    camel_case,
    patch_fields,
    rest_field,
    union_members,
    wire,
    wire_fields,
)

Letter: TypeAlias = Literal["a", "b"]


@frozen(kw_only=True)
class Inner:
    """Holds whatever it does not know."""

    a_title: str | None | Omitted = field(
        default=OMITTED, metadata=wire(patch=CLEAR, min_length=1, key="heading")
    )
    rest: JsonObject | Omitted = field(
        default=OMITTED, converter=freeze_meta, metadata=wire(rest=True)
    )


@frozen(kw_only=True)
class Sample:
    """Has a field of every kind."""

    the_id: str = field(metadata=wire(identifies=True))
    entries: tuple[Inner, ...] = field(
        metadata=wire(lenient=True, skip_items=True, patch=Patch(into="chunks"))
    )
    kind: Letter | str = field(metadata=wire(keeps_unknown=True, patch=KEEP))
    roots: tuple[str, ...] | None | Omitted = field(default=OMITTED, metadata=wire(lenient=False))
    counts: tuple[int, ...] | Omitted = field(default=OMITTED, metadata=wire(on_null=()))
    port: int = field(default=0, metadata=wire(minimum=1, maximum=9))
    meta: JsonObject | None | Omitted = field(default=OMITTED, converter=freeze_meta)


def test_the_annotation_and_the_default_say_most():
    """LENIENT-02, LENIENT-05: no default is required, ``| None`` nullable, optional lenient.

    Only where a field departs from that, its metadata says so.
    """
    assert wire_fields(Sample) == (
        WireField(
            name="the_id",
            key="theId",
            type=str,
            required=True,
            nullable=False,
            lenient=False,
            wire=Wire(identifies=True),
        ),
        WireField(
            name="entries",
            key="entries",
            type=tuple[Inner, ...],
            required=True,
            nullable=False,
            lenient=True,
            wire=Wire(lenient=True, skip_items=True, patch=Patch(into="chunks")),
        ),
        WireField(
            name="kind",
            key="kind",
            type=Letter,
            required=True,
            nullable=False,
            lenient=False,
            wire=Wire(keeps_unknown=True, patch=KEEP),
        ),
        WireField(
            name="roots",
            key="roots",
            type=tuple[str, ...],
            required=False,
            nullable=True,
            lenient=False,
            wire=Wire(lenient=False),
        ),
        WireField(
            name="counts",
            key="counts",
            type=tuple[int, ...],
            required=False,
            nullable=False,
            lenient=True,
            wire=Wire(on_null=()),
        ),
        WireField(
            name="port",
            key="port",
            type=int,
            required=False,
            nullable=False,
            lenient=True,
            wire=Wire(minimum=1, maximum=9),
        ),
        WireField(
            name="meta",
            key="_meta",
            type=JsonObject,
            required=False,
            nullable=True,
            lenient=True,
            wire=Wire(),
        ),
    )


def test_a_field_may_name_its_key():
    assert [each.key for each in wire_fields(Inner)] == ["heading"]


def test_patch_fields_are_those_with_a_policy():
    """PATCH-01 to PATCH-03: wire name, attribute of the entity, and what the field does to it."""
    assert patch_fields(Sample) == (
        ("entries", "chunks", Patch(into="chunks")),
        ("kind", "kind", KEEP),
    )
    assert patch_fields(Inner) == (("a_title", "a_title", CLEAR),)


def test_the_rest_field_is_found():
    """EXT-04: one field of an open variant holds all other keys."""
    assert rest_field(Inner) == "rest"
    assert rest_field(Sample) is None


def test_an_unknown_option_of_a_field_is_refused():
    with pytest.raises(TypeError):
        wire(minimal=5)


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("meta", "_meta"),
        ("title", "title"),
        ("message_id", "messageId"),
        ("cached_read_tokens", "cachedReadTokens"),
    ],
)
def test_keys_are_camel_case(name, key):
    assert camel_case(name) == key


def test_the_members_of_both_spellings_of_a_union():
    assert union_members(Union[int, str]) == (int, str)  # noqa: UP007 - the older spelling
    assert union_members(int | str) == (int, str)
    assert union_members(int) == (int,)
    assert union_members(tuple[int, ...]) == (tuple[int, ...],)


INNER = TaggedUnion(tag="b", variants={"x": Inner, "y": Inner}, other=Inner, default=Sample)
OUTER = TaggedUnion(tag="a", variants={"in": INNER, "int": int}, other=str)


def test_each_class_of_a_union_has_a_tag():
    """Classes of a union inside a union have the tag that leads there; open ones have none."""
    assert OUTER.tags() == {Inner: "in", Sample: "in", int: "int"}


def test_all_classes_of_a_union_are_found_once():
    assert INNER.classes() == (Inner, Sample)
    assert OUTER.classes() == (Inner, Sample, int, str)
