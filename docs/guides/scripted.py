"""An agent for the guides that says the same each time: messages in, messages out, no IO."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Json = dict[str, Any]


def answers(message: Json) -> Iterator[Json]:
    """What the agent writes after it has read this message of the client's."""
    match message:
        case {"method": "initialize", "id": key}:
            yield _result(key, {"protocolVersion": 1})
        case {"method": "session/new", "id": key}:
            yield _result(key, {"sessionId": "sess_1"})
        case {"method": "session/prompt", "id": key}:
            yield _update("agent_message_chunk", content={"type": "text", "text": "Hello, "})
            yield _update("agent_message_chunk", content={"type": "text", "text": "world."})
            yield _result(key, {"stopReason": "end_turn"})


def _result(key: object, result: Json) -> Json:
    return {"jsonrpc": "2.0", "id": key, "result": result}


def _update(kind: str, **fields: Any) -> Json:
    params = {"sessionId": "sess_1", "update": {"sessionUpdate": kind, **fields}}
    return {"jsonrpc": "2.0", "method": "session/update", "params": params}
