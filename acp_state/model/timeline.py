"""The timeline: entries in first-seen order, found by key (section 5).

An entry takes its position when it is first referred to and never changes it (TL-01, TL-02). The
keys of all versions share one index; a hit counts when the position lies inside this version and
the entry there has that key.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Generic, TypeAlias, TypeVar, overload

from attrs import field, frozen

from acp_state.model.compaction import Compaction
from acp_state.model.message import Message
from acp_state.model.session_message import SessionMessage
from acp_state.model.subagent import Subagent
from acp_state.model.tool_call import ToolCall
from acp_state.persistent import Index, Vector

Entry: TypeAlias = Message | ToolCall | Compaction | SessionMessage | Subagent

EntryKey: TypeAlias = tuple[str, str]
"""What an entry is found by: its role or kind, and its id."""

E = TypeVar("E", bound=Entry)


@frozen(repr=False)
class Timeline(Sequence[Entry]):
    """An immutable sequence of entries."""

    _entries: Vector[Entry] = field(default=Vector())
    _index: Index[EntryKey] = field(default=Index(), eq=False)
    run_open: bool = False
    """Whether the last entry is an anonymous message that takes further chunks (MSG-05, MSG-06)."""

    @classmethod
    def of(cls, entries: Iterable[Entry] = (), *, run_open: bool = False) -> Timeline:
        """A timeline of these entries; of two with one key the later is found by it."""
        held: Vector[Entry] = Vector.of(entries)
        keyed = ((entry.key, position) for position, entry in enumerate(held))
        index = Index.of((key, position) for key, position in keyed if key is not None)
        return cls(held, index, run_open)

    def find(self, key: EntryKey) -> int | None:
        """The position of the entry with that key."""
        position = self._index.get(key)
        if position is None or position >= len(self._entries):
            return None
        return position if self._entries[position].key == key else None

    def append(self, entry: Entry, *, run_open: bool = False) -> Timeline:
        """The timeline with a new entry at the end, which closes the open run (MSG-06)."""
        index = self._index if entry.key is None else self._index.insert(entry.key, len(self))
        return Timeline(self._entries.append(entry), index, run_open)

    def replace(self, position: int, entry: Entry) -> Timeline:
        """The timeline with another version of the entry at `position`; it may have got its key."""
        entries = self._entries.set(position, entry)
        if entries is self._entries:
            return self
        index = self._index if entry.key is None else self._index.insert(entry.key, position)
        return Timeline(entries, index, self.run_open)

    def map(self, change: Callable[[Entry], Entry]) -> Timeline:
        """The timeline with what `change` makes of each entry, which keeps its key."""
        timeline = self
        for position, entry in enumerate(self):
            changed = change(entry)
            if changed is not entry:
                timeline = timeline.replace(position, changed)
        return timeline

    def close_run(self) -> Timeline:
        """The timeline in which the next chunk without an id starts a message (MSG-06)."""
        return Timeline(self._entries, self._index) if self.run_open else self

    @overload
    def __getitem__(self, index: int) -> Entry: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Entry, ...]: ...
    def __getitem__(self, index: int | slice) -> Entry | tuple[Entry, ...]:
        return self._entries[index]

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self._entries)

    def __reversed__(self) -> Iterator[Entry]:
        return reversed(self._entries)

    def __repr__(self) -> str:
        return f"<timeline of {len(self)} entries>"


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
