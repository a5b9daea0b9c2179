"""A small agent on the official Python SDK, for trying hosts: what you say is what it does.

Each prompt gets a thought, a plan, an answer in pieces and its usage. Of its words, in between,
`edit` makes a tool call that asks for permission, `read PATH` and `write PATH` use the client's
files, `wait` waits to be cancelled, and `die` ends the process at once.

`python agent.py [--store FILE]`: sessions are kept in FILE, so that another process can load them.
"""

import argparse
import asyncio
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from acp import run_agent
from acp.exceptions import RequestError
from acp.helpers import (
    plan_entry,
    start_tool_call,
    text_block,
    tool_content,
    update_agent_message_text,
    update_agent_thought_text,
    update_plan,
    update_tool_call,
    update_user_message,
)
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
    Usage,
    UsageUpdate,
)

OPTIONS = [
    PermissionOption(option_id="yes", name="Allow", kind="allow_once"),
    PermissionOption(option_id="no", name="Reject", kind="reject_once"),
]


class Session:
    """What was said in a session, as notifications in JSON, and whether its turn is cancelled."""

    def __init__(self, history: list[dict[str, Any]]) -> None:
        self.history = history
        updates = (each["update"]["sessionUpdate"] for each in history)
        self.turns = sum(update == "user_message_chunk" for update in updates)
        self.cancelled = asyncio.Event()


class ExampleAgent:
    """The agent; the SDK answers methods that are not here with -32601."""

    def __init__(self, store: Path | None) -> None:
        self._client: Client
        self._store = store
        self._sessions: dict[str, Session] = {}

    def on_connect(self, client: Client) -> None:
        """The SDK tells whom to talk to."""
        self._client = client

    async def initialize(self, protocol_version: int, **_: Any) -> InitializeResponse:
        """Sessions can be loaded, and that is all."""
        return InitializeResponse(
            protocol_version=min(protocol_version, 1),
            agent_capabilities=AgentCapabilities(load_session=True),
            agent_info=Implementation(name="example-agent", version="1"),
        )

    async def new_session(self, **_: Any) -> NewSessionResponse:
        """Sessions are numbered."""
        self._sessions |= {key: held for key, held in self._stored() if key not in self._sessions}
        session_id = f"sess_{len(self._sessions) + 1}"
        self._sessions[session_id] = Session([])
        return NewSessionResponse(session_id=session_id)

    async def load_session(self, session_id: str, **_: Any) -> LoadSessionResponse:
        """Say again all that was said, the prompts included."""
        session = self._sessions.get(session_id) or dict(self._stored()).get(session_id)
        if session is None:
            raise RequestError.resource_not_found(session_id)
        self._sessions[session_id] = session
        for held in session.history:
            update = SessionNotification.model_validate(held).update
            await self._client.session_update(session_id, update)
        return LoadSessionResponse()

    async def cancel(self, session_id: str, **_: Any) -> None:
        """The turn looks at this where it waits."""
        self._sessions[session_id].cancelled.set()

    async def prompt(self, session_id: str, prompt: list[Any], **_: Any) -> PromptResponse:
        """One turn."""
        session = self._sessions[session_id]
        session.turns += 1
        session.cancelled.clear()
        said = _named(update_user_message(prompt[0]), f"user_{session.turns}")
        self._keep(session_id, said)
        try:
            await self._act(session_id, session, iter(prompt[0].text.split()))
        finally:
            self._save()
        usage = Usage(input_tokens=10, output_tokens=5, total_tokens=15)
        stop_reason = "cancelled" if session.cancelled.is_set() else "end_turn"
        return PromptResponse(stop_reason=stop_reason, usage=usage)

    async def _act(self, session_id: str, session: Session, words: Iterator[str]) -> None:
        await self._think(session_id, session)
        for word in words:
            if word == "edit":
                await self._edit(session_id, f"edit_{session.turns}")
            elif word == "read":
                path = _absolute(next(words))
                found = await self._client.read_text_file(session_id, path, 1, 1)
                await self._say(session_id, f"I read {found.content!r}. ")
            elif word == "write":
                path = _absolute(next(words))
                await self._client.write_text_file(session_id, path, "one\ntwo\nthree\n")
            elif word == "wait":
                await self._say(session_id, "I wait. ")
                await session.cancelled.wait()
            elif word == "die":
                await self._say(session_id, "I d")
                os._exit(3)
            if session.cancelled.is_set():
                return
        await self._say(session_id, "All ", "is ", "done.")
        await self._tell(session_id, UsageUpdate(session_update="usage_update", used=15, size=1000))

    async def _think(self, session_id: str, session: Session) -> None:
        thought = _named(update_agent_thought_text("Let me see."), f"thought_{session.turns}")
        await self._tell(session_id, thought)
        await self._tell(session_id, update_plan([plan_entry("Do it", status="in_progress")]))

    async def _edit(self, session_id: str, call_id: str) -> None:
        """A tool call that the user has to allow."""
        await self._tell(session_id, start_tool_call(call_id, "Edit a file", kind="edit"))
        answer = await self._client.request_permission(
            session_id, ToolCallUpdate(tool_call_id=call_id, title="Edit notes.txt"), OPTIONS
        )
        if answer.outcome.outcome == "cancelled":
            return
        allowed = answer.outcome.option_id == "yes"
        content = [tool_content(text_block("edited" if allowed else "not allowed"))]
        status = "completed" if allowed else "failed"
        title = "Edit notes.txt"  # again, since a replay has no permission requests
        end = update_tool_call(call_id, title=title, status=status, content=content)
        await self._tell(session_id, end)

    async def _say(self, session_id: str, *pieces: str) -> None:
        message_id = f"answer_{self._sessions[session_id].turns}"
        for piece in pieces:
            await self._tell(session_id, _named(update_agent_message_text(piece), message_id))

    async def _tell(self, session_id: str, update: Any) -> None:
        self._keep(session_id, update)
        await self._client.session_update(session_id, update)

    def _keep(self, session_id: str, update: Any) -> None:
        notification = SessionNotification(session_id=session_id, update=update)
        json_form = notification.model_dump(mode="json", by_alias=True, exclude_none=True)
        self._sessions[session_id].history.append(json_form)

    def _stored(self) -> Iterator[tuple[str, Session]]:
        if self._store is not None and self._store.exists():
            for session_id, history in json.loads(self._store.read_text("utf-8")).items():
                yield session_id, Session(history)

    def _save(self) -> None:
        if self._store is not None:
            held = {key: session.history for key, session in self._sessions.items()}
            self._store.write_text(json.dumps(held), "utf-8")


def _absolute(path: str) -> str:
    """The path as the protocol wants it (TOOL-12)."""
    return str(Path(path).absolute())


def _named(chunk: Any, message_id: str) -> Any:
    """The chunk as a part of that message; the SDK's helpers leave the id out."""
    chunk.message_id = message_id
    return chunk


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--store", type=Path)
    asyncio.run(run_agent(ExampleAgent(parser.parse_args().store)))
