"""Initialisation, and how sessions come to be (sections 15.5, 15.6, 16 and 17)."""

from __future__ import annotations

import attrs
import pytest
from reduce.builders import (
    SESSION,
    after,
    agent,
    agent_answers,
    agent_refuses,
    call,
    codes,
    connected,
    reported,
    said,
    subagent,
    thought,
    timeline,
    to_agent,
    update,
    watch,
)

from acp_state import Session
from acp_state.model.connection import Connection
from acp_state.reduce.turns import open_turn
from acp_state.schema import (
    BooleanConfigOptionCapabilities,
    ClientCapabilities,
    ClientSessionCapabilities,
    PlanCapabilities,
    SessionConfigOptionsCapabilities,
    SessionMode,
    SessionModeState,
    SubagentCapabilities,
)

MAKE = pytest.mark.parametrize("method", ["session/new", "session/fork"])
ATTACH = pytest.mark.parametrize("method", ["session/load", "session/resume"])
ROOTS = {"cwd": "/w", "additionalDirectories": ["/x"]}
PLACED = Session("s", cwd="/w", additional_directories=("/x",))
MODES = {"currentModeId": "m", "availableModes": [{"id": "m", "name": "M"}]}
READ_MODES = SessionModeState(current_mode_id="m", available_modes=(SessionMode(id="m", name="M"),))


# Initialize


def initialize(capabilities):
    """What is known of the client after `initialize` was sent."""
    connection, _ = watch(
        to_agent("initialize", 1, protocolVersion=1, clientCapabilities=capabilities)
    )
    return connection.client_capabilities


def test_what_the_client_advertises_is_remembered():
    """INIT-05, 15.6: it is input, and gates section 20."""
    advertised = {
        "plan": {},
        "subagents": {},
        "session": {"configOptions": {"boolean": {}}},
        "terminal": True,
    }
    assert initialize(advertised) == ClientCapabilities(
        plan=PlanCapabilities(),
        subagents=SubagentCapabilities(),
        session=ClientSessionCapabilities(
            config_options=SessionConfigOptionsCapabilities(
                boolean=BooleanConfigOptionCapabilities()
            )
        ),
        terminal=True,
    )


def test_nothing_is_known_before_initialize():
    """`Connection.client_capabilities` None: no `initialize` was seen."""
    assert Connection().client_capabilities is None


@pytest.mark.parametrize("capabilities", [None, 5, [], {}, {"terminal": 1}])
def test_malformed_capabilities_advertise_nothing(capabilities):
    """INIT-02, INIT-04: malformed members fall back to unsupported one by one."""
    assert initialize(capabilities) == ClientCapabilities()


def test_a_malformed_member_costs_only_itself():
    """INIT-04."""
    assert initialize({"plan": {}, "subagents": True}) == ClientCapabilities(
        plan=PlanCapabilities()
    )


@pytest.mark.xfail(strict=True, reason="LENIENT-02: faults of `initialize` are not diagnosed")
def test_a_malformed_member_is_told():
    """LENIENT-02: `diag:field-defaulted`."""
    _, intents = watch(to_agent("initialize", 1, clientCapabilities={"subagents": True}))
    assert codes(intents) == ("field-defaulted",)


# New and fork


@MAKE
def test_a_session_is_made_by_the_response(method):
    """15.5: creating, then ready; modes and config are set, the roots are the request's."""
    asked, intents = watch(to_agent(method, 1, **ROOTS))
    assert (dict(asked.sessions), intents) == ({}, ())
    result = {"sessionId": "s", "modes": MODES, "configOptions": []}
    made, intents = watch(agent_answers(1, result), onto=asked)
    expected = attrs.evolve(PLACED, modes=READ_MODES, config_options=())
    assert (dict(made.sessions), intents) == ({"s": expected}, ())


@MAKE
def test_a_session_that_could_not_be_made(method):
    """15.5: creating, error: there is none."""
    connection, intents = watch(to_agent(method, 1, **ROOTS), agent_refuses(1))
    assert (dict(connection.sessions), intents) == ({}, ())


@MAKE
@pytest.mark.parametrize("result", [None, {}, {"sessionId": 5}])
def test_a_response_without_a_session_id(method, result):
    """Table 4.2: the request counts as failed, `diag:bad-response`."""
    connection, intents = watch(to_agent(method, 1, **ROOTS), agent_answers(1, result))
    assert dict(connection.sessions) == {}
    assert codes(intents) == ("bad-response",)


@MAKE
def test_early_traffic_is_confirmed_by_the_response(method):
    """Design, early traffic; 15.5: the provisional session is the one that is made."""
    commands = update("available_commands_update", availableCommands=[])
    connection, intents = watch(
        to_agent(method, 1, **ROOTS),
        reported(agent("a", "a")),
        reported(commands),
        agent_answers(1, {"sessionId": "s"}),
    )
    expected = after(agent("a", "a"), onto=PLACED)
    assert dict(connection.sessions) == {"s": expected}
    assert codes(intents) == ("unannounced-session",)


def test_a_fork_starts_with_an_empty_timeline():
    """15.5: what it was forked from is not copied."""
    connection, _ = watch(
        to_agent("session/fork", 1, sessionId="s", **ROOTS),
        agent_answers(1, {"sessionId": "fork"}),
        onto=connected(after(agent("a"))),
    )
    assert connection.sessions["fork"] == attrs.evolve(PLACED, session_id="fork")
    assert connection.sessions["s"] == after(agent("a"))


@pytest.mark.parametrize(
    ("params", "roots"),
    [
        ({}, (None, ())),
        ({"cwd": "/w"}, ("/w", ())),
        ({"cwd": "/w", "additionalDirectories": None}, ("/w", ())),
        ({"cwd": "/w", "additionalDirectories": []}, ("/w", ())),
        ({"cwd": "/w", "additionalDirectories": "/x"}, ("/w", ())),
        ({"cwd": 5, "additionalDirectories": ["/x", 5]}, (None, ("/x",))),
    ],
)
@pytest.mark.parametrize("method", ["session/new", "session/load"])
def test_roots_that_are_not_given(method, params, roots):
    """SESS-02: omission or ``[]`` activates none; LENIENT-06: null is empty."""
    connection, _ = watch(
        to_agent(method, 1, sessionId="s", **params), agent_answers(1, {"sessionId": "s"})
    )
    session = connection.sessions["s"]
    assert (session.cwd, session.additional_directories) == roots


# Load and resume


@ATTACH
def test_a_session_is_known_when_it_is_attached(method):
    """LOAD-02, LOAD-03: its updates are no surprise; into an empty model they are a plain fold."""
    connection, intents = watch(
        to_agent(method, 1, sessionId="s", **ROOTS),
        reported(agent("a", "a")),
        reported(call("t")),
        agent_answers(1, {"modes": MODES}),
        reported(agent("b", "a")),
    )
    expected = after(agent("a", "a"), call("t"), agent("b", "a"), onto=PLACED)
    assert dict(connection.sessions) == {"s": attrs.evolve(expected, modes=READ_MODES)}
    assert intents == ()


@ATTACH
def test_what_is_not_reported_keeps_what_is_held(method):
    """LOAD-12: latest-value slots are not reset."""
    held = attrs.evolve(PLACED, modes=READ_MODES, config_options=(), title="T")
    connection, _ = watch(
        to_agent(method, 1, sessionId="s", **ROOTS), agent_answers(1, None), onto=connected(held)
    )
    assert connection.sessions["s"] == held


def test_a_load_closes_the_run_at_both_ends():
    """MSG-06: start and end of load."""
    asked, _ = watch(
        to_agent("session/load", 1, sessionId="s", **ROOTS), onto=connected(after(agent("a")))
    )
    assert not asked.sessions["s"].timeline.run_open
    replayed, _ = watch(reported(thought("b")), onto=asked)
    assert replayed.sessions["s"].timeline.run_open
    done, _ = watch(agent_answers(1, None), onto=replayed)
    assert done.sessions["s"].timeline == timeline(said("agent", "a"), said("thought", "b"))


@ATTACH
def test_a_malformed_response_reports_nothing(method):
    """Table 4.2: `diag:bad-response`; the replay is over all the same."""
    connection, intents = watch(
        to_agent(method, 1, sessionId="s", **ROOTS), reported(agent("a")), agent_answers(1, 5)
    )
    assert connection.sessions["s"].timeline == timeline(said("agent", "a"))
    assert codes(intents) == ("bad-response",)


@ATTACH
def test_a_session_that_was_never_held_disappears_on_error(method):
    """15.5: loading or resuming of a session never held."""
    connection, intents = watch(to_agent(method, 1, sessionId="s", **ROOTS), agent_refuses(1))
    assert (dict(connection.sessions), intents) == ({}, ())


@ATTACH
def test_a_session_that_was_held_stays_on_error(method):
    """15.5, LOAD-09: back to the previous state."""
    held = after(agent("a", "a"), onto=PLACED)
    connection, _ = watch(
        to_agent(method, 1, sessionId="s", **ROOTS), agent_refuses(1), onto=connected(held)
    )
    assert connection.sessions["s"] == held


@pytest.mark.xfail(strict=True, reason="INFO-02: roots are those of the request, though it failed")
@ATTACH
def test_a_request_that_fails_activates_no_roots(method):
    """INFO-02: `cwd` is immutable, the roots are of the request that *activated* the session."""
    connection, _ = watch(
        to_agent(method, 1, sessionId="s", cwd="/other", additionalDirectories=["/y"]),
        agent_refuses(1),
        onto=connected(PLACED),
    )
    assert connection.sessions["s"] == PLACED


@pytest.mark.xfail(strict=True, reason="SUB-02: a failed load takes an announced child away")
def test_a_child_that_was_announced_meanwhile_stays_on_error():
    """SUB-02, 15.5: it is not the failed request alone that made it known."""
    connection, _ = watch(
        to_agent("session/load", 1, sessionId="child", cwd="/w"),
        reported(subagent("child")),
        agent_refuses(1),
        onto=connected(SESSION),
    )
    assert connection.sessions["child"].parent_id == "s"


def test_a_response_for_a_session_that_is_gone():
    """RPC-03: nothing is left to be changed."""
    connection, intents = watch(
        to_agent("session/load", 1, sessionId="s", **ROOTS),
        to_agent("session/load", 2, sessionId="s", **ROOTS),
        agent_refuses(1),
        agent_answers(2, None),
    )
    assert (dict(connection.sessions), intents) == ({}, ())


@ATTACH
def test_a_request_without_a_session_id(method):
    """15.5: it makes no session, and neither does its answer."""
    connection, intents = watch(to_agent(method, 1, cwd="/w"), agent_answers(1, None))
    assert (dict(connection.sessions), intents) == ({}, ())


def test_a_load_keeps_a_turn_that_runs():
    """LOAD-15 is the client's to keep; a log that breaks it is read all the same."""
    running = open_turn(PLACED, 7, ())
    connection, _ = watch(
        to_agent("session/load", 1, sessionId="s", **ROOTS),
        agent_answers(1, None),
        onto=connected(running),
    )
    assert connection.sessions["s"] == running
