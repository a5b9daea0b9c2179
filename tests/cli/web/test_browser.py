"""The page in a real browser: it draws, goes through time, and runs nothing of a stranger's."""

import shutil
import subprocess
import sys
from itertools import product

import pytest
from hostile import lines
from shared import EXAMPLE

webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
pytestmark = pytest.mark.skipif(
    CHROMIUM is None or DRIVER is None, reason="chromium and chromedriver are not installed"
)

FLAGS = [
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
]


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    service = webdriver.ChromeService(DRIVER)
    with webdriver.Chrome(options=options, service=service) as opened:
        yield opened


@pytest.fixture
def opened(browser, tmp_path):
    """Open the page of a recording; gives what runs a script in it."""

    def opened(trace):
        path = tmp_path / "page.html"
        command = [sys.executable, "-m", "acp_state.cli", "show", str(trace), "--html", str(path)]
        subprocess.run(command, check=True, capture_output=True)  # noqa: S603 - our own command
        browser.get(path.as_uri())
        return browser.execute_script

    return opened


def test_it_draws_the_conversation(opened):
    ask = opened(EXAMPLE)
    text = ask("return document.querySelector('main').textContent")
    for shown in ("Midnight on the clock", "Plan: 3 of 3 done", "Turn 1", "allow_always"):
        assert shown in text
    assert ask("return document.querySelectorAll('svg.chart').length") == 1
    assert "57 of 57" in ask("return document.querySelector('#where').innerText")


def test_going_back_is_never_having_come(opened):
    """From each point to each other the page looks as it would have, drawn once."""
    ask = opened(EXAMPLE)
    script = "goTo(arguments[0]); return document.querySelector('main').innerHTML"
    ask("goTo(0)")
    points = (0, 1, 8, 20, 24, 30, 45, 57)
    once = {at: ask(script, at) for at in points}
    assert len(set(once.values())) >= len(points) - 1
    for start, end in product(points, points):
        ask(script, start)
        assert ask(script, end) == once[end]


def test_keys_and_the_slider(opened, browser):
    ask = opened(EXAMPLE)
    body = browser.find_element("tag name", "body")
    where = "return document.querySelector('#where').innerText.split(' ')[0]"
    seen = []
    for key in (",", ",", ".", "[", "p", "n", "]"):
        body.send_keys(key)
        seen.append(ask(where))
    assert seen == ["56", "55", "56", "7", "7", "32", "57"]
    browser.find_element("id", "slider").send_keys(webdriver.Keys.HOME)
    assert ask(where) == "before"
    ask("document.querySelector('#forward').click()")
    assert ask(where) == "1"


def test_the_raw_message_on_click(opened):
    ask = opened(EXAMPLE)
    ask("document.querySelector('article.tool .number').click()")
    assert '"toolCallId": "call_1"' in ask("return document.querySelector('#raw-text').textContent")
    ask("document.querySelector('#raw-back').click()")
    assert ask("return document.querySelector('#raw-title').innerText").startswith("16 of 57")
    ask("document.querySelector('#raw-go').click()")
    assert ask("return document.querySelector('#where').innerText").startswith("16 of 57")


def test_nothing_of_a_stranger_runs(opened, browser, tmp_path):
    trace = tmp_path / "trace.jsonl"
    trace.write_bytes(b"".join(lines()))
    ask = opened(trace)
    ask("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    ask("document.querySelectorAll('main a, main button').forEach((each) => each.focus())")
    for at in (*range(0, 30, 3), 100):
        ask("goTo(arguments[0])", at)
    assert ask("return window.ran ?? null") is None
    assert ask("return [...document.querySelectorAll('a')].map((each) => each.protocol)") == [
        "https:"
    ]
    assert ask("return document.querySelectorAll('main script, main img, main iframe').length") == 0
    text = ask("return document.querySelector('main').textContent")
    assert not set(text) & set("\x00\x1b\u202e\u2066")
    assert "\\u202egnirts" in text
    assert browser.get_log("browser") == []
