"""Frozen objects made and copied quickly, for those that every event touches.

``attrs.evolve`` collects all fields in a dict and calls ``__init__`` with them, and that writes
each through ``object.__setattr__``. The functions here assign slot by slot, see
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


def maker(cls: type[T], *given: str) -> Callable[..., T]:
    """A function that makes an instance of a class of the model, with defaults in all other fields.

    It takes the values, in order. They are written as they are: no converter runs.

    Raises:
        TypeError: a field that has no default is not given.
    """
    made_by: Any = cls
    left = {each.name: each.default for each in attrs.fields(made_by) if each.name not in given}
    for name, default in left.items():
        if default is attrs.NOTHING:
            raise TypeError(f"{cls.__name__} has no default for {name!r}")
    values = {name: name for name in _names(cls)}
    make: Callable[..., T] = _written(cls, given, values, **left)
    return make


def copier(cls: type[T], *changed: str) -> Callable[..., T]:
    """A function that copies an instance of a class of the model, with other values in some fields.

    It takes the instance and the values, in order. They are written as they are: no converter runs.
    """
    values = {name: f"held.{name}" for name in _names(cls)} | {name: name for name in changed}
    copy_with: Callable[..., T] = _written(cls, ("held", *changed), values)
    return copy_with


def evolve(held: T, /, **changes: Any) -> T:
    """The instance of a class of the model with other values in some fields; no converter runs."""
    cls: Any = held.__class__
    copied: T = _evolver(cls)(held, changes)
    return copied


@cache
def _evolver(cls: type[Any]) -> Callable[[Any, dict[str, Any]], Any]:
    values = {name: f"held.{name}" for name in _names(cls)}
    rest = "for name, value in changes.items(): setattr(made, name, value)"
    copy_with: Callable[[Any, dict[str, Any]], Any]
    copy_with = _written(cls, ("held", "changes"), values, rest)
    return copy_with


def _names(cls: type[Any]) -> list[str]:
    return [field.name for field in attrs.fields(cls)]


def _written(
    cls: type[Any],
    parameters: tuple[str, ...],
    values: dict[str, str],
    rest: str = "",
    **constants: Any,
) -> Any:
    """A function of the parameters that gives an instance in which each field has its value."""
    scope: dict[str, Any] = {"opened": opened(cls), "cls": cls, **constants}
    bound = ", ".join(f"{name}={name}" for name in scope)
    lines = [
        f"def make({', '.join(parameters)}, {bound}):",
        "    made = opened()",
        *(f"    made.{name} = {value}" for name, value in values.items()),
        f"    {rest}",
        "    made.__class__ = cls",
        "    return made",
    ]
    exec("\n".join(lines), scope)  # noqa: S102 - our own field names
    return scope["make"]
