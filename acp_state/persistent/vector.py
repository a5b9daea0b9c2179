"""An immutable sequence with cheap `append` and `set`: a radix-32 trie with a tail.

The last 1 to 32 items are the *tail*, one tuple.
All items before them are the *trunk*: a tree whose leaves are tuples of exactly 32 items and whose
inner nodes are tuples of at most 32 children. The five lowest bits of a position choose the slot in
its leaf, the next five the leaf in its parent, and so on; `shift` is the number of bits below those
that choose among the root's children.

Thirty-one of thirty-two appends copy the tail only and share the trunk as it is; the thirty-second
hangs the full tail into the trunk. A `set` copies the one path from the root to its leaf.

The shape follows from the length alone, so equal vectors have equal trees. Comparing, hashing and
walking can therefore be left to tuples, in C, and since a tuple takes identical items to be
equal, a comparison skips every subtree that both sides share.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, compress, count, islice
from operator import is_not
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast, final, overload

from acp_state.persistent.frozen import Frozen, opened, preview

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

T_co = TypeVar("T_co", covariant=True)
S = TypeVar("S")

_BITS = 5
_WIDTH = 1 << _BITS
_MASK = _WIDTH - 1

_Node: TypeAlias = tuple[Any, ...]
_Trunk: TypeAlias = tuple[int, int, _Node]
"""Number of items, shift of the root, root; the numbers first, so that they are compared first."""

_NO_TRUNK: _Trunk = (0, _BITS, ())


@final
class Vector(Sequence[T_co], Frozen):
    """An immutable sequence; `Vector()` is the empty one.

    `append` copies at most 32 references, and so does `set` among the newest items; `set` and
    reading elsewhere go down one path, four levels at a million items.

    >>> one = Vector.of("abc")
    >>> two = one.append("d").set(0, "A")
    >>> one, two
    (Vector.of(['a', 'b', 'c']), Vector.of(['A', 'b', 'c', 'd']))
    """

    __slots__ = ("_tail", "_trunk")

    _trunk: _Trunk
    _tail: tuple[T_co, ...]

    def __init__(self) -> None:
        object.__setattr__(self, "_trunk", _NO_TRUNK)
        object.__setattr__(self, "_tail", ())

    @classmethod
    def of(cls, items: Iterable[S] = ()) -> Vector[S]:
        """Build a vector of all items, in time linear in their number.

        >>> len(Vector.of(range(100_000)))
        100000
        """
        held = tuple(items)
        size = max(len(held) - 1, 0) & ~_MASK
        shift, nodes = _BITS, _grouped(held[:size])
        while len(nodes) > _WIDTH:
            shift, nodes = shift + _BITS, _grouped(nodes)
        return _made((size, shift, nodes), held[size:])

    def append(self, item: S) -> Vector[T_co | S]:
        """Give the vector with `item` at its end.

        >>> Vector.of([1]).append(2)
        Vector.of([1, 2])
        """
        tail = self._tail
        if len(tail) < _WIDTH:
            return _made(self._trunk, tail + (item,))  # noqa: RUF005 (a third faster than a star)
        return _made(_with_leaf(self._trunk, tail), (item,))

    def set(self, index: int, item: S) -> Vector[T_co | S]:
        """Give the vector with `item` at `index`, or this very one where it is there already.

        A negative index counts from the end. Raises `IndexError` where there is no such item.

        >>> Vector.of("abc").set(-1, "z")
        Vector.of(['a', 'b', 'z'])
        """
        size, shift, root = trunk = self._trunk
        tail = self._tail
        length = size + len(tail)
        position = index if index >= 0 else index + length
        if not 0 <= position < length:
            raise _out_of_range(index, length)
        if position >= size:
            changed = _replaced(tail, 0, position, item)
            return self if changed is tail else _made(trunk, changed)
        changed = _replaced(root, shift, position, item)
        return self if changed is root else _made((size, shift, changed), tail)

    @overload
    def __getitem__(self, index: int) -> T_co: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[T_co, ...]: ...
    def __getitem__(self, index: int | slice) -> T_co | tuple[T_co, ...]:
        """The item at `index`, or a tuple of the items in a slice, at the cost of what it spans."""
        if isinstance(index, slice):
            return self._span(range(len(self))[index])
        size, shift, node = self._trunk
        tail = self._tail
        length = size + len(tail)
        position = index if index >= 0 else index + length
        if not 0 <= position < length:
            raise _out_of_range(index, length)
        if position >= size:
            return tail[position & _MASK]
        leaf: tuple[T_co, ...] = _leaf(node, shift, position)
        return leaf[position & _MASK]

    def __len__(self) -> int:
        return self._trunk[0] + len(self._tail)

    def __iter__(self) -> Iterator[T_co]:
        _, shift, root = self._trunk
        nodes: Iterator[_Node] = iter((root,))
        for _ in range(0, shift, _BITS):
            nodes = chain.from_iterable(nodes)
        return chain(chain.from_iterable(nodes), self._tail)

    def __reversed__(self) -> Iterator[T_co]:
        _, shift, root = self._trunk
        nodes: Iterator[_Node] = iter((root,))
        for _ in range(0, shift, _BITS):
            nodes = chain.from_iterable(map(reversed, nodes))
        return chain(reversed(self._tail), chain.from_iterable(map(reversed, nodes)))

    def __contains__(self, item: object) -> bool:
        items: Any = iter(self)
        return item in items

    def __eq__(self, other: object) -> bool:
        """Whether `other` is a vector of equal items; what the two share is not looked at."""
        if not isinstance(other, Vector):
            return NotImplemented
        theirs = cast("Vector[object]", other)
        return self._tail == theirs._tail and self._trunk == theirs._trunk

    def __hash__(self) -> int:
        return hash((self._trunk, self._tail))

    def __repr__(self) -> str:
        return f"Vector.of([{preview(map(repr, self), len(self))}])"

    def __reduce__(self) -> tuple[object, ...]:
        return Vector.of, (tuple(self),)

    def _span(self, positions: range) -> tuple[T_co, ...]:
        """The items at `positions`, by one descent a leaf."""
        if not positions:
            return ()
        low, high = sorted((positions[0], positions[-1]))
        first = low & ~_MASK
        size, shift, root = self._trunk
        leaves = (_leaf(root, shift, at) for at in range(first, min(size, high + 1), _WIDTH))
        items = chain(chain.from_iterable(leaves), self._tail if high >= size else ())
        return tuple(islice(items, low - first, high - first + 1))[:: positions.step]

    def differing(self, other: Vector[S]) -> list[tuple[int, T_co, S]]:
        """Where both have an item and it is not the same object: position, item here, item there.

        Ascending. Costs what differs: subtrees that the two share are not walked.

        >>> Vector.of("abc").differing(Vector.of("abc").set(1, "B").append("d"))
        [(1, 'b', 'B')]
        """
        return [
            *_differing_in_trunks(self._trunk, other._trunk),
            *_differing_after_trunks((self._trunk, self._tail), (other._trunk, other._tail)),
        ]


_Open = opened(Vector)


def _made(trunk: _Trunk, tail: _Node) -> Vector[Any]:
    vector: Any = _Open()
    vector._trunk = trunk
    vector._tail = tail
    vector.__class__ = Vector
    made: Vector[Any] = vector
    return made


def _out_of_range(index: int, length: int) -> IndexError:
    return IndexError(f"index {index} is out of range for a Vector of {length} items")


def _leaf(node: _Node, shift: int, position: int) -> _Node:
    """The leaf below `node` that holds `position`."""
    while shift:
        node = node[position >> shift & _MASK]
        shift -= _BITS
    return node


def _grouped(items: _Node) -> _Node:
    """`items` as tuples of 32, the last of them perhaps shorter."""
    return tuple(items[at : at + _WIDTH] for at in range(0, len(items), _WIDTH))


def _with_leaf(trunk: _Trunk, leaf: _Node) -> _Trunk:
    """The trunk with one more leaf at its end, one level higher where the root is full."""
    size, shift, root = trunk
    if size == _WIDTH << shift:
        shift, root = shift + _BITS, (root,)
    return size + _WIDTH, shift, _grafted(root, shift, size, leaf)


def _grafted(node: _Node, shift: int, position: int, leaf: _Node) -> _Node:
    """`node` with `leaf` as its last, for the items from `position` on."""
    if not shift:
        return leaf
    slot = position >> shift & _MASK
    child = node[slot] if slot < len(node) else ()
    return (*node[:slot], _grafted(child, shift - _BITS, position, leaf))


def _replaced(node: _Node, shift: int, position: int, item: object) -> _Node:
    """`node` with `item` at `position`; the same node where that is there already."""
    slot = position >> shift & _MASK
    old = node[slot]
    new = _replaced(old, shift - _BITS, position, item) if shift else item
    if new is old:
        return node
    # A list is the quickest way to change one slot of a tuple: half the time of joining slices.
    changed = [*node]
    changed[slot] = new
    return tuple(changed)


_Pairs: TypeAlias = list[tuple[int, Any, Any]]
"""Of two nodes in one place, or of two items: its first position, what is here, what is there."""


def _differing_in_trunks(mine: _Trunk, theirs: _Trunk) -> _Pairs:
    """The items that differ among those that both trunks have."""
    (_, my_shift, my_root), (_, their_shift, their_root) = mine, theirs
    if my_root is their_root:
        return []
    shift = min(my_shift, their_shift)
    # What the higher of the two has beside its first nodes lies beyond the end of the lower.
    pairs: _Pairs = [
        (0, _leaf(my_root, my_shift - shift, 0), _leaf(their_root, their_shift - shift, 0))
    ]
    for level in range(shift, -_BITS, -_BITS):
        pairs = _differing_below(pairs, level)
    return pairs


def _differing_after_trunks(mine: tuple[_Trunk, _Node], theirs: tuple[_Trunk, _Node]) -> _Pairs:
    """The items that differ in the tail of the shorter vector."""
    at = min(mine[0][0], theirs[0][0])
    leaves = [
        tail if size == at else _leaf(root, shift, at)
        for (size, shift, root), tail in (mine, theirs)
    ]
    return _differing_below([(at, leaves[0], leaves[1])], 0)


def _differing_below(pairs: _Pairs, shift: int) -> _Pairs:
    """The children, or items, that are not the same object; the shorter node of a pair counts."""
    return [
        (position + (slot << shift), mine[slot], theirs[slot])
        for position, mine, theirs in pairs
        for slot in compress(count(), map(is_not, mine, theirs))
    ]
