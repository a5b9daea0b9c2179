"""The timeline: entries in first-seen order, found by key (TL).

An entry takes its position when it is first referred to and never changes it (TL-01, TL-02), and
nothing takes it away (TL-03). The keys of all versions share one index; a hit counts when the
position lies inside this version and the entry there has that key.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Generic, TypeAlias, TypeVar, overload

from attrs import field

from acp_state.model.compaction import Compaction
from acp_state.model.copying import Versioned, copier
from acp_state.model.message import Message
from acp_state.model.session_message import SessionMessage
from acp_state.model.subagent import Subagent
from acp_state.model.tool_call import ToolCall
from acp_state.persistent import Index, Vector
from acp_state.records import frozen

Entry: TypeAlias = Message | ToolCall | Compaction | SessionMessage | Subagent
"""What has a position (TL-04); all else that is reported is a slot with its latest value."""

EntryKey: TypeAlias = tuple[str, str]
"""What an entry is found by: its role or kind, and its id."""

E = TypeVar("E", bound=Entry)


@frozen(repr=False, eq=False)
class Timeline(Versioned, Sequence[Entry]):
    """An immutable sequence of entries.

    The entry that was revised last lies beside the others: a stream goes into one entry over and
    over, and then copies nothing else.
    """

    _entries: Vector[Entry] = field(default=Vector(), init=False)
    _index: Index[EntryKey] = field(default=Index(), init=False)
    run_open: bool = field(default=False, init=False)
    """Whether the last entry is an anonymous message that takes further chunks (MSG-05, TL-05)."""
    revised: tuple[int, Entry] | None = field(default=None, init=False)
    """Position and entry of the last revision, if no entry was appended since."""

    @classmethod
    def of(cls, entries: Iterable[Entry] = (), *, run_open: bool = False) -> Timeline:
        """A timeline of these entries; of two with one key the later is found by it."""
        held: Vector[Entry] = Vector.of(entries)
        keyed = ((entry.key, position) for position, entry in enumerate(held))
        index = Index.of((key, position) for key, position in keyed if key is not None)
        return _with_entries(cls(), held, index, run_open, None)

    def find(self, key: EntryKey) -> int | None:
        """The position of the entry with that key."""
        position = self._index.get(key)
        if position is None or position >= len(self._entries):
            return None
        return position if self[position].key == key else None

    def append(self, entry: Entry, *, run_open: bool = False) -> Timeline:
        """The timeline with a new entry at the end, which closes the open run (MSG-06)."""
        index = self._index if entry.key is None else self._index.insert(entry.key, len(self))
        return _with_entries(self, self._settled().append(entry), index, run_open, None)

    def replace(self, position: int, entry: Entry) -> Timeline:
        """The timeline with another version of the entry at `position`; it may have got its key."""
        timeline = self.revise(position, entry)
        if timeline is self or entry.key is None:
            return timeline
        return _with_index(timeline, self._index.insert(entry.key, position))

    def revise(self, position: int, entry: Entry) -> Timeline:
        """The timeline with another version of the entry at `position`, which has the same key."""
        revised = self.revised
        if revised is not None and revised[0] == position:
            return self if revised[1] is entry else _with_revised(self, (position, entry))
        if self._entries[position] is entry:
            return self
        return _with_entries(self, self._settled(), self._index, self.run_open, (position, entry))

    def map(self, change: Callable[[Entry], Entry]) -> Timeline:
        """The timeline with what `change` makes of each entry, which keeps its key."""
        timeline = self
        for position, entry in enumerate(self):
            changed = change(entry)
            if changed is not entry:
                timeline = timeline.revise(position, changed)
        return timeline

    def close_run(self) -> Timeline:
        """The timeline in which the next chunk without an id starts a message (MSG-06)."""
        return _with_run(self, run_open=False) if self.run_open else self

    def _settled(self) -> Vector[Entry]:
        """All entries, each at its place."""
        return self._entries if self.revised is None else self._entries.set(*self.revised)

    @overload
    def __getitem__(self, index: int) -> Entry: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Entry, ...]: ...
    def __getitem__(self, index: int | slice) -> Entry | tuple[Entry, ...]:
        if isinstance(index, slice):
            return self._settled()[index]
        revised = self.revised
        if revised is not None and revised[0] in (index, index + len(self._entries)):
            return revised[1]
        return self._entries[index]

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self._settled())

    def __reversed__(self) -> Iterator[Entry]:
        return reversed(self._settled())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Timeline):
            return NotImplemented
        return self.run_open == other.run_open and self._settled() == other._settled()

    def __hash__(self) -> int:
        return hash((self.run_open, self._settled()))

    def __repr__(self) -> str:
        return f"<timeline of {len(self)} entries>"

    def differing(self, other: Timeline) -> list[tuple[int, Entry, Entry]]:
        """Where both have an entry and it is not the same object; costs what differs."""
        return self._settled().differing(other._settled())


_with_entries = copier(Timeline, "_entries", "_index", "run_open", "revised")
_with_index = copier(Timeline, "_index")
_with_revised = copier(Timeline, "revised")
_with_run = copier(Timeline, "run_open")


@frozen(repr=False)
class EntriesById(Mapping[str, E], Generic[E]):
    """The entries of one kind by their id, in the order of the timeline."""

    _timeline: Timeline
    _kind: type[E]
    _prefix: str

    def __getitem__(self, entry_id: str) -> E:
        position = self._timeline.find((self._prefix, entry_id))
        if position is None:
            raise KeyError(entry_id)
        entry = self._timeline[position]
        assert isinstance(entry, self._kind)  # noqa: S101 - the prefix is that kind's alone
        return entry

    def __iter__(self) -> Iterator[str]:
        return (
            entry.key[1] for entry in self._timeline if isinstance(entry, self._kind) and entry.key
        )

    def __len__(self) -> int:
        return sum(isinstance(entry, self._kind) for entry in self._timeline)

    def __repr__(self) -> str:
        return repr(dict(self))
