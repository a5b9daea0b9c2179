"""The terminal client, on Textual's own test screen and printing, with real agent processes."""

import asyncio
import contextlib
import gc
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("acp", reason="the example agents are made on agent-client-protocol")
pytest.importorskip("textual", reason="the terminal client is made on Textual")

from headless import Headless, lines_of
from session_client import row, safe, status
from terminal_client import Question, Terminal
from textual.widgets import Static

import acp_state
from acp_state import Compaction, Session, ToolCall, apply_update

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
REMEMBERING = [sys.executable, str(EXAMPLES / "remembering_agent.py")]
FORGETFUL = [sys.executable, str(EXAMPLES / "agent.py")]

HELLO = ["user: hello", "thought: Let me see.", "agent: All is done."]
EDIT = [
    "user: edit",
    "thought: Let me see.",
    "[completed] Edit notes.txt\n  edited",
    "agent: All is done.",
]


class Watched(Terminal):
    """The screen, and what was drawn on it: what, at which row."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.drawn = []
        self.told = []
        self.states = [""]

    def add_row(self, text):
        self.drawn.append(("add", len(self.rows)))
        super().add_row(text)

    def grow_row(self, at, text):
        self.drawn.append(("grow", at))
        super().grow_row(at, text)

    def set_row(self, at, text):
        self.drawn.append(("set", at))
        super().set_row(at, text)

    def drop_row(self):
        self.drawn.append(("drop", len(self.rows) - 1))
        super().drop_row()

    def set_status(self, text):
        self.states.append(text)
        super().set_status(text)

    def tell(self, text):
        self.told.append(text)
        super().tell(text)

    @property
    def shown(self):
        return [str(each.content) for each in self.query("#rows Static").results(Static)]

    @property
    def state(self):
        return str(self.status.content)


class Pilot:
    """A user at the screen."""

    def __init__(self, app, pilot):
        self.app = app
        self._pilot = pilot
        self.press = pilot.press

    async def until(self, holds):
        while not holds():
            await self._pilot.pause()

    async def says(self, line):
        self.app.line.value = line
        await self.press("enter")

    async def until_status(self, text):
        await self.until(lambda: self.app.state == text)

    async def until_asked(self):
        await self.until(lambda: isinstance(self.app.focused, Question))
        return self.app.focused


@contextlib.asynccontextmanager
async def screen(command, load=None):
    app = Watched(list(map(str, command)), load)
    async with app.run_test() as pilot:
        user = Pilot(app, pilot)
        await user.until(lambda: app.state or app._exit)
        yield app, user
    assert app.client.process.returncode is not None


def drives(scenario):
    """Run a test's coroutine; whatever it leaves open warns, and warnings are errors."""

    def test(tmp_path):
        asyncio.run(asyncio.wait_for(scenario(tmp_path), timeout=60))
        gc.collect()

    test.__name__ = test.__qualname__ = scenario.__name__
    return test


# On the screen


@drives
async def test_messages_stream_and_only_what_has_changed_is_drawn(tmp_path):
    async with screen([*REMEMBERING, tmp_path]) as (app, user):
        assert app.state == "sess_1 | ready"
        await user.press(*"hello", "enter")
        await user.until_status("About hello | end_turn")
        assert app.shown == HELLO
        assert app.drawn == [("add", 0), ("add", 1), ("add", 2), ("grow", 2), ("grow", 2)]
        app.drawn.clear()
        first = list(app.rows)
        await user.says("hello")
        await user.until(lambda: len(app.rows) == 6 and app.state.endswith("end_turn"))
        assert app.shown == HELLO + HELLO
        assert app.drawn == [("add", 3), ("add", 4), ("add", 5), ("grow", 5), ("grow", 5)]
        assert app.rows[:3] == first
        app.drawn.clear()
        await user.press("ctrl+r")
        loaded = ["About hello | loading", "About hello | end_turn"]
        await user.until(lambda: app.states[-2:] == loaded)
        assert (app.shown, app.drawn) == (HELLO + HELLO, [])
        assert app.told == []


@drives
async def test_a_permission_is_asked_on_the_screen(tmp_path):
    async with screen([*REMEMBERING, tmp_path]) as (app, user):
        await user.says("edit")
        question = await user.until_asked()
        assert [str(each.prompt) for each in question.options] == [
            "[pending] Edit notes.txt",
            "Allow",
            "Reject",
        ]
        await user.press("enter")
        await user.until_status("About edit | end_turn")
        assert app.shown == EDIT
        assert app.drawn == [
            ("add", 0),
            ("add", 1),
            ("add", 2),
            ("set", 2),
            ("add", 3),
            ("grow", 3),
            ("grow", 3),
        ]
        await user.says("edit")
        await user.until_asked()
        await user.press("down", "enter")
        await user.until(lambda: len(app.rows) == 8 and app.state.endswith("end_turn"))
        assert app.shown[6] == "[failed] Edit notes.txt\n  not allowed"
        assert len(app.query(Question)) == 0


@drives
async def test_escape_cancels_a_turn_and_takes_its_question_away(tmp_path):
    async with screen([*REMEMBERING, tmp_path]) as (app, user):
        await user.says("wait")
        await user.until(lambda: len(app.rows) == 3)
        assert app.state == "sess_1 | working"
        await user.press("escape")
        await user.until_status("sess_1 | cancelled")
        assert app.shown == ["user: wait", "thought: Let me see.", "agent: I wait."]
        await user.says("edit")
        await user.until_asked()
        await user.press("escape")
        await user.until_status("sess_1 | cancelled")
        await user.until(lambda: not app.query(Question))
        assert app.shown[-1] == "[failed] Edit notes.txt\n  not allowed"
        await user.press("escape")
        assert ["CANCEL-01" in each for each in app.told] == [True]


@drives
async def test_another_session_takes_the_place_of_the_one_that_is_shown(tmp_path):
    async with screen([*REMEMBERING, tmp_path]) as (_, user):
        await user.says("hello")
        await user.until_status("About hello | end_turn")
    async with screen([*REMEMBERING, tmp_path]) as (app, user):
        assert app.state == "sess_2 | ready"
        await user.says("edit")
        await user.until_asked()
        await user.press("enter")
        await user.until_status("About edit | end_turn")
        await user.says("/load sess_1")
        await user.until_status("About hello | ready")
        assert app.shown == HELLO
        await user.says("/load sess_9")
        await user.until(lambda: app.told)
        assert app.told == ["session/load: Resource not found"]
        assert app.shown == HELLO
        await user.says("/load sess_2")
        await user.until_status("About edit | end_turn")
        assert app.shown == EDIT


@drives
async def test_the_agent_dies_in_mid_sentence(tmp_path):
    assert tmp_path
    async with screen(FORGETFUL) as (app, user):
        await user.says("die")
        await user.until_status("sess_1 | unattached | Do it (in_progress)")
        assert app.shown == ["user: die", "thought: Let me see.", "agent: I d"]
        await user.says("hello")
        assert ["CONN-01" in each for each in app.told] == [True]


def test_the_screen_closes_where_there_is_no_agent(capfd):
    @drives
    async def scenario(_):
        async with screen([sys.executable, "-c", "import os; os.write(2, b'log')"]) as (app, _):
            assert (app.return_code, app._exit) == (1, True)

    scenario(None)
    assert "log" not in capfd.readouterr().err


# Printing


def said(*lines, command, load=None, code=0):
    """What a process that has no screen prints, when it has been told these lines."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(Path(acp_state.__file__).parents[1]),
        "PYTHONIOENCODING": "utf-8",
    }
    client = [sys.executable, "-W", "error", str(EXAMPLES / "terminal_client.py")]
    chosen = ["--headless", *(["--load", load] if load else []), "--", *map(str, command)]
    done = subprocess.run(  # noqa: S603 - our own client and agent
        [*client, *chosen],
        input="".join(f"{line}\n" for line in lines),
        env=environment,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert done.returncode == code
    return done.stdout.split("\n"), done.stderr


def rows(printed):
    """What `/show` has printed."""
    first = printed.index("---")
    return printed[first + 1 : printed.index("---", first + 1)]


def test_a_fresh_process_shows_the_conversation_that_another_had(tmp_path):
    agent = [*REMEMBERING, tmp_path]
    printed, errors = said("hello", "edit", "1", "/show", command=agent)
    assert printed == [
        "",
        "-- sess_1 | ready",
        "user: hello",
        "-- sess_1 | working",
        "thought: Let me see.",
        "agent: All is done.",
        "-- About hello | working",
        "-- About hello | end_turn",
        "user: edit",
        "-- About hello | working",
        "thought: Let me see.",
        "[pending] Edit notes.txt",
        "[pending] Edit notes.txt",
        "  1 Allow",
        "  2 Reject",
        "[completed] Edit notes.txt",
        "  edited",
        "agent: All is done.",
        "-- About edit | working",
        "-- About edit | end_turn",
        "---",
        *HELLO,
        *"\n".join(EDIT).split("\n"),
        "---",
        "",
    ]
    again, more_errors = said("/show", "hello", command=agent, load="sess_1")
    assert rows(again) == rows(printed)
    assert again[-7:-1] == [
        "user: hello",
        "-- About edit | working",
        "thought: Let me see.",
        "agent: All is done.",
        "-- About hello | working",
        "-- About hello | end_turn",
    ]
    assert (errors, more_errors) == ("", "")


def test_a_session_that_is_not_known_is_told():
    _, errors = said(command=FORGETFUL, load="sess_9", code=1)
    assert "session/load" in errors
    assert "Resource not found" in errors


def test_the_error_of_a_turn_is_told(tmp_path):
    printed, errors = said(f"read {tmp_path / 'nothing.txt'}", command=FORGETFUL)
    [why] = [each for each in printed if each.startswith("the turn has failed: ")]
    assert "nothing.txt" in why
    assert errors == ""


class Printing(Headless):
    """It prints, and can be waited for."""

    def __init__(self):
        super().__init__()
        self.lines = asyncio.Queue()
        self.written = ""

    def _write(self, text):
        self.written += text

    async def until(self, text):
        while not self.written.endswith(text):
            await self._changed.wait()
            self._changed.clear()

    async def entered(self):
        while (line := await self.lines.get()) is not None:
            yield line


@drives
async def test_a_line_that_is_no_option_is_no_answer(tmp_path):
    client = Printing()
    await client.run(
        [*REMEMBERING, str(tmp_path)], None, lines_of(["edit", "3", "edit", "/cancel"])
    )
    assert "[failed] Edit notes.txt\n  not allowed" in client.written
    assert client.written.endswith("-- About edit | cancelled\n")


@drives
async def test_a_cancel_is_entered_while_the_turn_runs(tmp_path):
    client = Printing()
    running = asyncio.create_task(client.run([*REMEMBERING, str(tmp_path)], None, client.entered()))
    client.lines.put_nowait("wait")
    await client.until("agent: I wait.")
    client.lines.put_nowait("/cancel")
    client.lines.put_nowait("edit")
    await client.until("2 Reject")
    client.lines.put_nowait("/cancel")
    client.lines.put_nowait("hello")
    client.lines.put_nowait("/cancel")
    client.lines.put_nowait(None)
    await running
    printed = client.written.split("\n")
    waited = printed.index("agent: I wait.")
    assert printed[waited + 1 : waited + 4] == [
        "-- sess_1 | cancelling",
        "-- sess_1 | cancelled",
        "user: edit",
    ]
    asked = printed.index("  2 Reject")
    assert sorted(printed[asked + 1 : printed.index("user: hello")]) == [
        "  not allowed",
        "-- sess_1 | cancelled",
        "-- sess_1 | cancelling",
        "[cancelled] Edit notes.txt",
        "[failed] Edit notes.txt",
    ]


# What a row shows


def test_a_terminal_is_told_nothing_that_it_obeys():
    assert safe("\x1b[2Jred\r\u202eevil\ud800\nnext") == "\ufffd[2Jred\ufffd\ufffdevil\ufffd\nnext"


def test_each_entry_has_a_row():
    said_it, _ = apply_update(
        Session("s"),
        {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "Hi\x07"}},
    )
    assert row(said_it.timeline[0]) == "agent: Hi\ufffd"
    assert row(ToolCall(tool_call_id="t")) == "[pending] t"
    assert row(Compaction(compaction_id="c")) == str(Compaction(compaction_id="c"))


def test_the_status_tells_what_the_session_stands_at():
    session = Session("s")
    for update in (
        {"sessionUpdate": "usage_update", "used": 5, "size": 10},
        {
            "sessionUpdate": "plan",
            "entries": [{"content": "Do", "status": "pending", "priority": "low"}],
        },
    ):
        session, _ = apply_update(session, update)
    assert status(session) == "s | ready | Do (pending) | 5 of 10 tokens"


@pytest.mark.parametrize(
    "name", ["headless", "remembering_agent", "session_client", "terminal_client"]
)
def test_the_examples_are_short(name):
    assert len((EXAMPLES / f"{name}.py").read_text("utf-8").splitlines()) < 175
