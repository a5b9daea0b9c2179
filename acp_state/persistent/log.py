"""An append-only sequence whose versions share one growing list.

A version is (buffer, length): the first `length` items of a list that later versions go on filling.
So an append is one `list.append`, reading is reading a list, and strings held in it cost the cyclic
garbage collector one list and no object each.

What makes that immutable: a slot of a buffer, once written, is never written again, and a version
looks only at the slots below its length. Only the newest version finds the buffer's end at its own
length and appends in place; an older one sees its next slot taken and copies its part first.

Two threads that append to the same version at once both find the end free, and both append.
No lock is needed to tell who came first: each then looks whether the slot at the version's
length holds its own object. One sees it there, and its version is that slot's. The other sees a
stranger, copies the items below into a buffer of its own and goes on there; what it left behind
in the shared buffer lies beyond the winner's length, where no version looks. (The winner's next
append finds that junk in its way and copies once.)

This needs of the list only that appends from several threads are all kept, in some order, which
Python promises with and without its global lock. The check is by identity and not by author: where
the slot holds the very same object, put there by whomever, it is as good as our own.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from operator import is_
from typing import TYPE_CHECKING, Any, TypeVar, cast, final, overload

from acp_state.persistent.frozen import Frozen, opened, preview

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

T_co = TypeVar("T_co", covariant=True)
S = TypeVar("S")


@final
class Log(Sequence[T_co], Frozen):
    """An immutable sequence that is made to be appended to; `Log()` is the empty one.

    `append` and `extend` cost what they add, except on a version that is not the newest: that
    copies its items first, once, and its successors are cheap again.
    An empty version starts a buffer with each append, so that it keeps nothing alive.

    >>> one = Log.of("ab")
    >>> two, three = one.append("c"), one.append("d")
    >>> one, two, three
    (Log.of(['a', 'b']), Log.of(['a', 'b', 'c']), Log.of(['a', 'b', 'd']))
    """

    __slots__ = ("_buffer", "_length")

    _buffer: list[Any]  # later versions may hold what is no T_co
    _length: int

    def __init__(self) -> None:
        object.__setattr__(self, "_buffer", [])
        object.__setattr__(self, "_length", 0)

    @classmethod
    def of(cls, items: Iterable[S] = ()) -> Log[S]:
        """Build a log of all items, in a buffer of its own.

        >>> Log.of(range(3))
        Log.of([0, 1, 2])
        """
        buffer = [*items]
        return _made(buffer, len(buffer))

    def append(self, item: S) -> Log[T_co | S]:
        """Give the log with `item` at its end.

        >>> Log.of([1]).append(2)
        Log.of([1, 2])
        """
        buffer, length = self._buffer, self._length
        if not length:
            return _made([item], 1)
        if len(buffer) == length:
            buffer.append(item)
        if buffer[length] is not item:
            buffer = buffer[:length]
            buffer.append(item)
        # As `_made`, whose call would be a fifth of the cost of the hottest of all operations.
        log: Any = _Open()
        log._buffer = buffer
        log._length = length + 1
        log.__class__ = Log
        made: Log[T_co | S] = log
        return made

    def extend(self, items: Iterable[S]) -> Log[T_co | S]:
        """Give the log with all `items` at its end, or this very one where there are none.

        >>> Log.of([1]).extend([2, 3])
        Log.of([1, 2, 3])
        """
        added = tuple(items)
        if not added:
            return self
        buffer, length = self._buffer, self._length
        if not length:
            return Log.of(added)
        end = length + len(added)
        if len(buffer) == length:
            buffer.extend(added)
        # The first slot alone proves nothing: another thread may have appended that same object.
        if len(buffer) < end or not all(map(is_, buffer[length:end], added)):
            buffer = [*buffer[:length], *added]
        return _made(buffer, end)

    @overload
    def __getitem__(self, index: int) -> T_co: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[T_co, ...]: ...
    def __getitem__(self, index: int | slice) -> T_co | tuple[T_co, ...]:
        """The item at `index`, or a tuple of the items in a slice, at the cost of its length."""
        length = self._length
        if isinstance(index, slice):
            positions = range(length)[index]
            if positions.step == 1:
                return tuple(self._buffer[positions.start : positions.stop])
            return tuple(map(self._buffer.__getitem__, positions))
        position = index if index >= 0 else index + length
        if 0 <= position < length:
            item: T_co = self._buffer[position]
            return item
        raise IndexError(f"index {index} is out of range for a Log of {length} items")

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[T_co]:
        return islice(self._buffer, self._length)

    def __contains__(self, item: object) -> bool:
        held: list[object] = self._buffer
        return item in islice(held, self._length)

    def __eq__(self, other: object) -> bool:
        """Whether `other` is a log of equal items; in one buffer the lengths tell."""
        if not isinstance(other, Log):
            return NotImplemented
        theirs = cast("Log[object]", other)
        length = self._length
        if length != theirs._length:
            return False
        return self._buffer is theirs._buffer or self._buffer[:length] == theirs._buffer[:length]

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return f"Log.of([{preview(map(repr, self), self._length)}])"

    def __reduce__(self) -> tuple[object, ...]:
        return Log.of, (tuple(self),)

    def starts_with(self, other: Log[object]) -> bool:
        """Whether `other` is the beginning of this log; in one buffer the lengths tell.

        >>> Log.of("abc").starts_with(Log.of("ab"))
        True
        """
        length = other._length
        if length > self._length:
            return False
        return self._buffer is other._buffer or self._buffer[:length] == other._buffer[:length]


_Open = opened(Log)


def _made(buffer: list[Any], length: int) -> Log[Any]:
    log: Any = _Open()
    log._buffer = buffer
    log._length = length
    log.__class__ = Log
    made: Log[Any] = log
    return made
