"""The example client on the official SDK, against a real agent process on that SDK as well."""

import asyncio
import contextlib
import io
import os
import subprocess
import sys
from pathlib import Path

import attrs
import pytest
from example_runs import AGENT, EXAMPLES, drives, load, quiet_host

import acp_state
from acp_state import Session, apply_update

acp = pytest.importorskip("acp", reason="the example is made on agent-client-protocol")

example = load("sdk_client.py")

STDERR_IS_OURS = {"stderr": None}


class Driven(example.StateClient):
    """The client with a user who answers when the test says so."""

    def __init__(self):
        super().__init__()
        self.answers = asyncio.Queue()
        self.asking = asyncio.Event()

    async def ask(self, wanted):
        assert wanted.tool_call.title == "Edit notes.txt"
        self.asking.set()
        return await self.answers.get()

    @property
    def session(self):
        return self.connection.sessions["sess_1"]


@contextlib.asynccontextmanager
async def session(cwd, client, ends_with=0):
    """The agent of a new session, and what to ask it."""
    running = acp.spawn_agent_process(
        client, *AGENT, transport_kwargs=STDERR_IS_OURS, observers=[client.observe]
    )
    async with running as (agent, process):
        await agent.initialize(1)
        await agent.new_session(cwd=str(cwd), mcp_servers=[])

        async def prompt(text):
            return await agent.prompt("sess_1", [acp.text_block(text)])

        yield agent, prompt
    assert process.returncode == ends_with
    client.feed(acp_state.events.Disconnected())


def history(of):
    """What a session holds that has nothing to do with who the client is."""
    return (of.timeline, of.turns, of.permissions, of.plan, of.usage, of.cwd, of.readiness)


@drives
async def test_the_state_is_the_one_that_the_host_has(tmp_path):
    client = Driven()
    client.answers.put_nowait("yes")
    async with session(tmp_path, client) as (_, prompt):
        assert (await prompt("hello")).stop_reason == "end_turn"
        assert client.session.turns[0].outcome == "ended"
        assert (await prompt("edit")).stop_reason == "end_turn"

    host = quiet_host()
    await host.start(*AGENT)
    await host.new_session(str(tmp_path))
    await host.prompt("sess_1", "hello")
    await host.prompt("sess_1", "edit")
    assert await host.close() == 0
    assert history(client.session) == history(host.connection.sessions["sess_1"])


@drives
async def test_a_cancel_withdraws_the_question_and_the_sdk_answers_it(tmp_path):
    client, told = Driven(), io.StringIO()
    async with session(tmp_path, client) as (agent, prompt):
        prompting = asyncio.create_task(prompt("edit"))
        await client.asking.wait()
        assert len(client.session.pending_permissions) == 1
        with contextlib.redirect_stderr(told):
            await agent.cancel("sess_1")
            assert client.session.permissions[0].outcome == "cancelled"
            assert (await prompting).stop_reason == "cancelled"
        assert len(client.connection.settled_by_client) == 0
    assert client.session.turns[0].ended_as_cancelled
    assert client.session.tool_calls["edit_1"].effective_status == "cancelled"
    assert client._asking == {}
    assert told.getvalue() == ""


@drives
async def test_a_user_without_an_answer_cancels_the_question(tmp_path):
    client = Driven()
    client.answers.put_nowait(None)
    async with session(tmp_path, client) as (_, prompt):
        await prompt("edit")
    assert client.session.permissions[0].outcome == "cancelled"
    assert client.session.tool_calls["edit_1"].status == "pending"


@drives
async def test_an_agent_that_dies_leaves_its_turn_interrupted(tmp_path):
    client = Driven()
    async with session(tmp_path, client, ends_with=3) as (_, prompt):
        with pytest.raises(ConnectionError):
            await prompt("die")
    assert client.session.turns[0].outcome == "interrupted"
    assert client.session.messages[-1].text == "I d"


class UpdatesAlone(example.StateClient):
    """Without an observer: each update as the SDK hands it over, folded into its session."""

    def __init__(self):
        super().__init__()
        self.folded = Session("sess_1")

    async def session_update(self, session_id, update, **_):
        assert session_id == "sess_1"
        raw = update.model_dump(mode="json", by_alias=True, exclude_unset=True)
        self.folded, told = apply_update(self.folded, raw)
        assert told == ()


@drives
async def test_updates_can_be_folded_alone(tmp_path):
    client = UpdatesAlone()
    async with session(tmp_path, client) as (_, prompt):
        await prompt("hello")
    [thought, answer] = client.folded.timeline
    observed = client.connection.sessions["sess_1"]
    assert [thought, answer] == [attrs.evolve(each, turn=None) for each in observed.timeline[1:]]
    assert (client.folded.plan, client.folded.usage) == (observed.plan, observed.usage)


def test_the_command_shows_the_conversation(tmp_path):
    package = str(Path(acp_state.__file__).parents[1])
    environment = {**os.environ, "PYTHONPATH": package, "PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, "-W", "error", str(EXAMPLES / "sdk_client.py"), "--", *AGENT]
    done = subprocess.run(  # noqa: S603 - our own client and agent
        command,
        input="hello\nedit this\n1\nread notes.txt\n",
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "Method not found\n")
    assert done.stdout.splitlines() == [
        "",
        "The agent asks for permission: <tool call 'edit_2': edit, pending 'Edit notes.txt'>",
        "  1 'Allow'",
        "  2 'Reject'",
        "Number, or nothing to cancel: user: hello",
        "thought: Let me see.",
        "agent: All is done.",
        "user: edit this",
        "thought: Let me see.",
        "tool: Edit notes.txt (completed)",
        "agent: All is done.",
        "user: read notes.txt",
        "thought: Let me see.",
        "plan: Do it (in_progress)",
        "turn: end_turn",
        "turn: end_turn",
        "turn: failed",
    ]
