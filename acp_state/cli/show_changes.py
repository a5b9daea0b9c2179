"""What differs between two states, as JSON and as lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeAlias

import attrs
from rich.text import Text

from acp_state import codec
from acp_state.changes import Change, ConnectionChanges, SessionChanges
from acp_state.cli.safe_text import one_line
from acp_state.model import Chunks, Turn
from acp_state.model.connection import Connection
from acp_state.persistent import Map

Json: TypeAlias = dict[str, Any]

IN_SEQUENCE: Final = ("entries", "turns", "permissions", "plans", "terminals")
IN_CONNECTION: Final = (
    *("catalogue", "elicitations", "awaited_urls"),
    *("client_requests", "agent_requests"),
)
COLUMNS: Final = 160
"""Characters of a value."""

_MARKS: Final = {"new": ("+", "green"), "gone": ("-", "red"), "changed": ("~", "yellow")}


def paired(old: Connection, new: Connection) -> Connection:
    """The new connection, its sessions under the ids of the old one's where none has the same id.

    Two recordings of one thing differ in the ids that the agent made up; the first session is
    then compared with the first, and so on.
    """
    if old.sessions.keys() & new.sessions.keys():
        return new
    names = [*old.sessions][: len(new.sessions)] + [*new.sessions][len(old.sessions) :]
    renamed = {
        name: attrs.evolve(session, session_id=name)
        for name, session in zip(names, new.sessions.values(), strict=True)
    }
    return attrs.evolve(new, sessions=Map.of(renamed))


def changes_json(found: ConnectionChanges, old: Connection, new: Connection) -> Json:
    """All that differs; lists are empty where nothing does.

    A change has ``at`` (a position or key), ``change`` (``new``, ``gone``, ``changed``), ``before``
    and ``after`` (what it is, in a few words), ``fields`` (the names of those that differ) and
    ``appended`` (the text, where nothing but that changed). A slot has ``name``, ``before`` and
    ``after``.
    """
    return {
        "sessions": [_session_json(name, each) for name, each in found.sessions.items()],
        **_many(found, IN_CONNECTION),
        "slots": _slots(found.slots, old, new),
    }


def changes_lines(told: Mapping[str, Any]) -> Iterator[Text]:
    """The same, for a terminal: a line for each change."""
    for session in told["sessions"]:
        yield _line(session["change"], "", f"session {session['sessionId']}", style="bold")
        yield from _lines_of(session, IN_SEQUENCE, "    ")
    yield from _lines_of(told, IN_CONNECTION, "")


def _lines_of(told: Mapping[str, Any], names: tuple[str, ...], indent: str) -> Iterator[Text]:
    for slot in told["slots"]:
        text = f"{slot['name']}: {slot['before']} -> {slot['after']}"
        yield _line("changed", indent, text)
    for name in names:
        for change in told[name]:
            yield _line(change["change"], indent, _in_words(name, change))


def _in_words(name: str, change: Mapping[str, Any]) -> str:
    shown = change["after"] if change["after"] is not None else change["before"]
    text = f"{name}[{change['at']}] {shown}"
    if change["appended"] is not None:
        return f"{text} appended {change['appended']!r}"
    return f"{text} ({', '.join(change['fields'])})" if change["fields"] else text


def _line(change: str, indent: str, text: str, style: str = "") -> Text:
    mark, colour = _MARKS[change]
    return Text.assemble(indent, (mark, colour), " ", (one_line(text, COLUMNS), style))


def _session_json(name: str, found: SessionChanges) -> Json:
    return {
        "sessionId": name,
        "change": _kind(found.before, found.after),
        **_many(found, IN_SEQUENCE),
        "slots": _slots(found.slots, found.before, found.after),
    }


def _many(found: object, names: tuple[str, ...]) -> Json:
    return {
        name: [_change_json(each) for each in map(_plain, getattr(found, name)) if _differs(each)]
        for name in names
    }


def _plain(change: Change[Any, Any]) -> Change[Any, Any]:
    """The change without what of a turn is bookkeeping: the echo of its prompt, styles of ids."""
    return attrs.evolve(change, before=_turn(change.before), after=_turn(change.after))


def _turn(value: object) -> object:
    return attrs.evolve(value, echo=None, id_style="none") if isinstance(value, Turn) else value


def _differs(change: Change[Any, Any]) -> bool:
    return change.moved or change.before != change.after


def _change_json(change: Change[Any, Any]) -> Json:
    appended = change.appended
    return {
        "at": change.at[1] if isinstance(change.at, tuple) else change.at,
        "change": _kind(change.before, change.after),
        "before": _shown(change.before),
        "after": _shown(change.after),
        "fields": list(change.fields),
        "appended": None if appended is None else appended.text,
    }


def _slots(names: tuple[str, ...], old: object, new: object) -> list[Json]:
    return [
        {"name": name, "before": _shown(_held(old, name)), "after": _shown(_held(new, name))}
        for name in names
    ]


def _held(owner: object, name: str) -> object:
    return None if owner is None else getattr(owner, name)


def _shown(value: object) -> str | None:
    """A value in a few words."""
    if value is None or isinstance(value, str):
        return value
    return (
        repr(value) if isinstance(value, Chunks) or not attrs.has(type(value)) else _object(value)
    )


def _object(value: object) -> str:
    """A model's own words, or the wire's names."""
    plain = type(value).__repr__.__module__ == type(value).__module__
    return repr(value) if plain else str(codec.encode(value))


def _kind(before: object, after: object) -> str:
    return "new" if before is None else "gone" if after is None else "changed"
