"""Messages between sessions (section 10)."""

from __future__ import annotations

import attrs
import pytest
from reduce.builders import (
    SESSION,
    after,
    agent,
    call,
    chunks,
    connected,
    fold,
    letter,
    letter_chunk,
    noticed,
    prompted,
    replayed,
    replaying,
    reported,
    said,
    text,
    timeline,
    watch,
)

from acp_state import Session, SessionMessage, ToolCall
from acp_state.reduce.loading import begin_replay


def only(session):
    """The one message between sessions."""
    [found] = session.session_messages.values()
    return found


def test_a_chunk_may_come_first():
    """SMSG-03: a chunk for a new id creates the message and appends."""
    session = after(
        letter_chunk("a", senderSessionId="p", recipientSessionId="s", meta={"k": 1}),
        letter_chunk("b"),
    )
    assert session == Session(
        "s",
        timeline=timeline(
            SessionMessage(
                message_id="l",
                sender_session_id="p",
                recipient_session_id="s",
                chunks=chunks(("a", {"k": 1}), "b"),
            )
        ),
    )


def test_a_message_may_come_first():
    """SMSG-03: `session_message` creates; without fields it is empty (PATCH-05)."""
    assert fold(letter()) == (
        Session("s", timeline=timeline(SessionMessage(message_id="l"))),
        (),
    )


def test_a_message_replaces_what_chunks_accumulated():
    """SMSG-03, row 18: a concrete content replaces, later chunks append to it."""
    session = after(letter_chunk("a"), letter(content=[text("x")]), letter_chunk("y"))
    assert only(session) == SessionMessage(message_id="l", chunks=chunks("x", "y"))


@pytest.mark.parametrize("content", [None, []], ids=["null", "[]"])
def test_null_and_empty_clear_the_content(content):
    """PATCH-04, seed: ``content: []`` also clears."""
    session = after(letter_chunk("a"), letter(content=content))
    assert only(session) == SessionMessage(message_id="l")


def test_chunk_metadata_is_no_patch_of_the_message():
    """Seed, PATCH-06: chunk metadata is local to the chunk."""
    session = after(letter(meta={"k": 1}), letter_chunk("a", meta={"k": 2}), letter_chunk("b"))
    assert only(session) == SessionMessage(
        message_id="l", chunks=chunks(("a", {"k": 2}), "b"), meta={"k": 1}
    )


def test_ids_are_scoped_to_the_transcript():
    """SMSG-02, SMSG-07: the outer session is the transcript; the two views stay two."""
    connection, _ = watch(
        reported(letter_chunk("out", senderSessionId="s", recipientSessionId="c")),
        reported(letter_chunk("in", senderSessionId="s", recipientSessionId="c"), "c"),
        onto=connected(SESSION, Session("c")),
    )
    views = {key: only(session).text for key, session in connection.sessions.items()}
    assert views == {"s": "out", "c": "in"}


def test_its_ids_are_a_namespace_of_their_own():
    """SMSG-02, SMSG-10: a message or a tool call of that id is something else."""
    session = after(agent("a", "x"), call("x"), letter("x"))
    assert session.timeline == timeline(
        said("agent", "a", message_id="x"),
        ToolCall(tool_call_id="x", title="T"),
        SessionMessage(message_id="x"),
    )


def test_it_belongs_to_the_turn_in_which_it_was_first_seen():
    """TL-01: as every entry."""
    session = after(letter("1"), letter_chunk("x", "2"), onto=prompted("Hi"))
    assert [found.turn for found in session.session_messages.values()] == [0, 0]


# Participants


@pytest.mark.parametrize("later", [letter, lambda **fields: letter_chunk("x", **fields)])
@pytest.mark.parametrize(
    "nothing", [{}, {"senderSessionId": None, "recipientSessionId": None}], ids=["omitted", "null"]
)
def test_known_participants_are_never_erased(later, nothing):
    """SMSG-04, CONF-01: omission and null mean "not supplied"."""
    session = after(letter(senderSessionId="s", recipientSessionId="c"), later(**nothing))
    found = only(session)
    assert (found.sender_session_id, found.recipient_session_id) == ("s", "c")


@pytest.mark.parametrize("later", [letter, lambda **fields: letter_chunk("x", **fields)])
def test_missing_participants_may_be_added(later):
    """SMSG-04, CONF-02: by either update, one by one."""
    session = after(letter(), later(recipientSessionId="s"))
    assert only(session).direction("s") == "incoming"
    session = after(later(senderSessionId="p"), onto=session)
    found = only(session)
    assert (found.sender_session_id, found.recipient_session_id) == ("p", "s")


@pytest.mark.parametrize(
    ("sender", "recipient", "direction"),
    [
        ("s", "c", "outgoing"),
        ("s", None, "outgoing"),
        ("p", "s", "incoming"),
        (None, "s", "incoming"),
        (None, None, None),
        ("p", None, None),
        (None, "c", None),
        ("p", "c", None),
        ("s", "s", None),
        ("c", "c", None),
    ],
)
def test_the_direction_is_derived(sender, recipient, direction):
    """SMSG-05: outer is sender: outgoing; outer is recipient: incoming; else unknown.

    Both known, but neither the outer session, or both the same: kept, `diag:smsg-participants`.
    """
    session, intents = fold(letter(senderSessionId=sender, recipientSessionId=recipient))
    assert only(session) == SessionMessage(
        message_id="l", sender_session_id=sender, recipient_session_id=recipient
    )
    assert only(session).direction("s") == direction
    odd = None not in (sender, recipient) and direction is None
    text = f"session message 'l' goes from {sender!r} to {recipient!r}; its direction is unknown"
    assert intents == ((noticed("smsg-participants", text),) if odd else ())


def test_odd_participants_are_told_once():
    """SMSG-05: when they come, not with each further update."""
    _, intents = fold(
        letter_chunk("a"), onto=fold(letter(senderSessionId="s", recipientSessionId="s"))[0]
    )
    assert intents == ()


@pytest.mark.parametrize("participants", [{"senderSessionId": "z"}, {}])
def test_a_participant_that_a_replay_changes_is_told(participants):
    """SMSG-06, LOAD-04: what was held before the replay counts as known."""
    held = after(letter(senderSessionId="s", recipientSessionId="c"))
    _, intents = fold(letter(**participants), onto=begin_replay(held))
    text = "session message 'l': the sender changed from 's' to 'z'; replaced"
    odd = "session message 'l' goes from 'z' to 'c'; its direction is unknown"
    told = (noticed("smsg-participant-changed", text), noticed("smsg-participants", odd))
    assert intents == (told if participants else ())


def test_a_changed_participant_is_replaced():
    """SMSG-06: `diag:smsg-participant-changed`."""
    before = after(letter(senderSessionId="s", recipientSessionId="c"))
    session, intents = fold(
        letter_chunk("x", senderSessionId="s", recipientSessionId="d"), onto=before
    )
    found = only(session)
    assert (found.sender_session_id, found.recipient_session_id) == ("s", "d")
    text = "session message 'l': the recipient changed from 'c' to 'd'; replaced"
    assert intents == (noticed("smsg-participant-changed", text),)


def test_both_participants_can_change():
    """SMSG-05, SMSG-06: each change is told, then that they do not fit."""
    before = after(letter(senderSessionId="s", recipientSessionId="c"))
    _, intents = fold(letter(senderSessionId="x", recipientSessionId="y"), onto=before)
    assert [intent.diagnostic.text for intent in intents] == [
        "session message 'l': the sender changed from 's' to 'x'; replaced",
        "session message 'l': the recipient changed from 'c' to 'y'; replaced",
        "session message 'l' goes from 'x' to 'y'; its direction is unknown",
    ]


def test_message_ids_of_the_other_side_are_hints():
    """CONF-03, row 18: three-state fields; they never join the two views."""
    session = after(
        letter(senderMessageId="1", recipientMessageId="2"),
        letter(senderMessageId=None),
    )
    assert only(session) == SessionMessage(message_id="l", recipient_message_id="2")


# What it does not do


def test_nothing_comes_out_of_it():
    """SMSG-07, SMSG-08: no prompt, no acknowledgement, no entry in the other transcript."""
    connection, intents = watch(
        reported(letter(senderSessionId="s", recipientSessionId="c", content=[text("do it")])),
        onto=connected(SESSION, Session("c")),
    )
    assert intents == ()
    assert connection.sessions["c"] == Session("c")


def test_naming_an_unknown_session_announces_nothing():
    """SMSG-09: it is a historical address."""
    connection, intents = watch(
        reported(letter(senderSessionId="s", recipientSessionId="unknown")),
        onto=connected(SESSION),
    )
    assert intents == ()
    assert list(connection.sessions) == ["s"]
    assert len(connection.sessions["s"].subagents) == 0


def test_an_update_that_changes_nothing_gives_the_very_same_session():
    """Design, contract 5."""
    before = after(letter(senderSessionId="s", content=[text("a")]))
    assert after(letter(senderSessionId="s", content=[text("a")]), onto=before) is before


# In a replay

HELD = after(
    letter(senderSessionId="p", recipientSessionId="s", content=[text("a")], meta={"k": 1}),
    onto=prompted("Hi"),
)


def retold(*blocks, **fields):
    """The message that was held, with other chunks."""
    return timeline(attrs.evolve(only(HELD), chunks=chunks(*blocks), **fields))


@pytest.mark.parametrize(
    ("updates", "expected"),
    [
        pytest.param([letter()], retold("a"), id="omitted"),
        pytest.param([letter(content=None)], retold(), id="null"),
        pytest.param([letter(content=[text("b")])], retold("b"), id="replaced"),
        pytest.param([letter(meta=None)], retold("a", meta=None), id="other fields"),
        pytest.param([letter_chunk("b")], retold("b"), id="chunk"),
        pytest.param([letter_chunk("b"), letter_chunk("c")], retold("b", "c"), id="chunks"),
        pytest.param([letter(), letter_chunk("b")], retold("b"), id="omitted, chunk"),
        pytest.param(
            [letter(), letter(), letter_chunk("b"), letter(), letter_chunk("c")],
            retold("b", "c"),
            id="omitted, chunk, omitted, chunk",
        ),
        pytest.param(
            [letter(content=[text("b")]), letter_chunk("c")], retold("b", "c"), id="replaced, chunk"
        ),
        pytest.param([letter(content=[]), letter_chunk("b")], retold("b"), id="cleared, chunk"),
        pytest.param(
            [letter(), letter(content=[text("b")]), letter_chunk("c")],
            retold("b", "c"),
            id="omitted, replaced, chunk",
        ),
    ],
)
def test_a_message_that_is_told_again(updates, expected):
    """LOAD-04, PATCH-07: the first chunk of the epoch discards what was held, nothing else does.

    Participants, metadata and turn stay.
    """
    assert replaying(*updates, onto=HELD) == (expected, ())


def test_messages_are_told_again_one_by_one():
    """LOAD-04: for each of them its own first chunk counts."""
    held = after(letter("m", content=[text("m")]), onto=HELD)
    session, _ = replayed(letter("l"), letter("m"), letter_chunk("x", "l"), onto=held)
    assert [each.text for each in session.session_messages.values()] == ["x", "m"]
    session = after(letter_chunk("y", "l"), letter_chunk("y", "m"), onto=session)
    assert [each.text for each in session.session_messages.values()] == ["xy", "my"]


def test_a_message_that_is_new_in_a_replay():
    """LOAD-03: as in a plain fold."""
    built, _ = replaying(letter("n"), letter_chunk("x", "n"), letter_chunk("y", "n"), onto=HELD)
    assert built == timeline(SessionMessage(message_id="n", chunks=chunks("x", "y"), turn=0))
