"""Opening recordings: packed, many, in any form, from standard input."""

import gzip
import json

import pytest


@pytest.fixture
def expected(run, recording):
    recording.session()
    recording.prompt("Hello")
    recording.say("Hi")
    recording.agent(id=1, result={"stopReason": "end_turn"})
    return run("replay", recording.write()).stdout


def sent(sender):
    return "send" if sender == "client" else "recv"


def test_our_own_form_is_not_told(run, recording, expected):
    assert run("replay", recording.write()).stderr == ""
    assert expected.endswith("end_turn " + "-" * 54 + "\n")


def test_another_form_is_told(run, recording, expected):
    log = [f"[{sent(who)}] {json.dumps(said)}\n".encode() for who, said in recording.messages]
    result = run("replay", recording.write(b"hello\n", *log))
    assert result.stdout == expected
    assert result.stderr == (
        f"{recording.path}: read as log, seen from the client's side"
        " (--form and --seen-from change it)\n"
    )


def test_a_form_and_a_side_may_be_asked_for(run, recording, expected):
    values = [{"direction": sent(who), "message": said} for who, said in recording.messages]
    path = recording.write(*[json.dumps(value).encode() + b"\n" for value in values])
    result = run("replay", path, "--form", "wrapped", "--seen-from", "client")
    assert result.stdout == expected
    other = run("replay", path, "--seen-from", "agent")
    assert other.stdout == "No sessions.\n"
    assert "read as wrapped, seen from the agent's side" in other.stderr


def test_an_unknown_form(run, recording, expected):
    result = run("replay", recording.path, "--form", "x")
    assert (result.exit_code, expected in result.stdout) == (2, False)
    assert "conductor" in result.stderr


def test_gzip(run, recording, expected):
    """It is told by its first bytes, and may come from standard input."""
    packed = gzip.compress(b"".join(recording.lines()))
    assert run("replay", recording.write(packed)).stdout == expected
    assert run("replay", "-", stdin=packed).stdout == expected


@pytest.mark.parametrize("broken", [b"\x1f\x8b", b"\x1f\x8bnonsense"])
def test_broken_gzip(run, recording, broken):
    result = run("replay", recording.write(broken))
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"Error: cannot read {recording.path}: " in result.stderr


def test_truncated_gzip(run, recording, expected):
    packed = gzip.compress(b"".join(recording.lines()))
    result = run("replay", recording.write(packed[:-12]))
    assert (result.exit_code, expected in result.stdout) == (2, False)


def test_several_files_are_read_as_one(run, recording, expected, tmp_path):
    """Each in its own form, and with its own lines."""
    first, second = tmp_path / "a", tmp_path / "b"
    first.write_bytes(b"".join(recording.lines()[:3]))
    second.write_bytes(gzip.compress(b"".join(recording.bare()[3:]) + b"broken\n"))
    assert run("replay", first, second).stdout == expected
    result = run("check", first, second)
    assert (
        result.stdout == f"{second}:5: error RPC-01 invalid-message: no JSON; the line is skipped\n"
    )


@pytest.mark.parametrize(
    "command", [("convert",), ("convert", "--to", "zed"), ("stats",), ("stats", "--json")]
)
def test_lines_that_are_left_out_are_told(run, recording, command):
    recording.session()
    whole = run(*command, recording.write())
    assert (whole.exit_code, whole.stderr) == (0, "")
    for others, told in (([b"no\n"], "1 line holds"), ([b"5\n", b'{"id": 1}\n'], "2 lines hold")):
        path = recording.write(*others, *recording.lines())
        result = run(*command, path)
        assert (result.exit_code, result.stdout) == (0, whole.stdout)
        assert result.stderr == f"{told} no message: see acp-state check {path}\n"


def test_none(run):
    assert run("replay").exit_code == 2
