"""The example recorder between the example host and a real agent process."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from example_runs import AGENT, EXAMPLES, drives, quiet_host

import acp_state
from acp_state import Diagnose, Disconnected, changes, reduce, replay, replay_each

RECORDER = (sys.executable, "-W", "error", str(EXAMPLES / "recorder.py"))
ENVIRONMENT = {
    **os.environ,
    "PYTHONPATH": str(Path(acp_state.__file__).parents[1]),
    "PYTHONIOENCODING": "utf-8",
}

ECHO = "import sys; sys.stdout.buffer.write(sys.stdin.buffer.read()); sys.exit(7)"
TALKER = "while True: print('{}')"
GONE = "import sys; sys.exit(3)"


def recorder(trace, source):
    """The recorder of a program in Python."""
    return [*RECORDER, str(trace), "--", sys.executable, "-c", source]


def run(command, data=b""):
    return subprocess.run(  # noqa: S603 - our own commands
        command, input=data, capture_output=True, env=ENVIRONMENT, timeout=60, check=False
    )


def start(command):
    return subprocess.Popen(  # noqa: S603 - our own commands
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=ENVIRONMENT
    )


@drives
async def test_the_trace_replays_to_the_state_of_the_host(tmp_path):
    pytest.importorskip("acp", reason="the example agent is made on agent-client-protocol")
    trace, notes = tmp_path / "trace.jsonl", tmp_path / "notes.txt"
    host = quiet_host()
    await host.start(*RECORDER, str(trace), "--", *AGENT)
    await host.new_session(str(tmp_path))
    await host.prompt("sess_1", f"hello, write {notes} read {notes} edit")
    await host.prompt("sess_1", "die")
    assert await host.close() == 3

    with trace.open("rb") as lines:
        recorded = replay(lines)
    assert recorded.sessions["sess_1"].current_turn.is_running
    ended, _ = reduce(recorded, Disconnected())
    assert changes(ended, host.connection).slots == ("side",)
    assert ended.sessions == host.connection.sessions


ODD = [
    b"no JSON\n",
    b"\n",
    b'{"jsonrpc": "2.0", "id": 7, "result": NaN}\r\n',
    b'{"jsonrpc": "2.0", "method": "m\xff\\ud83d"}\n',
    b"[" * 100_000 + b"\n",
    b'{"jsonrpc": "2.0", "method": "\xc3\xa9' + b"x" * 1_000_000 + b'"}\n',
    b'{"jsonrpc": "2.0", "method": "the end is cut',
]


@pytest.fixture
def odd(tmp_path):
    """What a client and an agent that repeats it leave behind."""
    trace = tmp_path / "trace.jsonl"
    return trace, run(recorder(trace, ECHO), b"".join(ODD))


def test_bytes_go_through_unchanged_and_so_does_the_exit_code(odd):
    _, done = odd
    assert (done.stdout, done.returncode) == (b"".join(ODD), 7)


def test_a_line_of_the_trace_says_when_who_sent_what(odd):
    trace, _ = odd
    lines = [json.loads(line) for line in trace.read_text("utf-8").splitlines()]
    texts = [line.decode(errors="replace").strip() for line in ODD if line.strip()]
    for sender in ("client", "agent"):
        told = [line["message"] for line in lines if line["from"] == sender]
        assert told == [
            texts[0],
            texts[1],  # NaN is no JSON
            json.loads(texts[2]),
            texts[3],
            json.loads(texts[4]),
            texts[5],
        ]
    times = [line["t"] for line in lines]
    assert times == sorted(times)
    assert times[0] >= 0


def test_the_running_check_is_the_check_of_the_trace(odd):
    trace, done = odd
    with trace.open("rb") as lines:
        found = [
            f"{trace}:{step.line}: {intent.diagnostic}"
            for step in replay_each(lines)
            for intent in step.intents
            if isinstance(intent, Diagnose)
        ]
    assert done.stderr.decode().splitlines() == found
    checked = run([sys.executable, "-m", "acp_state.cli", "check", str(trace)])
    assert checked.stdout.decode().splitlines() == found


def test_an_agent_that_ends_ends_the_recorder_while_the_client_is_silent(tmp_path):
    with start(recorder(tmp_path / "trace.jsonl", GONE)) as running:
        assert running.stdout.read() == b""
        assert running.wait(timeout=60) == 3


def test_a_client_that_goes_away_ends_the_agent(tmp_path):
    trace = tmp_path / "trace.jsonl"
    with start(recorder(trace, TALKER)) as running:
        assert running.stdout.readline() == b"{}\n"
        running.stdout.close()
        assert running.wait(timeout=60) != 0
    assert all(json.loads(line)["message"] == {} for line in trace.read_text("utf-8").splitlines())
