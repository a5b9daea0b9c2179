"""Updates find their session (RPC-12, 15.5), and children their parent (section 11)."""

from __future__ import annotations

import attrs
import pytest
from reduce.builders import (
    SESSION,
    after,
    agent,
    agent_answers,
    codes,
    connected,
    noticed,
    reported,
    subagent,
    to_agent,
    to_client,
    update,
    watch,
)

from acp_state import Diagnose, Session
from acp_state.diagnostics import diagnostic
from acp_state.model.connection import Connection
from acp_state.reduce.routing import on_session_update

CHUNK = agent("a", "a")


def unannounced(session_id, severity="error"):
    text = f"session {session_id!r} is not known; what comes for it is kept"
    found = diagnostic("unannounced-session", text, session_id=session_id)
    return Diagnose(attrs.evolve(found, severity=severity))


# Updates


def test_an_update_is_folded_into_the_session_that_it_names():
    """RPC-12: and into no other."""
    other = Session("other")
    connection, intents = watch(reported(CHUNK), onto=connected(SESSION, other))
    assert intents == ()
    assert dict(connection.sessions) == {"s": after(CHUNK), "other": other}
    assert connection.sessions["other"] is other


@pytest.mark.parametrize(
    ("params", "told"),
    [
        ({}, "'sessionId' must be a string; the update is dropped"),
        ({"update": CHUNK}, "'sessionId' must be a string; the update is dropped"),
        (
            {"sessionId": None, "update": CHUNK},
            "'sessionId' must be a string; the update is dropped",
        ),
        ({"sessionId": 5, "update": CHUNK}, "'sessionId' must be a string; the update is dropped"),
    ],
)
def test_an_update_without_a_session_is_dropped(params, told):
    """RPC-12: `params.sessionId` is required non-null."""
    before = connected(SESSION)
    connection, intents = on_session_update(before, params)
    assert connection is before
    assert intents == (noticed("update-dropped", told, session_id=None, rule="RPC-12", raw=params),)


@pytest.mark.parametrize("params", [{"sessionId": "s"}, {"sessionId": "s", "update": None}])
def test_a_missing_update_is_dropped(params):
    """RPC-12: `params.update` is required non-null."""
    before = connected(SESSION)
    connection, intents = on_session_update(before, params)
    assert connection is before
    assert codes(intents) == ("update-dropped",)


@pytest.mark.parametrize("meta", [{"traceparent": "x"}, None, 5])
def test_metadata_of_the_envelope_goes_nowhere(meta):
    """RPC-12: never merged into entity metadata; a malformed one is none."""
    connection, intents = watch(
        to_client("session/update", sessionId="s", update=CHUNK, _meta=meta),
        onto=connected(SESSION),
    )
    assert (dict(connection.sessions), intents) == ({"s": after(CHUNK)}, ())


def test_an_update_that_changes_nothing_gives_the_very_same_connection():
    """Design, contract 5."""
    before = connected(after(update("plan", entries=[])))
    connection, _ = watch(reported(update("plan", entries=[])), onto=before)
    assert connection is before


# Sessions that are not known (15.5)


def test_an_update_for_an_unknown_session_makes_a_provisional_one():
    """15.5: fold, `diag:unannounced-session`, once."""
    connection, intents = watch(reported(CHUNK), reported(CHUNK))
    assert dict(connection.sessions) == {"s": after(CHUNK, CHUNK)}
    assert intents == (unannounced("s"),)


@pytest.mark.parametrize(
    "method", ["session/new", "session/fork", "session/load", "session/resume"]
)
def test_traffic_before_the_response_is_no_breach(method):
    """15.5: severity i while a request is outstanding that may still claim the session."""
    _, intents = watch(to_agent(method, 1, sessionId="other", cwd="/w"), reported(CHUNK))
    assert intents == (unannounced("s", "info"),)


@pytest.mark.parametrize(
    "messages",
    [
        [to_agent("session/new", 1, cwd="/w"), agent_answers(1, {"sessionId": "other"})],
        [to_agent("session/prompt", 1, sessionId="other", prompt=[])],
        [to_agent("session/list", 1)],
    ],
    ids=["answered", "prompt", "list"],
)
def test_other_requests_claim_no_session(messages):
    """15.5: else it is a breach."""
    connection, _ = watch(*messages)
    assert watch(reported(CHUNK), onto=connection)[1] == (unannounced("s"),)


def test_a_dropped_update_makes_no_session():
    """LENIENT-03: `update-dropped` alone."""
    connection, intents = watch(reported(update("agent_message_chunk")))
    assert connection == Connection()
    assert codes(intents) == ("update-dropped",)


def test_a_provisional_session_keeps_its_place():
    """Connection.sessions: in the order they were first heard of."""
    connection, _ = watch(
        reported(CHUNK, "a"),
        reported(CHUNK, "b"),
        reported(CHUNK, "a"),
        reported(subagent("c"), "a"),
    )
    assert list(connection.sessions) == ["a", "b", "c"]


# Children


def test_a_child_that_is_announced_by_a_provisional_parent():
    """SUB-02, SUB-03: the parent is told about, the child is not."""
    connection, intents = watch(reported(subagent("child"), "parent"))
    assert intents == (unannounced("parent"),)
    assert connection.sessions["child"] == Session("child", parent_id="parent")


@pytest.mark.parametrize(
    "sent",
    [
        update("subagent_update"),
        update("subagent_update", sessionId=5),
        update("subagent_update", sessionId=None),
        ["subagent_update"],
        {"sessionUpdate": 5, "sessionId": "child"},
    ],
)
def test_a_malformed_announcement_announces_nothing(sent):
    """SUB-02, RPC-07."""
    before = connected(SESSION)
    connection, intents = watch(reported(sent), onto=before)
    assert connection is before
    assert codes(intents) == ("update-dropped",)


def test_the_announcement_of_a_known_child_changes_nothing():
    """SUB-10: repeats are idempotent."""
    before, _ = watch(reported(subagent("child")), onto=connected(SESSION))
    assert watch(reported(subagent("child")), onto=before) == (before, ())
    assert watch(reported(subagent("child")), onto=before)[0] is before


def test_a_second_parent_or_a_cycle_is_ignored():
    """SUB-04: the update is not folded at all, not even into its own session."""
    before, _ = watch(
        reported(subagent("child")),
        reported(subagent("grandchild"), "child"),
        onto=connected(SESSION, Session("other")),
    )
    for child, parent in (("child", "other"), ("s", "grandchild"), ("s", "child")):
        connection, intents = watch(reported(subagent(child, title="T"), parent), onto=before)
        assert connection is before
        assert codes(intents) == ("reparent",)


def test_early_traffic_of_a_child_is_attached():
    """SUB-03: it stays when the child is announced."""
    connection, _ = watch(reported(CHUNK, "child"), reported(subagent("child")))
    assert connection.sessions["child"] == attrs.evolve(
        after(CHUNK), session_id="child", parent_id="s"
    )


# Modes that overtake a request (MODE-03)


def asked(*sessions):
    """`session/set_mode` is outstanding in each."""
    return watch(
        *[
            to_agent("session/set_mode", number, sessionId=session_id, modeId="m")
            for number, session_id in enumerate(sessions)
        ],
        onto=connected(*map(Session, dict.fromkeys(sessions))),
    )[0]


def overtaken(connection):
    return [request.overtaken for request in connection.client_requests.values()]


def test_a_mode_overtakes_every_request_of_its_session():
    """MODE-03: a `current_mode_update` after the request; those of other sessions stay."""
    connection, _ = watch(
        reported(update("current_mode_update", currentModeId="x")), onto=asked("s", "other", "s")
    )
    assert overtaken(connection) == [True, False, True]


def test_an_alias_overtakes_as_well():
    """LENIENT-15: it is a `current_mode_update`."""
    sent = update("current_mode_update", modeId="x")
    assert overtaken(watch(reported(sent), onto=asked("s"))[0]) == [True]


@pytest.mark.parametrize(
    "sent",
    [
        update("current_mode_update"),
        update("current_mode_update", currentModeId=5),
        update("session_info_update", currentModeId="x"),
    ],
)
def test_what_is_no_report_of_a_mode_overtakes_nothing(sent):
    """MODE-03, RPC-07."""
    assert overtaken(watch(reported(sent), onto=asked("s"))[0]) == [False]


def test_a_mode_overtakes_no_other_request():
    """MODE-03: only `session/set_mode`."""
    connection, _ = watch(
        to_agent("session/set_config_option", 1, sessionId="s", configId="mode", value="m"),
        reported(update("current_mode_update", currentModeId="x")),
        onto=connected(SESSION),
    )
    assert overtaken(connection) == [False]
