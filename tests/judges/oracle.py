"""What the schema's annotations make of a JSON value: an oracle that knows nothing of the codec.

A value is read where the schema puts it, and each part is either taken, or repaired as an
annotation beside it says, or spoils what is around it:

- a property with ``x-deserialize-default-on-null``: null is the empty value of its type;
- a property with ``x-deserialize-default-on-error``: a spoiled value counts as absent, or as ``[]``
  where the property is a required array;
- an array with ``x-deserialize-skip-invalid-items``: a spoiled item is left out;
- keys that the schema does not know are left out, except where it says what other keys hold.

Of several branches of a union, the one whose constants are in the object is meant, and it alone,
spoiled or not; where the object has none of them, the first of the others that is not spoiled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

from attrs import frozen
from published import EMPTY, LENIENT, NULL_IS_DEFAULT, SKIPS_ITEMS, Alternative, Published


class SpoiledError(Exception):
    """The value cannot be read, not even in parts."""


class Repair(NamedTuple):
    """One part that was not taken as sent: what was done, and where."""

    code: str
    path: str


class Read(NamedTuple):
    """What a value is read as, and each part that was not taken as sent."""

    value: object
    repairs: tuple[Repair, ...] = ()


@frozen
class Oracle:
    """Reads JSON values by the letter of a schema file."""

    file: Published

    def read(self, node: dict, value: object, path: str = "") -> Read:
        """The value as the first of what it may be that is not spoiled."""
        for attempt in self.readings(node, value, path):
            try:
                return attempt()
            except SpoiledError:
                continue
        raise SpoiledError(path)

    def readings(self, node: dict, value: object, path: str) -> Iterator[Callable[[], Read]]:
        """What a value may be read as, in order."""
        options = self.file.options(node)
        if isinstance(value, dict):
            objects = [each for each in options if each.get("type") == "object"]
            shapes = [shape for each in objects for shape in self.file.alternatives(each)]
            for shape in meant(shapes, value):
                yield partial(self.read_shape, shape, value, path)
        for option in options:
            if option.get("type") == "array" and isinstance(value, list):
                skips = node.get(SKIPS_ITEMS, False)
                yield partial(self.read_items, option["items"], value, path, skips=skips)
            elif option.get("type") not in {"object", "array"} and fits(option, value):
                yield partial(Read, value)

    def read_items(self, node: dict, items: list, path: str, *, skips: bool) -> Read:
        """The items that are not spoiled; without the annotation all must be so."""
        kept, repairs = [], ()
        for index, item in enumerate(items):
            where = f"{path}[{index}]"
            try:
                read = self.read(node, item, where)
            except SpoiledError:
                if not skips:
                    raise
                repairs += (Repair("item-dropped", where),)
            else:
                kept.append(read.value)
                repairs += read.repairs
        return Read(kept, repairs)

    def read_shape(self, shape: Alternative, value: dict, path: str) -> Read:
        """The object with the keys of one shape."""
        if not shape.required <= value.keys():
            raise SpoiledError(path)
        kept, repairs = {}, ()
        for key, held in value.items():
            node = shape.properties.get(key, shape.others)
            if node is None:
                continue
            where = f"{path}.{key}" if path else key
            read = self.read_property(node, held, where, required=key in shape.required)
            if read.value is not ABSENT:
                kept[key] = read.value
            repairs += read.repairs
        return Read(kept, repairs)

    def read_property(self, node: dict, value: object, path: str, *, required: bool) -> Read:
        """The value of a key, or what the annotations put in its place."""
        if value is None and node.get(NULL_IS_DEFAULT):
            return Read(EMPTY[node["type"]])
        try:
            return self.read(node, value, path)
        except SpoiledError:
            if not node.get(LENIENT) or (required and node.get("type") != "array"):
                raise
            return Read([] if required else ABSENT, (Repair("field-defaulted", path),))


ABSENT = object()
"""Stands for the value of a key that counts as absent."""


def meant(shapes: list[Alternative], value: dict) -> list[Alternative]:
    """The shapes that an object may be meant to have, by its tags."""
    possible = [each for each in shapes if has_tags(each, value)]
    return [each for each in possible if tags(each)] or possible


def tags(shape: Alternative) -> dict[str, object]:
    """The keys that have one value in every object of the shape."""
    return {key: node["const"] for key, node in shape.properties.items() if "const" in node}


def has_tags(shape: Alternative, value: dict) -> bool:
    """Whether the object has the tags of the shape, and none that is another's."""
    return all(same(value.get(key), tag) for key, tag in tags(shape).items()) and not any(
        value.get(key) == tag for key, excluded in shape.excluded.items() for tag in excluded
    )


def fits(option: dict, value: object) -> bool:
    """Whether a scalar is one that the option allows; without a type all values are."""
    if "const" in option and not same(value, option["const"]):
        return False
    if not is_of(option.get("type"), value):
        return False
    if isinstance(value, str):
        return len(value) >= option.get("minLength", 0)
    if option.get("type") in {"integer", "number"}:
        return option.get("minimum", value) <= value <= option.get("maximum", value)
    return True


def is_of(kind: str | None, value: object) -> bool:
    """Whether a value is of a JSON type; 5.0 is an integer as well."""
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return {
        None: True,
        "null": value is None,
        "boolean": isinstance(value, bool),
        "string": isinstance(value, str),
        "number": number,
        "integer": number and value == value // 1,
    }[kind]


def same(one: object, other: object) -> bool:
    """Whether two JSON values are equal, where true is not 1."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return isinstance(one, bool) == isinstance(other, bool) and one == other
