"""Sessions that are taken up, by a load or a resume (15.5, LOAD-09, LOAD-13)."""

from __future__ import annotations

import attrs
import pytest
from reduce.history import (
    READY,
    after,
    agent_answers,
    agent_message,
    agent_refuses,
    asks_permission,
    call,
    child,
    client_asks,
    compaction,
    folded,
    in_state,
    load,
    made,
    notices,
    prompt,
    resume,
    said,
    timeline,
)

from acp_state import (
    AnswerPermission,
    Disconnected,
    Message,
    RequestFailed,
    Send,
    ToolCall,
    reduce,
)

NOT_FOUND = -32002


@pytest.mark.parametrize("readiness", ["provisional", "unattached", "closed", "ready"])
@pytest.mark.parametrize(
    ("attempt", "state"), [(load(), "loading"), (resume(), "resuming")], ids=["load", "resume"]
)
def test_a_session_is_taken_up(readiness, attempt, state):
    """15.5: loading / resuming; success: ready, error: the previous state."""
    before = in_state(readiness)
    attempted = after(attempt, onto=before)
    assert attempted.sessions["s"].readiness == state
    assert after(agent_answers(2), onto=attempted).sessions["s"].readiness == "ready"
    connection, told = folded(agent_refuses(2, NOT_FOUND), onto=attempted)
    assert connection.sessions == before.sessions
    assert [type(each) for each in told] == [RequestFailed]


@pytest.mark.parametrize("attempt", [load, resume])
def test_a_session_that_was_never_held_disappears_again(attempt):
    """15.5: loading / resuming of a session never held, error; when the last attempt has failed."""
    asked = after(attempt(2), attempt(3))
    assert asked.sessions["s"].readiness in ("loading", "resuming")
    assert after(agent_refuses(2), onto=asked).sessions == asked.sessions
    connection = after(agent_refuses(2), agent_refuses(3), onto=asked)
    assert connection == attrs.evolve(READY, next_request_id=4)


@pytest.mark.parametrize("history", [[], [call("t", "s")]])
@pytest.mark.parametrize("attempt", [load, resume])
def test_what_it_told_of_others_ends_with_it(attempt, history):
    """LOAD-09, LOAD-13: a session that was there before is a child only while the attempt lasts.

    Its own history is no replay any more, and goes on.
    """
    early = [said("A", "a", "k"), attempt(2), child("k"), *history, said("B", "b", "k")]
    [(_, kid)] = after(*early, agent_refuses(2)).sessions.items()
    assert kid.replay is None
    [(_, kid)] = after(*early, agent_refuses(2), said("C", "c", "k")).sessions.items()
    assert kid.timeline[-1] == agent_message("C", message_id="c")


def test_a_session_that_a_failed_load_told_to_be_a_child_is_as_it_was():
    """LOAD-09, SUB-18: nobody's child, with the history that it had, and none that it told of."""
    before = after(*made("s", 1), *made("o", 2), said("A", "a", "o"), load(3))
    told = (child("o"), child("z", "o", capabilities={}), said("B", "b", "o"))
    failed = after(*told, agent_refuses(3), onto=before)
    assert failed.sessions["o"] == before.sessions["o"]
    assert list(failed.sessions) == ["s", "o"]


@pytest.mark.parametrize("answer", [agent_answers(4), agent_refuses(4)])
def test_a_right_from_before_another_attempt_does_not_come_back(answer):
    """SUB-16: it is gone when the attempt is sent, also where history is being replayed."""
    told = (*made(), resume(3), child("k", capabilities={"cancel": {}}), said("A", "a"), load(4))
    attached = after(*told, said("B", "b"))
    assert attached.sessions["s"].subagents["k"].capabilities is None
    later = after(agent_refuses(3), answer, onto=attached).sessions["s"]
    assert later.subagents["k"].capabilities is None


def test_a_child_that_only_a_childs_replay_told_of_goes_with_it():
    """LOAD-09: replayed content is discarded, in descendants that were there before, too."""
    told = (*made(), child("k"), load(2), child("z", "k"), child("y", "z"), said("A", "a", "y"))
    assert list(after(*told).sessions) == ["s", "k", "z", "y"]
    assert list(after(*told, agent_refuses(2)).sessions) == ["s", "k"]
    assert list(after(*told, agent_answers(2)).sessions) == ["s", "k", "z", "y"]


@pytest.mark.parametrize(
    ("attempt", "replayed", "readiness"),
    [
        (load, [], "unattached"),
        (load, [child("k")], "ready"),
        (load, [said("A", "a")], "unattached"),
        (resume, [], "ready"),
    ],
)
def test_children_are_there_again_that_were_told_of(attempt, replayed, readiness):
    """15.5: by the replay, or all of them where nothing is replayed at all."""
    closed = after(
        *made(), child("k"), client_asks(5, "session/close", sessionId="s"), agent_answers(5)
    )
    assert closed.sessions["k"].readiness == "unattached"
    loaded = after(attempt(6), *replayed, agent_answers(6), onto=closed)
    assert loaded.sessions["k"].readiness == readiness


@pytest.mark.parametrize("attempt", [load, resume])
def test_a_second_attempt_that_succeeds_takes_the_session_up(attempt):
    """15.5: loading / resuming, success: ready; the first one's error is not its end."""
    connection = after(attempt(2), attempt(3), agent_refuses(2), said("A", "a"), agent_answers(3))
    assert connection.sessions["s"].readiness == "ready"
    assert connection.sessions["s"].timeline == timeline(agent_message("A", message_id="a"))


@pytest.mark.parametrize("attempt", ["load", "resume"])
def test_a_request_that_names_no_session_takes_up_none(attempt):
    """15.5."""
    connection = after(client_asks(2, f"session/{attempt}", cwd="/w"), agent_answers(2))
    assert connection == attrs.evolve(READY, next_request_id=3)


# What only an attempt told of


@pytest.mark.parametrize("attempt", [load, resume])
def test_a_session_in_which_something_waits_stays(attempt):
    """INV-02, LOAD-10, 15.5: provisional; what it was asked can be answered, and its turn end."""
    told = (attempt(2), prompt(3), asks_permission("p", toolCallId="t"), agent_refuses(2))
    connection = after(*told)
    session = connection.sessions["s"]
    assert (session.readiness, session.running) == ("provisional", (0,))
    assert [each.request_id for each in session.pending_permissions] == ["p"]
    answered, [send, *_] = reduce(connection, AnswerPermission("p"))
    assert send.message["result"] == {"outcome": {"outcome": "cancelled"}}
    _, [*_, ended] = folded(agent_answers(3, {"stopReason": "end_turn"}), onto=answered)
    assert ended.turn.outcome == "ended"


def test_a_child_in_which_something_waits_stays_without_a_parent():
    """INV-02: the load that told of it has failed; the question was live (LOAD-10)."""
    asked = asks_permission("p", "k", toolCallId="t")
    connection = after(*made(), load(2), child("k"), asked, agent_refuses(2))
    kid = connection.sessions["k"]
    assert (kid.parent_id, kid.readiness) == (None, "provisional")
    assert isinstance(reduce(connection, AnswerPermission("p", "yes"))[1][0], Send)


def test_a_session_that_becomes_a_child_in_a_replay_is_replayed():
    """INV-07, LOAD-06: one of its own, or one whose traffic came before it was told of."""
    for before in ([*made("o", 2)], []):
        told = (*made(), *before, said("A", "a", "o"), load(3), child("o"), said("A", "a", "o"))
        loaded = after(*told, agent_answers(3)).sessions["o"]
        assert loaded.timeline == timeline(agent_message("A", message_id="a"))
        assert (loaded.parent_id, loaded.readiness) == ("s", "ready")


def test_the_children_of_a_session_that_becomes_a_child_in_a_replay_are_replayed():
    """LOAD-06: an epoch is one of all descendants, also of those that it brings with it."""
    before = (*made(), *made("o", 2), child("z", "o"), said("A", "a", "z"))
    told = (load(3), child("o"), child("z", "o"), said("A", "a", "z"), agent_answers(3))
    loaded = after(*before, *told).sessions["z"]
    assert loaded.timeline == timeline(agent_message("A", message_id="a"))


def test_a_session_that_only_its_traffic_told_of_is_provisional_again():
    """LOAD-09, 15.5: it was no child before the load that failed."""
    before = after(*made(), said("A", "a", "k"))
    failed = after(load(2), child("k"), said("B", "b", "k"), agent_refuses(2), onto=before)
    assert failed.sessions["k"] == before.sessions["k"]


@pytest.mark.parametrize("history", [[], [said("A", "a")]])
def test_children_that_a_resume_told_of_go_with_a_session_that_was_never_held(history):
    """15.5, SUB-18: it disappears again, and nobody is the parent of what it told of."""
    connection = after(resume(2), child("k"), *history, said("A", "a", "k"), agent_refuses(2))
    assert connection.sessions == {}


def test_children_that_a_resume_told_of_stay_with_a_session_that_stays():
    """SUB-18: what was said live is kept, and is no right any more."""
    told = (*made(), resume(2), child("k", state={"state": "running"}, capabilities={"cancel": {}}))
    connection = after(*told, agent_refuses(2))
    kid = connection.sessions["s"].subagents["k"]
    assert (kid.capabilities, kid.state_confirmed) == (None, False)
    assert connection.sessions["k"].parent_id == "s"


def test_nothing_that_a_lost_load_told_of_is_left():
    """CONN-01, LOAD-09: a loss is a failure of the load, for children as well."""
    told = (*made(), load(2), child("k"), child("z", "k"), said("A", "a", "k"))
    lost, _ = reduce(after(*told), Disconnected())
    assert list(lost.sessions) == ["s"]
    told_anew = (load(2), child("k"), said("A", "a", "k"), agent_answers(2))
    again = after(*told_anew, onto=attrs.evolve(lost.reopened(), phase="ready"))
    assert again.sessions["k"].timeline == timeline(agent_message("A", message_id="a"))


def test_a_session_that_was_its_own_is_so_again_when_the_connection_is_lost():
    """CONN-01: no child of what told of it in a replay, and unattached as all are."""
    lost, _ = reduce(after(*made("s", 1), *made("o", 2), load(3), child("o")), Disconnected())
    assert [(s.parent_id, s.readiness) for s in lost.sessions.values()] == [
        (None, "unattached"),
        (None, "unattached"),
    ]


# Children that were there before


@pytest.mark.parametrize("attempt", [load, resume])
def test_children_of_children_are_there_again(attempt):
    """15.5: at any depth, as those of the first level."""
    tree = (child("k"), child("z", "k"))
    lost, _ = reduce(after(*made(), *tree), Disconnected())
    told = tree if attempt is load else ()
    connection = after(
        attempt(2), *told, agent_answers(2), onto=attrs.evolve(lost.reopened(), phase="ready")
    )
    assert {name: each.readiness for name, each in connection.sessions.items()} == {
        "s": "ready",
        "k": "ready",
        "z": "ready",
    }


def test_a_child_that_a_resume_reports_at_work_keeps_its_history():
    """LOAD-06, SUB-18: its traffic is live, also where the parent's history is told after that."""
    lost, _ = reduce(after(*made(), child("k"), said("H", "h", "k")), Disconnected())
    told = (child("k", state={"state": "running"}), said("A", "a"), said("N", "n", "k"))
    connection = after(
        resume(2), *told, agent_answers(2), onto=attrs.evolve(lost.reopened(), phase="ready")
    )
    kid = connection.sessions["k"]
    assert kid.readiness == "ready"
    assert kid.timeline == timeline(
        agent_message("H", message_id="h"), agent_message("N", message_id="n")
    )


def test_what_is_live_in_a_child_is_no_replay_of_it():
    """LOAD-06, LOAD-10: a descendant with nothing replayed keeps its history."""
    held = (*made(), child("k", state={"state": "idle"}), said("H", "h", "k"))
    live = (asks_permission("p", "k", toolCallId="t"), prompt(7, "Go", "k"))
    connection, told = folded(load(2), child("k"), *live, agent_answers(2), onto=after(*held))
    kid = connection.sessions["k"]
    assert [type(each) for each in kid.timeline] == [Message, ToolCall, Message]
    assert kid.timeline[0] == agent_message("H", message_id="h")
    assert notices(told) == []


# What is known of the history


@pytest.mark.parametrize(
    ("before", "told", "incomplete"),
    [
        ([], [], True),
        ([], [child("k", state={"state": "running"})], True),
        ([], [compaction("c")], True),
        ([], [said("A", "a")], False),
        ([said("A", "a")], [], False),
        ([said("A", "a")], [compaction("c")], False),
    ],
)
def test_nothing_retained_is_an_incomplete_history(before, told, incomplete):
    """LOAD-13: what was held when the resume was sent counts, unless all is told after all."""
    connection = after(*made(), *before, resume(2), *told, agent_answers(2))
    assert connection.sessions["s"].history_incomplete is incomplete
