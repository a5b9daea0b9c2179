"""JSON values that nobody can change: `freeze` takes them in, `thaw` gives ordinary JSON back.

Raw JSON (``_meta``, ``rawInput``, payloads of open variants) lives in a model that promises never
to change, while the host may go on using the object it was parsed into. So it is copied once, at
the door, into `JsonObject` and `JsonArray`. They read like a dict and a list, compare equal to
them, and can be hashed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from math import isfinite
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from acp_state.omitted import OMITTED, Omitted
from acp_state.persistent.frozen import opened

if TYPE_CHECKING:
    from typing_extensions import Self

PlainJson: TypeAlias = "str | int | float | bool | None | list[PlainJson] | dict[str, PlainJson]"
"""A JSON value as a parser gives it."""

MAX_DEPTH = 128
"""Levels of nesting that raw JSON may have; deeper values are malformed."""


class JsonObject(Mapping[str, "JsonValue"]):
    """An immutable JSON object; equal to a dict of equal content."""

    __slots__ = ("_items",)
    _items: Mapping[str, JsonValue]

    def __init__(self, items: Mapping[str, object]) -> None:
        if not isinstance(cast("object", items), Mapping):  # a host's may be anything
            raise ValueError(f"{items!r:.40} is no JSON object")  # noqa: TRY004 - see freeze
        object.__setattr__(self, "_items", _frozen_items(items, MAX_DEPTH - 1))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a JsonObject is immutable: cannot set {name!r}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a JsonObject is immutable: cannot delete {name!r}")

    def __getitem__(self, key: str) -> JsonValue:
        return self._items[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, (JsonObject, dict)) and _same(self, other)

    def __hash__(self) -> int:
        return hash(frozenset(self._items.items()))

    def __repr__(self) -> str:
        return repr(dict(self._items))

    def __reduce__(self) -> tuple[type[JsonObject], tuple[dict[str, JsonValue]]]:
        return JsonObject, (dict(self._items),)

    def merge(self, patch: JsonObject) -> JsonObject:
        """The object with top-level keys of `patch` replaced; a null removes its key (PATCH-03)."""
        merged = {**self._items, **patch}
        return JsonObject(
            {key: value for key, value in merged.items() if patch.get(key, 0) is not None}
        )


class JsonArray(tuple["JsonValue", ...]):
    """An immutable JSON array; equal to a list or tuple of equal content."""

    __slots__ = ()

    def __new__(cls, items: Iterable[object] = ()) -> Self:
        """Freeze the items."""
        return super().__new__(cls, [freeze(item, MAX_DEPTH - 1) for item in items])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, (tuple, list)) and _same(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return tuple.__hash__(self)

    def __repr__(self) -> str:
        return repr(list(self))


_OpenObject = opened(JsonObject)

JsonValue: TypeAlias = str | int | float | bool | None | JsonObject | JsonArray
"""A frozen JSON value."""

_FROZEN = frozenset({type(None), str, int, bool, JsonObject, JsonArray})


def freeze(value: Any, depth: int = MAX_DEPTH) -> JsonValue:
    """Copy a JSON value into an immutable one.

    Raises:
        ValueError: it is no JSON value (NaN and infinities included) or is nested deeper than
            `MAX_DEPTH` levels.
    """
    kind = type(value)
    if kind in _FROZEN:
        frozen: JsonValue = value
        return frozen
    if kind is dict:
        return _frozen_object(value, depth - 1)
    if kind is list:
        return _frozen_array(value, depth - 1)
    return _freeze_odd(value, depth)


def _freeze_odd(value: object, depth: int) -> JsonValue:
    """What is a JSON value by its base class, or a number that may be none."""
    if isinstance(value, (str, int)) or (isinstance(value, float) and isfinite(value)):
        return value
    if isinstance(value, Mapping):
        return _frozen_object(cast("Mapping[object, object]", value), depth - 1)
    if isinstance(value, (list, tuple)):
        return _frozen_array(cast("Iterable[object]", value), depth - 1)
    raise ValueError(f"{value!r:.40} is no JSON value")


def thaw(value: JsonValue) -> PlainJson:
    """The value as ordinary JSON: new dicts and lists that the caller may change."""
    if isinstance(value, JsonObject):
        return thaw_object(value)
    if isinstance(value, JsonArray):
        return [thaw(item) for item in value]
    return value


def thaw_object(value: JsonObject) -> dict[str, PlainJson]:
    """The object as an ordinary dict: a new one that the caller may change."""
    return {key: thaw(item) for key, item in value.items()}


def freeze_meta(value: Mapping[str, object] | Omitted | None) -> JsonObject | Omitted | None:
    """Attrs converter of ``_meta``, which is kept and not interpreted (EXT-01), and the like."""
    if value is None or value is OMITTED or type(value) is JsonObject:
        return value
    return JsonObject(value)


def freeze_rest(value: Mapping[str, object] | Omitted) -> JsonObject | Omitted:
    """Attrs converter of fields that hold the further keys of an object."""
    return value if isinstance(value, Omitted) or type(value) is JsonObject else JsonObject(value)


def freeze_raw(value: object) -> JsonValue | Omitted:
    """Attrs converter of fields that hold any JSON value."""
    return value if isinstance(value, Omitted) else freeze(value)


def _frozen_object(items: Mapping[Any, object], depth: int) -> JsonObject:
    frozen: Any = _OpenObject()
    frozen._items = _frozen_items(items, depth)  # noqa: SLF001 - it is being made
    frozen.__class__ = JsonObject
    made: JsonObject = frozen
    return made


def _frozen_array(items: Iterable[object], depth: int) -> JsonArray:
    if depth < 0:
        raise _too_deep()
    return tuple.__new__(JsonArray, [freeze(item, depth) for item in items])


def _frozen_items(items: Mapping[Any, Any], depth: int) -> Mapping[str, JsonValue]:
    if depth < 0:
        raise _too_deep()
    return MappingProxyType(
        {
            (key if type(key) is str else _key(key)): (
                value if type(value) in _FROZEN else freeze(value, depth)
            )
            for key, value in items.items()
        }
    )


def _too_deep() -> ValueError:
    return ValueError(f"nested deeper than {MAX_DEPTH} levels")


def _key(key: object) -> str:
    if not isinstance(key, str):
        raise ValueError(f"{key!r:.40} is no key of a JSON object")  # noqa: TRY004 - see freeze
    return key


def _same(left: object, right: object) -> bool:
    """Equality of JSON values: ``1`` is ``1.0``, but ``true`` is no number."""
    if isinstance(left, (JsonObject, dict)) and isinstance(right, (JsonObject, dict)):
        return len(left) == len(right) and all(
            key in right and _same(value, right[key]) for key, value in left.items()
        )
    if isinstance(left, (tuple, list)) and isinstance(right, (tuple, list)):
        return len(left) == len(right) and all(map(_same, left, right))
    return isinstance(left, bool) is isinstance(right, bool) and left == right
