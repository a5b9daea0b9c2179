"""An agent on the official Python SDK that remembers: `python remembering_agent.py FOLDER`.

All that is said in a session is folded into a `Session` (`apply_update`). That is kept in a file
of the folder (`snapshot`, `restore`), and told again when the session is loaded (`materialize`),
by whichever process.

Each prompt gets a thought and an answer. Of its words, in between, `edit` makes a tool call that
asks for permission, and `wait` waits to be cancelled.
"""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from acp import run_agent
from acp.exceptions import RequestError
from acp.interfaces import Client
from acp.schema import (
    AgentCapabilities,
    Implementation,
    InitializeResponse,
    LoadSessionResponse,
    NewSessionResponse,
    PermissionOption,
    PromptResponse,
    SessionNotification,
    ToolCallUpdate,
)

from acp_state import Session, apply_update, materialize, restore, snapshot

OPTIONS = [
    PermissionOption(option_id="yes", name="Allow", kind="allow_once"),
    PermissionOption(option_id="no", name="Reject", kind="reject_once"),
]


class RememberingAgent:
    """The agent; what it knows of its sessions is in `_sessions` and in the folder."""

    def __init__(self, folder: Path) -> None:
        self._client: Client
        self._folder = folder
        self._sessions: dict[str, Session] = {}
        self._cancelled: dict[str, asyncio.Event] = {}

    def on_connect(self, client: Client) -> None:
        """The SDK tells whom to talk to."""
        self._client = client

    async def initialize(self, protocol_version: int, **_: Any) -> InitializeResponse:
        """Sessions can be loaded, and that is all."""
        return InitializeResponse(
            protocol_version=min(protocol_version, 1),
            agent_capabilities=AgentCapabilities(load_session=True),
            agent_info=Implementation(name="remembering-agent", version="1"),
        )

    async def new_session(self, cwd: str, **_: Any) -> NewSessionResponse:
        """Sessions are numbered."""
        session_id = f"sess_{len(self._stored()) + 1}"
        self._sessions[session_id] = Session(session_id, cwd=cwd)
        self._store(session_id)
        return NewSessionResponse(session_id=session_id)

    async def load_session(self, session_id: str, **_: Any) -> LoadSessionResponse:
        """Tell the session again, in as few updates as it takes."""
        session = self._sessions.get(session_id) or self._restored(session_id)
        self._sessions[session_id] = session
        for update in materialize(session):
            await self._send(session_id, update)
        return LoadSessionResponse()

    async def cancel(self, session_id: str, **_: Any) -> None:
        """The turn looks at this where it waits."""
        self._cancelled[session_id].set()

    async def prompt(self, session_id: str, prompt: list[Any], **_: Any) -> PromptResponse:
        """One turn; what the client was told of it is in the file before the turn ends."""
        if session_id not in self._sessions:
            raise RequestError.resource_not_found(session_id)
        cancelled = self._cancelled[session_id] = asyncio.Event()
        message_id = self._new_id(session_id)
        for block in prompt:
            content = block.model_dump(mode="json", by_alias=True, exclude_none=True)
            self._remember(session_id, _chunk("user_message_chunk", message_id, content))
        try:
            await self._answer(session_id, prompt[0].text.split(), cancelled)
        finally:
            self._store(session_id)
        return PromptResponse(stop_reason="cancelled" if cancelled.is_set() else "end_turn")

    async def _answer(self, session_id: str, words: list[str], cancelled: asyncio.Event) -> None:
        await self._say("agent_thought_chunk", session_id, "Let me see.")
        for word in words:
            if word == "edit":
                await self._edit(session_id)
            elif word == "wait":
                await self._say("agent_message_chunk", session_id, "I wait.")
                await cancelled.wait()
            if cancelled.is_set():
                return
        await self._say("agent_message_chunk", session_id, "All ", "is ", "done.")
        title = f"About {words[0]}" if words else None
        await self._tell(session_id, {"sessionUpdate": "session_info_update", "title": title})

    async def _edit(self, session_id: str) -> None:
        """A tool call that the user has to allow."""
        call = {"toolCallId": self._new_id(session_id), "title": "Edit notes.txt"}
        await self._tell(session_id, {"sessionUpdate": "tool_call", "kind": "edit", **call})
        asked = ToolCallUpdate.model_validate(call)
        outcome = (await self._client.request_permission(session_id, asked, OPTIONS)).outcome
        allowed = outcome.outcome == "selected" and outcome.option_id == "yes"
        text = {"type": "text", "text": "edited" if allowed else "not allowed"}
        end = {
            "status": "completed" if allowed else "failed",
            "content": [{"type": "content", "content": text}],
        }
        await self._tell(session_id, {"sessionUpdate": "tool_call_update", **call, **end})

    async def _say(self, kind: str, session_id: str, *pieces: str) -> None:
        message_id = self._new_id(session_id)
        for piece in pieces:
            content = {"type": "text", "text": piece}
            await self._tell(session_id, _chunk(kind, message_id, content))

    async def _tell(self, session_id: str, update: dict[str, Any]) -> None:
        """Remember it, and send it: whatever the client sees can be told again."""
        self._remember(session_id, update)
        await self._send(session_id, update)

    def _remember(self, session_id: str, update: dict[str, Any]) -> None:
        self._sessions[session_id], _ = apply_update(self._sessions[session_id], update)

    async def _send(self, session_id: str, update: dict[str, Any]) -> None:
        # The SDK leaves out null, so that nothing is cleared which an older copy may hold.
        message = SessionNotification.model_validate({"sessionId": session_id, "update": update})
        await self._client.session_update(session_id, message.update)

    def _new_id(self, session_id: str) -> str:
        return f"id_{len(self._sessions[session_id].timeline)}"

    def _stored(self) -> dict[str, Path]:
        return {path.stem: path for path in self._folder.glob("*.json")}

    def _restored(self, session_id: str) -> Session:
        path = self._stored().get(session_id)  # looked up: an id of the client's is no path
        if path is None:
            raise RequestError.resource_not_found(session_id)
        return restore(json.loads(path.read_text("utf-8")), Session)

    def _store(self, session_id: str) -> None:
        """Write the file at once or not at all, for those who read it meanwhile."""
        written = self._folder / f"{session_id}.written"
        written.write_text(json.dumps(snapshot(self._sessions[session_id])), "utf-8")
        written.replace(self._folder / f"{session_id}.json")


def _chunk(kind: str, message_id: str, content: dict[str, Any]) -> dict[str, Any]:
    return {"sessionUpdate": kind, "messageId": message_id, "content": content}


if __name__ == "__main__":
    match sys.argv[1:]:
        case [folder] if not folder.startswith("-"):
            asyncio.run(run_agent(RememberingAgent(Path(folder))))
        case _:
            sys.stderr.write("usage: python remembering_agent.py FOLDER\n")
            sys.exit(2)
