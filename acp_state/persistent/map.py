"""An insertion-ordered immutable mapping: a `Vector` of slots, and an `Index` from key to slot.

A slot is a pair (key, value). The index names the slot in which a key was first put, its *home*;
that is a candidate, and counts when that slot of this version has that key.

A removed key leaves a tombstone: the pair's value becomes `_Gone`. A key that is set again goes
to the end, as in a dict, but the index is insert-only, and giving it a second position would
copy it every time. So the tombstone at the key's home says where it went, `_Gone(position)`, and a
key is always found in at most two steps: its home, and the slot that this names. The index is
left alone, and removing and setting one key over and over costs the same each time.

The value that was set last lies beside the slots until another key is set or one removed: a stream
of events sets one key over and over, and then copies nothing.

A map from which all is removed is the empty one again. When tombstones are the larger part, the
map is built anew without them. As many removals went before as there are items to copy, so each
costs the same on average along one line of versions.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain, count
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast, final, overload

from acp_state.persistent.frozen import Frozen, opened, preview
from acp_state.persistent.index import Index
from acp_state.persistent.vector import Vector
from acp_state.records import frozen

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

K = TypeVar("K")
J = TypeVar("J")
V_co = TypeVar("V_co", covariant=True)
S = TypeVar("S")

_FEW_TOMBSTONES = 32
"""So many never hurt: a small map is not built anew for each few removals."""


@frozen(eq=False)
class _Gone:
    """The value of a tombstone."""

    successor: int | None = None
    """The slot in which the key was last put again; only a key's home has one."""


_GONE = _Gone()
_Pair: TypeAlias = "tuple[K, S | _Gone]"


@final
class Map(Mapping[K, V_co], Frozen):
    """An immutable mapping in the order in which keys were first set; `Map()` is the empty one.

    Lookups, `set` and `remove` cost the same at any size; a key that another branch of the same map
    has put elsewhere makes `set` copy the index once. Keys are of the kinds that `Index` names.
    Equality disregards order, as with dicts, and holds with any `Mapping` of equal items.

    >>> ages = Map.of({"ann": 31, "bob": 42})
    >>> ages.set("ann", 32).set("cy", 5).remove("bob")
    Map.of({'ann': 32, 'cy': 5})
    """

    __slots__ = ("_index", "_length", "_newest", "_slots")

    _slots: Vector[_Pair[K, V_co]]
    _index: Index[K]
    _length: int
    _newest: tuple[int, K, Any] | None  # slot, key and value of what was set last, if not in slots

    def __init__(self) -> None:
        object.__setattr__(self, "_slots", Vector())
        object.__setattr__(self, "_index", Index())
        object.__setattr__(self, "_length", 0)
        object.__setattr__(self, "_newest", None)

    @classmethod
    def of(cls, items: Mapping[J, S] | Iterable[tuple[J, S]] = ()) -> Map[J, S]:
        """Build a map of all items, in linear time; of a repeated key the last value holds.

        >>> Map.of([("a", 1), ("b", 2), ("a", 3)])
        Map.of({'a': 3, 'b': 2})
        """
        held = dict(items)
        pairs: Vector[_Pair[J, S]] = Vector.of(held.items())
        return _made(pairs, Index.of(zip(held, count())), len(held))

    def set(self, key: K, value: S) -> Map[K, V_co | S]:
        """Give the map with `value` for `key`, or this very one where it has that value already.

        A known key keeps its place and the object it was first set with; a new one goes to the end.

        >>> Map.of({"a": 1, "b": 2}).set("a", 3)
        Map.of({'a': 3, 'b': 2})
        """
        newest, index, length = self._newest, self._index, self._length
        if newest is not None and (key is newest[1] or key == newest[1]):
            if value is newest[2]:
                return self
            return _made(self._slots, index, length, (newest[0], newest[1], value))
        settled = self._settled()
        slots: Vector[_Pair[K, V_co | S]] = settled._slots
        found, end = settled._find(key), len(slots)
        if found is None:
            return _made(slots.append((key, value)), index.insert(key, end), length + 1)
        home, position, held, old = found
        if old is value:
            return self
        if isinstance(old, _Gone):
            slots = slots.set(home, (held, _Gone(end))).append((key, value))
            return _made(slots, index, length + 1)
        return _made(slots, index, length, (position, held, value))

    def remove(self, key: K) -> Map[K, V_co]:
        """Give the map without `key`. Raises `KeyError` where there is none.

        >>> Map.of({"a": 1, "b": 2}).remove("a")
        Map.of({'b': 2})
        """
        settled = self._settled()
        found = settled._find(key)
        if found is None or isinstance(found[3], _Gone):
            raise KeyError(f"cannot remove {key!r}: there is no such key")
        if self._length == 1:
            return _EMPTY
        _, position, held, _ = found
        slots, length = settled._slots.set(position, (held, _GONE)), self._length - 1
        without = _made(slots, self._index, length)
        tombstones = len(slots) - length
        return Map.of(without._pairs()) if tombstones > max(length, _FEW_TOMBSTONES) else without

    def __getitem__(self, key: K) -> V_co:
        value = self._value(key)
        if isinstance(value, _Gone):
            raise KeyError(key)
        return value

    @overload
    def get(self, key: K, /) -> V_co | None: ...
    @overload
    def get(self, key: K, /, default: V_co | S) -> V_co | S: ...
    def get(self, key: K, /, default: object = None) -> object:
        """The value of `key`, or `default`.

        >>> Map.of({"a": 1}).get("b", 0)
        0
        """
        value = self._value(key)
        return default if isinstance(value, _Gone) else value

    def __contains__(self, key: object) -> bool:
        return not isinstance(self._value(key), _Gone)

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[K]:
        return (key for key, value in self._settled()._slots if not isinstance(value, _Gone))

    def __reversed__(self) -> Iterator[K]:
        return (
            key for key, value in reversed(self._settled()._slots) if not isinstance(value, _Gone)
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Mapping):
            return NotImplemented
        if self is other:
            return True
        mapping = cast("Mapping[object, object]", other)
        return self._length == len(mapping) and dict(self._pairs()) == dict(mapping)

    def __hash__(self) -> int:
        return hash(frozenset(self._pairs()))

    def __repr__(self) -> str:
        items = (f"{key!r}: {value!r}" for key, value in self._pairs())
        return f"Map.of({{{preview(items, self._length)}}})"

    def __reduce__(self) -> tuple[object, ...]:
        return Map.of, (tuple(self._pairs()),)

    def _pairs(self) -> Iterator[tuple[K, V_co]]:
        """The items, in order."""
        return (
            (key, value) for key, value in self._settled()._slots if not isinstance(value, _Gone)
        )

    def _settled(self) -> Map[K, V_co]:
        """The map with all values in its slots."""
        if self._newest is None:
            return self
        at, key, value = self._newest
        return _made(self._slots.set(at, (key, value)), self._index, self._length)

    def _value(self, key: Any) -> V_co | _Gone:
        """The value of `key`, or a tombstone; as `_find`, which all that reads would pay for."""
        newest = self._newest
        if newest is not None and (key is newest[1] or key == newest[1]):
            value: V_co = newest[2]
            return value
        slots, home = self._slots, self._index.get(key)
        if home is None or home >= len(slots):
            return _GONE
        held, found = slots[home]
        if held is not key and held != key:
            return _GONE
        if isinstance(found, _Gone) and found.successor is not None:
            return slots[found.successor][1]
        return found

    def _find(self, key: K) -> tuple[int, int, K, V_co | _Gone] | None:
        """The home of `key`, its slot now, and the pair there; `None` if it was never set here."""
        slots = self._slots
        home = self._index.get(key)
        if home is None or home >= len(slots):
            return None
        position, (held, value) = home, slots[home]
        if held is not key and held != key:
            return None
        if isinstance(value, _Gone) and value.successor is not None:
            position = value.successor
            held, value = slots[position]
        return home, position, held, value

    def differing(
        self, other: Map[K, S]
    ) -> tuple[dict[K, V_co], dict[K, tuple[V_co, S]], dict[K, S]]:
        """What is gone in `other`, what has another object as its value, and what is new.

        A key that was removed and set again is both gone and new: it has another place. So whoever
        deletes what is gone from a dict, and then sets what is changed and what is new, has the
        items of `other`; in its order too, where that is a later version of this one.

        Costs what differs, between versions of one history. Maps that were built apart, or one of
        which was rebuilt without tombstones since, are compared key by key.

        >>> Map.of({"a": 1, "b": 2}).differing(Map.of({"b": 3, "c": 4}))
        ({'a': 1}, {'b': (2, 3)}, {'c': 4})
        """
        if self._index is other._index:
            return _sorted(_in_one_place(self._settled()._slots, other._settled()._slots))
        return _sorted(_in_one_order(self._pairs(), other._pairs()))


_Open = opened(Map)


def _made(
    slots: Vector[Any], index: Index[Any], length: int, newest: tuple[int, Any, Any] | None = None
) -> Map[Any, Any]:
    held: Any = _Open()
    held._slots = slots
    held._index = index
    held._length = length
    held._newest = newest
    held.__class__ = Map
    made: Map[Any, Any] = held
    return made


_EMPTY: Map[Any, Any] = Map()

_Slot: TypeAlias = "tuple[K, object] | None"


def _in_one_place(
    mine: Vector[Any], theirs: Vector[Any]
) -> Iterator[tuple[_Slot[Any], _Slot[Any]]]:
    """What each slot holds here and there, where that is not the same pair."""
    length, their_length = len(mine), len(theirs)
    return chain(
        ((held, has) for _, held, has in mine.differing(theirs)),
        ((held, None) for held in mine[their_length:]),
        ((None, has) for has in theirs[length:]),
    )


def _in_one_order(
    mine: Iterator[tuple[K, object]], theirs: Iterator[tuple[K, object]]
) -> Iterator[tuple[_Slot[K], _Slot[K]]]:
    """The items of both, side by side as long as theirs have the order of ours."""
    has = next(theirs, None)
    for held in mine:
        if has is not None and has[0] == held[0]:
            yield held, has
            has = next(theirs, None)
        else:
            yield held, None
    if has is not None:
        yield from ((None, each) for each in chain([has], theirs))


def _sorted(
    places: Iterable[tuple[_Slot[K], _Slot[K]]],
) -> tuple[dict[K, Any], dict[K, tuple[Any, Any]], dict[K, Any]]:
    """What is gone, what has another object as its value, and what is new."""
    gone: dict[K, object] = {}
    changed: dict[K, tuple[object, object]] = {}
    new: dict[K, object] = {}
    for mine, theirs in places:
        held = None if mine is None or isinstance(mine[1], _Gone) else mine
        has = None if theirs is None or isinstance(theirs[1], _Gone) else theirs
        if held is not None and has is not None and held[0] == has[0]:
            if held[1] is not has[1]:
                changed[has[0]] = (held[1], has[1])
            continue
        gone.update([held] if held else ())
        new.update([has] if has else ())
    return gone, changed, new
