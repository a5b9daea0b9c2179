"""From key to position, in one insert-only dict that many versions of their owner share.

The owner is an immutable sequence of entries that knows its own length. Copying a dict for each of
its versions would cost as much as the history is long, so all of them share one, and it holds more
than any of them: the keys of later versions, and of branches that went another way. Hence what
`get` gives is a *candidate*. It counts only when it lies inside the owner's own version and the
entry there has that key; the owner checks that, it alone can.

What makes that safe: a key's position, once in a dict, stays. A branch that wants another position
for it copies the dict and sets it in the copy, before anyone else has seen that. So a candidate
that was right for a version stays right, whatever other versions do.

Two threads that insert the same key at once are told apart by `dict.setdefault`, which is atomic:
one puts its position there; the other gets that position in return, sees that it is not its own,
and copies. Different keys, or the same position, need no telling apart: a foreign key in the dict
is a candidate that its owner will not confirm.

Keys are strings, numbers, enum members, or tuples of those: their comparison runs no Python code,
in the midst of which another thread could change a dict that is being copied.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar, final

from acp_state.persistent.frozen import Frozen

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

K = TypeVar("K")
J = TypeVar("J")


@final
class Index(Frozen, Generic[K]):
    """Candidate positions by key; `Index()` is the empty one, and stays so.

    Both operations cost the same at any size, but for an `insert` of a key that another branch has
    put elsewhere: that copies the dict, once, and what follows on that branch is cheap again.

    An index is part of no value: it compares by identity, and owners leave it out of theirs.

    >>> index = Index.of({"a": 0})
    >>> index.insert("b", 1) is index
    True
    >>> branch = index.insert("b", 7)
    >>> index.get("b"), branch.get("b")
    (1, 7)
    """

    __slots__ = ("_positions",)

    _positions: dict[K, int]

    def __init__(self, _positions: dict[K, int] | None = None) -> None:
        object.__setattr__(self, "_positions", {} if _positions is None else _positions)

    @classmethod
    def of(cls, positions: Mapping[J, int] | Iterable[tuple[J, int]]) -> Index[J]:
        """Build an index of all these keys, in a dict of its own.

        >>> Index.of([("a", 0), ("b", 1)]).get("b")
        1
        """
        return Index(dict(positions))

    def get(self, key: K) -> int | None:
        """The candidate position of `key`, for the owner to confirm; `None` where it has none.

        >>> Index.of({"a": 0}).get("b") is None
        True
        """
        return self._positions.get(key)

    def insert(self, key: K, position: int) -> Index[K]:
        """Give an index in which `position` is the candidate of `key`: this very one if it can be.

        >>> Index().insert("a", 0).get("a")
        0
        """
        positions = self._positions
        # Nobody shares an empty dict, so that an `Index()` in many hands collects nobody's keys.
        if not positions:
            return Index({key: position})
        if positions.setdefault(key, position) == position:
            return self
        return Index({**positions, key: position})

    def __repr__(self) -> str:
        return f"<Index of {len(self._positions)} keys>"

    def __reduce__(self) -> tuple[object, ...]:
        return Index, (self._positions.copy(),)
