"""The example host against a real agent process, made on the official Python SDK."""

import asyncio
import contextlib
import io
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import attrs
import pytest
from example_runs import AGENT, EXAMPLES, drives, load

import acp_state
from acp_state import (
    AskPermission,
    Cancel,
    Chunks,
    Diagnose,
    LocalProtocolError,
    Message,
    Permission,
    PermissionWithdrawn,
    Prompt,
    Respond,
    Send,
    SessionReady,
    ToolCall,
    TurnEnded,
)
from acp_state.schema import (
    PermissionOption,
    Plan,
    PlanEntry,
    ReadTextFileRequest,
    TextContent,
    ToolCallUpdate,
    Usage,
)
from acp_state.schema.tool_calls import Content

pytest.importorskip("acp", reason="the example agent is made on agent-client-protocol")

YES = PermissionOption(option_id="yes", name="Allow", kind="allow_once")
NO = PermissionOption(option_id="no", name="Reject", kind="reject_once")
USAGE = Usage(input_tokens=10, output_tokens=5, total_tokens=15)
KILLED = -signal.SIGKILL if hasattr(signal, "SIGKILL") else 1


class Driven(load("host.py").Host):
    """The host with a user who answers when the test says so, and remembers what it was told."""

    def __init__(self):
        super().__init__()
        self.told = []
        self.answers = asyncio.Queue()
        self.asking = asyncio.Event()
        self.withdrawn = asyncio.Event()
        self._changed = asyncio.Event()

    async def ask(self, wanted):
        assert wanted.permission.options == (YES, NO)
        self.asking.set()
        try:
            return await self.answers.get()
        except asyncio.CancelledError:
            self.withdrawn.set()
            raise

    def show(self, before, told):
        assert before is self.before
        self.before = self.connection
        self.told += told
        self._changed.set()

    async def until(self, holds):
        """Wait for a state, however many messages it takes."""
        while not holds(self.session):
            self._changed.clear()
            await self._changed.wait()

    @property
    def session(self):
        return self.connection.sessions["sess_1"]

    def sent(self):
        return [intent.message for intent in self.told if isinstance(intent, Send)]


@contextlib.asynccontextmanager
async def agent(*arguments, ends_with=0, connection=None):
    """A host of a fresh agent process, which ends in the end as it should."""
    host = Driven()
    host.connection = host.before = connection or host.connection
    await host.start(*AGENT, *arguments)
    try:
        yield host
    finally:
        code = await host.close()
        assert host.connection.phase == "closed"
    assert code == ends_with


def message(role, *texts, message_id=None, turn=0, origin="agent"):
    chunks = Chunks.of(TextContent(text=text) for text in texts)
    return Message(role=role, message_id=message_id, chunks=chunks, turn=turn, origin=origin)


def said(text, turn=0):
    return message("user", text, turn=turn, origin="local")


def thought(number, turn=0):
    return message("thought", "Let me see.", message_id=f"thought_{number}", turn=turn)


def answer(number, *texts, turn=0):
    return message("agent", *texts, message_id=f"answer_{number}", turn=turn)


def edit(number, status, *texts, cancelled=False, turn=0):
    return ToolCall(
        tool_call_id=f"edit_{number}",
        title="Edit notes.txt",
        kind="edit",
        status=status,
        content=tuple(Content(content=TextContent(text=text)) for text in texts),
        cancelled=cancelled,
        turn=turn,
    )


def asked(number, *, outcome, option_id=None, turn=0):
    """What became of the agent's question; `before` is the call as it was announced."""
    call_id = f"edit_{number}"
    return Permission(
        request_id=number - 1,
        tool_call=ToolCallUpdate(tool_call_id=call_id, title="Edit notes.txt"),
        options=(YES, NO),
        before=ToolCall(tool_call_id=call_id, title="Edit a file", kind="edit", turn=turn),
        turn=turn,
        outcome=outcome,
        option_id=option_id,
    )


def selected(request_id, option_id):
    outcome = {"outcome": "selected", "optionId": option_id}
    return {"jsonrpc": "2.0", "id": request_id, "result": {"outcome": outcome}}


def ended(turn):
    return (turn.outcome, turn.stop_reason, turn.error, turn.usage, turn.cancel_requested)


FINE = ("ended", "end_turn", None, USAGE, False)
INTERRUPTED = ("interrupted", None, None, None, False)


@drives
async def test_a_prompt_streams_into_the_timeline_and_the_agent_ends_with_its_stdin(tmp_path):
    async with agent() as host:
        assert host.connection.phase == "ready"
        assert host.connection.agent_info.name == "example-agent"
        assert await host.new_session(str(tmp_path)) == "sess_1"
        turn = await host.prompt("sess_1", "hello")
        ready = host.session
    assert ready.readiness == "ready"
    assert host.session == attrs.evolve(ready, readiness="unattached")
    with pytest.raises(LocalProtocolError, match="CONN-01"):
        host.feed(Prompt("sess_1", (TextContent(text="more"),)))
    assert ended(turn) == FINE
    assert tuple(host.session.timeline) == (
        said("hello"),
        thought(1),
        answer(1, "All ", "is ", "done."),
    )
    assert len(host.session.timeline[2].chunks) == 3
    assert host.session.plan == Plan(entries=(
        PlanEntry(content="Do it", priority="medium", status="in_progress"),
    ))  # fmt: skip
    assert (host.session.usage.used, host.session.usage.size) == (15, 1000)
    assert [m.get("method") for m in host.sent()] == [
        "initialize",
        "session/new",
        "session/prompt",
    ]
    assert [i for i in host.told if isinstance(i, (SessionReady, TurnEnded, Diagnose))] == [
        SessionReady("sess_1", 1),
        TurnEnded(session_id="sess_1", turn=turn),
    ]


@drives
async def test_text_is_there_while_the_turn_runs(tmp_path):
    async with agent() as host:
        await host.new_session(str(tmp_path))
        prompting = asyncio.create_task(host.prompt("sess_1", "wait"))
        await host.until(lambda session: len(session.timeline) == 3)
        assert host.session.timeline[-1] == answer(1, "I wait. ")
        assert host.session.current_turn.is_running
        host.cancel("sess_1")
        assert host.session.is_cancelling
        turn = await prompting
    assert ended(turn) == ("cancelled", "cancelled", None, USAGE, True)
    assert tuple(host.session.timeline) == (said("wait"), thought(1), answer(1, "I wait. "))


@drives
async def test_a_permission_is_asked_for_and_decided(tmp_path):
    async with agent() as host:
        await host.new_session(str(tmp_path))
        prompting = asyncio.create_task(host.prompt("sess_1", "edit"))
        await host.asking.wait()
        assert host.session.timeline[-1] == edit(1, "pending")
        assert tuple(host.session.permissions) == (asked(1, outcome=None),)
        host.answers.put_nowait("yes")
        first = await prompting
        assert host.sent()[-1] == selected(0, "yes")
        host.answers.put_nowait("no")
        second = await host.prompt("sess_1", "edit")
        assert host.sent()[-1] == selected(1, "no")
    assert [ended(turn) for turn in (first, second)] == [FINE, FINE]
    assert tuple(host.session.timeline) == (
        said("edit"),
        thought(1),
        edit(1, "completed", "edited"),
        answer(1, "All ", "is ", "done."),
        said("edit", turn=1),
        thought(2, turn=1),
        edit(2, "failed", "not allowed", turn=1),
        answer(2, "All ", "is ", "done.", turn=1),
    )
    assert tuple(host.session.permissions) == (
        asked(1, outcome="selected", option_id="yes"),
        asked(2, outcome="selected", option_id="no", turn=1),
    )


@drives
async def test_cancel_withdraws_the_question_and_answers_it(tmp_path):
    async with agent() as host:
        await host.new_session(str(tmp_path))
        prompting = asyncio.create_task(host.prompt("sess_1", "edit"))
        await host.asking.wait()
        question = host.session.pending_permissions[0]
        host.told.clear()
        host.cancel("sess_1")
        cancelled = {"outcome": {"outcome": "cancelled"}}
        assert host.told == [
            Send({"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": "sess_1"}}),
            PermissionWithdrawn(session_id="sess_1", permission=question),
            Send({"jsonrpc": "2.0", "id": 0, "result": cancelled}),
        ]
        turn = await prompting
        await host.withdrawn.wait()
        with pytest.raises(LocalProtocolError, match="CANCEL-01"):
            host.feed(Cancel("sess_1"))
    assert ended(turn) == ("cancelled", "cancelled", None, USAGE, True)
    assert tuple(host.session.timeline) == (
        said("edit"),
        thought(1),
        edit(1, "pending", cancelled=True),
    )
    assert tuple(host.session.permissions) == (asked(1, outcome="cancelled"),)


@drives
async def test_whoever_gives_up_is_left_alone(tmp_path):
    async with agent() as host:
        await host.new_session(str(tmp_path))
        prompting = asyncio.create_task(host.prompt("sess_1", "wait"))
        await host.until(lambda session: len(session.timeline) == 3)
        prompting.cancel()
        host.cancel("sess_1")
        await host.until(lambda session: not session.running)
        host.feed(Prompt("sess_1", "hello"))  # and so is who does not wait at all
        await host.until(lambda session: not session.running)
        assert ended(await host.prompt("sess_1", "hello")) == FINE
    assert prompting.cancelled()
    assert [turn.outcome for turn in host.session.turns] == ["cancelled", "ended", "ended"]


@drives
async def test_what_nobody_answers_is_fed_and_not_requested(tmp_path):
    async with agent() as host:
        await host.new_session(str(tmp_path))
        prompting = asyncio.create_task(host.prompt("sess_1", "wait"))
        await host.until(lambda session: len(session.timeline) == 3)
        before = host.connection
        with pytest.raises(TypeError, match="feed it"):
            await host.request(Cancel("sess_1"))
        assert host.connection is before
        host.feed(Cancel("sess_1"))
        assert (await prompting).outcome == "cancelled"


@drives
async def test_files_are_those_of_the_session_alone(tmp_path):
    mine, foreign = tmp_path / "mine" / "notes.txt", tmp_path / "foreign.txt"
    mine.parent.mkdir()
    foreign.write_text("secret", "utf-8")
    async with agent() as host:
        await host.new_session(str(mine.parent))
        first = await host.prompt("sess_1", f"write {mine} read {mine}")
        second = await host.prompt("sess_1", f"read {foreign}")
        third = await host.prompt("sess_1", f"read {mine.parent / 'none.txt'}")
    assert mine.read_text("utf-8") == "one\ntwo\nthree\n"
    assert ended(first) == FINE
    assert host.session.timeline[2] == answer(1, "I read 'one'. ", "All ", "is ", "done.")
    wanted = ReadTextFileRequest(session_id="sess_1", path=str(mine), line=2, limit=1)
    assert host._use_file(7, wanted) == Respond(7, {"content": "two"})
    assert [turn.outcome for turn in (second, third)] == ["failed", "failed"]
    assert [m["error"]["code"] for m in host.sent() if "error" in m] == [-32603, -32603]


@drives
async def test_a_reload_doubles_and_loses_nothing(tmp_path):
    async with agent() as host:
        await host.new_session(str(tmp_path))
        host.answers.put_nowait("yes")
        await host.prompt("sess_1", "edit")
        before = host.session
        await host.load("sess_1", str(tmp_path))
        after = host.session
        turn = await host.prompt("sess_1", "hello")
    assert after.readiness == "ready"
    assert tuple(after.timeline) == (
        message("user", "edit", message_id="user_1", turn=None),
        *before.timeline[1:],
    )
    assert (after.plan, after.usage) == (before.plan, before.usage)
    assert ended(turn) == FINE
    assert tuple(host.session.timeline) == (
        *after.timeline,
        said("hello", turn=1),
        thought(2, turn=1),
        answer(2, "All ", "is ", "done.", turn=1),
    )
    assert not [intent for intent in host.told if isinstance(intent, Diagnose)]


@drives
async def test_another_process_loads_what_the_first_has_kept(tmp_path):
    store = ("--store", str(tmp_path / "store.json"))
    async with agent(*store) as first:
        await first.new_session(str(tmp_path))
        first.answers.put_nowait("yes")
        await first.prompt("sess_1", "edit")
    async with agent(*store) as second:
        await second.load("sess_1", str(tmp_path))
        with pytest.raises(ConnectionError, match="session/load"):
            await second.load("sess_9", str(tmp_path))
        assert list(second.connection.sessions) == ["sess_1"]
    assert tuple(second.session.timeline) == (
        message("user", "edit", message_id="user_1", turn=None),
        thought(1, turn=None),
        edit(1, "completed", "edited", turn=None),
        answer(1, "All ", "is ", "done.", turn=None),
    )
    assert len(second.session.turns) == 0


@drives
async def test_the_agent_is_killed_while_it_waits_for_an_answer(tmp_path):
    async with agent(ends_with=KILLED) as host:
        await host.new_session(str(tmp_path))
        prompting = asyncio.create_task(host.prompt("sess_1", "edit"))
        await host.asking.wait()
        host.told.clear()
        host.process.kill()
        turn = await prompting
        await host.withdrawn.wait()
    assert ended(turn) == INTERRUPTED
    assert host.session.readiness == "unattached"
    assert tuple(host.session.permissions) == (asked(1, outcome="dropped"),)
    assert tuple(host.session.timeline) == (said("edit"), thought(1), edit(1, "pending"))
    assert TurnEnded(session_id="sess_1", turn=turn) in host.told
    assert host.sent() == []


@drives
async def test_the_agent_dies_in_mid_sentence_and_its_successor_goes_on(tmp_path):
    store = ("--store", str(tmp_path / "store.json"))
    async with agent(*store, ends_with=3) as host:
        await host.new_session(str(tmp_path))
        await host.prompt("sess_1", "hello")
        turn = await host.prompt("sess_1", "die")
    assert ended(turn) == INTERRUPTED
    assert host.session.timeline[-1] == answer(2, "I d", turn=1)
    again = host.connection.reopened()
    async with agent(*store, connection=again) as host:
        assert host.session.timeline is again.sessions["sess_1"].timeline
        await host.load("sess_1", str(tmp_path))
        turn = await host.prompt("sess_1", "hello")
    assert ended(turn) == FINE
    texts = [entry.text for entry in host.session.timeline]
    assert texts == ["hello", "Let me see.", "All is done."] * 2
    assert [turn.outcome for turn in host.session.turns] == ["ended", "interrupted", "ended"]


@drives
async def test_what_is_no_agent_is_told_from_one(tmp_path):
    host = Driven()
    host.before = host.connection
    with pytest.raises(ConnectionError, match="initialize: the agent has gone"):
        await host.start(sys.executable, "-c", "print('Loading')")
    assert await host.close() == 0
    assert list(tmp_path.iterdir()) == []
    assert host.connection.phase == "closed"
    [found] = [intent.diagnostic for intent in host.told if isinstance(intent, Diagnose)]
    assert (found.code, found.rule) == ("invalid-message", "RPC-01")


DEAF = """
import json, sys, time
request = json.loads(sys.stdin.readline())
result = {"protocolVersion": 1}
print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)
time.sleep(600)
"""


@drives
async def test_an_agent_that_does_not_end_is_killed(tmp_path):
    host = Driven()
    host.before = host.connection
    await host.start(sys.executable, "-c", DEAF)
    asking = asyncio.create_task(host.new_session(str(tmp_path)))
    await asyncio.wait([asking], timeout=0)
    patience = 0
    closing = asyncio.create_task(host.close())
    done, _ = await asyncio.wait([closing], timeout=patience)
    if not done:
        host.process.kill()
    code = await closing
    assert code == KILLED
    with pytest.raises(ConnectionError, match="session/new: the agent has gone"):
        await asking
    assert len(host.connection.sessions) == 0


@pytest.mark.parametrize("number", range(5))
def test_the_code_of_the_guide_is_code_that_runs(number):
    guide = (EXAMPLES.parent / "host.md").read_text("utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", guide, re.DOTALL | re.MULTILINE)
    assert len(blocks) == 5
    sources = [(EXAMPLES / "host.py").read_text("utf-8"), Path(__file__).read_text("utf-8")]
    assert any(unindented(blocks[number]) in unindented(source) for source in sources)


def unindented(code):
    return "".join(f"{line.strip()}\n" for line in code.splitlines())


def test_the_example_is_as_short_as_it_says():
    assert len((EXAMPLES / "host.py").read_text("utf-8").splitlines()) < 200


# The user at stdin


def asking(call_id, *names):
    """A question with an option of each name."""
    options = tuple(PermissionOption(option_id=n.lower(), name=n, kind="allow_once") for n in names)
    permission = Permission(
        request_id=call_id, tool_call=ToolCallUpdate(tool_call_id=call_id), options=options
    )
    call = ToolCall(tool_call_id=call_id, title=call_id.title())
    return AskPermission(session_id="sess_1", permission=permission, tool_call=call)


@pytest.fixture
def says(monkeypatch):
    """Write what the user says to stdin."""
    reads, writes = os.pipe()
    with os.fdopen(reads, encoding="utf-8") as stdin, os.fdopen(writes, "w") as said:
        monkeypatch.setattr(sys, "stdin", stdin)

        def say(text):
            said.write(text)
            said.flush()

        yield say


@pytest.mark.parametrize(
    ("line", "option_id"),
    [
        ("1\n", "yes"),
        (" 2 \n", "no"),
        ("3\n", None),
        ("0\n", None),
        ("-1\n", None),
        ("yes\n", None),
        ("\n", None),
    ],
)
def test_a_number_chooses_an_option_and_any_other_line_none(says, line, option_id):
    says(line)
    chosen = asyncio.run(load("host.py").User().choose(asking("edit", "Yes", "No")))
    assert chosen == option_id


def test_the_end_of_stdin_chooses_nothing(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    assert asyncio.run(load("host.py").User().choose(asking("edit", "Yes"))) is None


def test_one_question_is_asked_at_a_time(says, capsys):
    async def scenario():
        user = load("host.py").User()
        both = [asyncio.create_task(user.choose(asking(each, "Yes"))) for each in ("one", "two")]
        await asyncio.sleep(0)
        first = capsys.readouterr().out
        says("1\n")
        assert await both[0] == "yes"
        await asyncio.sleep(0)
        second = capsys.readouterr().out
        assert ["'One'" in first, "'Two'" in first, "'Two'" in second] == [True, False, True]
        says("\n")
        assert await both[1] is None

    asyncio.run(scenario())


def test_a_line_for_a_question_that_was_withdrawn_is_the_next_prompt(says):
    async def scenario():
        user = load("host.py").User()
        question = asyncio.create_task(user.choose(asking("edit", "Yes")))
        await asyncio.sleep(0)
        question.cancel()
        await asyncio.wait([question])
        says("hello\n")
        assert await user.line() == "hello\n"
        says("more\n")
        assert await user.line() == "more\n"

    asyncio.run(scenario())


# The command


def run(cwd, said, command=AGENT):
    """The host as a process, when its user has said that."""
    package = str(Path(acp_state.__file__).parents[1])
    return subprocess.run(  # noqa: S603 - our own host and agent
        [sys.executable, "-W", "error", str(EXAMPLES / "host.py"), "--", *command],
        input=said,
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": package, "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )


def test_the_command_prints_the_conversation(tmp_path):
    done = run(tmp_path, "hello\nedit this\n1\n")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "",
        "user: hello",
        "thought: Let me see.",
        "agent: All is done.",
        "user: edit this",
        "thought: Let me see.",
        "<tool call 'edit_2': edit, pending 'Edit a file'>",
        "<tool call 'edit_2': edit, pending 'Edit notes.txt'>",
        "The agent asks for permission: <tool call 'edit_2': edit, pending 'Edit notes.txt'>",
        "  1 'Allow'",
        "  2 'Reject'",
        "Number, or nothing to cancel: ",
        "<tool call 'edit_2': edit, completed 'Edit notes.txt'>",
        "agent: All is done.",
        "",
        "<user message: 'hello'>",
        "<thought message 'thought_1': 'Let me see.'>",
        "<agent message 'answer_1': 'All is done.'>",
        "<user message: 'edit this'>",
        "<thought message 'thought_2': 'Let me see.'>",
        "<tool call 'edit_2': edit, completed 'Edit notes.txt'>",
        "<agent message 'answer_2': 'All is done.'>",
    ]


def test_the_command_tells_how_a_turn_ended_that_did_not_simply_end(tmp_path):
    done = run(tmp_path, "read nothing.txt\nhello\ndie\n")
    assert (done.returncode, done.stderr) == (0, "")
    failed, interrupted = [each for each in done.stdout.splitlines() if each.startswith("turn: ")]
    assert re.fullmatch(r"turn: failed, Error\(code=-32603, message=.*nothing\.txt.*", failed)
    assert interrupted == "turn: interrupted"


def test_the_command_reads_what_the_guide_says(tmp_path):
    """What the guide tells a reader to say, in a folder that has the file."""
    guide = (EXAMPLES.parent / "host.md").read_text("utf-8")
    [said] = re.findall(r"^Say .*`(read [^`]+)`", guide, re.MULTILINE)
    (tmp_path / said.split()[1]).write_text("# Title\n\nText.\n", "utf-8")
    done = run(tmp_path, f"{said}\n")
    assert "agent: I read '# Title'. All is done." in done.stdout.splitlines()
    assert "turn: " not in done.stdout
