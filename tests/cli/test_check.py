"""``acp-state check``."""

import json

import pytest


@pytest.fixture
def trace(recording):
    recording.session()
    recording.update("plan_removed", planId="p\n1")
    recording.update("nonsense")
    recording.say("\ud83d")
    return recording.write(*recording.lines(), b"no \xff JSON\n")


def test_a_line_for_each_diagnostic(run, trace):
    result = run("check", trace)
    assert result.stdout.splitlines() == [
        f"{trace}:5: warning PLAN-04 unknown-plan: there is no plan 'p\\n1'; ignored (session s1)",
        (
            f"{trace}:6: warning LENIENT-11 update-dropped: unknown sessionUpdate 'nonsense'; "
            "the update is dropped (session s1)"
        ),
        f"{trace}:8: error RPC-01 invalid-message: no JSON; the line is skipped",
    ]
    assert result.stderr == "1 error, 2 warnings, 0 infos in 7 messages\n"
    assert result.exit_code == 1


def test_warnings_are_no_errors(run, recording):
    recording.session()
    recording.update("plan_removed", planId="p1")
    assert run("check", recording.write()).exit_code == 0


def test_a_path(run, recording):
    recording.session()
    recording.update("plan", entries=[5])
    assert run("check", recording.write()).stdout.endswith("(session s1, at entries[0])\n")


def test_json(run, trace):
    result = run("check", "--json", trace)
    found = [json.loads(line) for line in result.stdout.splitlines()]
    assert found[0] == {
        "file": str(trace),
        "line": 5,
        "severity": "warning",
        "rule": "PLAN-04",
        "code": "unknown-plan",
        "text": "there is no plan 'p\\n1'; ignored",
        "sessionId": "s1",
        "path": "",
        "raw": None,
    }
    assert found[1]["raw"] == {"sessionUpdate": "nonsense"}
    assert result.exit_code == 1


def test_standard_input(run, recording):
    recording.session()
    result = run("check", "-", stdin=b"5\n" + b"".join(recording.lines()))
    assert result.stdout == (
        "<stdin>:1: error RPC-01 invalid-message: a message must be an object, not 5; ignored\n"
    )
    assert result.stderr == "1 error, 0 warnings, 0 infos in 4 messages\n"


def test_no_file(run, tmp_path):
    assert run("check", tmp_path / "none").exit_code == 2


def test_a_file_with_a_hostile_name(run, tmp_path):
    path = tmp_path / "a\x1b[2Jb"
    path.write_bytes(b"5\n")
    result = run("check", path)
    assert "\x1b" not in result.stdout + result.stderr
