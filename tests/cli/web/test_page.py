"""``acp-state show``: one page that loads nothing, whatever stands in the recording."""

import json
import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser

import pytest
from hostile import lines
from shared import EXAMPLE, SHARED, needs_shared


class Seen(HTMLParser):
    """The elements of a page, and the text of its scripts and styles."""

    def __init__(self, page):
        super().__init__()
        self.elements, self.texts = [], []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data):
        if self.cdata_elem is not None:
            self.texts.append((*self.elements[-1], data))


@pytest.fixture
def page(run, tmp_path):
    def page(trace):
        path = tmp_path / "page.html"
        result = run("show", trace, "--html", path)
        assert (result.exit_code, result.stdout) == (0, "")
        return path.read_text(encoding="utf-8")

    return page


@pytest.fixture
def hostile(page, tmp_path):
    trace = tmp_path / "<script>x<img onerror=x>.jsonl"
    trace.write_bytes(b"".join(lines()))
    return page(trace)


def test_without_a_page_it_is_replay(run):
    for options in ([], ["--json"], ["--at", 9], ["--full"]):
        assert run("show", EXAMPLE, *options).stdout == run("replay", EXAMPLE, *options).stdout


def test_a_page_takes_no_other_options(run, tmp_path):
    result = run("show", EXAMPLE, "--html", tmp_path / "x", "--full")
    assert (result.exit_code, result.stdout) == (2, "")


def test_a_page_cannot_be_written(run, tmp_path):
    assert run("show", EXAMPLE, "--html", tmp_path / "none" / "x").exit_code == 2


def test_nothing_is_loaded_and_nothing_else_runs(page):
    seen = Seen(page(EXAMPLE))
    [policy] = [a["content"] for _, a in seen.elements if a.get("http-equiv")]
    hashes = {
        tag: f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"
        for tag, attributes, text in seen.texts
        if "type" not in attributes
    }
    assert policy == (
        f"default-src 'none'; script-src '{hashes['script']}'; style-src '{hashes['style']}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    loading = {"src", "href", "srcset", "data", "action", "style"}
    assert not [a for _, a in seen.elements if a.keys() & loading]
    assert not re.search(
        r"innerHTML|outerHTML|insertAdjacent|document\.write|eval\(", str(seen.texts)
    )


def test_no_text_of_a_recording_becomes_markup(page, hostile):
    tags = [tag for tag, _ in Seen(hostile).elements]
    assert tags == [tag for tag, _ in Seen(page(EXAMPLE)).elements]
    assert "&lt;script&gt;x&lt;img onerror=x&gt;.jsonl</title>" in hostile


def test_the_raw_messages_are_what_was_recorded(page):
    raw = [text for _, a, text in Seen(page(EXAMPLE)).texts if a.get("id") == "raw"]
    recorded = EXAMPLE.read_text(encoding="utf-8").splitlines()
    assert list(map(json.loads, raw[0].split("\n"))) == [
        json.loads(line)["message"] for line in recorded
    ]


@needs_shared
def test_the_page_of_the_longest_recording_is_small(page):
    """Each change is told once: the page grows with the recording, not with its square."""
    trace = SHARED / "traces" / "codex-long.jsonl"
    assert len(page(trace)) < 2 * trace.stat().st_size
