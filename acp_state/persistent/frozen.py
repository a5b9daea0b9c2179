"""What the persistent structures have in common: no assignment, no copying, a short `repr`."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from typing_extensions import Self

SHOWN = 8
"""How many items a `repr` shows."""


class Frozen:
    """Base of classes whose attributes are set once, by `slot_setter`, in `__init__`."""

    __slots__ = ()

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"{type(self).__name__} is immutable: cannot set {name!r}")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"{type(self).__name__} is immutable: cannot delete {name!r}")

    def __copy__(self) -> Self:
        return self


def slot_setter(owner: type, name: str) -> Callable[[object, object], None]:
    """The function that writes slot `name` past `__setattr__`, quicker than attrs does."""
    slot: Any = owner.__dict__[name]
    setter: Callable[[object, object], None] = slot.__set__
    return setter


def preview(items: Iterable[str], total: int) -> str:
    """Join the first `SHOWN` of `total` items; say how many there are when some are left out."""
    shown = ", ".join(islice(items, SHOWN))
    return shown if total <= SHOWN else f"{shown}, ... {total} in all"
