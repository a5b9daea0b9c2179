"""The one function that applies patches, by the policies that their fields declare (section 3)."""

from __future__ import annotations

from functools import cache
from typing import Any, TypeVar

import attrs

from acp_state.json_values import JsonObject
from acp_state.model.copying import evolve
from acp_state.omitted import OMITTED, Patch
from acp_state.schema.wire import patch_fields

T = TypeVar("T")

_EMPTY = JsonObject({})


def patch(entity: T, update: Any, *, resets: bool = True, merges: bool = True) -> T:
    """The entity with the patch fields of `update` applied; the same object if nothing changes.

    Args:
        entity: what is patched.
        update: an instance of a wire class whose fields declare a `Patch`.
        resets: whether an omitted field may go back to its default; False: it keeps.
        merges: whether an object is merged into the held one; False: it replaces it whole.
    """
    changes: dict[str, Any] = {}
    for name, target, policy in patch_fields(update.__class__):
        value = getattr(update, name)
        # Most fields of most patches are omitted and keep what is held.
        if value is OMITTED and not (resets and policy.omitted == "reset"):
            continue
        held = getattr(entity, target)
        new = _patched(held, value, policy, merges=merges)
        new = _as_held(entity.__class__, target, new)
        if new is not held and not (type(new) is type(held) and new == held):
            changes[target] = new
    return evolve(entity, **changes) if changes else entity


def _patched(held: Any, value: Any, policy: Patch, *, merges: bool) -> Any:
    """What the field holds now; OMITTED: its default."""
    if value is None:
        return OMITTED if policy.null == "clear" else held
    if policy.value == "merge" and merges and value is not OMITTED:
        return (held or _EMPTY).merge(value)
    return value


def _as_held(cls: Any, name: str, value: Any) -> Any:
    """The value as the entity holds it; cleared is as never told, its default (PATCH-08)."""
    default, converter = _attribute(cls, name)
    if value is OMITTED:
        return default
    return converter(value) if converter else value


@cache
def _attribute(cls: Any, name: str) -> tuple[Any, Any]:
    field = attrs.fields_dict(cls)[name]
    return field.default, field.converter
