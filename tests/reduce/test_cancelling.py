"""Cancellation (14.2): of turns, of children's work, and of single requests."""

from __future__ import annotations

import attrs
import pytest
from reduce.talk import (
    CANCELLED,
    SEATS,
    AnyError,
    Noticed,
    Refuses,
    ask_form,
    ask_permission,
    ask_url,
    call,
    call_update,
    cancel,
    cancel_request,
    child,
    ended,
    error,
    forgotten_prompt,
    initialize,
    notification,
    prompt,
    prompted,
    request,
    result,
    running,
    says,
    selected,
    stop,
    talk,
    with_child,
)

from acp_state import (
    AnswerPermission,
    AskElicitation,
    Cancel,
    CancelRequest,
    CancelRequested,
    Diagnose,
    ElicitationWithdrawn,
    Permission,
    PermissionWithdrawn,
    RequestAnswered,
    RequestFailed,
    RespondError,
    Send,
    SessionReady,
    ToolCall,
    Turn,
    TurnEnded,
    WorkWithdrawn,
)
from acp_state.persistent import Map

FROM_ALL_SEATS = pytest.mark.parametrize("side", SEATS)

ELICITATION_CANCELLED = {"action": "cancel"}


def read_file(request_id, session_id="s"):
    return request(request_id, "fs/read_text_file", sessionId=session_id, path="/f")


def list_sessions(request_id):
    return request(request_id, "session/list")


def overlays(session):
    """The tool calls that are shown as cancelled."""
    return {call_id: each.cancelled for call_id, each in session.tool_calls.items()}


def outcomes(session):
    return [each.outcome for each in session.permissions]


def answered(there):
    """What was answered here: by id, the result and the code of the error."""
    settled = there.connection.settled_by_client
    return {key: (each.result, each.error_code) for key, each in settled.items()}


def asked_to_stop(side, session_id="s"):
    """What is told of a cancel on that side: the agent's host is to stop the session's work."""
    return (CancelRequested(session_id),) if side == "agent" else ()


def sent(intents):
    """The messages that are to be sent."""
    return [each.message for each in intents if isinstance(each, Send)]


# The session's own turn: CANCEL-02


@FROM_ALL_SEATS
def test_a_cancel_overlays_the_unfinished_calls_of_the_turn(side):
    """CANCEL-02, 15.1: running -> cancelling; `cancelled` over every unfinished call."""
    there = running(side)
    for name, status in (("p", "pending"), ("i", "in_progress")):
        there.agent(call(name, status=status))
    for name, status in (("c", "completed"), ("f", "failed")):
        there.agent(call(name, status=status))
    before = there.session
    assert there.client(cancel()) == asked_to_stop(side)
    shown = before.timeline
    for position, name, status in ((1, "p", "pending"), (2, "i", "in_progress")):
        over = ToolCall(tool_call_id=name, title="T", status=status, turn=0, cancelled=True)
        shown = shown.replace(position, over)
    turn = attrs.evolve(before.turns[0], cancel_requested=True, cancelling=True)
    assert there.session == attrs.evolve(before, timeline=shown, turns=before.turns.set(0, turn))
    assert there.session.is_cancelling
    assert there.session.running == (0,)


def test_calls_of_an_earlier_turn_are_left_alone():
    """CANCEL-02: of the current turn."""
    there = running()
    there.agent(call("old", status="in_progress"))
    there.agent(stop())
    there.client(prompt(3))
    there.agent(call("new", status="in_progress"))
    there.client(cancel())
    assert overlays(there.session) == {"old": False, "new": True}


def test_calls_that_are_in_no_turn_are_left_alone():
    """CANCEL-02: of the current turn."""
    there = talk()
    there.agent(call("loose", status="in_progress"))
    there.client(prompt())
    there.client(cancel())
    assert overlays(there.session) == {"loose": False}


def test_the_current_turn_is_the_oldest_that_runs():
    """TURN-11: `session/cancel` cancels it; the others end by what their own response says."""
    there = running()
    there.client(prompt(3))
    there.agent(call())
    there.client(cancel())
    first, second = there.session.turns
    assert (first.cancelling, second.cancelling) == (True, False)
    assert overlays(there.session) == {"t": True}
    there.agent(stop(3))
    assert (there.turn.outcome, there.session.is_cancelling) == ("ended", True)
    there.agent(stop(2, "cancelled"))
    assert [each.outcome for each in there.session.turns] == ["cancelled", "ended"]


def test_after_its_end_the_next_turn_is_not_being_cancelled():
    """TURN-11, CANCEL-05: the cancel was of the turn that has ended."""
    there = running()
    there.client(prompt(3), cancel())
    there.agent(stop(2, "cancelled"))
    assert not there.session.is_cancelling
    told = there.agent(ask_permission())
    assert sent(told) == []
    assert outcomes(there.session) == [None]


def test_a_second_cancel_changes_nothing():
    """CANCEL-01: at any time during a turn, and as often."""
    there = running()
    there.agent(call())
    there.client(cancel())
    before = there.session
    assert there.client(cancel()) == ()
    assert there.session == before


# Questions: CANCEL-03, CANCEL-04, CANCEL-08


def test_a_cancel_answers_all_permission_requests_of_the_session():
    """CANCEL-03: with outcome `cancelled`, a result, no error; each exactly once."""
    there = running()
    asked = there.agent(ask_permission(1, "t"), ask_permission("1", "u"), ask_permission(None, "v"))
    told = there.client(cancel())
    assert told == tuple(
        intent
        for ask in asked
        for intent in (
            PermissionWithdrawn(session_id="s", permission=ask.permission),
            Send(result(ask.permission.request_id, CANCELLED)),
        )
    )
    assert outcomes(there.session) == ["cancelled"] * 3
    assert there.session.pending_permissions == ()
    assert there.connection.agent_requests == {}
    assert answered(there) == {
        ("int", 1): (CANCELLED, None),
        ("str", "1"): (CANCELLED, None),
        ("NoneType", None): (CANCELLED, None),
    }


def test_a_permission_request_from_before_the_turn_is_answered_too():
    """CANCEL-03: all pending ones of that session (section 24, 7)."""
    there = talk()
    there.agent(ask_permission())
    there.client(prompt())
    assert sent(there.client(cancel())) == [result(1, CANCELLED)]


def test_an_answered_permission_request_is_left_alone():
    """CANCEL-03: the pending ones."""
    there = running()
    there.agent(ask_permission(1, "t"), ask_permission(2, "u"))
    there.client(selected(1))
    assert sent(there.client(cancel())) == [result(2, CANCELLED)]
    assert outcomes(there.session) == ["selected", "cancelled"]


@pytest.mark.parametrize("ask", [ask_form, ask_url])
def test_a_cancel_answers_the_elicitations_of_the_session(ask):
    """CANCEL-04: with action `cancel`."""
    there = running()
    [question] = there.agent(ask(1))
    told = there.client(cancel())
    assert told == (
        ElicitationWithdrawn(question.elicitation),
        Send(result(1, ELICITATION_CANCELLED)),
    )
    assert there.connection.elicitations == {}
    assert there.connection.awaited_urls == {}
    assert there.connection.agent_requests == {}


def test_an_elicitation_of_a_request_is_not_of_the_session():
    """CANCEL-04: session-scoped ones."""
    there = running()
    there.client(list_sessions(9))
    there.agent(ask_form(1, requestId=9))
    assert there.client(cancel()) == ()
    assert len(there.connection.elicitations) == 1


def test_another_sessions_questions_are_left_alone():
    """CANCEL-03, CANCEL-04: of that session and its announced descendants."""
    there = running()
    there.client(request(3, "session/new", cwd="/w", mcpServers=[]))
    there.agent(result(3, {"sessionId": "other"}))
    there.agent(ask_permission(1, session_id="other"), ask_form(2, sessionId="other"))
    there.agent(call("t", "other"))
    before = there.connection.sessions["other"]
    assert there.client(cancel()) == ()
    assert there.connection.sessions["other"] is before
    assert len(there.connection.agent_requests) == 2


def test_overlaying_a_call_does_not_answer_its_request():
    """CANCEL-08: both are done; the call is overlaid and its request is answered."""
    there = running()
    there.agent(call(), ask_permission(1, "t"))
    told = there.client(cancel())
    assert sent(told) == [result(1, CANCELLED)]
    assert overlays(there.session) == {"t": True}


@pytest.mark.parametrize("side", ["agent", "observer"])
def test_only_the_client_answers(side):
    """Design: the same state whoever looks; the agent is told how its request was settled."""
    there, client = running(side), running()
    for each in (there, client):
        each.agent(ask_permission(), ask_form(2))
    told = there.client(cancel())
    client.client(cancel())
    assert there.connection.sessions == client.connection.sessions
    answered = (
        RequestAnswered(
            request_id=1, method="session/request_permission", result=CANCELLED, session_id="s"
        ),
        RequestAnswered(
            request_id=2,
            method="elicitation/create",
            result=ELICITATION_CANCELLED,
            session_id="s",
        ),
    )
    assert told == ((*answered, CancelRequested("s")) if side == "agent" else ())


def test_the_answers_in_the_log_are_no_second_ones():
    """RPC-03: the observed cancel yields them; when the log holds them too, they fulfil them."""
    there = running()
    there.agent(ask_permission(1), ask_form(2))
    there.client(cancel())
    before = there.connection.sessions
    assert there.client(result(1, CANCELLED), result(2, ELICITATION_CANCELLED)) == ()
    assert there.connection.sessions is before
    assert there.connection.settled_by_client == {}


def test_either_form_of_the_answer_to_a_withdrawn_permission_request_is_legal():
    """CANCEL-10, CONF-17: outcome `cancelled`, or -32800; a log may hold the one or the other."""
    for answer in (result(1, CANCELLED), error(1, -32800)):
        there = running()
        there.agent(ask_permission(1), cancel_request(1))
        assert there.client(answer) == ()
        assert outcomes(there.session) == ["withdrawn"]


def test_an_error_is_no_answer_to_a_permission_request_of_a_cancelled_turn():
    """CANCEL-03: result, not error; RPC-03: any other than ours: `diag:unknown-response`."""
    there = running()
    there.agent(ask_permission(1))
    there.client(cancel())
    assert there.client(error(1, -32800)) == (Noticed("unknown-response"),)


# Late questions: CANCEL-05


def test_a_permission_request_while_cancelling_is_answered_at_once():
    """CANCEL-05, 15.1, 15.4: `cancelled`; the host is never asked."""
    there = running()
    there.client(cancel())
    told = there.agent(ask_permission(1, "t", title="May I?"))
    assert told == (Send(result(1, CANCELLED)),)
    assert there.connection.agent_requests == {}
    [permission] = there.session.permissions
    assert (permission.outcome, permission.before, permission.turn) == ("cancelled", None, 0)
    assert there.session.tool_calls["t"] == ToolCall(
        tool_call_id="t", title="May I?", announced=False, turn=0
    )
    assert there.session.is_cancelling


def test_an_elicitation_while_cancelling_is_answered_at_once():
    """CANCEL-03, 14.2: one answer to each open and each late permission request and elicitation."""
    there = running()
    there.client(cancel())
    assert there.agent(ask_form(1)) == (Send(result(1, ELICITATION_CANCELLED)),)
    assert there.connection.elicitations == {}


def test_a_late_request_of_a_descendant_is_answered_at_once():
    """CANCEL-05: also one of a descendant while the ancestor's turn is cancelling."""
    there = with_child()
    there.agent(child("grandchild", "child", state={"state": "running"}))
    there.client(cancel())
    told = there.agent(
        ask_permission(1, session_id="child"),
        ask_permission(2, session_id="grandchild"),
        ask_form(3, sessionId="grandchild"),
    )
    assert told == (
        Send(result(1, CANCELLED)),
        Send(result(2, CANCELLED)),
        Send(result(3, ELICITATION_CANCELLED)),
    )
    assert outcomes(there.connection.sessions["child"]) == ["cancelled"]
    assert outcomes(there.connection.sessions["grandchild"]) == ["cancelled"]


def test_the_window_closes_with_the_response():
    """CANCEL-05: between `session/cancel` and the prompt response."""
    there = with_child()
    there.client(cancel())
    there.agent(stop(2, "cancelled"))
    told = there.agent(ask_permission(1), ask_permission(2, session_id="child"))
    assert sent(told) == []
    assert len(there.connection.agent_requests) == 2


def test_for_a_cancel_of_a_child_alone_no_window_is_known():
    """CANCEL-05: the late request of the child stays pending."""
    there = with_child()
    there.client(cancel("child"))
    told = there.agent(ask_permission(1, session_id="child"))
    assert sent(told) == []
    assert outcomes(there.connection.sessions["child"]) == [None]


def test_the_generic_form_opens_no_window():
    """CANCEL-05, CANCEL-09: `$/cancel_request` of the prompt answers nothing."""
    there = running()
    there.client(cancel_request(2))
    told = there.agent(ask_permission())
    assert sent(told) == []
    assert outcomes(there.session) == [None]


# Updates and the end: CANCEL-06, TURN-06, TURN-07


def test_updates_are_accepted_until_the_response_and_after_it():
    """CANCEL-06: nothing of a cancelled turn is refused."""
    there = running()
    there.client(cancel())
    assert there.agent(says("one", messageId="m")) == ()
    there.agent(stop(2, "cancelled"))
    assert there.agent(says(" two", messageId="m")) == (Noticed("late-update", "s"),)
    assert there.session.messages[-1].text == "one two"


@pytest.mark.parametrize("reason", ["end_turn", "max_tokens", "max_turn_requests", "refusal"])
def test_another_reason_than_cancelled_is_recorded(reason):
    """CANCEL-06, TURN-09: the outcome is `ended`; what was asked is kept beside the reason."""
    there = running()
    there.agent(call())
    there.client(cancel())
    told = there.agent(stop(2, reason))
    turn = Turn(
        request_id=2,
        start=0,
        cancel_requested=True,
        cancelling=True,
        outcome="ended",
        stop_reason=reason,
    )
    assert there.turn == turn
    assert told == (TurnEnded(session_id="s", turn=turn),)
    assert overlays(there.session) == {"t": True}


def test_overlays_stay_until_the_agent_reports_a_status():
    """CANCEL-06, 15.2: a status lifts the overlay, other fields do not."""
    there = running()
    there.agent(call("t"), call("u"))
    there.client(cancel())
    there.agent(call_update("t", status="completed"), call_update("u", title="U"))
    assert overlays(there.session) == {"t": False, "u": True}
    assert there.session.tool_calls["u"] == ToolCall(
        tool_call_id="u", title="U", turn=0, cancelled=True
    )


def test_an_overlay_that_was_lifted_is_set_again_at_the_end():
    """CANCEL-06, TURN-07: if the call is then unfinished."""
    there = running()
    there.agent(call("t"), call("u"))
    there.client(cancel())
    there.agent(call_update("t", status="in_progress"), call_update("u", status="failed"))
    assert overlays(there.session) == {"t": False, "u": False}
    assert there.agent(stop(2, "cancelled")) == (ended(there),)
    assert overlays(there.session) == {"t": True, "u": False}


def test_a_call_that_begins_while_cancelling_is_overlaid_at_the_end():
    """TURN-07: each call of the turn that is unfinished then."""
    there = running()
    there.client(cancel())
    there.agent(call())
    assert overlays(there.session) == {"t": False}
    there.agent(stop(2, "end_turn"))
    assert overlays(there.session) == {"t": True}


def test_the_agents_own_cancel_overlays_too():
    """TURN-07: stop reason `cancelled`, though nobody asked."""
    there = running()
    there.agent(call())
    told = there.agent(stop(2, "cancelled"))
    turn = Turn(request_id=2, start=0, outcome="cancelled", stop_reason="cancelled")
    assert told == (TurnEnded(session_id="s", turn=turn),)
    assert overlays(there.session) == {"t": True}


# Three facts, kept apart (TURN-09)


@pytest.mark.parametrize("code", [-32603, -32000, 1])
def test_an_error_after_a_cancel_counts_as_cancelled(code):
    """TURN-09: any error after `session/cancel`: ends `cancelled`, `diag:cancel-error-response`."""
    there = running()
    there.client(cancel())
    told = there.agent(error(2, code, "aborted"))
    turn = Turn(
        request_id=2,
        start=0,
        cancel_requested=True,
        cancelling=True,
        outcome="cancelled",
        error=AnyError(code),
    )
    assert there.turn == turn
    assert told == (
        Noticed("cancel-error-response", "s"),
        TurnEnded(session_id="s", turn=turn),
    )


def test_the_error_of_cancellation_after_session_cancel():
    """TURN-09: any error after `session/cancel`, -32800 too: agents MUST convert these."""
    there = running()
    there.client(cancel())
    told = there.agent(error(2, -32800))
    assert there.turn.outcome == "cancelled"
    assert told == (Noticed("cancel-error-response", "s"), ended(there))


def test_the_error_of_cancellation_that_nobody_asked_for():
    """TURN-09: -32800: ends `cancelled`."""
    there = running()
    there.agent(call())
    told = there.agent(error(2, -32800))
    turn = Turn(request_id=2, start=0, outcome="cancelled", error=AnyError(-32800))
    assert told == (TurnEnded(session_id="s", turn=turn),)
    assert there.turn == turn
    assert overlays(there.session) == {"t": True}


def test_the_error_of_cancellation_after_the_generic_form_is_legal():
    """CANCEL-09: a normal result wins, or -32800; TURN-09: errors after `session/cancel`."""
    there = running()
    there.client(cancel_request(2))
    told = there.agent(error(2, -32800))
    assert there.turn.outcome == "cancelled"
    assert told == (ended(there),)


# Where no turn runs: CANCEL-01


@FROM_ALL_SEATS
def test_a_cancel_without_a_turn_overlays_nothing(side):
    """CANCEL-01, 15.1: idle, cancel asked: `diag:cancel-idle`; nothing in the session changes."""
    there = talk(side)
    there.agent(call())
    before = there.connection
    assert there.client(cancel()) == (Noticed("cancel-idle", "s"), *asked_to_stop(side))
    assert there.connection == before


def test_an_observed_cancel_without_a_turn_answers_questions():
    """CANCEL-01: it has the effects of CANCEL-03 and -04 in every state."""
    there = talk()
    asked = there.agent(ask_permission(1), ask_form(2))
    told = there.client(cancel())
    assert told == (
        Noticed("cancel-idle", "s"),
        PermissionWithdrawn(session_id="s", permission=asked[0].permission),
        Send(result(1, CANCELLED)),
        ElicitationWithdrawn(asked[1].elicitation),
        Send(result(2, ELICITATION_CANCELLED)),
    )
    assert overlays(there.session) == {"t": False}


def test_an_observed_cancel_without_a_turn_cascades():
    """CANCEL-01: it has the effects of CANCEL-07 in every state."""
    there = with_child()
    there.agent(stop())
    told = there.client(cancel())
    assert told == (Noticed("cancel-idle", "s"),)
    assert overlays(there.connection.sessions["child"]) == {"c": True}


def test_a_cancel_of_an_unknown_session_is_told():
    """CANCEL-01: no turn runs in it: `diag:cancel-idle`; 15.5: it makes no session."""
    there = talk()
    before = there.connection
    assert there.client(cancel("unknown")) == (Noticed("cancel-idle", "unknown"),)
    assert there.connection is before


@pytest.mark.parametrize(
    "message",
    [cancel("unknown"), notification("session/cancel"), cancel(5), cancel(None)],
)
def test_a_cancel_of_no_known_session_changes_nothing(message):
    """15.5: other requests for unknown ids make no session."""
    there = talk()
    before = there.connection
    there.client(message)
    assert there.connection is before


# Children: CANCEL-07


def test_a_cancel_cascades_to_descendants():
    """CANCEL-02, -03, -04, -07: all unfinished calls, all questions, of children and theirs."""
    there = with_child()
    there.agent(
        child("grandchild", "child", state={"state": "running"}),
        call("done", "child", status="completed"),
        call("g", "grandchild", status="pending"),
    )
    asked = there.agent(
        ask_permission(1, "t"),
        ask_permission(2, "c", session_id="child"),
        ask_form(3, sessionId="child"),
        ask_permission(4, "g", session_id="grandchild"),
    )
    told = there.client(cancel())
    by_permission = [
        (
            PermissionWithdrawn(session_id=name, permission=ask.permission),
            Send(result(ask.permission.request_id, CANCELLED)),
        )
        for name, ask in (("s", asked[0]), ("child", asked[1]), ("grandchild", asked[3]))
    ]
    assert told == (
        *by_permission[0],
        *by_permission[1],
        ElicitationWithdrawn(asked[2].elicitation),
        Send(result(3, ELICITATION_CANCELLED)),
        *by_permission[2],
    )
    sessions = there.connection.sessions
    assert overlays(sessions["child"]) == {"c": True, "done": False}
    assert overlays(sessions["grandchild"]) == {"g": True}
    assert outcomes(sessions["child"]) == outcomes(sessions["grandchild"]) == ["cancelled"]


def test_a_cancel_of_a_child_touches_neither_parent_nor_siblings():
    """CANCEL-07, CANCEL-02: all unfinished calls of the child, which has no turns, and below it."""
    there = with_child()
    there.agent(
        child("sibling", state={"state": "running"}),
        child("grandchild", "child", state={"state": "running"}),
        call("t"),
        call("b", "sibling"),
        call("g", "grandchild"),
        ask_permission(1, "t"),
        ask_permission(2, "b", session_id="sibling"),
    )
    [asked] = there.agent(ask_permission(3, "c", session_id="child"))
    parent, sibling = there.session, there.connection.sessions["sibling"]
    told = there.client(cancel("child"))
    assert told == (
        PermissionWithdrawn(session_id="child", permission=asked.permission),
        Send(result(3, CANCELLED)),
    )
    assert there.session is parent
    assert there.connection.sessions["sibling"] is sibling
    assert overlays(there.connection.sessions["child"]) == {"c": True}
    assert overlays(there.connection.sessions["grandchild"]) == {"g": True}


def test_a_child_confirms_with_its_state():
    """CANCEL-07: `idle` + `stopReason: cancelled`; the overlay stays the calls' own."""
    there = with_child()
    there.client(cancel("child"))
    assert there.agent(child(state={"state": "idle", "stopReason": "cancelled"})) == ()
    assert there.session.subagents["child"].state.stop_reason == "cancelled"
    assert overlays(there.connection.sessions["child"]) == {"c": True}


def test_a_session_that_was_not_announced_is_no_descendant():
    """CANCEL-03: announced descendants."""
    there = running()
    there.agent(call("c", "stray"), ask_permission(1, "c", session_id="stray"))
    assert there.client(cancel()) == ()
    assert outcomes(there.connection.sessions["stray"]) == [None]


def test_an_observed_cancel_of_a_child_without_the_right():
    """CANCEL-01: without child right: `diag:cancel-idle`; its effects are those of every state."""
    there = with_child(may_cancel=False)
    assert there.client(cancel("child")) == (Noticed("cancel-idle", "child"),)


def test_closing_cascades_like_a_cancel():
    """15.5, SESS-06: like CANCEL-02 to -04 for it and its descendants."""
    there = with_child()
    there.agent(call("t"))
    there.agent(ask_permission(1, "c", session_id="child"), ask_form(2, sessionId="s"))
    told = there.client(request(3, "session/close", sessionId="s"))
    assert sorted(each["id"] for each in sent(told)) == [1, 2]
    assert overlays(there.session) == {"t": True}
    assert overlays(there.connection.sessions["child"]) == {"c": True}


# The command


def test_the_command_sends_and_does_what_the_message_does():
    """CANCEL-01: one code path."""
    there, seen = running(), running()
    for each in (there, seen):
        each.agent(call(), ask_permission(1, "t"), ask_form(2))
    told = there.do(Cancel("s"))
    assert told == (Send(cancel()), *seen.client(cancel()))
    assert there.connection == seen.connection


def test_the_command_is_refused_where_there_is_nothing_to_cancel():
    """CANCEL-01: no turn runs, nothing is pending, and no descendant is active."""
    there = talk()
    refusal = there.refused(Cancel("s"))
    assert (refusal.rule, refusal.code, refusal.session_id) == ("CANCEL-01", "cancel-idle", "s")


@pytest.mark.parametrize(
    "message",
    [ask_permission(), ask_form(), child(state={"state": "running"}), child()],
)
def test_the_command_is_allowed_where_something_waits_or_works(message):
    """CANCEL-01: refused only when nothing of the three is there."""
    there = talk()
    there.agent(message)
    assert there.do(Cancel("s"))[:2] == (Send(cancel()), Noticed("cancel-idle", "s"))


@pytest.mark.parametrize("at_work", [True, False])
def test_a_grandchild_at_work_is_an_active_descendant(at_work):
    """CANCEL-01: descendants, not children alone."""
    there = talk()
    there.agent(
        child(state={"state": "idle"}),
        child("grandchild", "child", state={"state": "running" if at_work else "idle"}),
    )
    if at_work:
        assert there.do(Cancel("s"))[0] == Send(cancel())
    else:
        assert there.refused(Cancel("s")).code == "cancel-idle"


# `$/cancel_request` of our own requests: CANCEL-09


@FROM_ALL_SEATS
def test_a_request_that_is_given_up_stays_outstanding(side):
    """CANCEL-09: state `cancel_requested`, until a response; nothing else changes."""
    there = talk(side)
    there.client(list_sessions(9))
    before = there.connection
    withdrawn = WorkWithdrawn(request_id=9, method="session/list")
    assert there.client(cancel_request(9)) == ((withdrawn,) if side == "agent" else ())
    asked = before.client_requests["int", 9]
    given_up = attrs.evolve(asked, cancel_requested=True)
    assert there.connection == attrs.evolve(
        before, client_requests=before.client_requests.set(("int", 9), given_up)
    )


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (
            result(9, {"sessions": []}),
            RequestAnswered(request_id=9, method="session/list", result={"sessions": []}),
        ),
        (
            error(9, -32800),
            RequestFailed(request_id=9, method="session/list", error=AnyError(-32800)),
        ),
    ],
)
def test_a_normal_result_wins_or_the_error_of_cancellation(answer, told):
    """CANCEL-09."""
    there = talk()
    there.client(list_sessions(9), cancel_request(9))
    assert there.agent(answer) == (told,)
    assert there.connection.client_requests == {}


def test_giving_up_a_prompt_is_noted_in_its_turn():
    """CANCEL-09: it sets "cancel asked", answers nothing and overlays nothing."""
    there = running()
    there.agent(call(), ask_permission(1, "t"))
    before = there.session
    assert there.client(cancel_request(2)) == ()
    turn = attrs.evolve(before.turns[0], cancel_requested=True)
    assert there.session == attrs.evolve(before, turns=before.turns.set(0, turn))
    assert not there.session.is_cancelling


def test_open_calls_get_the_overlay_at_the_end_of_a_prompt_that_was_given_up():
    """CANCEL-09, TURN-07."""
    there = running()
    there.agent(call())
    there.client(cancel_request(2))
    assert there.agent(stop(2)) == (ended(there),)
    assert (there.turn.outcome, there.turn.stop_reason) == ("ended", "end_turn")
    assert overlays(there.session) == {"t": True}


def test_an_error_after_a_prompt_was_given_up_counts_as_cancelled():
    """CANCEL-09."""
    there = running()
    there.client(cancel_request(2))
    there.agent(error(2, -32603))
    assert there.turn == Turn(
        request_id=2,
        start=0,
        cancel_requested=True,
        outcome="cancelled",
        error=AnyError(-32603),
    )


def test_giving_up_one_of_several_prompts():
    """CANCEL-09, TURN-11: the turn of that request, not the current one."""
    there = running()
    there.client(prompt(3), cancel_request(3))
    assert [each.cancel_requested for each in there.session.turns] == [False, True]


@pytest.mark.parametrize("request_id", [9, "2", None, True, 1.5, {}, []])
def test_giving_up_what_is_not_outstanding_is_ignored(request_id):
    """CANCEL-10: unknown, malformed or already answered id: ignore."""
    there = running()
    before = there.connection
    assert there.client(cancel_request(request_id)) == ()
    assert there.client(notification("$/cancel_request")) == ()
    assert there.connection is before


def test_giving_up_a_prompt_of_which_no_turn_is_known():
    """CANCEL-09: the request is marked all the same; here it names no session."""
    there = talk()
    there.client({**prompt(9), "params": {"prompt": []}}, cancel_request(9))
    assert there.connection.client_requests["int", 9].cancel_requested
    assert list(there.session.turns) == []


def test_giving_up_a_prompt_whose_turn_has_gone():
    """CANCEL-09: the request is marked; the session that came since has no such turn."""
    there = forgotten_prompt()
    before = there.connection.sessions
    assert there.client(cancel_request(9)) == ()
    assert there.connection.client_requests["int", 9].cancel_requested
    assert there.connection.sessions is before


def test_the_command_to_give_up_a_request():
    """CANCEL-09: `$/cancel_request {requestId}`, for any own outstanding request."""
    there, seen = running(), running()
    assert there.do(CancelRequest(2)) == (Send(cancel_request(2)),)
    seen.client(cancel_request(2))
    assert there.connection == seen.connection


@pytest.mark.parametrize("request_id", [3, "2", 2.5, True, None])
def test_the_command_is_refused_for_what_is_not_outstanding(request_id):
    """CANCEL-09: own outstanding requests only."""
    there = running()
    there.agent(read_file(3))
    assert there.refused(CancelRequest(request_id)).rule == "CANCEL-09"


# `$/cancel_request` of the agent's: CANCEL-10


def test_the_agent_takes_a_permission_request_back():
    """CANCEL-10, 15.4: pending -> withdrawn; outcome `cancelled`, exactly once."""
    there = running()
    [ask] = there.agent(ask_permission())
    told = there.agent(cancel_request(1))
    assert told == (
        PermissionWithdrawn(session_id="s", permission=ask.permission),
        Send(result(1, CANCELLED)),
    )
    assert there.session.permissions[0] == attrs.evolve(ask.permission, outcome="withdrawn")
    assert there.session.pending_permissions == ()
    assert there.agent(cancel_request(1)) == ()
    assert there.refused(AnswerPermission(1, "yes")).rule == "PERM-04"


def test_the_agent_takes_an_elicitation_back():
    """CANCEL-10: action `cancel`."""
    there = talk()
    [ask] = there.agent(ask_url())
    told = there.agent(cancel_request(1))
    assert told == (
        ElicitationWithdrawn(ask.elicitation),
        Send(result(1, ELICITATION_CANCELLED)),
    )
    assert (there.connection.elicitations, there.connection.awaited_urls) == ({}, {})


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("fs/read_text_file", {"sessionId": "s", "path": "/f"}),
        ("fs/write_text_file", {"sessionId": "s", "path": "/f", "content": ""}),
        ("terminal/create", {"sessionId": "s", "command": "ls"}),
        ("_v/x", {}),
    ],
)
def test_the_agent_takes_other_work_back(method, params):
    """CANCEL-10: others: error -32800; the host is told to stop it."""
    there = talk(extension_methods=frozenset({"_v/x"}))
    before = there.connection
    there.agent(request(7, method, **params))
    told = there.agent(cancel_request(7))
    assert told == (WorkWithdrawn(request_id=7, method=method), Refuses(7, -32800))
    assert answered(there) == {("int", 7): (None, -32800)}
    assert attrs.evolve(there.connection, settled_by_client=Map()) == before


@pytest.mark.parametrize("request_id", [1, "7", None, False, 0.5, {}, []])
def test_an_unknown_id_is_ignored(request_id):
    """CANCEL-10: unknown, malformed or already answered id: ignore."""
    there = talk()
    there.agent(read_file(7))
    there.agent(ask_permission(1))
    there.client(selected(1))
    before = there.connection
    assert there.agent(cancel_request(request_id)) == ()
    assert there.agent(notification("$/cancel_request")) == ()
    assert there.connection is before


def test_null_and_whole_numbers_are_ids_here_too():
    """CANCEL-10, RPC-02."""
    there = talk()
    there.agent(ask_permission(None), ask_permission(1, "u"))
    assert sent(there.agent(cancel_request(None))) == [result(None, CANCELLED)]
    assert sent(there.agent(cancel_request(1.0))) == [result(1, CANCELLED)]


def test_each_side_cancels_its_own_requests():
    """CANCEL-09, CANCEL-10: one id of both sides is two requests."""
    there = talk()
    there.client(list_sessions(7))
    there.agent(read_file(7))
    there.agent(cancel_request(7))
    assert not there.connection.client_requests["int", 7].cancel_requested
    assert there.connection.agent_requests == {}


@pytest.mark.parametrize(
    ("ask", "answer"), [(read_file(7), {"content": "x"}), (ask_permission(7), selected()["result"])]
)
def test_an_agents_request_that_it_gives_up_stays_outstanding(ask, answer):
    """CANCEL-09, CANCEL-10: a valid partial result may come, and wins."""
    there = talk("agent")
    there.agent(ask)
    assert there.do(CancelRequest(7)) == (Send(cancel_request(7)),)
    assert [each.request_id for each in there.connection.agent_requests.values()] == [7]
    told = there.client(result(7, answer))
    answered = RequestAnswered(request_id=7, method=ask["method"], result=answer, session_id="s")
    assert told == (answered,)


@pytest.mark.parametrize(
    ("message", "told"),
    [
        (cancel(), CancelRequested("s")),
        (cancel_request(2), WorkWithdrawn(request_id=2, method="session/prompt")),
    ],
)
def test_an_agents_host_hears_that_its_work_is_not_wanted(message, told):
    """CANCEL-10, design: our side decides which intents are ours; the turn is the agent's work."""
    assert running("agent").client(message) == (told,)


def test_an_agents_host_hears_of_a_cancel_of_a_child():
    """SUB-08, CANCEL-07: which session is to stop; one that is not known is none of its work."""
    there = with_child("agent")
    assert there.client(cancel("child")) == (CancelRequested("child"),)
    assert there.client(cancel("unknown")) == (Noticed("cancel-idle", "unknown"),)


@pytest.mark.parametrize("side", ["agent", "observer"])
@pytest.mark.parametrize(
    ("answer", "outcome", "option_id"),
    [
        (result(1, CANCELLED), "withdrawn", None),
        (result(1, {}), "withdrawn", None),
        (error(1, -32800), "withdrawn", None),
        (error(1, -32603), "failed", None),
        (selected(1, "no"), "selected", "no"),
    ],
)
def test_a_withdrawal_is_settled_by_the_answer_that_comes(side, answer, outcome, option_id):
    """CANCEL-09, CANCEL-10: a normal result wins; a cancelled one, or -32800, withdraws."""
    there = talk(side)
    there.agent(ask_permission())
    before = there.connection
    assert there.agent(cancel_request(1)) == ()
    pending = attrs.evolve(before.agent_requests["int", 1], cancel_requested=True)
    assert there.connection == attrs.evolve(
        before, agent_requests=before.agent_requests.set(("int", 1), pending)
    )
    there.client(answer)
    [permission] = there.session.permissions
    assert (permission.outcome, permission.option_id) == (outcome, option_id)
    assert there.session.open_permissions == {}
    assert there.connection.agent_requests == {}


@pytest.mark.parametrize(("answer", "outcome"), [(error(1, -32800), "failed")])
def test_the_error_of_cancellation_withdraws_only_what_was_taken_back(answer, outcome):
    """CANCEL-10, section 18: -32800 is allowed after `$/cancel_request`."""
    there = talk("observer")
    there.agent(ask_permission())
    there.client(answer)
    assert outcomes(there.session) == [outcome]


@pytest.mark.parametrize("side", ["agent", "observer"])
@pytest.mark.parametrize("then", [("client", cancel()), ("agent", stop(2, "cancelled"))])
@pytest.mark.parametrize("answer", [result(1, CANCELLED), error(1, -32800)])
def test_a_cancel_between_a_withdrawal_and_its_answer(side, then, answer):
    """CANCEL-10, 15.4: pending -> withdrawn; either form of the answer fulfils it."""
    there, client = running(side), running()
    for each in (there, client):
        each.agent(ask_permission(), cancel_request(1))
        each.by(*then)
        told = each.client(answer)
        assert [each for each in told if isinstance(each, Diagnose)] == []
    assert outcomes(client.session) == ["withdrawn"]
    assert there.connection.sessions == client.connection.sessions


@pytest.mark.parametrize("side", SEATS)
def test_a_request_is_taken_back_once(side):
    """CANCEL-10, contract 5: a repetition changes nothing."""
    there = talk(side)
    there.agent(ask_permission(), cancel_request(1))
    before = there.connection
    assert there.agent(cancel_request(1)) == ()
    assert there.connection is before


@pytest.mark.parametrize("side", SEATS)
def test_a_request_is_given_up_once(side):
    """CANCEL-09: state `cancel_requested`; it is so already."""
    there = running(side)
    there.client(cancel_request(2))
    before = there.connection
    assert there.client(cancel_request(2)) == ()
    assert there.connection is before


# CANCEL-11, REQ-05


def test_the_host_gives_its_work_up():
    """CANCEL-11: the same -32800 answer."""
    there = talk()
    there.agent(read_file(7))
    assert there.do(RespondError(7, -32800, "closed")) == (Send(error(7, -32800, "closed")),)
    assert there.connection.agent_requests == {}


def test_a_cancel_leaves_the_hosts_work_running():
    """REQ-05: fs and terminal requests, unless the agent sends `$/cancel_request`."""
    there = with_child()
    there.agent(
        read_file(7),
        read_file(8, "child"),
        request(9, "terminal/create", sessionId="s", command="ls"),
    )
    before = there.connection.agent_requests
    assert there.client(cancel()) == ()
    assert there.connection.agent_requests is before


# Whole states


def test_a_cancelled_turn_whole():
    """14.2: what was asked, said, overlaid and answered, from the prompt to the response."""
    there = running()
    there.agent(call(kind="edit", status="pending"), ask_permission(1, "t", title="May I?"))
    there.client(cancel())
    there.agent(stop(2, "cancelled"))
    held = ToolCall(tool_call_id="t", title="T", kind="edit", turn=0)
    permission = Permission(
        request_id=1,
        tool_call=there.session.permissions[0].tool_call,
        options=there.session.permissions[0].options,
        before=held,
        turn=0,
        outcome="cancelled",
    )
    assert tuple(there.session.permissions) == (permission,)
    assert tuple(there.session.timeline) == (
        prompted(),
        attrs.evolve(held, title="May I?", cancelled=True),
    )
    assert tuple(there.session.turns) == (
        Turn(
            request_id=2,
            start=0,
            cancel_requested=True,
            cancelling=True,
            outcome="cancelled",
            stop_reason="cancelled",
        ),
    )
    assert (there.session.running, there.session.open_permissions) == ((), {})


def test_initialize_can_be_given_up_too():
    """CANCEL-09: any own outstanding request; before the answer it is early traffic (INIT-01)."""
    there = talk()
    there.client(initialize(20))
    assert there.connection.client_requests["int", 20].cancel_requested is False
    there.client(cancel_request(20))
    assert there.connection.client_requests["int", 20].cancel_requested is True


def test_unrelated_intents_are_not_withdrawn():
    """CANCEL-04: an elicitation that was answered is not answered again."""
    there = running()
    [asked] = there.agent(ask_url(1))
    assert isinstance(asked, AskElicitation)
    there.client(result(1, {"action": "accept"}))
    assert there.client(cancel()) == ()
    assert list(there.connection.awaited_urls) == ["e"]


def test_a_session_that_is_made_later_is_ready_all_the_same():
    """CANCEL-09: giving `session/new` up leaves it outstanding; its result wins."""
    there = talk()
    there.client(request(3, "session/new", cwd="/w", mcpServers=[]), cancel_request(3))
    told = there.agent(result(3, {"sessionId": "late"}))
    assert told[0] == SessionReady("late", 3)
