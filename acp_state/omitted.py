"""Absent, null and a value are three things: the sentinel for absent, and what patches make of it.

Every optional field of a wire class has `OMITTED` as its default, so that a key that was not sent
is told from one that was sent as ``null`` (``None``; LENIENT-01). What the two mean differs from
field to field (PATCH-01 to PATCH-05), so each field of a patch declares a `Patch` policy in its
metadata and one function, `acp_state.reduce.patch.patch`, obeys it.
"""

from __future__ import annotations

from enum import Enum
from typing import Final, Literal, TypeVar

from acp_state.records import frozen


class Omitted(Enum):
    """The type of `OMITTED`; an enum, so that type checkers narrow ``x is OMITTED``."""

    OMITTED = "omitted"

    def __repr__(self) -> str:
        return "OMITTED"

    def __bool__(self) -> Literal[False]:
        return False


OMITTED: Final = Omitted.OMITTED
"""The key was not there. Falsy, like ``None``."""

T = TypeVar("T")


def or_none(value: T | Omitted) -> T | None:
    """The value, or None where the key was not there: for fields in which the two are one."""
    return None if isinstance(value, Omitted) else value


def or_omitted(value: T | None) -> T | Omitted:
    """The value, or an absent key where there is none: the other way of `or_none`."""
    return OMITTED if value is None else value


@frozen(kw_only=True)
class Patch:
    """What omission, null and a value of one patch field do to the value that is held."""

    omitted: Literal["keep", "reset"] = "keep"
    """Keep the held value, or go back to the entity's default."""

    null: Literal["keep", "clear"] = "keep"
    """Keep the held value, or go back to the entity's default."""

    value: Literal["replace", "merge"] = "replace"
    """Replace the held value whole, or merge a JSON object into it by top-level key."""

    into: str | None = None
    """The entity's attribute, where it is named otherwise than the wire field."""


KEEP: Final = Patch()
"""Two states: omission and null both keep (PATCH-02)."""

CLEAR: Final = Patch(null="clear")
"""Three states: omission keeps, null clears (PATCH-01)."""

MERGE: Final = Patch(value="merge")
"""As `KEEP`, but top-level keys replace one by one and a null removes its key (PATCH-03)."""

RESET: Final = Patch(omitted="reset", null="clear")
"""A snapshot: what is not sent goes back to its default (TOOL-04, USAGE-01)."""
