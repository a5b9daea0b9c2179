"""What differs between two states, for a host that draws what has changed and nothing else.

Versions of one history share all that is the same, so only what they do not share is looked at:
what it costs to compare two of them depends on how much has happened between them, not on how much
there is. States that share nothing, such as one restored from a file, are compared item by item,
and come out right as well.

Each field of a `Connection` and a `Session` is compared by a row of `_COMPARED`, after what it
holds: a sequence by position, a mapping by key. All others are *slots*, which hold one latest
value and are told by name. `HIDDEN` names the fields that nobody would draw.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import compress
from operator import attrgetter, is_not
from typing import Any, Final, Generic, TypeVar, overload

import attrs
from attrs import field

from acp_state.appended import Appended, appended, differing_fields
from acp_state.model import (
    Connection,
    Elicitation,
    Entry,
    PendingRequest,
    Permission,
    RequestKey,
    Session,
    Terminal,
    Timeline,
    Turn,
)
from acp_state.persistent import Map, Vector
from acp_state.records import frozen
from acp_state.schema import PlanUpdateContent, SessionInfo

K = TypeVar("K")
T = TypeVar("T")


@frozen
class Change(Generic[K, T]):
    """One thing that is new, gone, or not what it was."""

    at: K
    """Its position in a sequence, or its key in a mapping."""
    before: T | None
    """What it was; None: it is new."""
    after: T | None
    """What it is; None: it is gone."""
    moved: bool = False
    """It was removed from the mapping and set again, and so has its place at the end."""

    @property
    def fields(self) -> tuple[str, ...]:
        """The names of its fields that differ; none if it is new, or gone, or of another class."""
        return differing_fields(self.before, self.after)

    @property
    def appended(self) -> Appended | None:
        """What was appended to its content or output, where that is all that changed.

        None: draw `after` anew. Costs what was appended, where `after` was made of `before`.
        """
        return appended(self.before, self.after)


@frozen(kw_only=True, repr=False)
class SessionChanges:
    """What differs between two versions of a session; falsy where nothing does.

    A list of the entries that takes one change after the other becomes that of the new version:
    append what is new, pop what is gone, set all else at its position. Likewise the turns and the
    permissions; for plans and terminals, `ConnectionChanges` says how.
    """

    before: Session | None
    """The old version; None: the session is new, and compared with one that holds nothing."""
    after: Session | None
    """The new version; None: the session is gone, and no more is told of it."""
    moved: bool = False
    """It was removed and heard of again, and so has its place at the end."""
    entries: tuple[Change[int, Entry], ...] = ()
    """By position in the timeline, ascending; those that are gone from the end on."""
    turns: tuple[Change[int, Turn], ...] = ()
    """All of a turn counts, the echo of its prompt included."""
    permissions: tuple[Change[int, Permission], ...] = ()
    plans: tuple[Change[str, PlanUpdateContent], ...] = ()
    """The plans with an id."""
    terminals: tuple[Change[str, Terminal], ...] = ()
    slots: tuple[str, ...] = ()
    """The names of all other fields that differ: ``plan``, ``usage``, ``title``, ..."""

    def __bool__(self) -> bool:
        known = self.before is not None and self.after is not None
        return not known or self.moved or any(_TOLD[SessionChanges](self))

    def __repr__(self) -> str:
        session = self.after or self.before
        return f"<changes of {session!r}: {_summary(self)}>"


@frozen(kw_only=True, repr=False)
class ConnectionChanges:
    """What differs between two versions of a connection; falsy where nothing does.

    A dict that takes one change after the other becomes the new mapping: delete what is gone and
    what has moved, and set all that is not gone. The order of the keys stays where nothing is new
    and nothing has moved; it comes out right too where the new version was made of the old one.
    """

    sessions: Map[str, SessionChanges] = field(default=Map())
    """By session id: those that are new, gone, moved, or not what they were, and no others."""
    catalogue: tuple[Change[str, SessionInfo], ...] = ()
    elicitations: tuple[Change[RequestKey, Elicitation], ...] = ()
    awaited_urls: tuple[Change[str, Elicitation], ...] = ()
    client_requests: tuple[Change[RequestKey, PendingRequest], ...] = ()
    agent_requests: tuple[Change[RequestKey, PendingRequest], ...] = ()
    slots: tuple[str, ...] = ()
    """The names of all other fields that differ: ``phase``, ``authentication``, ..."""

    def __bool__(self) -> bool:
        return any(_TOLD[ConnectionChanges](self))

    def __repr__(self) -> str:
        return f"<changes: {_summary(self)}>"


HIDDEN: Final[Mapping[type, frozenset[str]]] = {
    Session: frozenset({"replay", "id_style", "open_permissions"}),
    Connection: frozenset({"settled_by_client", "settled_by_agent", "next_request_id"}),
}
"""Bookkeeping: a difference in these fields alone is none.

What a replay builds is told as soon as the timeline shows it (LOAD-09), and what waits for an
answer by the permissions themselves.
"""


@overload
def changes(old: Connection, new: Connection) -> ConnectionChanges: ...
@overload
def changes(old: Session, new: Session) -> SessionChanges: ...
def changes(old: Connection | Session, new: Connection | Session) -> Any:
    """Say what differs between two connections, or two sessions: what to draw anew.

    Any two will do, in either order: one event apart or a million, or with nothing in common. What
    is equal is no change, whether or not it is the same object.

    >>> from acp_state import apply_update
    >>> def said(text):
    ...     content = {"type": "text", "text": text}
    ...     return {"sessionUpdate": "agent_message_chunk", "content": content}
    >>> old, _ = apply_update(Session("sess_1"), said("Hel"))
    >>> new, _ = apply_update(old, said("lo"))
    >>> [(change.at, change.after, change.appended.text) for change in changes(old, new).entries]
    [(0, <agent message: 'Hello'>, 'lo')]
    >>> bool(changes(new, new))
    False
    """
    if isinstance(old, Session) and isinstance(new, Session):
        return _session_changes(old, new)
    if isinstance(old, Connection) and isinstance(new, Connection):
        return ConnectionChanges() if old is new else ConnectionChanges(**_compare(old, new))
    raise TypeError(f"cannot compare a {type(old).__name__} with a {type(new).__name__}")


def _session_changes(
    before: Session | None, after: Session | None, *, moved: bool = False
) -> SessionChanges:
    found: dict[str, Any] = {}
    if before is not after and after is not None:
        found = _compare(Session(after.session_id) if before is None else before, after)
    return SessionChanges(before=before, after=after, moved=moved, **found)


# How each kind of field is compared


def _in_sequence(
    old: Timeline | Vector[Any], new: Timeline | Vector[Any]
) -> tuple[Change[int, Any], ...]:
    found = [
        Change(at, before, after)
        for at, before, after in old.differing(new)  # type: ignore[arg-type]  # of one kind
        if before != after
    ]
    length, end = len(old), len(new)
    if length < end:
        found += [Change(at, None, item) for at, item in enumerate(new[length:], length)]
    if end < length:
        gone = [Change(at, item, None) for at, item in enumerate(old[end:], end)]
        found += reversed(gone)
    return tuple(found)


def _in_mapping(old: Map[Any, Any], new: Map[Any, Any]) -> tuple[Change[Any, Any], ...]:
    return tuple(
        Change(key, before, after, moved)
        for key, before, after, moved in _by_key(old, new)
        if moved or before != after
    )


def _in_sessions(old: Map[str, Session], new: Map[str, Session]) -> Map[str, SessionChanges]:
    found: Map[str, SessionChanges] = Map()
    for session_id, before, after, moved in _by_key(old, new):
        compared = _session_changes(before, after, moved=moved)
        found = found.set(session_id, compared) if compared else found
    return found


def _by_key(old: Map[K, T], new: Map[K, T]) -> Iterator[tuple[K, T | None, T | None, bool]]:
    """Key, old value, new value, and whether it has moved; equal values are not left out."""
    gone, changed, added = old.differing(new)
    moved = gone.keys() & added.keys()
    yield from ((key, value, None, False) for key, value in gone.items() if key not in moved)
    yield from ((key, before, after, False) for key, (before, after) in changed.items())
    yield from ((key, gone.get(key), value, key in moved) for key, value in added.items())


_COMPARED: Final[Mapping[type, Callable[[Any, Any], Any]]] = {
    Timeline: _in_sequence,
    Vector: _in_sequence,
    Map: _in_mapping,
}
"""How a field is compared, by what its default is; what has no row is a slot."""


@frozen
class _Fields:
    """The fields of a model class that are compared."""

    names: tuple[str, ...]
    values: Callable[[object], tuple[object, ...]]
    """All of them at once."""
    holding: Mapping[str, tuple[str, Callable[[Any, Any], Any]]]
    """Of those that hold many things: the name that they have in the result, and how to compare."""

    @classmethod
    def of(cls, model: type[attrs.AttrsInstance]) -> _Fields:
        shown = [each for each in attrs.fields(model) if each.name not in HIDDEN[model]]
        names = tuple(each.name for each in shown)
        holding = {
            each.name: (each.name, _COMPARED[type(each.default)])
            for each in shown
            if type(each.default) in _COMPARED
        }
        return cls(names, attrgetter(*names), {**holding, **_SPECIAL[model]})


_SPECIAL: Final[Mapping[type, Mapping[str, tuple[str, Callable[[Any, Any], Any]]]]] = {
    Session: {"timeline": ("entries", _in_sequence)},
    Connection: {"sessions": ("sessions", _in_sessions)},
}

_FIELDS: Final = {model: _Fields.of(model) for model in (Connection, Session)}


def _compare(old: Connection | Session, new: Connection | Session) -> dict[str, Any]:
    """What differs, by its name in the result."""
    fields = _FIELDS[type(new)]
    found: dict[str, Any] = {}
    slots: list[str] = []
    for name in compress(fields.names, map(is_not, fields.values(old), fields.values(new))):
        before, after = getattr(old, name), getattr(new, name)
        if name in fields.holding:
            told_as, compared = fields.holding[name]
            found[told_as] = compared(before, after)
        elif before != after:
            slots.append(name)
    return {**found, "slots": tuple(slots)}


# How a result is told


def _names(result: type[attrs.AttrsInstance]) -> tuple[str, ...]:
    """All that it tells of its two versions, the slots last."""
    which = {"before", "after", "moved"}
    return tuple(each.name for each in attrs.fields(result) if each.name not in which)


_TOLD: Final = {each: attrgetter(*_names(each)) for each in (ConnectionChanges, SessionChanges)}


def _summary(result: SessionChanges | ConnectionChanges) -> str:
    """The number of changes of each kind, and the names of the slots."""
    told = dict(zip(_names(type(result)), _TOLD[type(result)](result), strict=True))
    slots: tuple[str, ...] = told.pop("slots")
    counts = [f"{len(many)} {name}" for name, many in told.items() if many]
    return ", ".join([*counts, *slots]) or "none"
