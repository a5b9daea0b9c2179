"""Recordings in other forms than the one they came in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime, timezone
from typing import Any, Final, TypeAlias

from acp_state.methods import Sender
from acp_state.recording.json_text import Json
from acp_state.records import frozen
from acp_state.reduce.links import request_key


@frozen(kw_only=True)
class Said:
    """A message to write."""

    message: Mapping[str, Any]
    sender: Sender
    time: float | None = None
    """In seconds; None: not known."""
    method: str | None = None
    """Its method, or that of the request that it answers; None: not known."""

    @property
    def way(self) -> str:
        """Which way it went, seen from the client's side."""
        return "outgoing" if self.sender == "client" else "incoming"

    @property
    def receiver(self) -> Sender:
        """The other side."""
        return "agent" if self.sender == "client" else "client"


Dumps: TypeAlias = Callable[[Json], str]
"""Gives the JSON text of a value, on one line."""

Writer: TypeAlias = Callable[[Said, Dumps], str]
"""The line for a message."""


def _recording(said: Said) -> Json:
    return {**_time("t", said), "from": said.sender, "message": said.message}


def _wrapped(said: Said) -> Json:
    return {**_time("timestamp", said), "direction": said.way, "message": said.message}


def _inline(said: Said) -> Json:
    return {**_time("timestamp", said), "direction": said.way, **said.message}


def _zed(said: Said) -> Json:
    message, kind = said.message, _kind(said.message)
    content = message.get("result", message.get("error", message.get("params")))
    return {
        "_direction": said.way,
        "_type": kind,
        "id": message.get("id"),
        "method": said.method,
        "params": content,
    }


def _conductor(said: Said) -> Json:
    message, kind = said.message, _kind(said.message)
    head = {"ts": said.time or 0.0, "type": kind, "from": said.sender, "to": said.receiver}
    if kind == "response":
        payload = message.get("result", message.get("error"))
        ends = {"id": message.get("id"), "is_error": "error" in message, "payload": payload}
        return {**head, **ends}
    asked = {"id": message["id"]} if "id" in message else {}
    ends = {"method": message.get("method"), "session": _session_id(message)}
    return {**head, "protocol": "acp", **asked, **ends, **_only(message, "params")}


def _json_rpc(said: Said) -> Json:
    return said.message


def _inspector(said: Said, dumps: Dumps) -> str:
    milliseconds, way = round((said.time or 0.0) * 1000), f"from{said.sender.title()}"
    return dumps({"ts": milliseconds, "direction": way, "json": dumps(said.message)})


def _log(said: Said, dumps: Dumps) -> str:
    mark = "-->" if said.sender == "client" else "<--"
    return " ".join([*_date(said), mark, dumps(said.message)])


def _as_json(value_of: Callable[[Said], Json]) -> Writer:
    return lambda said, dumps: dumps(value_of(said))


WRITERS: Final[Mapping[str, Writer]] = {
    "recording": _as_json(_recording),
    "zed": _as_json(_zed),
    "conductor": _as_json(_conductor),
    "inspector": _inspector,
    "inline": _as_json(_inline),
    "wrapped": _as_json(_wrapped),
    "log": _log,
    "json-rpc": _as_json(_json_rpc),
}
"""A row for each of `acp_state.recording.forms.FORMS`."""

_LISTS: Final = frozenset({"zed"})
"""The forms that are one list, and not a message a line."""


def written(form: str, said: Iterable[Said], dumps: Dumps) -> Iterator[str]:
    """The lines of a recording in that form.

    >>> import json
    >>> hello = Said(message={"jsonrpc": "2.0", "id": 0, "method": "initialize"}, sender="client")
    >>> list(written("log", [hello], json.dumps))
    ['--> {"jsonrpc": "2.0", "id": 0, "method": "initialize"}']
    """
    lines = (WRITERS[form](each, dumps) for each in said)
    yield from _in_list(lines) if form in _LISTS else lines


def _in_list(items: Iterable[str]) -> Iterator[str]:
    """One item a line."""
    before = "["
    for item in items:
        yield before + item
        before = ","
    yield "]" if before == "," else "[]"


def _kind(message: Mapping[str, Any]) -> str:
    if "method" not in message:
        return "response"
    return "request" if "id" in message else "notification"


def _session_id(message: Mapping[str, Any]) -> Json:
    params = message.get("params")
    return params.get("sessionId") if isinstance(params, dict) else None


def _time(key: str, said: Said) -> dict[str, float]:
    return {} if said.time is None else {key: said.time}


def _only(message: Mapping[str, Any], key: str) -> dict[str, Any]:
    return {key: message[key]} if key in message else {}


def _date(said: Said) -> list[str]:
    if said.time is None:
        return []
    date = datetime.fromtimestamp(said.time, timezone.utc)
    return [date.isoformat(timespec="milliseconds").replace("+00:00", "Z")]


def methods_of(messages: Iterable[tuple[Sender, Json]]) -> Iterator[str | None]:
    """For each message its method, or that of the request that it answers.

    >>> ask = {"id": 1, "method": "session/new"}
    >>> list(methods_of([("client", ask), ("agent", {"id": 1, "result": {}})]))
    ['session/new', 'session/new']
    """
    asked: dict[tuple[Sender, object], str] = {}
    for sender, message in messages:
        method = message.get("method") if isinstance(message, dict) else None
        has_id = isinstance(message, dict) and "id" in message
        key = request_key(message["id"]) if has_id else None
        if isinstance(method, str):
            if key is not None:
                asked[sender, key] = method
            yield method
        else:
            yield asked.pop(("agent" if sender == "client" else "client", key), None)
