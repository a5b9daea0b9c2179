"""What all tests of the command need: to run it, and to write recordings."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from acp_state.cli.commands import commands

CAPABILITIES = {
    "session": {"notices": {}, "compaction": {}, "configOptions": {"boolean": {}}},
    "plan": {},
    "subagents": {},
    "fs": {"readTextFile": True, "writeTextFile": True},
    "terminal": True,
}


@pytest.fixture
def run() -> Callable[..., Result]:
    """Run ``acp-state`` with arguments."""

    def run(*args: object, stdin: bytes | None = None) -> Result:
        result = CliRunner().invoke(commands, [str(arg) for arg in args], input=stdin)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return run


class Recording:
    """Traffic to write into a file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.messages: list[tuple[str, dict[str, Any]]] = []

    def client(self, **fields: Any) -> None:
        self.messages.append(("client", {"jsonrpc": "2.0", **fields}))

    def agent(self, **fields: Any) -> None:
        self.messages.append(("agent", {"jsonrpc": "2.0", **fields}))

    def session(self, session_id: str = "s1", **result: Any) -> None:
        """An initialised connection with a session."""
        if not self.messages:
            params = {"protocolVersion": 1, "clientCapabilities": CAPABILITIES}
            self.client(id="init", method="initialize", params=params)
            self.agent(id="init", result={"protocolVersion": 1})
        self.client(id=f"new {session_id}", method="session/new", params={"cwd": "/w"})
        self.agent(id=f"new {session_id}", result={"sessionId": session_id, **result})

    def prompt(self, text: str, request_id: Any = 1, session_id: str = "s1") -> None:
        params = {"sessionId": session_id, "prompt": [{"type": "text", "text": text}]}
        self.client(id=request_id, method="session/prompt", params=params)

    def update(self, kind: str, /, session_id: str = "s1", **fields: Any) -> None:
        update = {"sessionUpdate": kind, **fields}
        self.agent(method="session/update", params={"sessionId": session_id, "update": update})

    def say(self, text: str, message_id: str | None = None) -> None:
        chunk: dict[str, Any] = {"content": {"type": "text", "text": text}}
        self.update(
            "agent_message_chunk", **chunk, **({"messageId": message_id} if message_id else {})
        )

    def lines(self) -> list[bytes]:
        wrapped = [{"from": sender, "message": message} for sender, message in self.messages]
        return [json.dumps(each).encode() + b"\n" for each in wrapped]

    def bare(self) -> list[bytes]:
        return [json.dumps(message).encode() + b"\n" for _, message in self.messages]

    def document(self) -> bytes:
        wrapped = [{"from": sender, "message": message} for sender, message in self.messages]
        return json.dumps({"name": "x", "messages": wrapped, "expect": []}, indent=2).encode()

    def write(self, *lines: bytes) -> Path:
        self.path.write_bytes(b"".join(lines or self.lines()))
        return self.path


@pytest.fixture
def recording(tmp_path: Path) -> Recording:
    return Recording(tmp_path / "trace.jsonl")
