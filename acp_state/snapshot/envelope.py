"""The whole state as JSON and back: to keep a session over a restart, or to take it elsewhere.

A snapshot is an object of plain dicts, lists and scalars that any JSON library can write:
``{"format": "acp_state", "version": 1, "connection": …}``, or with ``"session"``. The order of keys
is part of it: the same state gives the same text, before and after it was restored.

What equals its default is left out, which makes a snapshot small and lets a later version of the
library add fields with defaults. A field that this version does not know may be one of those; it
is refused, since to drop it would lose state in silence. Whatever changes what is written already
is another `VERSION`.
"""

from __future__ import annotations

from typing import Any, Final, TypeVar, overload

from acp_state.errors import SnapshotError
from acp_state.json_values import PlainJson
from acp_state.model import Connection, Session
from acp_state.reading import Malformed, seen
from acp_state.snapshot.reading import read
from acp_state.snapshot.references import check
from acp_state.snapshot.writing import write

FORMAT: Final = "acp_state"
VERSION: Final = 1
_HEAD: Final = ("format", "version")
_KINDS: Final[dict[str, type[Any]]] = {"connection": Connection, "session": Session}

S = TypeVar("S", Connection, Session)


def snapshot(state: Connection | Session) -> dict[str, PlainJson]:
    """A connection or one of its sessions as plain JSON, in time linear in what it holds.

    A host that writes it with ``json.dumps`` gets everything back; ``orjson`` writes it faster, but
    refuses halves of characters and integers of more than 64 bits, which a peer may have sent.

    Raises:
        TypeError: it is neither of the two.

    >>> snapshot(Session("sess_1", title="Fix it"))["session"]
    {'sessionId': 'sess_1', 'title': 'Fix it'}
    """
    for kind, cls in _KINDS.items():
        if isinstance(state, cls):
            return {"format": FORMAT, "version": VERSION, kind: write(state)}
    raise TypeError(f"a snapshot is of a Connection or a Session, not of {state!r:.60}")


@overload
def restore(json: object) -> Connection | Session: ...
@overload
def restore(json: object, kind: type[S]) -> S: ...
def restore(json: object, kind: type[Any] | None = None) -> Any:
    """The connection or session that `snapshot` wrote, equal in value and in what comes of it.

    Args:
        json: the JSON value, as the parser gave it.
        kind: `Connection` or `Session`, where only that will do; None: either.

    Raises:
        SnapshotError: it is no snapshot, one of the other kind, one that a newer version of the
            library wrote, or some part of it is not as it must be.

    >>> restore(snapshot(Session("sess_1", title="Fix it")), Session)
    <session 'sess_1' 'Fix it': 0 entries, 0 turns>
    >>> restore({"format": "acp_state", "version": 2, "session": {}})
    Traceback (most recent call last):
    acp_state.errors.SnapshotError: version: must be 1, not 2, which a newer acp_state writes
    """
    name = _kind(json)
    cls = _KINDS[name]
    if kind is not None and cls is not kind:
        raise SnapshotError(f"holds a {name}, not a {kind.__name__.lower()}")
    assert isinstance(json, dict)  # noqa: S101 - _kind has seen to that
    try:
        state = read(json[name], cls)
        check(state)
    except Malformed as fault:
        raise SnapshotError(fault.text, name + fault.path) from None
    return state


def _kind(json: object) -> str:
    """What the snapshot is of, when its head is right."""
    if not isinstance(json, dict):
        raise SnapshotError(f"must be an object, not {seen(json)}")
    if json.get("format") != FORMAT:
        raise SnapshotError(f"must be {FORMAT!r}, not {seen(json.get('format'))}", "format")
    _check_version(json.get("version"))
    kinds = [key for key in json if key not in _HEAD]
    if len(kinds) != 1 or kinds[0] not in _KINDS:
        wanted = " or ".join(map(repr, _KINDS))
        raise SnapshotError(f"must hold {wanted}, not {', '.join(map(seen, kinds)) or 'nothing'}")
    return str(kinds[0])


def _check_version(version: object) -> None:
    if type(version) is int and version == VERSION:
        return
    newer = type(version) is int and version > VERSION
    why = ", which a newer acp_state writes" if newer else ""
    raise SnapshotError(f"must be {VERSION}, not {seen(version)}{why}", "version")
