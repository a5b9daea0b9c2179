"""Values that are valid and still odd: empty ids and relative paths (LENIENT-13, TOOL-12)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any, Final, get_args

import attrs

from acp_state.intents import Intent
from acp_state.model import Session
from acp_state.reduce.step import diagnose
from acp_state.schema.wire import WireField, union_members, wire_fields

_ABSOLUTE: Final = re.compile(r"[/\\]|[A-Za-z]:[/\\]")
"""POSIX paths, and Windows paths with a drive or a share."""


def is_absolute(path: str) -> bool:
    """Whether a path is absolute, on POSIX or on Windows (TOOL-12)."""
    return _ABSOLUTE.match(path) is not None


def check_values(session: Session, update: Any) -> tuple[Intent, ...]:
    """The diagnostics for odd values anywhere in an update; they are kept."""
    return tuple(_odd(session, update, "")) if _to_check(update.__class__) else ()


@cache
def _to_check(cls: Any) -> tuple[WireField, ...]:
    """The fields of a class in which, at some depth, an odd value can stand."""
    return tuple(
        field
        for field in wire_fields(cls)
        if field.wire.identifies
        or field.wire.path
        or any(attrs.has(inner) and _to_check(inner) for inner in _item_types(field.type))
    )


def _item_types(annotation: Any) -> Iterator[Any]:
    for member in union_members(annotation):
        args = get_args(member)
        yield from _item_types(args[0]) if args else (member,)


def _odd(session: Session, value: Any, path: str) -> Iterator[Intent]:
    for field in _to_check(value.__class__):
        held = getattr(value, field.name)
        where = f"{path}{field.key}"
        if field.wire.identifies and held == "":
            yield diagnose(
                session, "empty-id", f"{field.key!r} is empty; kept as an id", path=where
            )
        if field.wire.path:
            yield from _relative(session, held, where)
        for inner, at in _objects(held, where):
            yield from _odd(session, inner, f"{at}.")


def _objects(held: object, path: str) -> Iterator[tuple[object, str]]:
    if isinstance(held, tuple):
        for index, item in enumerate(held):
            yield from _objects(item, f"{path}[{index}]")
    elif attrs.has(type(held)):
        yield held, path


def _relative(session: Session, held: object, path: str) -> Iterator[Intent]:
    for each in held if isinstance(held, tuple) else (held,):
        if isinstance(each, str) and not is_absolute(each):
            yield diagnose(session, "relative-path", f"{each!r} is relative; kept", path=path)
