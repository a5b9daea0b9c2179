"""``acp-state diff``."""

import json

import pytest
from shared import EXAMPLE, SHARED, needs_shared


@pytest.fixture
def trace(recording):
    recording.session()
    recording.prompt("Go")
    recording.say("Hel")
    recording.say("lo\x1b[2J")
    recording.update("session_info_update", title="New")
    return recording.write()


def test_two_points_of_one(run, trace):
    result = run("diff", trace, "--at", 6)
    assert result.exit_code == 1
    assert result.stdout.splitlines() == [
        "~ session s1",
        "    ~ title: None -> New",
        "    ~ entries[1] <agent message: 'Hello\\x1b[2J'> appended 'lo\\x1b[2J'",
    ]


def test_backwards(run, trace):
    lines = run("diff", trace, "--to", 5).stdout.splitlines()
    assert lines[1:] == [
        "    ~ title: New -> None",
        "    - entries[1] <agent message: 'Hello\\x1b[2J'>",
    ]


def test_from_the_beginning(run, trace):
    found = json.loads(run("diff", trace, "--at", 0, "--json").stdout)
    [session] = found["sessions"]
    assert (session["sessionId"], session["change"]) == ("s1", "new")
    assert [(e["at"], e["change"]) for e in session["entries"]] == [(0, "new"), (1, "new")]
    assert [request["after"] for request in found["client_requests"]] != []


def test_no_difference(run, trace):
    result = run("diff", trace, trace)
    assert (result.exit_code, result.stdout) == (0, "")
    assert run("diff", trace, "--at", 8, "--to", 8).exit_code == 0


def test_json_of_an_appended_text(run, trace):
    found = json.loads(run("diff", trace, "--at", 6, "--to", 7, "--json").stdout)
    [session] = found["sessions"]
    assert session["entries"] == [
        {
            "at": 1,
            "change": "changed",
            "before": "<agent message: 'Hel'>",
            "after": "<agent message: 'Hello\\x1b[2J'>",
            "fields": ["chunks"],
            "appended": "lo\x1b[2J",
        }
    ]


def test_sessions_with_other_ids_are_paired_in_order(run, recording, tmp_path):
    recording.session("a")
    recording.update("session_info_update", "a", title="one")
    first = tmp_path / "first"
    first.write_bytes(b"".join(recording.lines()).replace(b'"a"', b'"b"'))
    assert run("diff", first, recording.write()).stdout == ""
    recording.session("c")
    lines = run("diff", first, recording.write()).stdout.splitlines()
    assert lines[0] == "+ session c"


def test_two_points_of_two(run, trace, tmp_path):
    other = tmp_path / "other"
    other.write_bytes(trace.read_bytes())
    assert run("diff", trace, other, "--at", 6, "--to", 6).exit_code == 0
    assert run("diff", trace, other, "--at", 6, "--to", 7).exit_code == 1
    assert run("diff", trace, other, "--at", 0, "--to", 0).exit_code == 0


def test_what_cannot_be_compared(run, trace):
    assert "needs --at N, --to M" in run("diff", trace).stderr
    assert run("diff", trace).exit_code == 2
    assert "there is no message 9: " in run("diff", trace, "--at", 9).stderr
    assert run("diff", trace, trace, "--at", 9).exit_code == 2


@needs_shared
@pytest.mark.parametrize("path", [EXAMPLE, *sorted(SHARED.glob("traces/*.jsonl"))[::7]])
def test_every_recording_can_be_told(run, path):
    assert run("diff", path, "--at", 0, "--json").exit_code == 1
    assert run("diff", path, "--at", 0).exit_code == 1
