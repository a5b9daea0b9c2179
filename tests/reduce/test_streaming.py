"""The short way of plain text: the same as the general way, and not taken by what is special."""

from __future__ import annotations

import attrs
import pytest
from conversations import MOVES, conversations, says, seated, steps, takes_up, wild
from hypothesis import given, settings
from hypothesis import strategies as st
from observing import SEATS
from reduce.builders import after, agent, answered, call, prompted, said, text, thought, user
from reduce.builders import chunks as chunks_of
from reduce.talk import Noticed, talk

from acp_state import Connection, Message, Session, Timeline, apply_update
from acp_state.reduce import connection as connection_module
from acp_state.reduce import updates as updates_module
from acp_state.reduce.loading import begin_replay
from acp_state.reduce.streaming import (
    may_stream,
    plain_chunk,
    plain_notification,
    stream_message,
    stream_update,
)
from acp_state.reduce.turns import ask_to_cancel

TALKATIVE = (*[says] * 30, *[takes_up] * 3, *MOVES)


def generally(work):
    """What `work` gives where there is no short way."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(connection_module, "stream_message", lambda *_: None)
        patch.setattr(updates_module, "stream_update", lambda *_: None)
        return work()


@settings(max_examples=150)
@given(conversations(max_size=30, moves=TALKATIVE) | wild(), st.sampled_from(SEATS))
def test_the_short_way_is_the_general_way(lines, side):
    """Same states, same intents, from every seat."""
    assert steps(lines, seated(side)) == generally(lambda: steps(lines, seated(side)))


NOTIFICATION = {
    "jsonrpc": "2.0",
    "method": "session/update",
    "params": {"sessionId": "s", "update": agent("Hi", "m")},
}


@pytest.mark.parametrize("side", SEATS)
def test_an_update_of_the_clients_is_none(side):
    """RPC-06, section 18: updates are the agent's to send, whatever the seat."""
    there = talk(side)
    before = there.connection
    assert there.client(NOTIFICATION) == (Noticed("unknown-notification"),)
    assert there.connection == before


def test_a_notification_that_holds_nothing_but_an_update():
    assert plain_notification(NOTIFICATION) == ("s", agent("Hi", "m"))


@pytest.mark.parametrize(
    "message",
    [
        None,
        [NOTIFICATION],
        {**NOTIFICATION, "id": 1},
        {**NOTIFICATION, "jsonrpc": "1.0"},
        {**NOTIFICATION, "method": "session/cancel"},
        {**NOTIFICATION, "params": None},
        {**NOTIFICATION, "params": {**NOTIFICATION["params"], "_meta": {}}},
        {**NOTIFICATION, "params": {**NOTIFICATION["params"], "sessionId": 5}},
        {"jsonrpc": "2.0", "method": "session/update", "parms": {}},
    ],
    ids=lambda message: str(message)[:60],
)
def test_other_messages_hold_more_or_less(message):
    assert plain_notification(message) is None


@pytest.mark.parametrize(
    ("update", "said"),
    [
        (user("a"), ("user", None, "a")),
        (agent("a"), ("agent", None, "a")),
        (thought("a"), ("thought", None, "a")),
        (agent("", "m"), ("agent", "m", "")),
        ({**agent("\ud83d"), "messageId": "m"}, ("agent", "m", "\ud83d")),
    ],
)
def test_a_chunk_that_is_a_text_and_perhaps_an_id(update, said):
    assert plain_chunk(update) == said


@pytest.mark.parametrize(
    "update",
    [
        None,
        {},
        [],
        {**agent("a"), "messageId": None},
        {**agent("a"), "messageId": 5},
        {**agent("a"), "messageId": ""},
        {**agent("a"), "_meta": {}},
        {**agent("a", "m"), "_meta": {}},
        {**agent("a"), "sessionUpdate": "plan"},
        {**agent("a"), "sessionUpdate": ["agent_message_chunk"]},
        {**agent("a"), "content": None},
        {**agent("a"), "content": {**text("a"), "annotations": {}}},
        {**agent("a"), "content": {"type": "text", "txt": "a"}},
        {**agent("a"), "content": {"type": "text", "text": 5}},
        {**agent("a"), "content": {"type": "image", "text": "a"}},
    ],
    ids=lambda update: str(update)[:70],
)
def test_other_updates_say_more_or_less(update):
    """They go the general way, which tells what is wrong with them, if anything is."""
    assert plain_chunk(update) is None
    assert stream_update(after(agent("a", "m")), update) is None


SAID = after(agent("a", "m"))


def went_on(role, *texts, message_id=None, **fields):
    """The timeline of one message."""
    message = Message(role=role, message_id=message_id, chunks=chunks_of(*texts), **fields)
    return Timeline.of([message], run_open=message_id is None)


class TestGoesOn:
    """MSG-01, MSG-02, MSG-05: the text is appended to the message."""

    def test_with_a_message_of_that_id(self):
        expected = attrs.evolve(SAID, timeline=went_on("agent", "a", "b", message_id="m"))
        assert stream_update(SAID, agent("b", "m")) == expected

    def test_with_an_older_message_of_that_id(self):
        session = after(agent("a", "m"), call(), thought("t", "n"))
        streamed = stream_update(session, agent("b", "m"))
        assert streamed.timeline[0].text == "ab"
        assert streamed.timeline[1:] == session.timeline[1:]

    def test_with_the_open_run(self):
        session = after(thought("a"))
        assert stream_update(session, thought("b")).timeline == went_on("thought", "a", "b")

    def test_in_a_replay(self):
        """LOAD-04: what was held stays to be read until the load is answered."""
        session = after(agent("x", "m"), onto=begin_replay(after(agent("a", "m"))))
        streamed = stream_update(session, agent("y", "m"))
        assert streamed.timeline == session.timeline
        assert streamed.replay.built == went_on("agent", "x", "y", message_id="m")

    def test_with_the_users_message_outside_of_turns(self):
        session = after(user("a"))
        assert stream_update(session, user("b")).timeline == went_on("user", "a", "b")

    def test_in_a_turn(self):
        session = after(agent("a", "m"), onto=prompted())
        assert stream_update(session, agent("b", "m")).timeline[-1].text == "ab"


@pytest.mark.parametrize(
    ("session", "update", "begun"),
    [
        (Session("s"), agent("b"), said("agent", "b")),
        (Session("s"), agent("b", "m"), said("agent", "b", message_id="m")),
        (Session("s"), user("b"), said("user", "b")),
        (prompted(), thought("b"), said("thought", "b", turn=0)),
        (after(agent("a")), thought("b"), said("thought", "b")),
        (after(agent("a"), call()), agent("b"), said("agent", "b")),
        (SAID, agent("b", "n"), said("agent", "b", message_id="n")),
    ],
    ids=[
        "the first of a session",
        "the first with an id",
        "of the user, outside of turns",
        "in a turn (TURN-11)",
        "the run is of another kind (MSG-05)",
        "the run is closed (MSG-06)",
        "another id (MSG-04)",
    ],
)
def test_begins_a_message(session, update, begun):
    streamed = stream_update(session, update)
    assert streamed.timeline[-1] == begun
    assert streamed.timeline[:-1] == session.timeline[:]
    assert streamed == generally(lambda: apply_update(session, update))[0]


CANCELLED = answered(ask_to_cancel(after(agent("a", "m"), onto=prompted())), "cancelled")[0]


@pytest.mark.parametrize(
    ("session", "update"),
    [
        (after(call(), agent("a")), agent("b", "m")),
        (SAID, agent("b")),
        (SAID, thought("b", "m")),
        (attrs.evolve(SAID, readiness="resuming"), agent("b", "m")),
        (prompted(), user("Hi")),
        (begin_replay(SAID), agent("b", "m")),
        (CANCELLED, agent("b", "m")),
    ],
    ids=[
        "first chunk with an id (MSG-07)",
        "first chunk without an id (MSG-07)",
        "another role (MSG-03)",
        "history in a resume (LOAD-13)",
        "an echo (TURN-04)",
        "a first chunk in a replay (LOAD-08)",
        "the turn was cancelled (TURN-06)",
    ],
)
def test_where_there_is_more_to_do_the_general_way_is_left_to_do_it(session, update):
    assert stream_update(session, update) is None


READY = Connection(phase="ready").with_session(SAID)


def test_a_message_for_a_session_that_is_there():
    expected = READY.with_session(stream_update(SAID, agent("Hi", "m")))
    assert stream_message(READY, NOTIFICATION) == expected


@pytest.mark.parametrize(
    "connection",
    [
        Connection(phase="ready"),
        attrs.evolve(READY, phase="initializing"),
        READY.with_session(attrs.evolve(SAID, readiness="closed")),
        READY.with_session(attrs.evolve(SAID, readiness="deleted")),
    ],
    ids=["unknown", "before initialize was answered", "closed", "deleted"],
)
def test_a_message_that_is_early_or_late(connection):
    """INIT-01, 15.5: it is diagnosed, by the general way."""
    assert may_stream(connection, "s") is None
    assert stream_message(connection, NOTIFICATION) is None


def test_a_message_that_is_something_else():
    assert stream_message(READY, {**NOTIFICATION, "method": "session/cancel"}) is None
    params = {"sessionId": "s", "update": agent("b")}
    assert stream_message(READY, {**NOTIFICATION, "params": params}) is None
    params = {"sessionId": "s", "update": call()}
    assert stream_message(READY, {**NOTIFICATION, "params": params}) is None
