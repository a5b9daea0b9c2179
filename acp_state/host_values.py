"""What a host passes to a command, as the command holds it: attrs converters.

JSON is frozen, a list becomes a tuple, and what would make no message raises `LocalProtocolError`
where it is passed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, TypeVar, cast

from acp_state.errors import LocalProtocolError
from acp_state.json_values import (
    JsonObject,
    JsonValue,
    freeze,
    freeze_meta,
    freeze_raw,
    thaw_object,
)
from acp_state.leniency import Decoded, decode
from acp_state.omitted import Omitted
from acp_state.reading import Malformed
from acp_state.schema import ContentBlock, SessionUpdate, TextContent
from acp_state.schema.content import CONTENT_BLOCK
from acp_state.schema.updates import SESSION_UPDATE

_JSON: Final = (Mapping, list, tuple, str, int, float, type(None))
"""What a JSON value is in Python; ours are among them, a bool is an int."""

A = TypeVar("A")
B = TypeVar("B")


def to_blocks(content: str | Iterable[ContentBlock]) -> tuple[ContentBlock, ...]:
    """The blocks of a prompt; a string is one text block (TURN-02)."""
    if isinstance(content, str):
        return (TextContent(text=content),)
    try:
        blocks = tuple(content)
    except TypeError:
        raise _no_block(content) from None
    for block in blocks:
        if type(block) not in CONTENT_BLOCK.classes():
            raise _no_block(block)
    return blocks


def to_update(update: SessionUpdate | JsonObject | dict[str, Any]) -> SessionUpdate:
    """The update that a JSON object says; of our own, all parts have to fit (RPC-07)."""
    if type(update) in SESSION_UPDATE.classes():
        return cast("SessionUpdate", update)
    try:
        json = thaw_object(update) if isinstance(update, JsonObject) else update
        read: Decoded[SessionUpdate] = decode(json, SessionUpdate)  # type: ignore[arg-type] # a union
    except Malformed as malformed:
        raise _no_update(str(malformed)) from None
    if read.faults:
        raise _no_update(f"{read.faults[0].path}: {read.faults[0].text}")
    return read.value


def to_object(value: Mapping[str, object]) -> JsonObject:
    """A JSON object, such as the parameters of a request."""
    return _frozen(JsonObject, value)


def to_json(value: object) -> JsonValue:
    """Any JSON value, such as a result."""
    return _frozen(freeze, value)


def to_data(value: object) -> JsonValue | Omitted:
    """Any JSON value, or none at all."""
    return _frozen(freeze_raw, value)


def to_content(value: Mapping[str, object] | Omitted | None) -> JsonObject | Omitted | None:
    """What was filled in into a form, or none."""
    return _frozen(freeze_meta, value)


def to_servers(servers: Iterable[Mapping[str, object]]) -> tuple[JsonObject, ...]:
    """MCP servers (SESS-01)."""
    return tuple(to_object(each) for each in _several(servers))


def to_paths(paths: Iterable[str]) -> tuple[str, ...]:
    """Paths (SESS-02)."""
    return tuple(_several(paths))


def require_json(value: object, what: str, rule: str) -> None:
    """Refuse what no JSON parser gives, such as bytes or an object of another library.

    Raises:
        LocalProtocolError: says what to pass.
    """
    if not isinstance(value, _JSON):
        kind = type(value).__name__
        dumped = " such as its model_dump(mode='json', by_alias=True, exclude_unset=True)"
        how = dumped if hasattr(value, "model_dump") else " as the parser gave it"
        raise LocalProtocolError(f"{kind} is no {what}: pass the JSON value,{how}", rule=rule)


def _several(values: Iterable[A]) -> Iterable[A]:
    """The values, unless it is one alone: a string is no list of its letters."""
    given = cast("object", values)  # whatever the host passed
    if isinstance(given, Iterable) and not isinstance(given, (str, Mapping)):
        return values
    raise LocalProtocolError(f"{values!r:.60} is one alone: pass a tuple", rule="SESS-01")


def _frozen(freeze: Callable[[A], B], value: A) -> B:
    """The value, frozen; what is no JSON is the host's mistake."""
    try:
        return freeze(value)
    except ValueError as fault:
        raise LocalProtocolError(f"{fault}: pass JSON", rule="RPC-01") from None


def _no_block(value: object) -> LocalProtocolError:
    if type(value) in CONTENT_BLOCK.classes():
        fault = "is one alone: pass a tuple"
    else:
        fault = "is no content block: pass a string or objects of ContentBlock"
    return LocalProtocolError(f"{value!r:.60} {fault}", rule="TURN-02")


def _no_update(fault: str) -> LocalProtocolError:
    text = f"this is no session update: {fault}; pass an object of SessionUpdate, or its JSON"
    return LocalProtocolError(text, rule="RPC-07")
