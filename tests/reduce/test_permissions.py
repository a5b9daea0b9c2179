"""Permission requests, as far as they change the model (14.3)."""

from __future__ import annotations

import pytest
from reduce.builders import (
    SESSION,
    after,
    call,
    client_answers,
    client_refuses,
    codes,
    connected,
    permission,
    prompted,
    timeline,
    to_agent,
    to_client,
    watch,
)

from acp_state import Session, ToolCall
from acp_state.model.connection import Connection

ALLOW = {"optionId": "o", "name": "Allow", "kind": "allow_once"}


def test_a_request_patches_its_call():
    """PERM-02: like a `tool_call_update`; what it does not carry stays."""
    before = after(call("t", kind="edit", rawInput={"a": 1}))
    connection, intents = watch(
        permission(1, {"toolCallId": "t", "title": "May I?"}, ALLOW), onto=connected(before)
    )
    assert connection.sessions["s"] == Session(
        "s",
        timeline=timeline(
            ToolCall(tool_call_id="t", title="May I?", kind="edit", raw_input={"a": 1})
        ),
    )
    assert intents == ()


def test_a_request_creates_its_call():
    """PERM-02, TL-04, 15.2: at first sight, without `tool-update-first`."""
    connection, intents = watch(
        permission(1, {"toolCallId": "t", "status": "in_progress"}, ALLOW),
        onto=connected(prompted("Hi")),
    )
    assert connection.sessions["s"].tool_calls["t"] == ToolCall(
        tool_call_id="t", status="in_progress", turn=0
    )
    assert intents == ()


def test_empty_arrays_and_objects_replace_what_is_known():
    """PERM-02: by the letter."""
    before = after(
        call(
            "t",
            locations=[{"path": "/a"}],
            content=[{"type": "terminal", "terminalId": "1"}],
            rawInput={"a": 1},
            meta={"k": 1},
        )
    )
    asking = {"toolCallId": "t", "locations": [], "content": [], "rawInput": {}, "_meta": {}}
    connection, _ = watch(permission(1, asking), onto=connected(before))
    assert connection.sessions["s"].tool_calls["t"] == ToolCall(
        tool_call_id="t", title="T", raw_input={}, meta={"k": 1}
    )


def test_a_pending_status_is_applied():
    """PERM-02: it says that the call awaits approval; no `tool-status-regress`."""
    before = after(call("t", status="in_progress"))
    connection, intents = watch(
        permission(1, {"toolCallId": "t", "status": "pending"}), onto=connected(before)
    )
    assert connection.sessions["s"].tool_calls["t"].status == "pending"
    assert intents == ()


def test_a_request_for_an_unknown_session():
    """PERM-07: a provisional session, `diag:unannounced-session`."""
    connection, intents = watch(permission(1, {"toolCallId": "t"}))
    assert dict(connection.sessions) == {
        "s": Session("s", timeline=timeline(ToolCall(tool_call_id="t")))
    }
    assert codes(intents) == ("unannounced-session",)


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"sessionId": "s"},
        {"sessionId": "s", "toolCall": {"toolCallId": "t"}},
        {"sessionId": "s", "toolCall": {"toolCallId": "t"}, "options": [5]},
    ],
)
def test_a_malformed_request_touches_nothing(params):
    """PERM-03: no call is made or patched, and no session."""
    connection, intents = watch(to_client("session/request_permission", 1, **params))
    assert (dict(connection.sessions), intents) == ({}, ())


@pytest.mark.xfail(strict=True, reason="PERM-03: faults of the request are not diagnosed")
def test_an_option_of_an_unknown_kind_is_told():
    """PERM-03: kept, opaque, with `diag:field-defaulted`."""
    _, intents = watch(
        permission(1, {"toolCallId": "t"}, {**ALLOW, "kind": "_ask"}), onto=connected(SESSION)
    )
    assert codes(intents) == ("field-defaulted",)


@pytest.mark.parametrize(
    "answer",
    [
        client_answers(1, {"outcome": {"outcome": "selected", "optionId": "o"}}),
        client_answers(1, {"outcome": {"outcome": "cancelled"}}),
        client_refuses(1, -32800),
    ],
)
def test_an_answer_changes_no_session(answer):
    """TOOL-14: the call waits for the agent."""
    asked, _ = watch(permission(1, {"toolCallId": "t"}, ALLOW))
    connection, intents = watch(answer, onto=asked)
    assert connection.sessions is asked.sessions
    assert intents == ()


def test_requests_are_independent():
    """PERM-06: several pending together, in one or several sessions, answered in any order."""
    connection, intents = watch(
        permission(1, {"toolCallId": "a"}),
        permission(2, {"toolCallId": "b"}),
        permission(3, {"toolCallId": "a"}, session_id="other"),
        client_answers(2, {"outcome": {"outcome": "cancelled"}}),
        onto=connected(SESSION, Session("other")),
    )
    assert intents == ()
    assert list(connection.sessions["s"].tool_calls) == ["a", "b"]
    assert [request.request_id for request in connection.agent_requests.values()] == [1, 3]


def test_it_is_the_agent_who_asks():
    """Section 18: the same method from the client is no such request."""
    method, params = "session/request_permission", {"sessionId": "s", "toolCall": {}, "options": []}
    connection, _ = watch(to_agent(method, 1, **params))
    assert connection.sessions == Connection().sessions
