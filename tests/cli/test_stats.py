"""``acp-state stats``."""

import json

import pytest


@pytest.fixture
def trace(recording):
    recording.session()
    recording.prompt("Go")
    recording.update("tool_call", toolCallId="c1", title="Run \x1b[2J", name="bash")
    recording.update("tool_call_update", toolCallId="c1", status="completed")
    recording.update("tool_call", toolCallId="c2", title="Read", kind="read")
    recording.say("Done")
    recording.agent(id=1, result={"stopReason": "end_turn"})
    times = [0, 0.5, 1, 1.25, 2, 2.5, 6.5, 6.5, 7, 8]
    lines = [
        json.dumps({"t": time, "from": sender, "message": message}).encode() + b"\n"
        for time, (sender, message) in zip(times, recording.messages, strict=True)
    ]
    return recording.write(*lines)


def test_json(run, trace):
    told = json.loads(run("stats", "--json", trace).stdout)
    assert (told["messages"], told["seconds"]) == (10, 8.0)
    assert told["bytes"] == sum(row["bytes"] for row in told["methods"])
    assert [(row["sender"], row["method"], row["count"]) for row in told["methods"]] == [
        ("agent", "session/update", 4),
        ("client", "initialize", 1),
        ("client", "session/new", 1),
        ("client", "session/prompt", 1),
    ]
    assert [row["medianSeconds"] for row in told["methods"]] == [None, 0.5, 0.25, 6.0]
    assert [(row["update"], row["count"]) for row in told["updates"]] == [
        ("tool_call", 2),
        ("agent_message_chunk", 1),
        ("tool_call_update", 1),
    ]
    assert told["tools"] == [
        {"tool": "bash", "count": 1, "bytes": 0, "medianSeconds": 4.0, "maxSeconds": 4.0},
        {"tool": "read", "count": 1, "bytes": 0, "medianSeconds": None, "maxSeconds": None},
    ]
    assert told["slowest"] == [
        {
            "seconds": 4.0,
            "tool": "bash",
            "title": "Run \x1b[2J",
            "toolCallId": "c1",
            "sessionId": "s1",
        }
    ]
    assert told["silences"][0] == {"seconds": 4.0, "before": 7, "until": "tool_call_update"}
    assert len(told["silences"]) == 5


def test_text(run, trace):
    result = run("stats", "--top", 1, trace)
    assert (result.exit_code, "\x1b" in result.stdout) == (0, False)
    lines = result.stdout.splitlines()
    assert lines[0].startswith("10 messages, ")
    assert lines[0].endswith(" bytes, 8.000 s")
    assert lines[-2:] == [
        "slow tool call      4.000 s  Run \\x1b[2J",
        "silence             4.000 s  before message 7, tool_call_update",
    ]
    assert any(line.split()[:3] == ["client", "session/prompt", "1"] for line in lines)


def test_several_recordings_of_times_of_their_own(run, trace):
    assert json.loads(run("stats", "--json", trace, trace).stdout)["seconds"] == 16.0


def test_without_times(run, recording):
    recording.session()
    told = json.loads(run("stats", "--json", recording.write()).stdout)
    assert (told["seconds"], told["silences"], told["slowest"]) == (None, [], [])
    assert "no times recorded" in run("stats", recording.path).stdout


def test_odd_messages(run):
    odd = [
        *("5", "no", '{"jsonrpc": "2.0", "id": 9, "result": 1}', '{"jsonrpc": "2.0", "id": {}}'),
        '{"jsonrpc": "2.0", "method": "session/update", "params": []}',
        '{"jsonrpc": "2.0", "method": "session/update", "params": {"update": 5}}',
        '{"jsonrpc": "2.0", "method": "session/update", "params": {"update": {"toolCallId": 1}}}',
    ]
    result = run("stats", "-", stdin="\n".join(odd).encode())
    assert result.exit_code == 0
