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
    call,
    child,
    client_asks,
    folded,
    load,
    made,
    mapped,
    ready,
    resume,
    said,
    timeline,
)

from acp_state import RequestFailed

NOT_FOUND = -32002


@pytest.mark.parametrize("readiness", ["provisional", "unattached", "closed", "ready"])
@pytest.mark.parametrize(
    ("attempt", "state"), [(load(), "loading"), (resume(), "resuming")], ids=["load", "resume"]
)
def test_a_session_is_taken_up(readiness, attempt, state):
    """15.5: loading / resuming; success: ready, error: the previous state."""
    before = attrs.evolve(READY, sessions=mapped(ready(readiness=readiness)))
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
    """LOAD-09, SUB-18: no replay of it stays open, and no right that it gave itself."""
    told = (*made("s", 1), *made("o", 2), load(3), child("o"), child("z", "o", capabilities={}))
    before = after(*told)
    held = after(agent_refuses(3), onto=before).sessions["o"]
    assert (held.replay, held.subagents["z"].capabilities) == (None, None)
    assert not held.subagents["z"].is_confirmed_running


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
