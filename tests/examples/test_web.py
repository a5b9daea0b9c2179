"""The example web page: its server with a real agent process, the page in a real browser."""

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from example_runs import AGENT, EXAMPLES, drives, load

import acp_state

pytest.importorskip("acp", reason="the example agent is made on agent-client-protocol")
websockets = pytest.importorskip("websockets", reason="the example's server is made on websockets")

BROWSER, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--window-size=900,760",
]
PATIENCE = 30
"""Seconds; nothing waits so long unless it is broken."""


@contextlib.contextmanager
def serving(cwd, complains=""):
    """The URL of a server with an agent of its own, which ends having said nothing else."""
    server = subprocess.Popen(  # noqa: S603 - our own server and agent
        [
            *(sys.executable, "-W", "error", str(EXAMPLES / "web" / "server.py")),
            *("--port", "0", "--", *AGENT),
        ],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(Path(acp_state.__file__).parents[1])},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    try:
        yield server.stdout.readline().strip()
    finally:
        server.terminate()
        _, complaints = server.communicate(timeout=PATIENCE)
    assert server.returncode == 0
    assert re.fullmatch(complains, complaints, re.DOTALL)


# The server, without a browser


class Page:
    """What a page does with the JSON, in Python."""

    def __init__(self, socket):
        self._socket = socket
        self.rows = []
        self.questions = {}
        self.named = {}
        self.appended = []

    async def say(self, **wish):
        await self._socket.send(json.dumps(wish))

    async def until(self, holds):
        while not holds(self):
            told = json.loads(await self._socket.recv())
            for change in told.pop("entries", ()):
                self._draw(**change)
            self.questions |= {each.pop("at"): each for each in told.pop("questions", ())}
            self.named |= told

    def _draw(self, at, draw=None, append=None, kept=None):
        if append is not None:
            self.appended.append(append)
            self.rows[at]["text"] = self.rows[at]["text"][:kept] + append
        elif draw is None:
            self.rows.pop()
        else:
            self.rows[at : at + 1] = [draw]

    @property
    def turn(self):
        return self.named.get("turn", {"running": False})

    def has_ended(self):
        return "end" in self.turn and not self.turn["running"]


@contextlib.asynccontextmanager
async def page_at(url):
    async with websockets.connect(url.replace("http", "ws") + "/socket", origin=url) as socket:
        yield Page(socket)


@drives
async def test_a_page_is_told_what_changes_and_a_late_one_all_there_is(tmp_path):
    with serving(tmp_path) as url:
        async with page_at(url) as first, page_at(url) as second:
            await first.say(prompt="hello edit")
            await second.until(lambda page: page.questions)
            assert second.questions[0]["title"] == "Edit notes.txt"
            await second.say(answer=0, option="yes")
            await first.until(Page.has_ended)
            await second.until(Page.has_ended)
            async with page_at(url) as late:
                await late.until(Page.has_ended)
    assert first.rows == [
        {"kind": "user", "head": "user", "text": "hello edit"},
        {"kind": "thought", "head": "thought", "text": "Let me see."},
        {"kind": "tool", "head": "Edit notes.txt", "status": "completed", "text": "edited"},
        {"kind": "agent", "head": "agent", "text": "All is done."},
    ]
    assert first.questions == second.questions == {0: {}}
    assert first.named == {
        "cwd": str(tmp_path),
        "turn": {"running": False, "cancelling": False, "end": "end_turn"},
        "plan": [{"content": "Do it", "status": "in_progress"}],
        "usage": {"used": 15, "size": 1000},
    }
    assert second.rows == late.rows == first.rows
    assert second.named == late.named == first.named
    assert late.appended == []


@drives
async def test_what_cannot_be_now_is_refused_and_changes_nothing(tmp_path):
    with serving(tmp_path) as url:
        async with page_at(url) as page:
            await page.say(prompt="wait")
            await page.until(lambda page: len(page.rows) == 3)
            for wish, why in [
                ({"prompt": "more"}, "TURN-03"),
                ({"answer": 0, "option": "yes"}, "index"),
                ({"cancel": True}, None),
            ]:
                page.named.pop("refused", None)
                await page.say(**wish)
                if why:
                    await page.until(lambda page: "refused" in page.named)
                    assert why in page.named["refused"]
            await page.until(Page.has_ended)
    assert [row["text"] for row in page.rows] == ["wait", "Let me see.", "I wait. "]
    assert page.turn["end"] == "cancelled"


@drives
async def test_a_question_is_answered_once(tmp_path):
    with serving(tmp_path) as url:
        async with page_at(url) as page:
            await page.say(prompt="edit")
            await page.until(lambda page: page.questions)
            await page.say(answer=0, option="no")
            await page.say(answer=0, option="yes")
            await page.until(lambda page: "refused" in page.named and page.has_ended())
    assert page.named["refused"] == "the question is settled [PERM-01]"
    assert page.rows[2]["status"] == "failed"


@drives
async def test_a_page_from_elsewhere_gets_no_socket(tmp_path):
    with serving(tmp_path, complains="(opening handshake failed.*)?") as url:  # by its version
        socket = url.replace("http", "ws") + "/socket"
        for origin in ("http://evil.example", None):
            with pytest.raises(websockets.InvalidStatus, match="403"):
                await websockets.connect(socket, origin=origin)


def update(kind, **fields):
    return {"sessionUpdate": kind, **fields}


def said(text):
    return update("agent_message_chunk", content={"type": "text", "text": text})


def drawn_of(*updates):
    """The entries of the JSON that tells what the last update changes."""
    before, after = None, acp_state.Session("sess_1")
    for each in updates:
        before, (after, _) = after, acp_state.apply_update(after, each)
    found = acp_state.changes(before, after)
    return json.loads(json.dumps(load("web/server.py").as_json(found, after)))["entries"]


def test_half_a_character_is_replaced_by_the_whole_one():
    assert drawn_of(said("Done \ud83d")) == [
        {"at": 0, "draw": {"kind": "agent", "head": "agent", "text": "Done \ufffd"}}
    ]
    assert drawn_of(said("Done \ud83d"), said("\ude80!")) == [
        {"at": 0, "kept": -1, "append": "\U0001f680!"}
    ]


def test_whatever_a_tool_made_is_shown():
    content = [
        {"type": "content", "content": {"type": "text", "text": "found it"}},
        {"type": "diff", "path": "/a.txt", "newText": "a"},
        {"type": "terminal", "terminalId": "t1"},
    ]
    [row] = drawn_of(update("tool_call", toolCallId="c1", title="Look", content=content))
    assert row["draw"] == {
        "kind": "tool",
        "head": "Look",
        "status": "pending",
        "text": "found it\nchanges /a.txt\nTerminal(terminal_id='t1', meta=OMITTED)",
    }


def test_an_entry_that_the_page_does_not_know_is_drawn_anew():
    started = update("compaction_update", compactionId="k1", status="in_progress")
    chunk = {"type": "text", "text": "short"}
    grown = update("compaction_summary_chunk", compactionId="k1", content=chunk)
    [row] = drawn_of(started, grown)
    assert (row["at"], row["draw"]["kind"], row["draw"]["head"]) == (0, "other", "Compaction")


# The page, in a browser


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    selenium = pytest.importorskip("selenium.webdriver", reason="the browser is driven by selenium")
    if BROWSER is None or DRIVER is None:
        pytest.skip("no chromium here: apt-get install chromium chromium-driver")
    options = selenium.ChromeOptions()
    options.binary_location = BROWSER
    for flag in [*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"]:
        options.add_argument(flag)
    driver = selenium.Chrome(options, selenium.ChromeService(DRIVER))
    yield driver
    driver.quit()


@pytest.fixture
def page(browser, tmp_path):
    with serving(tmp_path) as url:
        shown = Shown(browser)
        shown.open(url)
        yield shown
        browser.get("about:blank")


class Shown:
    """The page as a user sees and uses it."""

    def __init__(self, browser):
        self.browser = browser

    def open(self, url):
        self.browser.get(url)
        self.until("state", "ready")

    def run(self, script, *arguments):
        return self.browser.execute_script(script, *arguments)

    def text(self, element_id):
        return self.run("return document.getElementById(arguments[0]).innerText", element_id)

    def until(self, element_id, text):
        """Wait until the element shows the text."""
        self.browser.execute_async_script(WAIT, element_id, text)

    def say(self, text):
        self.browser.find_element("id", "prompt").send_keys(text)
        self.browser.find_element("id", "send").click()

    def click(self, name):
        self.browser.find_element("xpath", f"//button[text()='{name}']").click()

    def entries(self):
        return self.run(
            "return Array.from(document.querySelectorAll('.entry'),"
            " (row) => [row.className.trim(), row.querySelector('.text').textContent])"
        )


WAIT = """
const [id, text, done] = arguments;
const holds = () => document.getElementById(id).innerText.includes(text);
if (holds()) done();
else new MutationObserver((_, observer) => {
  if (holds()) { observer.disconnect(); done(); }
}).observe(document.body, { subtree: true, childList: true, characterData: true });
"""


def test_the_conversation_is_shown_and_permission_is_asked(page):
    page.say("please edit")
    page.until("questions", "Edit notes.txt")
    assert page.text("state") == "working"
    page.click("Reject")
    page.until("state", "end_turn")
    assert page.text("questions") == ""
    assert page.entries() == [
        ["entry user", "please edit"],
        ["entry thought", "Let me see."],
        ["entry tool failed", "not allowed"],
        ["entry agent", "All is done."],
    ]
    assert page.text("plan") == "▸ Do it"
    assert page.text("usage") == "15 of 1000 tokens"


def test_only_what_is_new_is_written(page, tmp_path):
    (tmp_path / "notes.txt").write_text("one\ntwo\n", "utf-8")
    page.say("read notes.txt edit")
    page.until("questions", "Edit notes.txt")
    assert page.entries()[2:] == [
        ["entry agent", "I read 'one'. "],
        ["entry tool pending", ""],
    ]
    page.run("window.kept = document.querySelector('.agent .text').firstChild")
    page.click("Allow")
    page.until("state", "end_turn")
    assert page.entries()[2:] == [
        ["entry agent", "I read 'one'. All is done."],
        ["entry tool completed", "edited"],
    ]
    assert page.run("return document.querySelector('.agent .text').firstChild === window.kept")


def test_a_turn_is_cancelled(page):
    page.say("wait")
    page.until("log", "I wait.")
    page.click("Cancel")
    page.until("state", "cancelled")
    page.say("hello")
    page.until("state", "end_turn")
    assert page.entries()[-1] == ["entry agent", "All is done."]


def test_text_is_never_taken_for_html(page):
    evil = "<img src=x onerror='window.hacked = 1'></div><script>window.hacked = 1</script>&amp;"
    page.say(evil)
    page.until("state", "end_turn")
    assert page.entries()[0] == ["entry user", evil]
    found = "return [document.querySelectorAll('main img, main script').length, window.hacked]"
    assert page.run(found) == [0, None]


def test_the_page_draws_what_it_is_told(page):
    first = {"kind": "agent", "head": "agent", "text": "Done \ufffd"}
    page.run("draw.entries(arguments[0])", [{"at": 0, "draw": first}])
    page.run("draw.entries(arguments[0])", [{"at": 0, "kept": -1, "append": "\U0001f680!"}])
    assert page.entries() == [["entry agent", "Done \U0001f680!"]]
    page.run("draw.entries(arguments[0])", [{"at": 0}])
    assert page.entries() == []


def test_a_page_that_is_opened_later_shows_the_same(page):
    page.say("hello")
    page.until("state", "end_turn")
    page.say("edit")
    page.until("questions", "Edit notes.txt")
    shown = page.run("return document.body.innerText"), page.entries()
    page.browser.refresh()
    page.until("questions", "Edit notes.txt")
    assert (page.run("return document.body.innerText"), page.entries()) == shown
    page.click("Allow")
    page.until("state", "end_turn")


def test_what_was_said_can_be_read_after_the_agent_has_gone(page):
    page.say("die")
    page.until("state", "the agent has gone")
    page.browser.refresh()
    page.until("state", "the agent has gone")
    assert page.entries()[-1] == ["entry agent", "I d"]
    page.say("hello")
    page.until("refused", "CONN-01")
