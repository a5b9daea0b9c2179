"""`session/set_mode` and `session/set_config_option` (MODE-03, CFG-01, CFG-02)."""

from __future__ import annotations

import attrs
import pytest
from reduce.builders import (
    agent_answers,
    agent_refuses,
    codes,
    connected,
    noticed,
    reported,
    to_agent,
    update,
    watch,
)

from acp_state import Session
from acp_state.schema import (
    ClientCapabilities,
    SessionConfigBoolean,
    SessionMode,
    SessionModeState,
)

MODES = SessionModeState(
    current_mode_id="ask",
    available_modes=(SessionMode(id="ask", name="A"), SessionMode(id="code", name="C")),
)
OPTION = {"type": "boolean", "id": "b", "name": "B", "currentValue": True}
ON = SessionConfigBoolean(id="b", name="B", current_value=True)
OFF = attrs.evolve(ON, current_value=False)
HELD = Session("s", modes=MODES, config_options=(OFF,))


def set_mode(mode_id="code", request_id=1, session_id="s"):
    return to_agent("session/set_mode", request_id, sessionId=session_id, modeId=mode_id)


SET_OPTION = to_agent(
    "session/set_config_option", 1, sessionId="s", configId="b", type="boolean", value=True
)
CODE = attrs.evolve(HELD, modes=attrs.evolve(MODES, current_mode_id="code"))


def session_after(*messages, held=HELD):
    """The session after the messages, and their intents."""
    connection, intents = watch(*messages, onto=connected(held))
    return connection.sessions["s"], intents


@pytest.mark.parametrize("request_", [set_mode(), SET_OPTION], ids=["mode", "option"])
def test_nothing_changes_before_the_answer(request_):
    """CFG-02, MODE-03: do not change state before the response."""
    session, intents = session_after(request_)
    assert session is HELD
    assert intents == ()


@pytest.mark.parametrize("result", [{}, None, {"_meta": {}}, 5])
def test_a_mode_that_was_set(result):
    """MODE-03, table 4.2: only success or failure matters."""
    assert session_after(set_mode(), agent_answers(1, result)) == (CODE, ())


@pytest.mark.parametrize("request_", [set_mode(), SET_OPTION], ids=["mode", "option"])
def test_an_error_changes_nothing(request_):
    """MODE-03, section 19: unchanged."""
    session, intents = session_after(request_, agent_refuses(1))
    assert session is HELD
    assert intents == ()


def test_a_mode_that_was_reported_since_is_kept():
    """MODE-03: a `current_mode_update` that arrived after the request was sent."""
    plan = update("current_mode_update", currentModeId="ask")
    assert session_after(set_mode(), reported(plan), agent_answers(1, {})) == (HELD, ())


def test_a_mode_that_was_reported_before_is_not():
    """MODE-03: after the request, not before it."""
    ask = update("current_mode_update", currentModeId="ask")
    assert session_after(reported(ask), set_mode(), agent_answers(1, {})) == (CODE, ())


def test_a_mode_that_was_reported_between_two_requests():
    """MODE-03: it outranks the earlier one alone."""
    session, _ = session_after(
        set_mode("ask", 1),
        reported(update("current_mode_update", currentModeId="ask")),
        set_mode("code", 2),
        agent_answers(2, {}),
        agent_answers(1, {}),
    )
    assert session == CODE


@pytest.mark.parametrize("held", [HELD, Session("s")], ids=["not among them", "none reported"])
def test_a_mode_that_was_never_reported(held):
    """MODE-03: a success leaves the current mode unchanged, `diag:unknown-mode`."""
    session, intents = session_after(set_mode("dance"), agent_answers(1, {}), held=held)
    assert session is held
    text = "mode 'dance' was accepted but never reported; the current mode stays"
    assert intents == (noticed("unknown-mode", text, rule="MODE-03"),)


@pytest.mark.parametrize(
    "request_",
    [set_mode(session_id="unknown"), set_mode(session_id=None), set_mode(mode_id=5)],
    ids=["unknown session", "no session", "no mode"],
)
def test_a_mode_for_nothing(request_):
    """15.5: it makes no session."""
    session, intents = session_after(request_, agent_answers(1, {}))
    assert session is HELD
    assert intents == ()


def test_the_answer_carries_all_options():
    """CFG-01: replace all, order significant."""
    more = {**OPTION, "id": "c", "currentValue": False}
    result = {"configOptions": [more, OPTION]}
    expected = attrs.evolve(HELD, config_options=(attrs.evolve(OFF, id="c"), ON))
    assert session_after(SET_OPTION, agent_answers(1, result)) == (expected, ())


def test_what_is_left_out_of_the_answer_is_told():
    """CFG-05, CFG-06: as for an update."""
    held = attrs.evolve(HELD, client_capabilities=ClientCapabilities())
    session, intents = session_after(
        SET_OPTION, agent_answers(1, {"configOptions": [5, OPTION]}), held=held
    )
    assert session.config_options == ()
    assert codes(intents) == ("item-dropped", "item-dropped")


@pytest.mark.parametrize("result", [None, {}, 5, []])
def test_an_answer_without_options(result):
    """Table 4.2: bad response: no state change."""
    session, intents = session_after(SET_OPTION, agent_answers(1, result))
    assert session is HELD
    assert codes(intents) == ("bad-response",)


def test_options_for_an_unknown_session():
    """15.5: it makes no session."""
    connection, intents = watch(SET_OPTION, agent_answers(1, {"configOptions": []}))
    assert (dict(connection.sessions), intents) == ({}, ())
