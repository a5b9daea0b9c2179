"""What one value of a recording says: who sent what, and when; a function for each form.

Each gives None for a value that is not of its form.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from acp_state.recording.directions import Way, way_in, way_of
from acp_state.recording.json_text import DECODER, Json, loads
from acp_state.recording.times import seconds, time_in, time_in_text
from acp_state.recording.trace import NoJson
from acp_state.records import frozen


@frozen(kw_only=True)
class Split:
    """What a value says."""

    way: Way | None = None
    """Which way the message went; None: not recorded."""
    message: Json = None
    time: float | None = None
    """In seconds; None: not recorded."""
    is_message: bool = True
    """Whether there is one: logs hold other things as well."""


NO_MESSAGE: Final = Split(is_message=False)

JSON_RPC: Final = ("jsonrpc", "id", "method", "params", "result", "error")
"""The keys of a message."""

WRAPPERS: Final = (
    *("message", "msg", "object", "json", "raw", "frame", "payload", "data"),
    *("rpc", "body", "line", "content"),
)
"""The keys that a message lies under, as an object or as its JSON text."""

DIRECTIONS: Final = (
    *("from", "direction", "_direction", "dir", "sender", "source", "way", "side", "flow"),
    *("type", "kind", "event", "label", "channel", "stream", "msg", "message"),
)
"""The keys that the direction lies under."""

_ATTEMPTS: Final = 3
"""Braces of a line that may begin its message."""


def recording(value: Json) -> Split | None:
    """``{"from": "client" or "agent", "message": …}``, and perhaps ``t``."""
    if not isinstance(value, dict) or "message" not in value or "jsonrpc" in value:
        return None
    way = value.get("from")
    if way not in ("client", "agent"):
        return None
    if not isinstance(value["message"], dict) and way_of(value["message"]) is not None:
        return None
    return Split(way=way, message=value["message"], time=time_in(value))


def json_rpc(value: Json) -> Split | None:
    """The message and nothing else."""
    return Split(message=value) if _is_message(value) else None


def zed(value: Json) -> Split | None:
    """Zed's ACP logs, copied: results and errors stand under ``params``."""
    if not isinstance(value, dict) or "_direction" not in value or "_type" not in value:
        return None
    if way_of(value["_direction"]) is None:
        return NO_MESSAGE
    message = {"jsonrpc": "2.0", "id": value.get("id"), "method": value.get("method")}
    said, kind = value.get("params"), value["_type"]
    if kind == "response":
        del message["method"]
        message["error" if _is_error(said) else "result"] = said
    elif said is not None:
        message["params"] = said
    if message["id"] is None and kind != "request":
        del message["id"]
    return Split(way=way_of(value["_direction"]), message=message, time=time_in(value))


def conductor(value: Json) -> Split | None:
    """Traces of ``sacp-conductor``: what the client sent and got; what proxies say is left out."""
    kind = value.get("type") if isinstance(value, dict) else None
    if kind == "trace" and "component" in value:
        return NO_MESSAGE
    if kind not in ("request", "response", "notification") or "to" not in value:
        return None
    ends = (value.get("from"), value["to"])
    if "client" not in ends or value.get("protocol", "acp") != "acp":
        return NO_MESSAGE
    way: Way = "client" if ends[0] == "client" else "agent"
    message = {"jsonrpc": "2.0", **{key: value[key] for key in JSON_RPC if key in value}}
    if kind == "response":
        message["error" if value.get("is_error") is True else "result"] = value.get("payload")
    return Split(way=way, message=message, time=time_in(value))


def inspector(value: Json) -> Split | None:
    """Traces of ACP Inspector: ``{"ts": …, "direction": "fromClient", "json": "…"}``.

    A number in `ts` is one of milliseconds.
    """
    if not isinstance(value, dict) or not isinstance(value.get("json"), str):
        return None
    way = way_of(value.get("direction"))
    message = _parsed(value["json"])
    if way not in ("client", "agent") or message is None:
        return None
    return Split(way=way, message=message, time=seconds(value.get("ts"), 1e-3))


def inline(value: Json) -> Split | None:
    """A message with the direction among its own keys."""
    if not isinstance(value, dict):
        return None
    way = _direction(value)
    kind = value.get("type", value.get("kind"))
    message = {key: value[key] for key in JSON_RPC if key in value}
    if kind == "response" and not message.keys() & {"result", "error"} and "params" in message:
        said = message.pop("params")
        message["error" if _is_error(said) else "result"] = said
        message.pop("method", None)
    if way is None or not _is_message(message):
        return None
    return Split(way=way, message={"jsonrpc": "2.0", **message}, time=time_in(value))


def wrapped(value: Json) -> Split | None:
    """A message under a key of its own, as an object, as JSON text, or as a line of a log."""
    if not isinstance(value, dict) or "jsonrpc" in value:
        return None
    for held in [value[key] for key in WRAPPERS if key in value]:
        found = Split(message=held) if _is_message(held) else _from_text(held)
        if found is not None:
            way = _direction(value) or found.way
            return Split(way=way, message=found.message, time=time_in(value) or found.time)
    return None


def log(value: Json) -> Split | None:
    """A line with a message in it: ``12:00:01 [send] {…}``; all others are passed over."""
    if not isinstance(value, NoJson):
        return None
    return _from_line(value.text)


def _from_text(held: object) -> Split | None:
    if not isinstance(held, str):
        return None
    message = _parsed(held)
    return _from_line(held) if message is None else Split(message=message)


def _from_line(line: str) -> Split | None:
    """The message in a line, with what stands before it."""
    at = line.find("{")
    for _ in range(_ATTEMPTS):
        if at < 0:
            return None
        message = _begun(line, at)
        if _is_message(message):
            before = line[:at]
            return Split(way=way_in(before), message=message, time=_time_before(before))
        at = line.find("{", at + 1)
    return None


def _time_before(text: str) -> float | None:
    found = time_in_text(text)
    if found is not None:
        return found
    first = text.split(maxsplit=1)[:1]
    return seconds(first[0].strip("[]():,")) if first else None


def _begun(line: str, at: int) -> Json:
    """The JSON value that begins there; None: none does."""
    try:
        return DECODER.raw_decode(line, at)[0]
    except (ValueError, RecursionError):
        return None


def _parsed(text: str) -> Json:
    """The message that the text spells; None: it spells none."""
    try:
        value = loads(text)
    except ValueError:
        return None
    return value if _is_message(value) else None


def _direction(value: Mapping[str, Any]) -> Way | None:
    for key in DIRECTIONS:
        way = way_of(value.get(key))
        if way is not None:
            return way
    return None


def _is_message(value: Json) -> bool:
    """Whether it is, or was meant to be, a JSON-RPC message."""
    if not isinstance(value, dict):
        return False
    is_response = "id" in value and ("result" in value or "error" in value)
    return "jsonrpc" in value or is_response or isinstance(value.get("method"), str)


def _is_error(value: Json) -> bool:
    """Whether a response's content is an error: nothing else tells it where both look alike."""
    if not isinstance(value, dict) or value.keys() - {"code", "message", "data"}:
        return False
    return isinstance(value.get("code"), int) and isinstance(value.get("message"), str)
