"""What a command holds fits the types of its fields, at any depth, or it is refused (RPC-01).

Python lets a host put anything into a field; a message made of it would be no ACP.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final, Literal, TypeAlias, get_args, get_origin

import attrs

from acp_state.codec import encode, is_array, is_tagged
from acp_state.leniency import decode
from acp_state.omitted import Omitted
from acp_state.reading import Malformed
from acp_state.reduce.gates import refuse
from acp_state.schema.wire import union_members

_GATED: Final = frozenset({"request_id", "protocol_version", "value"})
"""Fields of which a gate says more than their type does."""

_KEPT: Final = "PERM-03"
"""The rule of words that are not known and yet passed on: a proxy may send what it received."""

_NAMES: Final[dict[Any, str]] = {
    str: "a string",
    int: "an integer",
    float: "a number",
    bool: "True or False",
    type(None): "None",
}

Misfit: TypeAlias = tuple[str, object, Any]
"""Where a value is of another type than its field, the value, and the field's annotation."""


def require_types(command: Any) -> None:
    """Refuse a command of which some part is of another type than it has to be.

    Raises:
        LocalProtocolError: says which part, and what to pass.
    """
    cls = command.__class__
    for name, annotation in _fields(cls):
        if name in _GATED:
            continue
        value, path = getattr(command, name), f"{cls.__name__}.{name}"
        misfit = _misfit(annotation, value, path)
        if misfit is not None:
            where, seen, wanted = misfit
            refuse(f"{where} is {seen!r:.60}: pass {_named(wanted)}", "RPC-01")
        for part in value if isinstance(value, tuple) else (value,):
            _require_valid(annotation, part, path)


def _misfit(annotation: Any, value: object, path: str) -> Misfit | None:
    """The first part that is of another type than it has to be."""
    kind = next((each for each in union_members(annotation) if _is_of(each, value)), None)
    if kind is None:
        return path, value, annotation
    return next(filter(None, (_misfit(*part) for part in _parts(kind, value, path))), None)


def _is_of(kind: Any, value: object) -> bool:
    if is_array(kind):
        return isinstance(value, (tuple, list))
    if get_origin(kind) is Literal:
        return isinstance(value, str)
    if isinstance(value, bool):
        return kind is bool
    return isinstance(value, (int, float) if kind is float else kind)


def _parts(kind: Any, value: Any, path: str) -> list[tuple[Any, object, str]]:
    """The items of an array, or the fields of a wire object, each with its type and path."""
    if is_array(kind):
        item = get_args(kind)[0]
        return [(item, each, f"{path}[{index}]") for index, each in enumerate(value)]
    if not attrs.has(kind):
        return []
    cls: Any = type(value)
    return [(each, getattr(value, name), f"{path}.{name}") for name, each in _fields(cls)]


@cache
def _fields(cls: Any) -> tuple[tuple[str, Any], ...]:
    return tuple((each.name, each.type) for each in attrs.fields(attrs.resolve_types(cls)))


def _require_valid(annotation: Any, value: object, path: str) -> None:
    """Refuse a wire object that its receiver would not read as it stands."""
    cls: Any = type(value)
    if not attrs.has(cls):
        return
    union = get_args(annotation)[0] if is_array(annotation) else annotation
    read_as = union if is_tagged(union) else cls
    try:
        faults = decode(encode(value, read_as), read_as).faults
    except Malformed as malformed:
        refuse(f"{path}: {malformed}", "RPC-01")
    for fault in faults:
        if fault.rule != _KEPT:
            refuse(f"{path}: {fault.path}: {fault.text}", "RPC-01")


def _named(annotation: Any) -> str:
    return " or ".join(_kind_named(k) for k in union_members(annotation) if k is not Omitted)


def _kind_named(kind: Any) -> str:
    if is_array(kind):
        return f"a tuple of which each is {_named(get_args(kind)[0])}"
    if get_origin(kind) is Literal:
        return f"one of {', '.join(map(repr, get_args(kind)))}"
    return _NAMES.get(kind) or str(kind.__name__)
