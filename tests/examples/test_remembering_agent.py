"""The agent that keeps its sessions with the reducer, and tells them again."""

import asyncio
import contextlib
import gc
import json
import sys
from pathlib import Path

import attrs
import pytest

pytest.importorskip("acp", reason="the example agent is made on agent-client-protocol")

from host import Host

from acp_state import Received, Session, materialize, restore

AGENT = Path(__file__).parents[2] / "docs" / "examples" / "remembering_agent.py"


class Listening(Host):
    """A host that allows whatever is asked, and keeps the updates that it is sent."""

    def __init__(self):
        super().__init__()
        self.updates = []

    def feed(self, event):
        if isinstance(event, Received) and event.message.get("method") == "session/update":
            self.updates.append(event.message["params"]["update"])
        super().feed(event)

    async def ask(self, wanted):
        return wanted.permission.options[0].option_id

    def show(self, *_):
        """Nothing is printed."""


@contextlib.asynccontextmanager
async def agent(folder):
    host = Listening()
    await host.start(sys.executable, str(AGENT), str(folder))
    try:
        yield host
    finally:
        code = await host.close()
    assert code == 0


def drives(scenario):
    """Run a test's coroutine; whatever it leaves open warns, and warnings are errors."""

    def test(tmp_path):
        asyncio.run(asyncio.wait_for(scenario(tmp_path), timeout=60))
        gc.collect()

    test.__name__ = test.__qualname__ = scenario.__name__
    return test


def texts(session):
    return [getattr(entry, "text", entry) for entry in session.timeline]


@drives
async def test_a_load_is_answered_by_what_is_kept_in_as_few_updates_as_it_takes(tmp_path):
    async with agent(tmp_path) as first:
        session_id = await first.new_session(str(tmp_path))
        await first.prompt(session_id, "edit")
        kept = restore(json.loads((tmp_path / "sess_1.json").read_text("utf-8")), Session)
        live = first.connection.sessions[session_id]
        first.updates.clear()
        await first.load(session_id, str(tmp_path))
        told = [{k: v for k, v in each.items() if v is not None} for each in materialize(kept)]
        assert first.updates == told  # the SDK leaves out what is null
        loaded = first.connection.sessions[session_id]
    assert texts(loaded) == texts(live) == ["edit", "Let me see.", live.timeline[2], "All is done."]
    assert texts(kept) == [
        *texts(live)[:2],
        attrs.evolve(live.timeline[2], turn=None),
        texts(live)[3],
    ]
    assert [update["sessionUpdate"] for update in first.updates] == [
        "user_message_chunk",
        "agent_thought_chunk",
        "tool_call",
        "agent_message_chunk",
        "session_info_update",
    ]
    assert (kept.cwd, kept.title) == (str(tmp_path), "About edit")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["sess_1.json"]


@drives
async def test_another_process_tells_the_same(tmp_path):
    async with agent(tmp_path) as first:
        for _ in range(2):
            await first.new_session(str(tmp_path))
        await first.prompt("sess_1", "hello")
        await first.prompt("sess_2", "edit")
        await first.load("sess_2", str(tmp_path))
    async with agent(tmp_path) as second:
        assert await second.new_session(str(tmp_path)) == "sess_3"
        for session_id in ("sess_1", "sess_2"):
            await second.load(session_id, str(tmp_path))
        assert second.updates[-5:] == first.updates[-5:]
        for session_id, said in (("sess_1", "hello"), ("sess_2", "edit")):
            session = second.connection.sessions[session_id]
            assert (session.timeline[0].text, session.title) == (said, f"About {said}")
        turn = await second.prompt("sess_1", "again")
        assert turn.stop_reason == "end_turn"
        assert texts(second.connection.sessions["sess_1"])[3:] == [
            "again",
            "Let me see.",
            "All is done.",
        ]


@drives
async def test_an_id_of_the_clients_is_no_path(tmp_path):
    folder = tmp_path / "kept"
    folder.mkdir()
    (tmp_path / "foreign.json").write_text("{}", "utf-8")
    async with agent(folder) as host:
        for session_id in ("../foreign", "sess_9"):
            with pytest.raises(ConnectionError, match="Resource not found"):
                await host.load(session_id, str(tmp_path))
