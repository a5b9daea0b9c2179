"""A recording whose every text tries to be something else."""

import json
from collections.abc import Iterator
from typing import Any

SCRIPT = "<script>window.ran=1</script><img src=x onerror='window.ran=1'>"
EVIL = f"{SCRIPT}\"'`</script></style><!-- {{{{title}}}} \u202egnirts\u2066 \x00\x1b[2J \ud83d"
URL = "javascript:window.ran=1"
PROTO = "__proto__"
"""A name that every object of a browser has already."""


def lines() -> Iterator[bytes]:
    """The recording."""
    yield from (json.dumps(each).encode() + b"\n" for each in _messages())
    yield f"no JSON {SCRIPT}\n".encode()


def _messages() -> Iterator[dict[str, Any]]:
    info = {"name": EVIL, "version": EVIL}
    capabilities = {"plan": {}, "terminal": True, "session": {"notices": {}}}
    hello = {"protocolVersion": 1, "clientInfo": info, "clientCapabilities": capabilities}
    yield _said("client", id=EVIL, method="initialize", params=hello)
    yield _said("agent", id=EVIL, result={"protocolVersion": 1, "agentInfo": info})
    yield _said("client", id=1, method="session/new", params={"cwd": f"/{EVIL}"})
    yield _said("agent", id=1, result={"sessionId": PROTO})
    prompt = [{"type": "text", "text": EVIL}, {"type": "resource_link", "name": EVIL, "uri": URL}]
    params = {"sessionId": PROTO, "prompt": prompt}
    yield _said("client", id=2, method="session/prompt", params=params)
    yield _update("session_info_update", title=EVIL)
    for content in _blocks():
        yield _update("agent_message_chunk", messageId=EVIL, content=content)
    yield _update(
        "tool_call",
        toolCallId=PROTO,
        title=EVIL,
        kind="edit",
        rawInput={PROTO: EVIL, EVIL: EVIL},
        locations=[{"path": f"/{EVIL}"}],
        content=[
            {"type": "diff", "path": f"/{EVIL}", "oldText": EVIL, "newText": EVIL + EVIL},
            {"type": "content", "content": {"type": "text", "text": EVIL}},
            {"type": "terminal", "terminalId": PROTO},
        ],
    )
    at = {"sessionId": PROTO, "terminalId": PROTO}
    yield _said("agent", id=5, method="terminal/create", params={**at, "command": EVIL})
    yield _said("client", id=5, result={"terminalId": PROTO})
    yield _said("agent", id=6, method="terminal/output", params=at)
    yield _said("client", id=6, result={"output": EVIL, "truncated": False})
    options = [{"optionId": EVIL, "name": EVIL, "kind": "allow_once"}]
    asked = {"sessionId": PROTO, "toolCall": {"toolCallId": PROTO}, "options": options}
    yield _said("agent", id=7, method="session/request_permission", params=asked)
    yield _update("plan", entries=[{"content": EVIL, "priority": "low", "status": "pending"}])
    yield _update("notice", severity="info", title=EVIL, description=EVIL)
    yield _update("usage_update", used=9**30, size=1)
    yield _update("usage_update", used=5, size=10)
    yield _update(EVIL)
    yield _said("agent", method=EVIL, params=EVIL)
    yield _said("agent", id=2, error={"code": 1, "message": EVIL})


def _blocks() -> Iterator[dict[str, Any]]:
    yield {"type": "text", "text": EVIL + "x" * 100_000}
    for uri in (URL, f"{URL}//https://x", "https://example.org/\"onmouseover='window.ran=1'"):
        yield {"type": "resource_link", "name": EVIL, "uri": uri}
    for mime, data in (("image/svg+xml", "PHN2Zy8+"), ("image/png", '" onerror="window.ran=1')):
        yield {"type": "image", "mimeType": mime, "data": data}
    yield {"type": "resource", "resource": {"uri": URL, "text": EVIL}}


def _said(sender: str, **fields: Any) -> dict[str, Any]:
    return {"t": 0.5, "from": sender, "message": {"jsonrpc": "2.0", **fields}}


def _update(variant: str, /, **fields: Any) -> dict[str, Any]:
    update = {"sessionUpdate": variant, **fields}
    return _said("agent", method="session/update", params={"sessionId": PROTO, "update": update})
