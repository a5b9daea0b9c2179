"""The messages of synthetic traffic, each with who says it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from benchmarks.traffic import Message, Side, Spoken

CAPABILITIES: Final = {"fs": {"readTextFile": True, "writeTextFile": True}, "terminal": True}


def request(side: Side, request_id: int | str, method: str, params: Message) -> Spoken:
    """A request of that side."""
    return side, {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}


def response(side: Side, request_id: int | str, result: Message) -> Spoken:
    """The answer of that side."""
    return side, {"jsonrpc": "2.0", "id": request_id, "result": result}


def update(session_id: str, payload: Message) -> Spoken:
    """A ``session/update``."""
    params = {"sessionId": session_id, "update": payload}
    return "agent", {"jsonrpc": "2.0", "method": "session/update", "params": params}


def chunk(message_id: str, text: str, role: str = "agent_message") -> Message:
    """A chunk of text; the role is ``agent_message``, ``agent_thought`` or ``user_message``."""
    content = text_block(text)
    return {"sessionUpdate": f"{role}_chunk", "content": content, "messageId": message_id}


def text_block(text: str) -> Message:
    """A content block."""
    return {"type": "text", "text": text}


def tool_call(call_id: str, title: str, **fields: Any) -> Message:
    """The announcement of a tool call."""
    return {"sessionUpdate": "tool_call", "toolCallId": call_id, "title": title, **fields}


def patch(call_id: str, **fields: Any) -> Message:
    """An update of a tool call."""
    return {"sessionUpdate": "tool_call_update", "toolCallId": call_id, **fields}


def connected() -> Iterator[Spoken]:
    """The handshake: two messages."""
    params = {"protocolVersion": 1, "clientCapabilities": CAPABILITIES}
    yield request("client", 0, "initialize", params)
    yield response("agent", 0, {"protocolVersion": 1})


def opened(session_id: str, request_id: int, **fields: Any) -> Iterator[Spoken]:
    """A new session: two messages."""
    yield request("client", request_id, "session/new", {"cwd": "/work", "mcpServers": []})
    yield response("agent", request_id, {"sessionId": session_id, **fields})


def prompt(session_id: str, request_id: int, text: str = "Go on, please.") -> Spoken:
    """The request that begins a turn."""
    params = {"sessionId": session_id, "prompt": [text_block(text)]}
    return request("client", request_id, "session/prompt", params)


def ended(request_id: int) -> Spoken:
    """The response that ends a turn."""
    return response("agent", request_id, {"stopReason": "end_turn"})
