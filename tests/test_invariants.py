"""The invariants of section 22 and the contracts of the design, on drawn conversations."""

from __future__ import annotations

import copy

import pytest
from conversations import (
    announces,
    answers,
    asks,
    calls,
    commands,
    conversations,
    elicits,
    end_of,
    interleavings,
    says,
    seated,
    steps,
    takes_up,
    wild,
)
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from observing import SEATS, seatless, see
from reduce.history import (
    MAY_CANCEL,
    READY,
    after,
    agent_answers,
    call,
    call_update,
    child,
    chunk,
    client_tells,
    compaction,
    letter,
    letter_chunk,
    load,
    made,
    resume,
    text_blocks,
    update,
)
from strategies import json_like, typed

from acp_state import Connection, Disconnected, LocalProtocolError, Send, Sent, Session, reduce
from acp_state.codec import encode
from acp_state.leniency import decode
from acp_state.model import Subagent
from acp_state.reduce.links import request_key
from acp_state.reduce.updates import HANDLERS, apply_update
from acp_state.schema import SessionUpdate, SubagentSessionCapabilities
from acp_state.schema.wire import wire_fields

on_conversations = settings(max_examples=60)
"""Conversations are long, so that there need not be as many."""

ATTACHING = ("session/load", "session/resume")


def method_of(message):
    """The method of a message, if it is one that has any."""
    method = message.get("method") if isinstance(message, dict) else None
    return method if isinstance(method, str) else None


def answered_method(before, line):
    """The method of the outstanding request that the line answers."""
    sender, message = line
    if not isinstance(message, dict) or "id" not in message or "method" in message:
        return None
    asked = before.client_requests if sender == "agent" else before.agent_requests
    request = asked.get(request_key(message["id"]))
    return None if request is None else request.method


# Contracts 1 and 2, INV-01


@on_conversations
@given(conversations(), st.data())
def test_the_same_messages_give_the_same_states_and_nothing_that_was_handed_out_changes(
    lines, data
):
    """INV-01, contract 1: also where an older state is gone on with, and gone on with again."""
    sent = copy.deepcopy(lines)
    kept = steps(lines)
    count = data.draw(st.integers(0, len(lines)))
    onto = end_of(lines[:count])
    again = steps(lines[count:], onto)
    assert [step[2:] for step in kept[count:]] == [step[2:] for step in again]
    assert steps(lines) == kept
    assert lines == sent
    if count:
        assert kept[count - 1][2] == onto


@on_conversations
@given(wild(), st.sampled_from(SEATS))
def test_nothing_that_a_peer_sends_raises(lines, side):
    """Contract 2: whatever JSON it is, and what a careless parser lets through."""
    connection = end_of(lines, seated(side))
    assert isinstance(connection, Connection)
    assert isinstance(reduce(connection, Disconnected())[0], Connection)


@given(json_like.filter(lambda value: not isinstance(value, bytes)))
def test_any_json_is_a_message_or_none(value):
    """Contract 2."""
    for sender in ("client", "agent"):
        connection, _ = see(READY, sender, value)
        assert isinstance(connection, Connection)


@on_conversations
@given(conversations(), commands())
def test_a_command_is_its_message_sent_or_is_refused_and_changes_nothing(lines, command):
    """Design: a command makes the change that `Sent` makes; a refused one changes nothing."""
    connection = end_of(lines)
    try:
        commanded, (send, *intents) = reduce(connection, command)
    except LocalProtocolError:
        assert connection == end_of(lines)
        return
    assert isinstance(send, Send)
    assert (commanded, tuple(intents)) == reduce(connection, Sent(send.message))
    assert connection == end_of(lines)


# Contract 5


@on_conversations
@given(conversations())
def test_an_update_leaves_every_other_entry_and_session_the_identical_object(lines):
    """Contract 5: hosts compare with `is`."""
    for (_, message), before, now, _ in steps(lines):
        if method_of(message) != "session/update":
            continue
        changed = [
            name for name, session in before.sessions.items() if now.sessions[name] is not session
        ]
        begun = [name for name in changed if has_begun(before.sessions[name], now.sessions[name])]
        assert len(changed) <= max(2, len(begun)), changed
        entries = [changes(before.sessions[name], now.sessions[name]) for name in changed]
        assert sum(entries) <= 1, entries


def has_begun(before, now):
    """Whether a replay has: the first of a resume is one of all descendants as well (LOAD-13)."""
    return before.replay is None and now.replay is not None


def changes(before, now):
    """How many entries of the session are not the same object any more."""
    old = before.timeline
    assert len(old) <= len(now.timeline) <= len(old) + 1
    return sum(now.timeline[position] is not entry for position, entry in enumerate(old))


@on_conversations
@given(conversations())
def test_an_entry_that_stays_equal_stays_the_identical_object(lines):
    """Contract 5, of all messages but those that take a session up, and their responses."""
    for line, before, now, _ in steps(lines):
        if {method_of(line[1]), answered_method(before, line)} & {*ATTACHING}:
            continue
        for name, session in before.sessions.items():
            both = zip(session.timeline, now.sessions[name].timeline, strict=False)
            assert [new for old, new in both if new == old and new is not old] == []


def test_a_second_load_leaves_what_is_unconfirmed_the_identical_object():
    """Contract 5, style 8: a no-op returns the very same object."""
    connection = after(*made(), child(), load(2), agent_answers(2))
    [entry] = connection.sessions["s"].timeline
    [again] = after(load(3), onto=connection).sessions["s"].timeline
    assert again == entry
    assert again is entry


# Contract 8, INV-05


@on_conversations
@given(
    interleavings(
        conversations(max_size=12),
        conversations(families=(("o", "p"),), first_id=1000, max_size=12),
    )
)
def test_interleaving_sessions_gives_the_same_sessions(three):
    """INV-05, contract 8: traffic of different sessions does not change any session's state."""
    first, second, mixed = three
    alone = {**end_of(first).sessions, **end_of(second).sessions}
    assert end_of(mixed).sessions == alone


# The sides


def seen_from_all_sides(lines):
    """The connection as each seat sees it, where every answer that a side gives is seen, too."""
    seats = {side: seated(side) for side in SEATS}
    for line in lines:
        for answer in fold_in_all(seats, line):
            fold_in_all(seats, answer)
    return [seatless(connection) for connection in seats.values()]


def fold_in_all(seats, line):
    """Fold the line in each seat; what the client or the agent answers of its own accord."""
    given_ = []
    for side, connection in seats.items():
        seats[side], intents = see(connection, *line)
        given_ += [(side, each.message) for each in answers_in(intents)]
    return given_


@on_conversations
@given(conversations())
def test_the_state_is_the_same_from_every_side(lines):
    """Design: what a message does depends on who sent it, never on which side we are.

    What a side answers of its own accord is known to the others when they see the answer.
    """
    client, observer, agent = seen_from_all_sides(lines)
    assert client == observer == agent


@pytest.mark.parametrize("sender", ["client", "agent"])
def test_an_unknown_request_is_refused_by_its_receiver(sender):
    """RPC-05: only the receiver answers; when that was seen, all know the same."""
    line = (sender, {"jsonrpc": "2.0", "id": 1, "method": "_odd", "params": {}})
    seats = {side: seated(side) for side in SEATS}
    [(side, refusal)] = fold_in_all(seats, line)
    assert {side, sender} == {"client", "agent"}
    assert refusal["error"]["code"] == -32601
    client, observer, agent = seen_from_all_sides([line])
    assert client == observer == agent
    assert (client.client_requests, client.agent_requests) == ({}, {})


# INV-02


@on_conversations
@given(conversations(max_size=30))
def test_every_request_of_the_agent_is_answered_once(lines):
    """INV-02, RPC-04: answered, withdrawn and answered, or dropped by connection loss."""
    waiting, settled = set(), set()
    connection = READY
    for (sender, message), before, connection, intents in steps(lines):
        key = None
        if isinstance(message, dict) and message.get("jsonrpc") == "2.0" and "id" in message:
            key = request_key(message["id"])
        is_request = isinstance(message, dict) and isinstance(message.get("method"), str)
        if key and sender == "agent" and is_request and key not in before.agent_requests:
            assert key not in waiting
            waiting.add(key)
            settled.discard(key)
        sent = [request_key(each.message["id"]) for each in answers_in(intents)]
        assert len(sent) == len(set(sent))
        if key and sender == "client" and not is_request and key in before.agent_requests:
            sent.append(key)
        assert set(sent) <= waiting
        waiting -= set(sent)
        settled |= set(sent)
        assert set(connection.agent_requests) == waiting
        assert not waiting & settled
    lost, intents = reduce(connection, Disconnected())
    assert (lost.agent_requests, answers_in(intents)) == ({}, [])


def answers_in(intents):
    """The answers that are to be sent; the refusal of a batch answers nobody."""
    sends = [each for each in intents if isinstance(each, Send) and "method" not in each.message]
    return [each for each in sends if each.message["id"] is not None]


# INV-03


@on_conversations
@given(conversations(max_size=30))
def test_no_message_changes_the_order_of_existing_entries(lines):
    """INV-03: outside the responses of loads."""
    for line, before, now, _ in steps(lines):
        if answered_method(before, line) in (*ATTACHING, "session/close", "session/archive"):
            continue
        for name, session in before.sessions.items():
            held, found = session.timeline, now.sessions[name].timeline
            assert len(held) <= len(found)
            for old, new in zip(held, found, strict=False):
                assert type(old) is type(new)
                assert old.key == new.key or getattr(old, "origin", None) == "local"


# INV-04

UPDATES = list(HANDLERS)


@st.composite
def spoiled(draw):
    """An update with a lenient field that is malformed, and the same without the field."""
    cls = draw(st.sampled_from(UPDATES))
    without = encode(draw(typed(cls)), SessionUpdate)
    fields = [field for field in wire_fields(cls) if field.lenient and not field.required]
    field = draw(st.sampled_from(fields))
    for key in (field.key, field.wire.alias):
        without.pop(key, None)
    spoilt = {**without, field.key: draw(st.sampled_from([5, True, 1.5, "odd", [], {}]))}
    faults = [(fault.code, fault.path) for fault in decode(spoilt, SessionUpdate).faults]
    assume(("field-defaulted", field.key) in faults)
    return spoilt, without


@given(spoiled())
def test_a_malformed_field_is_as_good_as_an_omitted_one(two):
    """INV-04: the same state, diagnostics aside."""
    spoilt, without = two
    held = after(call("t"), compaction("c"), letter("l"), child("k"), session_history()).sessions[
        "s"
    ]
    for session in (Session("s"), held):
        assert apply_update(session, spoilt)[0] == apply_update(session, without)[0]


def session_history():
    """An update that sets what updates of a session can patch."""
    return update("session_info_update", title="T", updatedAt="now", meta={"k": 1})


# INV-06, INV-08


@on_conversations
@given(
    conversations(max_size=20, moves=(announces, asks, elicits, says, calls, answers)), st.data()
)
def test_after_a_cancel_nothing_is_pending(lines, data):
    """INV-06: no permission request of that session or its descendants; CANCEL-04."""
    connection = end_of(lines)
    name = data.draw(st.sampled_from(["a", "k", "g", "b"]))
    connection = after(client_tells("session/cancel", sessionId=name), onto=connection)
    known = connection.sessions.get(name)
    family = [] if known is None else [known, *connection.descendants_of(name)]
    assert [each.pending_permissions for each in family] == [()] * len(family)
    names = {each.session_id for each in family}
    assert not [each for each in connection.elicitations.values() if each.session_id in names]


def rights(connection, session_id):
    """What the client may do to the descendants of a session."""
    family = [connection.sessions[session_id], *connection.descendants_of(session_id)]
    return [child.may_cancel for each in family for child in each.subagents.values()]


@on_conversations
@given(conversations(max_size=20, moves=(announces, announces, says, takes_up, answers)), st.data())
def test_no_right_outlives_a_load_a_resume_or_the_connection(lines, data):
    """INV-08: rights are empty at parent load / resume start and at connection loss."""
    connection = end_of(lines)
    name = data.draw(st.sampled_from(["a", "k", "g", "b"]))
    attempt = data.draw(st.sampled_from([load, resume]))
    attached = after(attempt(2000, name), onto=connection)
    assert not any(rights(attached, name))
    lost, _ = reduce(connection, Disconnected())
    assert not any(right for each in lost.sessions for right in rights(lost, each))


@pytest.mark.parametrize("before", [(), (child(capabilities=MAY_CANCEL),)], ids=["first", "later"])
@pytest.mark.parametrize("given_", [{"capabilities": None}, {"capabilities": {}}])
def test_a_child_without_rights_has_none(before, given_):
    """INV-08: null and `{}`."""
    connection = after(*made(), *before, child(**given_))
    capabilities = None if given_["capabilities"] is None else SubagentSessionCapabilities()
    assert connection.sessions["s"].subagents["k"] == Subagent(
        session_id="k", capabilities=capabilities
    )
    assert rights(connection, "s") == [False]


def test_an_announcement_without_capabilities_gives_none():
    """INV-08."""
    assert rights(after(*made(), child()), "s") == [False]


# INV-07

HISTORY = st.lists(
    st.builds(
        chunk,
        st.sampled_from(["user", "agent", "thought"]),
        st.sampled_from(["A", "B", ""]),
        st.sampled_from([None, "m", "n"]),
    )
    | st.sampled_from(
        [
            call("t"),
            call_update("t", status="completed"),
            call_update("u"),
            compaction("c"),
            compaction("c", "completed", summary=text_blocks("S")),
            letter("l"),
            letter("l", content=text_blocks("L")),
            letter_chunk("x", "l"),
            letter_chunk("y", "r"),
            child("k"),
            chunk("agent", "K", "m", "k"),
            letter_chunk("z", "l", "k"),
        ]
    ),
    max_size=12,
)


def texts(connection):
    """All texts of all sessions, in order."""
    return {
        name: [(entry.key, entry.text) for entry in session.timeline if hasattr(entry, "text")]
        for name, session in connection.sessions.items()
    }


@given(HISTORY, st.integers(1, 2))
def test_a_history_that_is_told_again_is_not_doubled(history, times):
    """INV-07: every text is equal."""
    told = [child("k"), *history]
    live = after(*made(), *told)
    connection = live
    for number in range(times):
        attempt = (load(2000 + number), *told, agent_answers(2000 + number))
        connection = after(*attempt, onto=connection)
    assert texts(connection) == texts(live)


@given(HISTORY, HISTORY)
def test_a_load_that_fails_changes_no_text(history, replayed):
    """LOAD-09."""
    live = after(*made(), child("k"), *history)
    error = ("agent", {"jsonrpc": "2.0", "id": 2, "error": {"code": -1, "message": "no"}})
    assert texts(after(load(), *replayed, error, onto=live)) == texts(live)
