"""Contract 4: `fold` is `reduce` one by one, in state and in intents, for every split of events."""

import attrs
import pytest
from conversations import MOVES, commands, conversations, says, seated, takes_up, wild
from golden_form import messages_of
from hypothesis import given, settings
from hypothesis import strategies as st
from observing import SEATS
from reduce.builders import after, agent, call, text, thought
from reduce.history import READY, child, chunk, made, resume
from shared import SHARED, needs_shared

from acp_state import (
    Cancel,
    Connection,
    LocalProtocolError,
    Received,
    Sent,
    Session,
    apply_update,
    fold,
    fold_updates,
    reduce,
)
from acp_state.reduce import connection as connection_module
from acp_state.reduce import fold as fold_module
from acp_state.reduce import open_sessions
from acp_state.reduce import updates as updates_module
from acp_state.schema import AgentMessageChunk, TextContent

TALKATIVE = (*[says] * 30, *[takes_up] * 3, *MOVES)


def one_by_one(connection, events):
    """The connection after all events, and all that came out."""
    told = ()
    for event in events:
        connection, intents = reduce(connection, event)
        told += intents
    return connection, told


def legal(connection, events):
    """The events of a host that makes no mistake."""
    for event in events:
        try:
            connection, _ = reduce(connection, event)
        except LocalProtocolError:
            continue
        yield event


@st.composite
def happenings(draw, side):
    """Messages of both sides as they are seen from a seat, and wishes of the host between them."""
    lines = draw(conversations(max_size=30, moves=TALKATIVE) | wild())
    seat = "agent" if side == "agent" else "client"
    events = [Sent(each) if sender == seat else Received(each) for sender, each in lines]
    for wish in draw(st.lists(commands(), max_size=5)):
        events.insert(draw(st.integers(0, len(events))), wish)
    return list(legal(seated(side), events))


@settings(max_examples=150)
@given(st.data(), st.sampled_from(SEATS))
def test_every_split_is_one_by_one(data, side):
    events = data.draw(happenings(side))
    cut = data.draw(st.integers(0, len(events)))
    expected = one_by_one(seated(side), events)
    assert fold(seated(side), iter(events)) == expected
    connection, first = fold(seated(side), events[:cut])
    connection, second = fold(connection, events[cut:])
    assert (connection, first + second) == expected


@needs_shared
@pytest.mark.parametrize("path", sorted((SHARED / "traces").glob("*.jsonl")), ids=lambda p: p.stem)
def test_recordings(path):
    messages = messages_of(path.stem)
    events = [Sent(each) if sender == "client" else Received(each) for sender, each in messages]
    start = Connection(side="observer")
    assert fold(start, events) == one_by_one(start, events)


@pytest.mark.parametrize("kind", [[], {}, None, 5])
def test_an_update_whose_kind_is_no_string(kind):
    """Contract 2: it is dropped, and nothing raises."""
    connection = Connection(phase="ready").with_session(Session("s"))
    params = {"sessionId": "s", "update": {"sessionUpdate": kind}}
    events = [Received({"jsonrpc": "2.0", "method": "session/update", "params": params})]
    assert fold(connection, events) == one_by_one(connection, events)


def test_a_text_in_a_resume_makes_history_of_the_children_too():
    """LOAD-13, contract 4."""
    lines = (*made(), child(), resume(2), chunk("user", "Go"))
    events = [Sent(each) if sender == "client" else Received(each) for sender, each in lines]
    connection, intents = fold(READY, events)
    assert (connection, intents) == one_by_one(READY, events)
    assert connection.sessions["k"].replay is not None


def test_nothing_to_fold():
    connection = Connection()
    connection_after, intents = fold(connection, [])
    assert connection_after is connection
    assert intents == ()


def test_a_mistake_of_the_host_is_told_and_changes_nothing():
    connection = Connection(phase="ready").with_session(Session("s"))
    with pytest.raises(LocalProtocolError, match="session 'x' is not known"):
        fold(connection, [Cancel("x")])
    assert connection == Connection(phase="ready").with_session(Session("s"))


UPDATES = st.lists(
    st.sampled_from(
        [
            agent("a"),
            agent("a", "m"),
            agent("b", "m"),
            agent("b", "n"),
            thought("a"),
            thought("a", "m"),
            {**agent("a"), "content": text("a", meta={"k": 1})},
            call(),
            {"sessionUpdate": "odd"},
            None,
        ]
    )
)


@given(UPDATES, st.integers(0))
def test_updates_of_one_session(updates, cut):
    session, told = Session("s"), ()
    for update in updates:
        session, intents = apply_update(session, update)
        told += intents
    assert fold_updates(Session("s"), iter(updates)) == (session, told)
    first, early = fold_updates(Session("s"), updates[:cut])
    assert fold_updates(first, updates[cut:]) == (session, told[len(early) :])


def test_typed_updates_among_them():
    typed = AgentMessageChunk(content=TextContent(text="b"), message_id="m")
    session, intents = fold_updates(Session("s"), [agent("a", "m"), typed, agent("c", "m")])
    assert session == after(agent("a", "m"), agent("b", "m"), agent("c", "m"))
    assert intents == ()


def test_an_object_that_is_no_update():
    with pytest.raises(LocalProtocolError):
        fold_updates(Session("s"), [attrs.make_class("Odd", [])()])


@pytest.fixture
def _no_general_way(monkeypatch):
    def refuse(*_):
        raise AssertionError("the general way was taken")

    monkeypatch.setattr(connection_module, "fold_event", refuse)
    monkeypatch.setattr(fold_module, "fold_event", refuse)
    monkeypatch.setattr(updates_module, "fold_update", refuse)
    monkeypatch.setattr(open_sessions, "fold_update", refuse)


@pytest.mark.usefixtures("_no_general_way")
class TestTheShortWay:
    """What is said in plain text goes by the general way nowhere."""

    @pytest.mark.parametrize(("side", "seen"), [("client", Received), ("agent", Sent)])
    def test_of_a_connection(self, side, seen):
        start = Connection(side=side, phase="ready").with_session(Session("s"))
        params = [{"sessionId": "s", "update": agent(text, "m")} for text in "abc"]
        messages = [{"jsonrpc": "2.0", "method": "session/update", "params": p} for p in params]
        folded = fold(start, map(seen, messages))
        assert folded == one_by_one(start, map(seen, messages))
        assert folded[0].sessions["s"].timeline[0].text == "abc"

    def test_of_a_session(self):
        updates = [agent("a", "m"), agent("b", "m"), thought("c")]
        session = Session("s")
        for update in updates[:2]:
            session, _ = apply_update(session, update)
        assert fold_updates(Session("s"), updates[:2]) == (session, ())
