"""The one function that applies patches, by the policies that their fields declare (PATCH)."""

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
    held_by: Any = entity.__class__
    for name, target, policy, may_reset, default, converter in _rows(held_by, update.__class__):
        value = getattr(update, name)
        # Most fields of most patches are omitted and keep what is held.
        if value is OMITTED and not (may_reset and resets):
            continue
        held = getattr(entity, target)
        new = _patched(held, value, policy, merges=merges)
        if new is OMITTED:
            new = default
        elif converter is not None:
            new = converter(new)
        if new is not held and not (type(new) is type(held) and new == held):
            changes[target] = new
    return evolve(entity, **changes) if changes else entity


def _patched(held: Any, value: Any, policy: Patch, *, merges: bool) -> Any:
    """What the field holds now; OMITTED: its default, as if it was never told (PATCH-08)."""
    if value is None:
        return OMITTED if policy.null == "clear" else held
    if policy.value == "merge" and merges and value is not OMITTED:
        return (held or _EMPTY).merge(value)
    return value


@cache
def _rows(entity: type, update: type) -> tuple[tuple[str, str, Patch, bool, Any, Any], ...]:
    """What the loop needs of each field that patches: of the wire class, and of the entity's."""
    held = attrs.fields_dict(entity)
    return tuple(
        (
            name,
            target,
            policy,
            policy.omitted == "reset",
            held[target].default,
            held[target].converter,
        )
        for name, target, policy in patch_fields(update)
    )
