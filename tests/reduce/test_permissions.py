"""Permission requests (14.3), and their machine (15.4)."""

from __future__ import annotations

import attrs
import pytest
from reduce.talk import (
    ALLOW,
    CANCELLED,
    REJECT,
    SEATS,
    AnyError,
    Noticed,
    Refuses,
    Talk,
    ask_permission,
    call,
    call_update,
    cancel,
    cancel_request,
    child,
    connected,
    error,
    prompt,
    request,
    result,
    running,
    selected,
    stop,
    talk,
)

from acp_state import (
    AnswerPermission,
    AskPermission,
    Connection,
    Disconnected,
    Permission,
    PermissionWithdrawn,
    RequestAnswered,
    RequestFailed,
    Respond,
    RespondError,
    Send,
    Session,
    ToolCall,
)
from acp_state.model import PendingRequest
from acp_state.persistent import Map
from acp_state.schema import Content, Error, PermissionOption, TextContent, ToolCallUpdate

FROM_ALL_SEATS = pytest.mark.parametrize("side", SEATS)

YES = PermissionOption(option_id="yes", name="Allow", kind="allow_once")
NO = PermissionOption(option_id="no", name="Reject", kind="reject_once")


def asked(request_id=1, tool_call_id="t", **fields):
    """The permission of `ask_permission()`."""
    return Permission(
        **{
            "request_id": request_id,
            "tool_call": ToolCallUpdate(tool_call_id=tool_call_id),
            "options": (YES, NO),
            **fields,
        }
    )


def permissions(there):
    return tuple(there.session.permissions)


# PERM-01


@FROM_ALL_SEATS
def test_a_request_is_kept_by_its_id(side):
    """PERM-01, 15.4: none -> pending; session, call, options in order, raw params, arrival."""
    there = talk(side)
    before = there.session
    message = ask_permission(7)
    told = there.agent(message)
    t = ToolCall(tool_call_id="t", announced=False)
    assert there.session == attrs.evolve(
        before,
        timeline=before.timeline.append(t),
        permissions=before.permissions.append(asked(7)),
        open_permissions=Map.of({("int", 7): 0}),
    )
    assert there.connection.agent_requests == {
        ("int", 7): PendingRequest(
            request_id=7,
            method="session/request_permission",
            params=message["params"],
            session_id="s",
        )
    }
    ask = AskPermission(session_id="s", permission=asked(7), tool_call=t)
    assert told == ((ask,) if side == "client" else ())


def test_clients_always_support_it():
    """PERM-01, section 20: without any capability."""
    there = talk(client={})
    [ask] = there.agent(ask_permission())
    assert ask.permission == asked()


def test_it_knows_its_turn():
    """TURN-10: those that arrived in that turn."""
    there = running()
    [ask] = there.agent(ask_permission())
    assert ask.permission.turn == 0
    there.agent(stop())
    [ask] = there.agent(ask_permission(2, "u"))
    assert ask.permission.turn is None


def test_options_stand_in_the_agents_order():
    """PERM-01."""
    there = talk()
    [ask] = there.agent(ask_permission(options=[REJECT, ALLOW]))
    assert ask.permission.options == (NO, YES)


def test_a_request_without_options_is_one():
    """PERM-01: all that can be said to it is that it is cancelled."""
    there = talk()
    [ask] = there.agent(ask_permission(options=[]))
    assert ask.permission.options == ()
    assert there.refused(AnswerPermission(1, "yes")).rule == "PERM-04"
    assert there.do(AnswerPermission(1)) == (Send(result(1, CANCELLED)),)


# PERM-02


def test_the_call_is_patched_before_the_question_is_put():
    """PERM-02: like a `tool_call_update`; the snapshot as sent and the call before are kept."""
    there = running()
    there.agent(call(kind="edit", rawInput={"a": 1}, status="in_progress"))
    before = there.session.tool_calls["t"]
    [ask] = there.agent(ask_permission(1, "t", title="May I?", status="pending"))
    after = attrs.evolve(before, title="May I?", status="pending")
    assert there.session.tool_calls["t"] == ask.tool_call == after
    snapshot = ToolCallUpdate(tool_call_id="t", title="May I?", status="pending")
    assert ask.permission == asked(tool_call=snapshot, before=before, turn=0)


def test_later_updates_do_not_change_the_snapshot():
    """PERM-02: as it was sent, and as the call stood."""
    there = talk()
    there.agent(call())
    [ask] = there.agent(ask_permission(1, "t", title="May I?"))
    there.agent(call_update("t", title="Other", status="completed"))
    assert permissions(there) == (ask.permission,)
    assert ask.permission.before == ToolCall(tool_call_id="t", title="T")


def test_the_first_sight_of_a_call():
    """PERM-02, 15.2: created, status as given or `pending`, without `tool-update-first`."""
    there = running()
    told = there.agent(ask_permission(1, "t"), ask_permission(2, "u", status="in_progress"))
    assert [type(each) for each in told] == [AskPermission, AskPermission]
    assert [each.permission.before for each in told] == [None, None]
    assert [each.tool_call.status for each in told] == ["pending", "in_progress"]


def test_a_pending_status_is_no_step_back():
    """PERM-02: it says that the call awaits approval; other steps back are diagnosed (15.2)."""
    there = talk()
    there.agent(call(status="completed"))
    told = there.agent(ask_permission(1, status="pending"))
    assert len(told) == 1
    assert there.session.tool_calls["t"].status == "pending"
    there.agent(call_update(status="failed"))
    told = there.agent(ask_permission(2, status="completed"))
    assert told[0] == Noticed("tool-status-regress", "s")


def test_empty_arrays_and_objects_replace_what_is_known():
    """PERM-02: by the letter; what the request blanks is in `before`."""
    there = talk()
    there.agent(
        call(
            content=[{"type": "content", "content": {"type": "text", "text": "x"}}],
            locations=[{"path": "/a"}],
            rawInput={"a": 1},
        )
    )
    [ask] = there.agent(ask_permission(1, content=[], locations=[], rawInput={}))
    assert ask.tool_call == ToolCall(tool_call_id="t", title="T", raw_input={})
    assert ask.permission.before.content == (Content(content=TextContent(text="x")),)


def test_a_valid_status_lifts_the_overlay():
    """15.2: overlay -> that status; without one it stays."""
    there = running()
    there.agent(call())
    there.client(cancel())
    there.agent(ask_permission(1, title="U"))
    assert there.session.tool_calls["t"].cancelled
    there.agent(ask_permission(2, status="pending"))
    assert not there.session.tool_calls["t"].cancelled


def test_odd_values_in_the_call_are_told():
    """LENIENT-13, TOOL-12, LENIENT-02: as in an update, with their place in the request."""
    there = talk()
    told = there.agent(ask_permission(1, "", title=5, locations=[{"path": "a"}]))
    assert told[:-1] == (
        Noticed("field-defaulted", "s", path="toolCall.title"),
        Noticed("empty-id", "s", path="toolCall.toolCallId"),
        Noticed("relative-path", "s", path="toolCall.locations[0].path"),
    )
    assert isinstance(told[-1], AskPermission)


def test_an_empty_option_id_is_told():
    """LENIENT-13: with `diag:empty-id`."""
    there = talk()
    told = there.agent(ask_permission(options=[{**ALLOW, "optionId": ""}]))
    assert told[0] == Noticed("empty-id", "s", path="options[0].optionId")


def test_an_empty_option_id_is_honoured():
    """LENIENT-13: the empty string is a valid string."""
    there = talk()
    there.agent(ask_permission(options=[{**ALLOW, "optionId": ""}]))
    assert there.do(AnswerPermission(1, "")) == (Send(selected(1, "")),)


# PERM-03


@pytest.mark.parametrize(
    "broken",
    [
        {"sessionId": None},
        {"sessionId": 5},
        {"toolCall": None},
        {"toolCall": {}},
        {"toolCall": {"toolCallId": 5}},
        {"options": None},
        {"options": {}},
        {"options": [5]},
        {"options": [{**ALLOW, "optionId": None}]},
        {"options": [{"optionId": "yes", "kind": "allow_once"}]},
        {"options": [{"optionId": "yes", "name": "Allow"}]},
        {"options": [{**ALLOW, "kind": 5}]},
    ],
)
@pytest.mark.parametrize("how", ["wrong", "missing"])
def test_malformed_parameters(broken, how):
    """PERM-03: -32602, no pending entry; no call is made or patched."""
    there = talk()
    before = there.connection
    message = ask_permission()
    message["params"].update(broken)
    if how == "missing":
        del message["params"][next(iter(broken))]
    told = there.agent(message)
    session_id = message["params"].get("sessionId")
    named = session_id if isinstance(session_id, str) else None
    assert told == (Noticed("invalid-message", named, rule="RPC-05"), Refuses(1, -32602))
    assert there.connection.sessions is before.sessions
    assert there.connection.agent_requests == {}


def test_an_option_of_an_unknown_kind_is_kept():
    """PERM-03: opaque, with `diag:field-defaulted`; the question must reach the user."""
    there = talk()
    told = there.agent(ask_permission(options=[{**ALLOW, "kind": "allow_for_a_day"}]))
    option = PermissionOption(option_id="yes", name="Allow", kind="allow_for_a_day")
    permission = asked(options=(option,))
    t = there.session.tool_calls["t"]
    assert told == (
        Noticed("field-defaulted", "s", rule="PERM-03", path="options[0].kind"),
        AskPermission(session_id="s", permission=permission, tool_call=t),
    )
    assert there.do(AnswerPermission(1, "yes")) == (Send(selected()),)


# PERM-04


@FROM_ALL_SEATS
def test_an_option_is_selected(side):
    """PERM-04, 15.4: pending -> answered."""
    there = talk(side)
    there.agent(ask_permission())
    before = there.session
    told = there.client(selected(1, "no"))
    answered = attrs.evolve(asked(), outcome="selected", option_id="no")
    assert there.session == attrs.evolve(
        before, permissions=before.permissions.set(0, answered), open_permissions=Map()
    )
    assert there.connection.agent_requests == {}
    assert answered.selected == NO
    tell = RequestAnswered(
        request_id=1,
        method="session/request_permission",
        result=selected(1, "no")["result"],
        session_id="s",
    )
    assert told == ((tell,) if side == "agent" else ())


@FROM_ALL_SEATS
def test_the_user_dismisses_the_question(side):
    """PERM-04, 15.4: pending -> answered, `cancelled`."""
    there = talk(side)
    there.agent(ask_permission())
    there.client(result(1, CANCELLED))
    assert permissions(there) == (attrs.evolve(asked(), outcome="cancelled"),)
    assert there.session.pending_permissions == ()


@FROM_ALL_SEATS
def test_it_is_answered_with_an_error(side):
    """Section 18: -32800 is allowed, and clients fail; the error is kept as sent."""
    there = talk(side)
    there.agent(ask_permission())
    told = there.client(error(1, -32603, "crashed"))
    crashed = Error(code=-32603, message="crashed")
    assert permissions(there) == (attrs.evolve(asked(), outcome="failed", error=crashed),)
    failed = RequestFailed(
        request_id=1, method="session/request_permission", error=crashed, session_id="s"
    )
    assert told == ((failed,) if side == "agent" else ())


@pytest.mark.parametrize(
    "answer", [None, {}, [], 5, {"outcome": None}, {"outcome": {}}, {"outcome": {"outcome": "x"}}]
)
def test_an_answer_that_selects_nothing(answer):
    """PERM-04: whatever it is, the question is answered, and nothing is allowed by it."""
    there = talk("observer")
    there.agent(ask_permission())
    there.client({"jsonrpc": "2.0", "id": 1, "result": answer})
    assert permissions(there) == (attrs.evolve(asked(), outcome="cancelled"),)


def test_an_answer_that_selects_what_is_no_string():
    """PERM-04: X among the offered."""
    there = talk("observer")
    there.agent(ask_permission())
    there.client(selected(1, 5))
    assert permissions(there) == (attrs.evolve(asked(), outcome="cancelled"),)


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (AnswerPermission(1, "yes"), selected(1, "yes")),
        (AnswerPermission(1, "no"), selected(1, "no")),
        (AnswerPermission(1), result(1, CANCELLED)),
        (RespondError(1, -32603, "no"), error(1)),
        (RespondError(1, -32800, "closed", {"a": 1}), error(1, -32800, "closed", data={"a": 1})),
    ],
)
def test_the_command_sends_and_does_what_the_message_does(command, message):
    """PERM-04: one code path."""
    there, seen = talk(), talk()
    for each in (there, seen):
        each.agent(ask_permission())
    assert there.do(command) == (Send(message), *seen.client(message))
    assert there.connection == seen.connection


def test_a_foreign_option_is_refused():
    """PERM-04: X among the offered; refuse locally, and say what there is."""
    there = talk()
    there.agent(ask_permission())
    refusal = there.refused(AnswerPermission(1, "always"))
    assert (refusal.rule, refusal.code) == ("PERM-04", "refused")
    assert "yes" in str(refusal)
    assert "no" in str(refusal)


@pytest.mark.parametrize("first", [AnswerPermission(1, "yes"), AnswerPermission(1)])
@pytest.mark.parametrize("second", [AnswerPermission(1, "yes"), AnswerPermission(1)])
def test_a_second_answer_is_refused(first, second):
    """PERM-04, 15.4: answered, second answer: same; local refusal."""
    there = talk()
    there.agent(ask_permission())
    there.do(first)
    assert there.refused(second).rule == "PERM-04"


@pytest.mark.parametrize("request_id", [2, "1", None, True, 1.5])
def test_an_answer_to_what_was_not_asked_is_refused(request_id):
    """PERM-04, RPC-02: a pending request, by type and value."""
    there = talk()
    there.agent(ask_permission())
    there.agent(request(2, "fs/read_text_file", sessionId="s", path="/f"))
    assert there.refused(AnswerPermission(request_id, "yes")).rule == "PERM-04"


def test_a_plain_result_is_refused():
    """PERM-04: permission requests have a command of their own."""
    there = talk()
    there.agent(ask_permission())
    assert there.refused(Respond(1, selected()["result"])).rule == "PERM-04"


def test_of_two_options_with_one_id_the_first_counts():
    """PERM-04: duplicate optionIds: first wins."""
    there = talk()
    there.agent(ask_permission(options=[ALLOW, {**REJECT, "optionId": "yes"}]))
    assert there.do(AnswerPermission(1, "yes")) == (Send(selected()),)
    assert there.session.permissions[0].selected == YES


def test_a_second_answer_in_the_log_changes_nothing():
    """PERM-04, 15.4, RPC-03: `diag:unknown-response`."""
    there = talk()
    there.agent(ask_permission())
    there.client(selected())
    before = there.connection
    assert there.client(result(1, CANCELLED)) == (Noticed("unknown-response"),)
    assert there.connection == before


def test_what_was_selected_of_what_was_offered():
    """PERM-04: nothing, while it waits, or when it was cancelled."""
    there = talk()
    there.agent(ask_permission())
    assert there.session.permissions[0].selected is None
    assert there.session.permissions[0].is_pending
    there.do(AnswerPermission(1))
    assert there.session.permissions[0].selected is None
    assert not there.session.permissions[0].is_pending


# PERM-06


def test_independent_requests_are_pending_together():
    """PERM-06: in one or several sessions, any answer order."""
    there = talk()
    there.client(request(2, "session/new", cwd="/w", mcpServers=[]))
    there.agent(result(2, {"sessionId": "other"}))
    there.agent(
        ask_permission(1, "t"),
        ask_permission(2, "t"),
        ask_permission(3, "u"),
        ask_permission(4, "t", session_id="other"),
    )
    assert tuple(there.session.open_permissions.values()) == (0, 1, 2)
    there.do(AnswerPermission(4, "no"), AnswerPermission(2, "yes"))
    assert tuple(there.session.open_permissions.values()) == (0, 2)
    there.do(AnswerPermission(3), AnswerPermission(1, "no"))
    assert [each.outcome for each in there.session.permissions] == [
        "selected",
        "selected",
        "cancelled",
    ]
    assert [each.option_id for each in there.session.permissions] == ["no", "yes", None]
    assert [each.option_id for each in there.connection.sessions["other"].permissions] == ["no"]
    assert there.connection.agent_requests == {}


def test_ids_of_two_types_are_two_requests():
    """PERM-06, RPC-02."""
    there = talk()
    there.agent(ask_permission(1), ask_permission("1"))
    there.do(AnswerPermission("1", "no"))
    assert [each.outcome for each in there.session.permissions] == [None, "selected"]


# TURN-10


@pytest.mark.parametrize("end", [stop(), stop(2, "refusal"), error(2), stop(2, "weird")])
def test_it_stays_pending_at_the_end_of_a_turn(end):
    """TURN-10: unless the turn ended as cancelled."""
    there = running()
    there.agent(ask_permission())
    told = there.agent(end)
    assert [each for each in told if isinstance(each, (Send, PermissionWithdrawn))] == []
    assert tuple(there.session.open_permissions.values()) == (0,)
    assert there.do(AnswerPermission(1, "yes")) == (Send(selected()),)


@pytest.mark.parametrize("end", [stop(2, "cancelled"), error(2, -32800)])
def test_it_is_answered_when_the_agent_cancelled_the_turn(end):
    """TURN-10: those that arrived in that turn are answered `cancelled`, others stay."""
    there = talk()
    there.agent(ask_permission(1, "before"))
    there.client(prompt())
    [ask] = there.agent(ask_permission(2, "within"))
    told = there.agent(end)
    assert told[:2] == (
        PermissionWithdrawn(session_id="s", permission=ask.permission),
        Send(result(2, CANCELLED)),
    )
    assert len(told) == 3
    assert [each.outcome for each in there.session.permissions] == [None, "cancelled"]


# PERM-07


@pytest.mark.parametrize("method", ["session/close", "session/archive"])
@pytest.mark.parametrize("answered", [False, True])
def test_a_session_that_closes_or_is_closed(method, answered):
    """PERM-07, 15.4: none, request while closing -> answered `cancelled`."""
    there = talk()
    there.client(request(3, method, sessionId="s"))
    if answered:
        there.agent(result(3))
    told = there.agent(ask_permission())
    assert told == (Send(result(1, CANCELLED)),)
    assert permissions(there) == (attrs.evolve(asked(), outcome="cancelled"),)


def test_a_session_that_was_deleted():
    """PERM-07."""
    there = talk()
    there.client(request(3, "session/delete", sessionId="s"))
    there.agent(result(3))
    assert Send(result(1, CANCELLED)) in there.agent(ask_permission())
    assert there.connection.agent_requests == {}


@pytest.mark.parametrize("method", ["session/close", "session/archive"])
def test_a_pending_one_of_a_session_that_is_closed(method):
    """PERM-07, 15.4: pending, close -> answered `cancelled`."""
    there = talk()
    [ask] = there.agent(ask_permission())
    told = there.client(request(3, method, sessionId="s"))
    assert told == (
        PermissionWithdrawn(session_id="s", permission=ask.permission),
        Send(result(1, CANCELLED)),
    )


def test_an_unknown_session():
    """PERM-07: kept pending on a provisional session, `diag:unannounced-session`."""
    there = connected()
    told = there.agent(ask_permission(session_id="x"))
    t = ToolCall(tool_call_id="t", announced=False)
    permission = asked()
    assert told == (
        Noticed("unannounced-session", "x", severity="error"),
        AskPermission(session_id="x", permission=permission, tool_call=t),
    )
    fresh = Session(
        "x",
        readiness="provisional",
        client_capabilities=there.connection.client_capabilities,
    )
    assert there.connection.sessions == {
        "x": attrs.evolve(
            fresh,
            timeline=fresh.timeline.append(t),
            permissions=fresh.permissions.append(permission),
            open_permissions=Map.of({("int", permission.request_id): 0}),
        )
    }
    assert there.do(AnswerPermission(1, "yes")) == (Send(selected()),)


@pytest.mark.parametrize(
    "setup",
    [
        request(9, "session/new", cwd="/w", mcpServers=[]),
        request(9, "session/fork", sessionId="s", cwd="/w"),
        request(9, "session/load", sessionId="s", cwd="/w", mcpServers=[]),
        request(9, "session/resume", sessionId="s", cwd="/w"),
    ],
)
def test_an_unknown_session_that_may_yet_be_claimed(setup):
    """15.5: severity i while a `new`, `fork`, `load` or `resume` is outstanding."""
    there = connected()
    there.client(setup)
    told = there.agent(ask_permission(session_id="x"))
    assert told[0] == Noticed("unannounced-session", "x", severity="info")


def test_a_session_is_unannounced_once():
    """15.5: `diag:unannounced-session`, once."""
    there = connected()
    there.agent(ask_permission(1, session_id="x"))
    [ask] = there.agent(ask_permission(2, session_id="x"))
    assert isinstance(ask, AskPermission)


# PERM-08


@FROM_ALL_SEATS
def test_a_lost_connection_drops_it(side):
    """PERM-08, 15.4: pending -> dropped, without an answer."""
    there = talk(side)
    there.agent(ask_permission(1), ask_permission(2, "u"))
    there.client(selected(1))
    _, asked = there.session.permissions
    told = there.do(Disconnected())
    assert [each.outcome for each in there.session.permissions] == ["selected", "dropped"]
    assert tuple(there.session.open_permissions.values()) == ()
    assert there.connection.agent_requests == {}
    assert (
        told
        == {
            "client": (PermissionWithdrawn(session_id="s", permission=asked),),
            "agent": (
                RequestFailed(
                    request_id=2, method="session/request_permission", error=None, session_id="s"
                ),
            ),
            "observer": (),
        }[side]
    )


# LOAD-10


def load(request_id=9):
    return request(request_id, "session/load", sessionId="s", cwd="/w", mcpServers=[])


def test_it_is_live_during_a_load():
    """LOAD-10: requests are never replayed; both timelines learn of it."""
    there = talk()
    there.agent(call("t"))
    there.client(load())
    [ask] = there.agent(ask_permission(1, "t", title="May I?"))
    assert ask.tool_call == ToolCall(tool_call_id="t", title="May I?")
    assert ask.permission.before == ToolCall(tool_call_id="t", title="T")
    assert there.session.tool_calls["t"].title == "May I?"
    there.agent(result(9))
    assert there.session.tool_calls["t"].title == "May I?"
    assert tuple(there.session.open_permissions.values()) == (0,)


def test_it_stays_when_the_load_fails():
    """LOAD-10, LOAD-09: the held timeline is restored, with what was asked meanwhile."""
    there = talk()
    there.agent(call("t"))
    there.client(load())
    there.agent(ask_permission(1, "t", title="May I?"), error(9))
    assert [each.title for each in there.session.tool_calls.values()] == ["May I?"]
    assert tuple(there.session.open_permissions.values()) == (0,)


def test_it_is_live_during_the_first_load():
    """LOAD-10: where nothing was held, readers see what is being built (LOAD-09)."""
    there = connected()
    there.client(load())
    [ask] = there.agent(ask_permission(1, "t"))
    assert ask.tool_call == there.session.tool_calls["t"]
    there.agent(result(9))
    assert list(there.session.tool_calls) == ["t"]


def test_a_parameter_that_is_odd_where_nothing_is_initialised():
    """PERM-01: a log without `initialize` is folded as well."""
    there = Talk(Connection())
    told = there.agent(ask_permission())
    assert told[0] == Noticed("unannounced-session", "s")
    assert isinstance(told[1], AskPermission)


# PERM-02 in children: their own


def test_a_childs_request_patches_the_childs_call():
    """SESS-03: parent and child are kept apart though ids collide."""
    there = talk()
    there.agent(child(), call("t"), call("t", "child", title="C"))
    [ask] = there.agent(ask_permission(1, "t", session_id="child", title="May I?"))
    assert (ask.session_id, ask.permission.before.title) == ("child", "C")
    assert there.session.tool_calls["t"].title == "T"
    assert there.connection.sessions["child"].tool_calls["t"].title == "May I?"


def test_a_late_request_for_a_call_of_a_cancelled_turn():
    """TURN-06: `diag:late-update` for a patch of a call whose own turn ended as cancelled."""
    there = running()
    there.agent(call(), stop(2, "cancelled"))
    told = there.agent(ask_permission(1, "t", title="U"))
    assert told[0] == Noticed("late-update", "s")
    assert isinstance(told[1], AskPermission)


def test_the_error_of_a_request_that_the_host_gave_up():
    """CANCEL-11: -32800; kept as the error that it is."""
    there = talk()
    there.agent(ask_permission())
    there.do(RespondError(1, -32800, "closed"))
    [permission] = permissions(there)
    assert (permission.outcome, permission.error) == ("failed", AnyError(-32800))
    assert there.agent(cancel_request(1)) == ()


@pytest.mark.parametrize("option", [YES, NO])
def test_a_host_may_answer_by_itself(option):
    """PERM-05: as its user set it up, before anything else is read."""
    there = talk()
    [ask] = there.agent(ask_permission(title="T"))
    command = AnswerPermission(ask.permission.request_id, option.option_id)
    assert there.do(command) == (Send(selected(1, option.option_id)),)
    assert there.session.permissions[0].selected == option
