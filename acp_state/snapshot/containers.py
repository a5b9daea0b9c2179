"""Readers of lists, sets and maps, and the paths of what does not fit in them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final, TypeAlias, get_args, get_origin

from acp_state.persistent import Map, Vector
from acp_state.reading import SCALARS, Malformed, read_array, read_object, seen

if TYPE_CHECKING:
    from cattrs import Converter

Read: TypeAlias = Callable[[Any, Any], Any]
"""A hook of cattrs; its second argument, the annotation, is not looked at."""

SEQUENCES: Final[Mapping[Any, Callable[[Iterable[Any]], Any]]] = {
    tuple: tuple,
    Vector: Vector.of,
    frozenset: frozenset,
}
"""How each kind of sequence is made."""


def read_items(json: object, read_item: Read) -> list[Any]:
    """All items of an array.

    Raises:
        Malformed: it is none, or an item does not fit.
    """
    source = read_array(json)
    items: list[Any] = []
    try:
        for each in source:
            items.append(read_item(each, None))  # noqa: PERF401 - the length is the fault's place
    except Malformed as fault:
        raise below(fault, f"[{len(items)}]") from None
    return items


def sequence_reader(annotation: Any, made: Converter) -> Read:
    """The reader of a tuple, vector or set of items, or of a tuple of so many."""
    item, *more = get_args(annotation)
    make: Callable[[Iterable[Any]], Any] = SEQUENCES[get_origin(annotation)]
    read_item: Read = made.get_structure_hook(item)
    length = None if more in ([], [...]) else 1 + len(more)

    def read_sequence(json: object, _: object) -> Any:
        items = read_items(json, read_item)
        if length is not None and len(items) != length:
            raise Malformed(f"must be an array of {length} items, not of {len(items)}")
        return make(items)

    return read_sequence


def map_reader(annotation: Any, made: Converter) -> Read:
    """The reader of a map: an object where keys are strings, else a list of pairs."""
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
        raise below(fault, f"[{seen(name)}]") from None
    return items


def _values_by_key(json: object, read_key: Read, read_value: Read) -> dict[Any, Any]:
    found: dict[Any, Any] = {}

    def read_pair(pair: object, _: object) -> None:
        if not isinstance(pair, list) or len(pair) != len(("id", "value")):
            raise Malformed(f"must be a pair of id and value, not {seen(pair)}")
        key = _at_step("[0]", read_key, pair[0])
        if key in found:
            raise Malformed(f"the id {seen(pair[0])} is there twice")
        found[key] = _at_step("[1]", read_value, pair[1])

    read_items(json, read_pair)
    return found


def _at_step(step: str, read_part: Read, json: object) -> Any:
    """What is read one level further down."""
    try:
        return read_part(json, None)
    except Malformed as fault:
        raise below(fault, step) from None


def below(fault: Malformed, step: str) -> Malformed:
    """The verdict, seen from one level further up."""
    return Malformed(fault.text, step + fault.path)
