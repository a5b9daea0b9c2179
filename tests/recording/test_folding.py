"""`replay` and `replay_each`: a recording at once, and line by line."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest
from shared import SHARED, needs_shared

from acp_state import Connection, Diagnose, Session, replay, replay_each
from acp_state.recording.folding import each_folded
from acp_state.recording.trace import Record

EXAMPLE = Path(__file__).resolve().parents[2] / "docs" / "examples" / "conversation.jsonl"
INITIALIZE = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 1}}


def chunk(text, session_id="s"):
    """A chunk of the agent's."""
    update = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}}
    params = {"sessionId": session_id, "update": update}
    return {"jsonrpc": "2.0", "method": "session/update", "params": params}


def lines(*messages):
    """JSON lines of bare messages."""
    return [json.dumps(message).encode() for message in messages]


def test_nothing():
    assert replay([]) == Connection(side="observer")
    assert list(replay_each([])) == []


def test_what_is_no_message_is_passed_over_and_told():
    traffic = [
        *lines(INITIALIZE),
        b"log\n",
        b"\n",
        b'{"from": "x", "message": 1}',
        *lines([1], chunk("a")),
    ]
    *_, last = steps = list(replay_each(traffic))
    assert [(step.line, step.number, step.is_message) for step in steps] == [
        (1, 1, True),
        (2, 1, False),
        (4, 1, False),
        (5, 1, False),
        (6, 2, True),
    ]
    assert isinstance(steps[1].intents[0], Diagnose)
    assert replay(traffic) == last.connection


@pytest.mark.parametrize("take", [replay, lambda lines: list(replay_each(lines))])
@pytest.mark.parametrize("lines", ["trace.jsonl", b"{}\n{}\n", EXAMPLE], ids=repr)
def test_a_path_or_a_text_is_no_lines(lines, take):
    """Its letters would be lines that hold no message, and nothing would come out."""
    with pytest.raises(TypeError, match=r" is one \w+: pass its lines, such as an open file$"):
        take(lines)


@pytest.mark.parametrize("at", [0, 1])
def test_a_line_is_bytes_or_text(at):
    traffic = lines(INITIALIZE)
    traffic.insert(at, INITIALIZE)
    with pytest.raises(
        TypeError, match=r"^a line is bytes or text, not dict: fold what is parsed$"
    ):
        replay(traffic)


@pytest.mark.parametrize("form", [bytes.decode, bytes], ids=["text", "bytes"])
def test_lines_of_text_or_bytes(form):
    traffic = lines(INITIALIZE, chunk("a"), chunk("b"))
    assert replay(map(form, traffic)).sessions["s"].timeline[0].text == "ab"


def test_wrapped_and_bare_messages_side_by_side():
    wrapped = {"from": "agent", "message": chunk("b")}
    connection = replay(
        lines(chunk("a"), wrapped, chunk("c"), {"from": "agent", "message": chunk("d")})
    )
    assert connection.sessions["s"].timeline[0].text == "abcd"


def test_an_update_that_the_client_is_said_to_have_sent_is_none():
    traffic = lines(chunk("a"), {"from": "client", "message": chunk("b")})
    assert replay(traffic).sessions["s"].timeline[0].text == "a"


def test_a_character_that_is_cut_in_two():
    """Orjson refuses the halves; the standard library reads them."""
    traffic = [json.dumps(chunk(half)).encode() for half in ("\ud83d", "\ude00")]
    assert replay(traffic).sessions["s"].timeline[0].text == "\U0001f600"


@pytest.mark.parametrize(
    "path",
    [EXAMPLE, *sorted((SHARED / "traces").glob("*.jsonl"))],
    ids=lambda path: path.stem,
)
def test_at_once_is_line_by_line(path):
    traffic = path.read_bytes().splitlines(keepends=True)
    *_, last = replay_each(traffic)
    assert replay(traffic) == last.connection


@needs_shared
def test_all_states_of_a_recording_can_be_kept():
    """Contract 1: the states share what they have in common, and none of them changes."""
    traffic = (SHARED / "traces" / "codex-turns.jsonl").read_bytes().splitlines(keepends=True)
    kept = [step.connection for step in replay_each(traffic)]
    assert all(replay(traffic[: at + 1]) == state for at, state in enumerate(kept))
    [[name, *_]] = [list(kept[-1].sessions)]
    sessions = [state.sessions.get(name, Session(name)) for state in kept]
    shared = [old.timeline[0] is new.timeline[0] for old, new in pairwise(sessions) if old.timeline]
    assert shared.count(False) <= 2


def test_records_of_the_callers_own():
    [step] = each_folded([Record(line=7, message=INITIALIZE)])
    assert (step.line, step.number, step.connection.phase) == (7, 1, "initializing")
