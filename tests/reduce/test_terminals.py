"""Terminals that the client runs for the agent (REQ-03, TOOL-11)."""

from __future__ import annotations

import attrs
import pytest
from reduce.builders import (
    SESSION,
    client_answers,
    client_refuses,
    connected,
    to_client,
    watch,
)

from acp_state import Session, Terminal
from acp_state.persistent import Map

MADE = Terminal(terminal_id="t")
ENDED = attrs.evolve(MADE, output="out", exited=True, exit_code=3)
EXIT = {"exitCode": 3, "signal": None}


def holding(terminal):
    """A connection whose session has the terminal."""
    return connected(Session("s", terminals=Map.of({"t": terminal})))


def terminals(*messages, onto):
    """The terminals of the session after the messages, of which nothing comes out."""
    connection, intents = watch(*messages, onto=onto)
    assert intents == ()
    return dict(connection.sessions["s"].terminals)


def ask(what, request_id=1, session_id="s", **params):
    return to_client(f"terminal/{what}", request_id, sessionId=session_id, **params)


def answer(what, result, *, onto):
    """What is held after the client answered a request about the terminal."""
    return terminals(ask(what, terminalId="t"), client_answers(1, result), onto=onto)


def test_the_result_of_create_registers_the_id():
    """REQ-03: in that session; not before the result."""
    asking = ask("create", command="ls")
    before = connected(SESSION, Session("other"))
    assert terminals(asking, onto=before) == {}
    connection, _ = watch(asking, client_answers(1, {"terminalId": "t"}), onto=before)
    assert connection.sessions["s"] == Session("s", terminals=Map.of({"t": MADE}))
    assert connection.sessions["other"] is before.sessions["other"]


@pytest.mark.parametrize("result", [None, {}, {"terminalId": 5}, []])
def test_a_result_without_an_id_registers_nothing(result):
    """REQ-03."""
    asking = ask("create", command="ls")
    assert terminals(asking, client_answers(1, result), onto=connected(SESSION)) == {}


def test_an_error_registers_nothing():
    """REQ-03."""
    assert terminals(ask("create"), client_refuses(1), onto=connected(SESSION)) == {}


def test_the_output_last_reported():
    """REQ-03, TOOL-11: whole each time, not appended."""
    held = holding(attrs.evolve(MADE, output="o", truncated=True))
    assert answer("output", {"output": "out", "truncated": False}, onto=held) == {
        "t": attrs.evolve(MADE, output="out", truncated=False)
    }
    assert answer("output", {"output": "", "truncated": True}, onto=held) == {
        "t": attrs.evolve(MADE, output="", truncated=True)
    }


def test_the_output_tells_of_the_exit():
    """REQ-03: where there is an exit status."""
    result = {"output": "out", "truncated": False, "exitStatus": EXIT}
    assert answer("output", result, onto=holding(MADE)) == {"t": ENDED}
    assert answer("output", {**result, "exitStatus": None}, onto=holding(MADE)) == {
        "t": attrs.evolve(MADE, output="out")
    }


@pytest.mark.parametrize("result", [None, {}, {"output": 5}, {"exitStatus": EXIT}])
def test_a_malformed_output_changes_nothing(result):
    """LENIENT-05."""
    assert answer("output", result, onto=holding(MADE)) == {"t": MADE}


@pytest.mark.parametrize(
    ("status", "code", "signal"),
    [
        (EXIT, 3, None),
        ({"exitCode": 0}, 0, None),
        ({"signal": "SIGKILL"}, None, "SIGKILL"),
        ({"exitCode": None, "signal": None}, None, None),
        ({"exitCode": "1", "signal": 9}, None, None),
        ({"exitCode": True}, None, None),
        ({"exitCode": 1.5}, None, None),
        ({}, None, None),
        (None, None, None),
    ],
)
def test_how_a_command_ended(status, code, signal):
    """REQ-03: what is malformed is not known; that it ended is."""
    assert answer("wait_for_exit", status, onto=holding(MADE)) == {
        "t": attrs.evolve(MADE, exited=True, exit_code=code, signal=signal)
    }


@pytest.mark.xfail(strict=True, reason="LENIENT-12: 1.0 is taken for no integer")
def test_an_integral_exit_code():
    """LENIENT-12: accept JSON numbers with integral value."""
    assert answer("wait_for_exit", {"exitCode": 1.0}, onto=holding(MADE)) == {
        "t": attrs.evolve(MADE, exited=True, exit_code=1)
    }


def test_kill_leaves_the_terminal_valid():
    """REQ-03: `kill` changes nothing here."""
    before = holding(ENDED)
    assert answer("kill", {}, onto=before) == {"t": ENDED}


def test_after_release_the_output_stays():
    """REQ-03, TOOL-11: the id is invalid, the last output stays displayable."""
    assert answer("release", None, onto=holding(ENDED)) == {"t": attrs.evolve(ENDED, released=True)}


@pytest.mark.parametrize("what", ["output", "wait_for_exit", "release", "kill"])
def test_an_error_changes_nothing(what):
    """REQ-03."""
    asking = ask(what, terminalId="t")
    assert terminals(asking, client_refuses(1), onto=holding(MADE)) == {"t": MADE}


@pytest.mark.parametrize("what", ["output", "wait_for_exit", "release"])
@pytest.mark.parametrize(
    "params",
    [
        {"terminalId": "unknown"},
        {"terminalId": 5},
        {},
        {"terminalId": "t", "session_id": "unknown"},
    ],
    ids=["unknown terminal", "no id", "without id", "unknown session"],
)
def test_unknown_terminals_are_not_made(what, params):
    """REQ-03, REQ-04."""
    result = {"output": "out", "truncated": False}
    assert terminals(ask(what, **params), client_answers(1, result), onto=holding(MADE)) == {
        "t": MADE
    }


def test_a_terminal_of_an_unknown_session():
    """15.5: a request for an unknown id makes no session."""
    connection, intents = watch(ask("create"), client_answers(1, {"terminalId": "t"}))
    assert (dict(connection.sessions), intents) == ({}, ())
