"""`observe`: JSON-RPC messages and their requests (section 1)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reduce.builders import (
    SESSION,
    after,
    agent,
    agent_answers,
    agent_refuses,
    call,
    client_answers,
    codes,
    connected,
    noticed,
    permission,
    prompt,
    reported,
    snapshot,
    subagent,
    text,
    to_agent,
    to_client,
    update,
    watch,
)
from strategies import json_like, json_of

from acp_state import Session
from acp_state.json_values import JsonObject
from acp_state.model.connection import Connection, PendingRequest
from acp_state.reduce.connection import observe, request_key
from acp_state.reduce.effects import NOTIFICATIONS, REQUESTS, RESPONSES

SENDERS = pytest.mark.parametrize("sender", ["client", "agent"])


def told(code, text, message):
    return noticed(code, text, session_id=None, raw=message)


def unchanged(sender, message, *, onto=None):
    """The intents of a message that changes nothing."""
    before = connected(SESSION) if onto is None else onto
    connection, intents = observe(before, sender, message)
    assert connection is before
    return intents


# What is a message (RPC-01, RPC-09)


@SENDERS
@pytest.mark.parametrize(
    "message",
    [
        "a log line",
        None,
        5,
        {},
        {"method": "session/update"},
        {"jsonrpc": "1.0", "method": "session/update"},
        {"jsonrpc": 2.0, "method": "session/update"},
    ],
)
def test_what_is_no_message(sender, message):
    """RPC-01: only objects with ``jsonrpc: "2.0"``; `diag:invalid-message`."""
    assert unchanged(sender, message) == (
        told("invalid-message", "no JSON-RPC 2.0 message; ignored", message),
    )


@SENDERS
@pytest.mark.parametrize("batch", [[], [reported(agent("a"))[1]]])
def test_a_batch_is_no_message(sender, batch):
    """RPC-09: its entries are ignored, `diag:batch`."""
    assert unchanged(sender, batch) == (told("batch", "a batch is no ACP message; ignored", batch),)


@SENDERS
@pytest.mark.parametrize("fields", [{}, {"method": 5}, {"method": None, "params": {}}])
def test_a_message_without_method_and_id(sender, fields):
    """RPC-01: neither a notification nor anything else."""
    message = {"jsonrpc": "2.0", **fields}
    assert unchanged(sender, message) == (
        told("invalid-message", "neither a method nor an id; ignored", message),
    )


@SENDERS
@pytest.mark.parametrize("request_id", [True, False, 1.5, {}, []])
@pytest.mark.parametrize("fields", [{"method": "session/prompt"}, {"result": {}}])
def test_an_id_that_is_none(sender, request_id, fields):
    """RPC-02: boolean, fraction, object or array: ignored, `diag:invalid-message`."""
    message = {"jsonrpc": "2.0", "id": request_id, **fields}
    text = "a request id must be a string, an integer or null; ignored"
    assert unchanged(sender, message) == (told("invalid-message", text, message),)


@pytest.mark.parametrize(
    ("request_id", "key"),
    [
        (1, ("int", 1)),
        (1.0, ("int", 1)),
        (-0.0, ("int", 0)),
        ("1", ("str", "1")),
        ("", ("str", "")),
        (None, ("NoneType", None)),
        (True, None),
        (1.5, None),
        (float("nan"), None),
        (float("inf"), None),
        ({}, None),
        ([], None),
    ],
)
def test_ids_are_equal_by_type_and_value(request_id, key):
    """RPC-02: ``1`` and ``"1"`` differ, ``1.0`` is ``1``; zero and null are ids."""
    assert request_key(request_id) == key


# Notifications


@pytest.mark.parametrize(
    ("sender", "method"),
    [
        ("agent", "_vendor/thing"),
        ("agent", "$/progress"),
        ("client", "session/update"),
        ("agent", "session/cancel"),
        ("agent", "session/prompt"),
    ],
)
def test_other_notifications_change_nothing(sender, method):
    """RPC-06, EXT-02: unknown ones are ignored; a method counts only from its own sender."""
    message = {"jsonrpc": "2.0", "method": method, "params": {"sessionId": "s"}}
    unchanged(sender, message)


@pytest.mark.xfail(strict=True, reason="RPC-06: `unknown-notification` is not told yet")
def test_an_unknown_notification_is_told():
    """RPC-06: `diag:unknown-notification`, info."""
    intents = unchanged("agent", {"jsonrpc": "2.0", "method": "session/unheard_of"})
    assert codes(intents) == ("unknown-notification",)


@pytest.mark.parametrize("params", [None, 5, [], "x"])
@pytest.mark.parametrize("method", ["session/update", "session/cancel"])
def test_params_that_are_no_object_are_empty(method, params):
    """LENIENT-05, contract 2."""
    sender = "agent" if method == "session/update" else "client"
    unchanged(sender, {"jsonrpc": "2.0", "method": method, "params": params})


# Requests


@pytest.mark.parametrize(
    ("sender", "field"), [("client", "client_requests"), ("agent", "agent_requests")]
)
def test_a_request_is_outstanding_until_it_is_answered(sender, field):
    """RPC-02, RPC-03: remembered with method and params, per direction, oldest first."""
    asked, intents = watch(
        (sender, {"jsonrpc": "2.0", "id": 1, "method": "_a", "params": {"sessionId": "s"}}),
        (sender, {"jsonrpc": "2.0", "id": "1", "method": "_b"}),
    )
    assert intents == ()
    one = PendingRequest(
        request_id=1, method="_a", params=JsonObject({"sessionId": "s"}), session_id="s"
    )
    two = PendingRequest(request_id="1", method="_b", params=JsonObject({}))
    assert list(getattr(asked, field).items()) == [(("int", 1), one), (("str", "1"), two)]
    answer = agent_answers if sender == "client" else client_answers
    answered, intents = watch(answer(1, {}), onto=asked)
    assert intents == ()
    assert dict(getattr(answered, field)) == {("str", "1"): two}


def test_the_two_directions_number_their_requests_alone():
    """RPC-02: an id in a response is matched only against the other side's requests."""
    asked, _ = watch(prompt(1, "Hi"), permission(1, {"toolCallId": "t"}), onto=connected(SESSION))
    answered, intents = watch(client_answers(1, {}), onto=asked)
    assert intents == ()
    assert list(answered.client_requests) == [("int", 1)]
    assert list(answered.agent_requests) == []


@pytest.mark.parametrize(
    "message",
    [agent_answers(7, {}), agent_refuses("1"), client_answers(1, {}), agent_answers(None, {})],
)
def test_a_response_that_nobody_waits_for(message):
    """RPC-03: an unknown or settled id changes nothing, `diag:unknown-response`."""
    asked, _ = watch(prompt(1, "Hi"), onto=connected(SESSION))
    request_id = message[1]["id"]
    text = f"no request {request_id!r} waits for a response; ignored"
    assert unchanged(*message, onto=asked) == (told("unknown-response", text, message[1]),)


def test_a_request_with_the_null_id():
    """RPC-02: discouraged, and still an id."""
    asked, _ = watch(("client", {**prompt(1, "Hi")[1], "id": None}), onto=connected(SESSION))
    assert asked.sessions["s"].turns[0].request_id is None
    done, _ = watch(agent_answers(None, {"stopReason": "end_turn"}), onto=asked)
    assert done.sessions["s"].turns[0].outcome == "ended"


@pytest.mark.xfail(strict=True, reason="RPC-11: `duplicate-request-id` is not told yet")
def test_a_request_with_an_id_that_is_pending():
    """RPC-11: keep the first, `diag:duplicate-request-id`."""
    before, _ = watch(permission(1, {"toolCallId": "a"}), onto=connected(SESSION))
    connection, intents = watch(permission(1, {"toolCallId": "b"}), onto=before)
    assert connection.agent_requests == before.agent_requests
    assert codes(intents) == ("duplicate-request-id",)


@pytest.mark.parametrize("params", [None, 5, [], {"deep": float("nan")}])
def test_params_that_cannot_be_held_are_empty(params):
    """LENIENT-05, contract 2."""
    message = {"jsonrpc": "2.0", "id": 1, "method": "_x", "params": params}
    connection, intents = observe(Connection(), "client", message)
    [request] = connection.client_requests.values()
    assert (request.params, intents) == (JsonObject({}), ())


@pytest.mark.parametrize("session_id", [None, 5, []])
def test_a_request_that_names_no_session(session_id):
    """`PendingRequest.session_id`: the session that it is about, if it names one."""
    connection, _ = watch(to_agent("session/set_mode", 1, sessionId=session_id))
    [request] = connection.client_requests.values()
    assert request.session_id is None


def test_an_answer_without_an_effect_settles_its_request():
    """Section 19: what has no row changes nothing else; a bad one is told."""
    asked, _ = watch(
        to_agent("session/list", 1), to_agent("session/list", 2), onto=connected(SESSION)
    )
    connection, intents = watch(
        agent_answers(1, {"sessions": []}), ("agent", {"jsonrpc": "2.0", "id": 2}), onto=asked
    )
    assert dict(connection.client_requests) == {}
    assert connection.sessions is asked.sessions
    assert codes(intents) == ("bad-response",)


def test_what_is_wrong_with_an_answer_is_told_before_its_effects():
    """RPC-01: a null error beside a result."""
    message = {"jsonrpc": "2.0", "id": 1, "result": {"stopReason": "x"}, "error": None}
    _, intents = watch(prompt(1, "Hi"), ("agent", message), onto=connected(SESSION))
    assert codes(intents)[:2] == ("bad-response", "bad-response")


# Properties

METHODS = sorted({method for table in (NOTIFICATIONS, REQUESTS, RESPONSES) for _, method in table})

envelopes = st.fixed_dictionaries(
    {"jsonrpc": st.just("2.0")},
    optional={
        "id": st.sampled_from([1, 2, "1", None, True]) | json_like,
        "method": st.sampled_from(METHODS) | json_like,
        "params": json_like
        | st.fixed_dictionaries(
            {"sessionId": st.sampled_from(["s", "t"]) | json_like, "update": json_like},
            optional={"prompt": json_like, "modeId": json_like, "cwd": json_like},
        ),
        "result": json_like,
        "error": json_like,
    },
)
senders = st.sampled_from(["client", "agent"])

ids = st.sampled_from([1, 2])
sessions = st.sampled_from(["s", "child"])
traffic = st.lists(
    st.one_of(
        st.builds(reported, json_of("SessionUpdate"), sessions),
        st.builds(prompt, ids, st.just("Hi"), session_id=sessions),
        st.builds(
            agent_answers,
            ids,
            st.sampled_from([{"stopReason": "end_turn"}, {"sessionId": "s"}, None, {}]),
        ),
        st.builds(agent_refuses, ids),
        st.builds(lambda s: to_agent("session/cancel", sessionId=s), sessions),
        st.builds(lambda i, s: to_agent("session/load", i, sessionId=s, cwd="/w"), ids, sessions),
        st.builds(lambda i: to_agent("session/new", i, cwd="/w"), ids),
        st.builds(
            lambda i, s: to_agent("session/set_mode", i, sessionId=s, modeId="m"), ids, sessions
        ),
        st.builds(lambda i, s: permission(i, {"toolCallId": "t"}, session_id=s), ids, sessions),
        st.builds(lambda i, s: to_client("terminal/create", i, sessionId=s), ids, sessions),
        st.builds(client_answers, ids, st.sampled_from([{"terminalId": "t"}, {}, None])),
    ),
    max_size=8,
)


@given(st.lists(st.tuples(senders, json_like | envelopes), max_size=4))
def test_no_json_raises(messages):
    """Contract 2: nothing that a peer sends raises, whatever JSON it is."""
    connection, _ = watch(*messages, onto=connected(SESSION))
    assert "s" in connection.sessions


@given(traffic)
def test_watching_twice_gives_equal_connections(messages):
    """INV-01: and equal intents."""
    assert watch(*messages) == watch(*messages)


@given(traffic)
def test_earlier_connections_never_change(messages):
    """INV-01, contract 1: all of them are kept, and compared down to the leaves."""
    kept = [(Connection(), snapshot(Connection()))]
    for sender, message in messages:
        connection, _ = observe(kept[-1][0], sender, message)
        kept.append((connection, snapshot(connection)))
    assert [snapshot(connection) for connection, _ in kept] == [before for _, before in kept]


@given(
    st.lists(json_of("SessionUpdate"), max_size=5),
    st.lists(json_of("SessionUpdate"), max_size=5),
    st.randoms(use_true_random=False),
)
def test_sessions_are_independent(left, right, random):
    """INV-05, contract 8: interleaving the traffic of two sessions changes neither."""
    order = ["left"] * len(left) + ["right"] * len(right)
    random.shuffle(order)
    queues = {"left": iter(left), "right": iter(right)}
    messages = [reported(next(queues[name]), name) for name in order]
    known = connected(Session("left"), Session("right"))
    apart = watch(*[reported(each, "left") for each in left], onto=known)[0]
    apart = watch(*[reported(each, "right") for each in right], onto=apart)[0]
    assert watch(*messages, onto=known)[0].sessions == apart.sessions


def test_the_message_may_be_changed_afterwards():
    """Contract 1: what is remembered of a request shares nothing with it."""
    params = {"sessionId": "s", "prompt": [text("Hi")], "_meta": {"k": [1]}}
    asked, _ = watch(to_agent("session/prompt", 1, **params), onto=connected(SESSION))
    params["_meta"]["k"].append(2)
    params["prompt"].clear()
    [request] = asked.client_requests.values()
    assert request.params == {"sessionId": "s", "prompt": [text("Hi")], "_meta": {"k": [1]}}


def test_a_recorded_turn():
    """Seed: prompt, output, tool call, permission, result, end; nothing is odd in it."""
    connection, intents = watch(
        to_agent("initialize", 0, protocolVersion=1, clientCapabilities={"subagents": {}}),
        agent_answers(0, {"protocolVersion": 1}),
        to_agent("session/new", 1, cwd="/w", mcpServers=[]),
        agent_answers(1, {"sessionId": "s"}),
        prompt(2, "Analyse this"),
        reported(update("plan", entries=[])),
        reported(agent("I'll look.", "m")),
        reported(call("call_001", kind="read", status="pending")),
        permission(
            0, {"toolCallId": "call_001"}, {"optionId": "o", "name": "O", "kind": "allow_once"}
        ),
        client_answers(0, {"outcome": {"outcome": "selected", "optionId": "o"}}),
        reported(update("tool_call_update", toolCallId="call_001", status="completed")),
        reported(subagent("child")),
        reported(agent("Done.", "m")),
        agent_answers(2, {"stopReason": "end_turn"}),
    )
    assert [intent.turn.outcome for intent in intents] == ["ended"]
    session = connection.sessions["s"]
    assert [entry.key for entry in session.timeline] == [
        None,
        ("agent", "m"),
        ("tool_call", "call_001"),
        ("subagent", "child"),
    ]
    assert session.messages[1].text == "I'll look.Done."
    assert after(onto=session) is session
