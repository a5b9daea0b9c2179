"""The mutable floor: what a client keeps that is written by hand, in dicts of lists.

No rules, no versions, no diagnostics: whatever comes is put where it belongs, and what it replaces
is gone. It is what any fold in plain Python costs at least.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

from benchmarks.traffic import Message

Kept: TypeAlias = dict[str, Any]

CHUNKS = frozenset({"agent_message_chunk", "agent_thought_chunk", "user_message_chunk"})


def keep(messages: Iterable[Message]) -> Kept:
    """All sessions of a connection, and the requests that wait for an answer."""
    sessions: dict[str, Kept] = {}
    pending: dict[Any, Message] = {}
    for message in messages:
        method = message.get("method")
        if method == "session/update":
            params = message["params"]
            update = params["update"]
            session = sessions.get(params["sessionId"])
            if session is None:
                session = sessions[params["sessionId"]] = _session()
            if update["sessionUpdate"] in CHUNKS:
                _append(session, update)
            else:
                _change(session, update)
        elif method is None:
            _answered(sessions, pending.pop(message["id"], {}), message)
        elif "id" in message:
            pending[message["id"]] = message
            if method == "session/prompt":
                _prompted(sessions, message["params"])
    return {"sessions": sessions, "pending": pending}


def _session() -> Kept:
    return {"timeline": [], "messages": {}, "tool_calls": {}, "turns": [], "terminals": {}}


def _append(session: Kept, update: Message) -> None:
    """A chunk goes to the list of its message."""
    key = update["sessionUpdate"], update.get("messageId")
    parts = session["messages"].get(key)
    if parts is None:
        parts = session["messages"][key] = []
        session["timeline"].append(parts)
    content = update["content"]
    parts.append(content["text"] if content["type"] == "text" else content)


def _change(session: Kept, update: Message) -> None:
    """A tool call is patched, all else is replaced."""
    call_id = update.get("toolCallId")
    if call_id is None:
        session[update["sessionUpdate"]] = update
        return
    call = session["tool_calls"].get(call_id)
    if call is None:
        session["tool_calls"][call_id] = update
        session["timeline"].append(update)
    else:
        call.update(update)


def _prompted(sessions: dict[str, Kept], params: Message) -> None:
    """What the user says is shown at once."""
    session = sessions.get(params.get("sessionId", ""))
    if session is not None:
        session["timeline"].append(params.get("prompt"))


def _answered(sessions: dict[str, Kept], request: Message, response: Message) -> None:
    """What the answer to a request tells about its session."""
    method, result = request.get("method"), response.get("result")
    if not isinstance(result, dict):
        return
    if method == "session/new":
        sessions.setdefault(result["sessionId"], _session()).update(result)
        return
    session = sessions.get(request.get("params", {}).get("sessionId"))
    if session is None:
        return
    if method == "session/prompt":
        session["turns"].append(result["stopReason"])
    elif method == "terminal/output":
        session["terminals"][request["params"]["terminalId"]] = result
