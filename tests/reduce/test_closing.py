"""How sessions are closed: `session/close` and `session/archive` (15.5, SESS-06)."""

from __future__ import annotations

import attrs
import pytest
from reduce.history import (
    ENDINGS,
    after,
    agent_answers,
    agent_message,
    agent_refuses,
    asks_form,
    asks_permission,
    call,
    child,
    client_asks,
    compaction,
    ends,
    folded,
    in_state,
    load,
    made,
    mapped,
    noticed,
    notices,
    prompt,
    prompted,
    ready,
    resume,
    said,
    session_after,
    timeline,
    tool_call,
)

from acp_state import (
    Compaction,
    Diagnose,
    ElicitationWithdrawn,
    PermissionWithdrawn,
    RequestAnswered,
    Send,
    SessionReady,
    Turn,
    TurnEnded,
)
from acp_state.persistent import Map

NOT_FOUND = -32002


# 15.5: closing


@pytest.mark.parametrize(
    ("answers", "readiness"),
    [
        ([agent_refuses(5)], "closing"),
        ([agent_refuses(6)], "closing"),
        ([agent_refuses(5), agent_refuses(6)], "ready"),
        ([agent_refuses(6), agent_refuses(5)], "ready"),
        ([agent_answers(5), agent_refuses(6)], "closed"),
        ([agent_refuses(5), agent_answers(6)], "closed"),
        ([agent_answers(6), agent_refuses(5)], "closed"),
    ],
)
def test_two_outstanding_closes(answers, readiness):
    """15.5: closing until the last is answered; one that succeeds is not undone by another."""
    asked = after(*made(), ends("close"), ends("archive", 6))
    assert after(*answers, onto=asked).sessions["s"].readiness == readiness


@pytest.mark.parametrize("method", ENDINGS)
@pytest.mark.parametrize(
    "readiness", ["provisional", "unattached", "closed", "ready", "loading", "resuming"]
)
def test_a_session_is_closed(method, readiness):
    """15.5: closing; success or -32002: closed (SESS-04); other error: the previous state."""
    before = in_state(readiness)
    closing = after(ends(method), onto=before)
    assert closing.sessions == mapped(ready(readiness="closing"))
    closed = mapped(ready(readiness="closed", archived=method == "archive"))
    for response in (agent_answers(5), agent_refuses(5, NOT_FOUND)):
        connection, told = folded(response, onto=closing)
        assert connection.sessions == closed
        assert noticed(told) == []
    connection, told = folded(agent_refuses(5), onto=closing)
    assert connection.sessions == before.sessions
    assert notices(told) == [("close-failed", "warning", "s")]
    assert [each.diagnostic.text for each in told if isinstance(each, Diagnose)] == [
        "closing failed with -32603: no"
    ]


@pytest.mark.parametrize("method", ENDINGS)
def test_close_is_like_a_cancel_when_it_is_sent(method):
    """15.5, SESS-06: all running turns count as cancel asked, questions are answered (PERM-07)."""
    busy = after(
        *made(), prompt(), call(), prompt(4, "More"), asks_permission(toolCallId="t"),
        asks_form(sessionId="s"),
    )  # fmt: skip
    connection, told = folded(ends(method), onto=busy)
    session = connection.sessions["s"]
    assert [turn.cancel_requested for turn in session.turns] == [True, True]
    assert session.timeline == timeline(
        prompted(), tool_call(turn=0, cancelled=True), prompted("More", 1)
    )
    assert [each.outcome for each in session.permissions] == ["cancelled"]
    assert (connection.agent_requests, connection.elicitations) == ({}, {})
    assert [type(each) for each in told] == [
        PermissionWithdrawn, Send, ElicitationWithdrawn, Send,
    ]  # fmt: skip
    assert [each.message for each in told if isinstance(each, Send)] == [
        {"jsonrpc": "2.0", "id": "p", "result": {"outcome": {"outcome": "cancelled"}}},
        {"jsonrpc": "2.0", "id": "e", "result": {"action": "cancel"}},
    ]


@pytest.mark.parametrize("method", ENDINGS)
def test_close_is_like_a_cancel_for_descendants(method):
    """15.5: "like CANCEL-02..04 for it and descendants"."""
    busy = after(
        *made(), child("k"), child("g", "k"), call("t", "k"), call("u", "g"),
        asks_permission(session_id="g", toolCallId="u"),
    )  # fmt: skip
    connection, told = folded(ends(method), onto=busy)
    assert connection.sessions["k"].tool_calls["t"].cancelled
    assert connection.sessions["g"].tool_calls["u"].cancelled
    assert connection.sessions["g"].pending_permissions == ()
    assert [type(each) for each in told] == [PermissionWithdrawn, Send]


@pytest.mark.parametrize("method", ENDINGS)
@pytest.mark.parametrize(("parent", "cancelled"), [([], False), ([child("s", "p")], True)])
def test_all_unfinished_calls_of_a_child_that_is_closed_are_overlaid(method, parent, cancelled):
    """CANCEL-02, SESS-06: those of no turn as well, of which a session of its own keeps its."""
    asked = after(*made(), *made("p", 2), *parent, call("t"), ends(method))
    assert asked.sessions["s"].tool_calls["t"].cancelled is cancelled


@pytest.mark.parametrize("readiness", ["closing", "closed", "deleted"])
def test_a_question_of_a_session_that_ends_is_answered(readiness):
    """PERM-07: closing, closed, deleted: `cancelled`."""
    connection, [send] = folded(asks_permission(toolCallId="t"), onto=in_state(readiness))
    assert send.message["result"] == {"outcome": {"outcome": "cancelled"}}
    assert connection.sessions["s"].pending_permissions == ()


@pytest.mark.parametrize("method", ENDINGS)
def test_a_question_of_a_child_while_its_parent_closes_is_answered(method):
    """15.4, 15.5: closing is like a cancel for descendants, also for what arrives meanwhile."""
    busy = after(*made(), child("k"), child("g", "k"), ends(method))
    for session_id in ("k", "g"):
        asked = asks_permission(session_id=session_id, toolCallId="t")
        connection, [send] = folded(asked, onto=busy)
        assert send.message["result"] == {"outcome": {"outcome": "cancelled"}}
        assert connection.sessions[session_id].pending_permissions == ()


def test_what_a_deleted_session_has_asked_is_answered():
    """PERM-07: deleted: `cancelled`."""
    busy = after(*made(), asks_permission(toolCallId="t"), asks_form(sessionId="s"))
    connection, told = folded(ends("delete"), agent_answers(5), onto=busy)
    assert (connection.agent_requests, connection.elicitations) == ({}, {})
    assert [each.message["result"] for each in told if isinstance(each, Send)] == [
        {"outcome": {"outcome": "cancelled"}}, {"action": "cancel"},
    ]  # fmt: skip


@pytest.mark.parametrize("method", ENDINGS)
def test_when_it_is_closed_open_turns_are_cancelled_and_their_prompts_forgotten(method):
    """15.1, SESS-06: outcome `cancelled` assumed, late responses absorbed."""
    busy = after(*made(), prompt(), prompt(4, "More"), ends(method))
    connection, told = folded(agent_answers(5), onto=busy)
    session = connection.sessions["s"]
    ended = [
        Turn(
            request_id=request_id, start=start, cancel_requested=True, cancelling=True,
            outcome="cancelled",
        )
        for start, request_id in enumerate([3, 4])
    ]  # fmt: skip
    assert (list(session.turns), session.running) == (ended, ())
    assert connection.client_requests == {}
    assert [each for each in told if isinstance(each, TurnEnded)] == [
        TurnEnded(session_id="s", turn=turn) for turn in ended
    ]
    late = (agent_answers(3, {"stopReason": "cancelled"}), agent_refuses(4))
    connection, told = folded(*late, onto=connection)
    assert connection.sessions["s"] is session
    assert told == ()


def test_when_it_is_closed_the_questions_of_its_prompts_are_withdrawn():
    """ELIC-05: of each prompt that will not be answered any more."""
    told = (*made(), prompt(), prompt(4, "More"), asks_form("e", requestId=3))
    busy = after(*told, asks_form("f", requestId=4), ends("close"))
    connection, told = folded(agent_answers(5), onto=busy)
    withdrawn = [each.elicitation for each in told if isinstance(each, ElicitationWithdrawn)]
    assert withdrawn == list(busy.elicitations.values())
    assert (connection.elicitations, connection.agent_requests) == ({}, {})


def test_a_prompt_that_is_not_outstanding_hides_no_other():
    """15.1: the others are forgotten, and their late answers absorbed."""
    busy = after(*made(), prompt(), prompt(4, "More"), ends("close"))
    held = attrs.evolve(busy, client_requests=busy.client_requests.remove(("int", 3)))
    connection = after(agent_answers(5), onto=held)
    assert connection.client_requests == {}
    assert list(connection.settled_by_agent) == [("int", 4)]


def test_a_turn_whose_prompt_is_not_outstanding_ends_with_its_session():
    """15.1: also where the host made the connection of a session that it held elsewhere."""
    held = attrs.evolve(after(*made(), prompt()), client_requests=Map())
    connection = after(ends("close"), agent_answers(5), onto=held)
    assert [turn.outcome for turn in connection.sessions["s"].turns] == ["cancelled"]
    assert connection.settled_by_agent == {}


def test_the_turns_of_a_session_that_closes_end_by_their_own_responses_if_they_come_first():
    """SESS-06: the agent ends the turn as if cancelled."""
    connection = after(
        *made(), prompt(), ends("close"), agent_answers(3, {"stopReason": "cancelled"})
    )
    connection, told = folded(agent_answers(5), onto=connection)
    [turn] = connection.sessions["s"].turns
    assert (turn.outcome, turn.stop_reason) == ("cancelled", "cancelled")
    assert [type(each) for each in told] == [RequestAnswered]


def test_a_close_that_fails_leaves_the_turn_running():
    """15.5: closing, other error: previous state."""
    connection = after(*made(), prompt(), ends("close"), agent_refuses(5))
    session = connection.sessions["s"]
    assert (session.readiness, session.running) == ("ready", (0,))


def test_history_is_kept_and_unfinished_work_unconfirmed_when_a_session_is_closed():
    """15.5: history kept read-only; CMP-08: the wire status stays."""
    history = (said("A", "a"), compaction(), compaction("d", "completed"))
    session = session_after(*made(), *history, ends("close"), agent_answers(5))
    assert session.timeline == timeline(
        agent_message("A", message_id="a"),
        Compaction(compaction_id="c", confirmed=False),
        Compaction(compaction_id="d", status="completed"),
    )


def test_the_descendants_of_a_closed_session_are_unattached():
    """15.5."""
    before = after(*made(), child("k"), child("g", "k"), *made("o", 9))
    connection = after(ends("close"), agent_answers(5), onto=before)
    readiness = {name: each.readiness for name, each in connection.sessions.items()}
    assert readiness == {"s": "closed", "k": "unattached", "g": "unattached", "o": "ready"}


def test_a_load_that_is_overtaken_by_a_close_leaves_what_was_held():
    """15.5, LOAD-09: the replay is never completed."""
    connection = after(*made(), said("A", "a"), load(), said("B", "b"), ends("close"))
    session = after(agent_answers(5), onto=connection).sessions["s"]
    assert session == ready(
        readiness="closed",
        timeline=timeline(agent_message("A", message_id="a")),
        id_style="with_id",
    )


@pytest.mark.parametrize("closed", [(), (agent_answers(5),)], ids=["closing", "closed"])
def test_a_session_that_was_closed_meanwhile_is_not_announced_as_ready(closed):
    """15.5: `SessionReady` says "can be prompted now"; a prompt would be refused."""
    connection, told = folded(agent_answers(2), onto=after(*made(), load(), ends("close"), *closed))
    assert connection.sessions["s"].readiness != "ready"
    assert not any(isinstance(each, SessionReady) for each in told)


def test_a_close_that_fails_after_the_load_succeeded_is_back_to_ready():
    """15.5: the state before the close would have become `ready` by the load's success."""
    messages = (*made(), load(), ends("close"), agent_answers(2), agent_refuses(5))
    assert session_after(*messages) == ready()


@pytest.mark.parametrize("attempt", [load, resume])
def test_a_close_that_fails_after_the_load_failed_is_back_to_what_was_before_both(attempt):
    """15.5: nothing is loaded any more."""
    messages = (*made(), attempt(), ends("close"), agent_refuses(2), agent_refuses(5))
    assert session_after(*messages) == ready()


# What comes after the close


def fresh(*messages):
    """A tree of sessions, and what was said in the child of the first."""
    return after(
        *made(),
        child("k", state={"state": "running"}, capabilities={"cancel": {}}),
        child("z", "k", state={"state": "running"}),
        said("H", "h", "k"),
        compaction("c", session_id="k"),
        *messages,
    )


@pytest.mark.parametrize("method", ENDINGS)
def test_nothing_of_the_descendants_goes_on_when_it_is_closed(method):
    """15.5, SUB-16, CMP-08: resources are gone; no state is asserted, and no right is left."""
    closed = fresh(ends(method), agent_answers(5)).sessions
    assert closed["s"].subagents["k"].capabilities is None
    assert not closed["s"].subagents["k"].state_confirmed
    assert not closed["k"].subagents["z"].state_confirmed
    assert not closed["k"].compactions["c"].confirmed
    assert [each.readiness for each in closed.values()] == ["closed", "unattached", "unattached"]


@pytest.mark.parametrize("attempt", [load, resume])
def test_the_history_of_a_child_does_not_double_after_a_close(attempt):
    """INV-07, LOAD-06: nothing is at work in a session that was closed."""
    told = (attempt(6), said("A", "a"), child("k"), said("H", "h", "k"), agent_answers(6))
    again = after(*told, onto=fresh(ends("close"), agent_answers(5)))
    assert again.sessions["k"].messages == (agent_message("H", message_id="h"),)


@pytest.mark.parametrize("ending", [ends("close"), client_asks(5, "session/delete", sessionId="s")])
def test_a_question_of_a_child_of_a_session_that_has_ended_is_answered(ending):
    """PERM-07: closing, closed, deleted: `cancelled`; for those below it as well."""
    closed = fresh(ending, agent_answers(5))
    _, told = folded(asks_permission("q", "z", toolCallId="t"), onto=closed)
    assert told[-1].message["result"] == {"outcome": {"outcome": "cancelled"}}


@pytest.mark.parametrize("answers", [[agent_answers(5), agent_refuses(2)], [agent_answers(5)]])
def test_a_close_ends_a_load_that_was_sent_before(answers):
    """LOAD-09, INV-07: what it told is gone, and no replay outlives the close."""
    told = (*made(), load(2), child("k"), said("A", "a", "k"), ends("close"), *answers)
    closed = after(*told)
    assert [(s.session_id, s.readiness) for s in closed.sessions.values()] == [("s", "closed")]
    anew = (load(8), child("k"), said("A", "a", "k"), agent_answers(8))
    assert after(*anew, onto=closed).sessions["k"].messages == (agent_message("A", message_id="a"),)


def test_a_close_ends_the_replay_of_a_child_that_was_there_before():
    """LOAD-09: it has the history that it had."""
    before = after(*made(), child("k"), said("H", "h", "k"))
    told = (load(2), child("k"), said("H", "h", "k"), ends("close"), agent_answers(5))
    kid = after(*told, onto=before).sessions["k"]
    assert (kid.replay, kid.messages) == (None, (agent_message("H", message_id="h"),))


@pytest.mark.parametrize(
    ("attempt", "state"), [(load, "loading"), (resume, "resuming")], ids=["load", "resume"]
)
@pytest.mark.parametrize("answer", [agent_answers(5), agent_refuses(5)])
def test_a_session_that_is_taken_up_while_it_closes_is_taken_up_after_that(attempt, state, answer):
    """15.5, RPC-08: the agent handles one after the other, whatever becomes of the close."""
    closing = after(*made(), said("A", "a"), ends("close"), attempt(8))
    assert (closing.sessions["s"].readiness, closing.sessions["s"].replay) == ("closing", None)
    taken_up = after(answer, onto=closing)
    assert taken_up.sessions["s"].readiness == state
    told = [said("A", "a")] if attempt is load else []
    connection, intents = folded(*told, agent_answers(8), onto=taken_up)
    assert connection.sessions["s"].readiness == "ready"
    assert connection.sessions["s"].timeline == timeline(agent_message("A", message_id="a"))
    assert SessionReady(session_id="s", request_id=8) in intents
    assert notices(intents) == []


@pytest.mark.parametrize(
    ("answer", "readiness"), [(agent_answers(5), "closed"), (agent_refuses(5), "ready")]
)
def test_what_fails_after_the_close_leads_back_to_what_the_close_led_to(answer, readiness):
    """15.5: to the previous state, which was not known when the load was sent."""
    closing = after(*made(), said("A", "a"), ends("close"), load(8))
    assert after(answer, agent_refuses(8), onto=closing).sessions["s"].readiness == readiness


def test_what_fails_while_the_session_is_being_closed_leaves_it_to_the_close():
    """15.5: a close that fails leads back to what was before it, and that is still under way."""
    closing = after(*made(), resume(2), ends("close"), load(8), agent_refuses(8))
    assert closing.sessions["s"].readiness == "closing"
    back = after(agent_refuses(5), onto=closing)
    assert back.sessions["s"].readiness == "resuming"
    assert after(agent_answers(2), onto=back).sessions["s"].readiness == "ready"


def test_what_a_session_asked_that_was_not_known_when_its_close_was_sent_is_answered():
    """PERM-07, INV-06: the turn ends as cancelled, and nothing waits in it."""
    early = (ends("close"), prompt(7), asks_permission("p", toolCallId="t"))
    connection, told = folded(agent_answers(5), onto=after(*early))
    assert connection.agent_requests == {}
    assert connection.sessions["s"].pending_permissions == ()
    sent = [each.message["result"] for each in told if isinstance(each, Send)]
    assert sent == [{"outcome": {"outcome": "cancelled"}}]
