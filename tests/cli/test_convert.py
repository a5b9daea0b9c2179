"""``acp-state convert``."""

import json
import sys

import pytest
from shared import EXAMPLE

from acp_state.recording.forms import FORMS


@pytest.mark.parametrize("form", FORMS)
def test_every_form_leads_to_the_same_state(run, form, tmp_path):
    path = tmp_path / "other"
    assert run("convert", EXAMPLE, "--to", form, "-o", path).stdout == ""
    assert run("replay", "--json", path).stdout == run("replay", "--json", EXAMPLE).stdout


def test_our_own_form_is_what_it_was(run):
    lines = [json.loads(line) for line in EXAMPLE.read_text(encoding="utf-8").splitlines()]
    for option in ([], ["--json"], ["--to", "recording"]):
        result = run("convert", EXAMPLE, *option)
        assert [json.loads(line) for line in result.stdout.splitlines()] == lines


def test_what_is_no_message_is_left_out(run):
    """And told, but for what a log holds beside messages."""
    message = '{"from": "agent", "message": {"jsonrpc": "2.0", "method": "$/x"}}\n'
    result = run("convert", "-", stdin=b"no\n" + message.encode() + b"5\n")
    assert (result.exit_code, result.stdout) == (0, message)
    assert result.stderr == "2 lines hold no message: see acp-state check <stdin>\n"
    logged = b'no\n<-- {"jsonrpc": "2.0", "method": "$/x"}\n'
    result = run("convert", "-", stdin=logged)
    assert (result.exit_code, result.stdout) == (0, message)
    assert "hold" not in result.stderr


def test_halves_of_characters_stay(run):
    stdin = b'{"jsonrpc": "2.0", "method": "\\ud83d"}\n'
    assert '"\\ud83d"' in run("convert", "-", stdin=stdin).stdout


def test_other_words(run, recording):
    recording.session("sess_ada")
    recording.say("Hello, Ada")
    path = recording.write()
    first = run("convert", path, "--anonymise").stdout
    assert "ada" not in first.lower()
    assert '"Xxxxx, Xxx"' in first
    assert run("convert", path, "--anonymise").stdout == first
    assert run("convert", path, "--anonymise", "--salt", "x").stdout != first


@pytest.mark.parametrize("salt", ["", "x"])
def test_a_salt_alone_hides_nothing_and_is_refused(run, tmp_path, salt):
    result = run("convert", EXAMPLE, "--salt", salt, "-o", tmp_path / "out")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.endswith("\nError: --salt goes with --anonymise\n")
    assert list(tmp_path.iterdir()) == []


def test_what_is_nested_too_deeply_is_not_anonymised(run, recording):
    """How deep that is differs between Pythons; here it is deeper than this one's stack."""
    deep = "[" * 900 + "]" * 900
    line = f'{{"jsonrpc": "2.0", "method": "$/x", "params": {deep}}}\n'.encode()
    path = recording.write(line)
    assert run("convert", path).exit_code == 0
    held = sys.getrecursionlimit()
    sys.setrecursionlimit(800)
    try:
        result = run("convert", path, "--anonymise")
    finally:
        sys.setrecursionlimit(held)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "the message of line 1 is nested too deeply" in result.stderr
    assert run("stats", path).exit_code == 0
