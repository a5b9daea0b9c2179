"""Copies of frozen objects with some fields changed, for the objects that every event touches.

``attrs.evolve`` collects all fields in a dict and calls ``__init__`` with them, and that writes
each through ``object.__setattr__``. The copying functions here assign slot by slot, see
`acp_state.persistent.frozen.opened`, and are written out for the class, as attrs writes out its
``__init__``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

import attrs

from acp_state.persistent.frozen import opened

T = TypeVar("T")


class Versioned:
    """Base of the model's classes, of which events make one version after the other."""

    __slots__ = ("__weakref__",)


def copier(cls: type[T], *changed: str) -> Callable[..., T]:
    """A function that copies an instance of a class of the model, with other values in some fields.

    It takes the instance and the values, in order. They are written as they are: no converter runs.
    """
    values = {name: f"held.{name}" for name in _names(cls)} | {name: name for name in changed}
    copy_with: Callable[..., T] = _written(cls, ", ".join(changed), values, "")
    return copy_with


def evolve(held: T, /, **changes: Any) -> T:
    """The instance of a class of the model with other values in some fields; no converter runs."""
    cls: Any = held.__class__
    copied: T = _evolver(cls)(held, changes)
    return copied


@cache
def _evolver(cls: type[Any]) -> Callable[[Any, dict[str, Any]], Any]:
    values = {name: f"held.{name}" for name in _names(cls)}
    rest = "    for name, value in changes.items(): setattr(copy, name, value)"
    copy_with: Callable[[Any, dict[str, Any]], Any] = _written(cls, "changes", values, rest)
    return copy_with


def _names(cls: type[Any]) -> list[str]:
    return [field.name for field in attrs.fields(cls)]


def _written(cls: type[Any], parameters: str, values: dict[str, str], rest: str) -> Any:
    scope: dict[str, Any] = {"opened": opened(cls), "cls": cls}
    lines = [
        f"def copy_with(held, {parameters}, opened=opened, cls=cls):",
        "    copy = opened()",
        *(f"    copy.{name} = {value}" for name, value in values.items()),
        rest,
        "    copy.__class__ = cls",
        "    return copy",
    ]
    exec("\n".join(lines), scope)  # noqa: S102 - our own field names
    return scope["copy_with"]
