"""Other words, the same shape: what is replaced, what stays, and what it leads to."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared import SHARED, needs_shared

from acp_state import Diagnose, replay_each
from acp_state.cli.anonymise import Anonymiser, masked

WORDS = st.from_regex(r"[A-Za-z0-9]{1,12}", fullmatch=True)
TEXTS = st.text(st.characters(codec=None), max_size=40)


def shape(text):
    return ["0" if c.isdecimal() and c.isascii() else "?" if c.isalnum() else c for c in text]


@given(WORDS, WORDS)
def test_two_words_never_become_one(one, other):
    hidden = Anonymiser()
    assert (hidden.words(one) == hidden.words(other)) == (one == other)
    assert hidden.words(one) != one or one in ("file", "http", "https")


@given(TEXTS)
def test_lengths_and_what_is_no_word_stay(text):
    hidden = Anonymiser().words(text)
    assert len(hidden) == len(text)
    assert [c for c in hidden if not c.isalnum()] == [c for c in text if not c.isalnum()]


@given(TEXTS, TEXTS)
def test_pieces_of_streamed_text_make_the_whole(one, other):
    assert masked(one) + masked(other) == masked(one + other)


def test_a_word_is_the_same_everywhere_and_for_ever():
    first, second = Anonymiser(), Anonymiser()
    second.words("something else before")
    path = first.words("/home/ada/clock.py")
    assert path == second.words("/home/ada/clock.py")
    assert path.split("/")[2] == second.words("ada")
    assert path != Anonymiser("salt").words("/home/ada/clock.py")


def test_a_path_and_one_below_it():
    hidden = Anonymiser()
    assert hidden.words("/home/ada/clock").startswith(hidden.words("/home/ada"))
    assert hidden.words("file:///home").startswith("file:///")


def test_what_the_protocol_defines_stays():
    update = {
        "sessionUpdate": "tool_call",
        "toolCallId": "call_ada",
        "title": "Read ada",
        "kind": "read",
        "status": "completed",
        "rawInput": {"kind": "ada", "ada": [1, True, None, "ada"]},
        "content": [{"type": "content", "content": {"type": "text", "text": "Ada 1"}}],
        "_meta": {"ada": "ada"},
        "ada": "ada",
    }
    message = {
        "jsonrpc": "2.0",
        "method": "session/update",
        "params": {"sessionId": "ada", "update": update},
    }
    hidden = Anonymiser()(message)
    shown = hidden["params"]["update"]
    name = hidden["params"]["sessionId"]
    assert (hidden["jsonrpc"], hidden["method"]) == ("2.0", "session/update")
    assert shown == {
        "sessionUpdate": "tool_call",
        "toolCallId": f"{Anonymiser().words('call')}_{name}",
        "title": f"{Anonymiser().words('Read')} {name}",
        "kind": "read",
        "status": "completed",
        "rawInput": {Anonymiser().words("kind"): name, name: [1, True, None, name]},
        "content": [{"type": "content", "content": {"type": "text", "text": "Xxx 0"}}],
        "_meta": {name: name},
        name: name,
    }


def test_what_the_peers_call_themselves_stays():
    message = {"result": {"agentInfo": {"name": "Agent", "version": "1"}}}
    assert Anonymiser()(message) == message


@needs_shared
@pytest.mark.parametrize(
    "name", ["codex-turns", "claude-rich", "opencode-fork", "gemini-tool-allow", "vibe-unicode"]
)
def test_an_anonymous_recording_leads_to_the_same_shape(name):
    lines = (SHARED / "traces" / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    hidden = Anonymiser()
    recorded = [json.loads(line) for line in lines]
    other = [json.dumps({**each, "message": hidden(each["message"])}) for each in recorded]
    assert [outline(step) for step in replay_each(other)] == [
        outline(step) for step in replay_each(lines)
    ]


def outline(step):
    codes = [i.diagnostic.code for i in step.intents if isinstance(i, Diagnose)]
    return codes, [
        (
            [(type(entry), entry.turn, getattr(entry, "status", None)) for entry in s.timeline],
            [(turn.outcome, turn.stop_reason) for turn in s.turns],
            [p.outcome for p in s.permissions],
        )
        for s in step.connection.sessions.values()
    ]
