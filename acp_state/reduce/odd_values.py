"""Values that are valid and still odd: empty ids and relative paths (LENIENT-13, TOOL-12)."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, Final, get_args

import attrs

from acp_state.diagnostics import diagnostic
from acp_state.intents import Diagnose
from acp_state.omitted import OMITTED
from acp_state.schema.wire import WireField, union_members, wire_fields

_ABSOLUTE: Final = re.compile(r"[/\\]|[A-Za-z]:[/\\]")
"""POSIX paths, and Windows paths with a drive or a share."""


def is_absolute(path: str) -> bool:
    """Whether a path is absolute, on POSIX or on Windows (TOOL-12)."""
    return _ABSOLUTE.match(path) is not None


def check_values(session_id: str | None, value: Any) -> tuple[Diagnose, ...]:
    """The diagnostics for odd values anywhere in a wire object; they are kept."""
    return tuple(_odd(session_id, value, "")) if _has_odd(value) else ()


def _has_odd(value: Any) -> bool:
    """Whether an odd value is there at all; asked of every update, so that it has to be quick."""
    for name, is_odd in _checks(value.__class__):
        held = getattr(value, name)
        if held is not OMITTED and held is not None and is_odd(held):
            return True
    return False


def _any_odd(items: Any) -> bool:
    return any(map(_has_odd, items)) if isinstance(items, tuple) else _has_odd(items)


def _is_relative(held: Any) -> bool:
    paths = held if isinstance(held, tuple) else (held,)
    return not all(map(is_absolute, paths))


@cache
def _checks(cls: Any) -> tuple[tuple[str, Callable[[Any], bool]], ...]:
    """The fields of a class in which, at some depth, an odd value can stand, and how to tell."""
    return tuple((field.name, _check(field)) for field in _to_check(cls))


def _check(field: WireField) -> Callable[[Any], bool]:
    if field.wire.path:
        return _is_relative
    return operator.not_ if field.wire.identifies else _any_odd


@cache
def _to_check(cls: Any) -> tuple[WireField, ...]:
    return tuple(
        field
        for field in (wire_fields(cls) if attrs.has(cls) else ())
        if field.wire.identifies
        or field.wire.path
        or any(attrs.has(inner) and _to_check(inner) for inner in _item_types(field.type))
    )


def _item_types(annotation: Any) -> Iterator[Any]:
    for member in union_members(annotation):
        args = get_args(member)
        yield from _item_types(args[0]) if args else (member,)


def _odd(session_id: str | None, value: Any, path: str) -> Iterator[Diagnose]:
    for field in _to_check(value.__class__):
        held = getattr(value, field.name)
        where = f"{path}{field.key}"
        if field.wire.identifies and held == "":
            text = f"{field.key!r} is empty; kept as an id"
            yield Diagnose(diagnostic("empty-id", text, session_id=session_id, path=where))
        if field.wire.path:
            yield from _relative(session_id, held, where)
        for inner, at in _objects(held, where):
            yield from _odd(session_id, inner, f"{at}.")


def _objects(held: object, path: str) -> Iterator[tuple[object, str]]:
    if isinstance(held, tuple):
        for index, item in enumerate(held):
            yield from _objects(item, f"{path}[{index}]")
    elif attrs.has(type(held)):
        yield held, path


def _relative(session_id: str | None, held: object, path: str) -> Iterator[Diagnose]:
    for each in held if isinstance(held, tuple) else (held,):
        if isinstance(each, str) and not is_absolute(each):
            text = f"{each!r} is relative; kept"
            yield Diagnose(diagnostic("relative-path", text, session_id=session_id, path=path))
