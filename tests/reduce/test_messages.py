"""User, agent and thought messages, and where they stand (sections 5 and 7)."""

from __future__ import annotations

import attrs
import pytest
from reduce.builders import (
    SESSION,
    after,
    agent,
    agent_answers,
    call,
    call_update,
    codes,
    compaction,
    connected,
    fold,
    letter,
    letter_chunk,
    noticed,
    prompt,
    prompt_entry,
    prompted,
    reported,
    said,
    subagent,
    summary,
    text,
    thought,
    timeline,
    to_agent,
    update,
    user,
    watch,
)

from acp_state import Compaction, Session, ToolCall
from acp_state.reduce.messages import ROLES
from acp_state.reduce.turns import end_turn
from acp_state.schema import (
    AgentMessageChunk,
    AgentThoughtChunk,
    Annotations,
    ImageContent,
    TextContent,
    UserMessageChunk,
)

MIXED = noticed("mixed-message-ids", "chunks with and without messageId; they are not joined")
IMAGE = {"type": "image", "data": "d", "mimeType": "image/png"}

CHUNKS = {"user": user, "agent": agent, "thought": thought}
KINDS = pytest.mark.parametrize("role", ["user", "agent", "thought"])


# What a chunk does


@KINDS
def test_a_chunk_appends_its_block_to_the_message_it_names(role):
    """MSG-01, MSG-02: chunks of one id are one message, its blocks as received and in order."""
    chunk = CHUNKS[role]
    session, intents = fold(chunk("Hel", "m"), chunk(IMAGE, "m"), chunk("lo", "m"), chunk("!", "m"))
    image = ImageContent(data="d", mime_type="image/png")
    assert session == Session(
        "s",
        timeline=timeline(said(role, "Hel", image, "lo", "!", message_id="m")),
        id_style="with_id",
    )
    assert intents == ()


def test_display_text_is_plain_concatenation():
    """MSG-01: no separator is inserted between adjacent text blocks."""
    [message] = after(agent("a", "m"), agent("", "m"), agent("b\n", "m")).timeline
    assert message.text == "ab\n"
    assert message.content == (TextContent(text="ab\n"),)


def test_joining_blocks_loses_no_annotation_and_no_metadata():
    """MSG-01: coalescing is allowed only if no `annotations` and no `_meta` is lost."""
    hints = text("b", annotations={"priority": 1})
    [message] = after(agent("a"), agent(hints), agent(hints), agent("c", meta={"k": 1})).timeline
    annotated = Annotations(priority=1)
    assert message.content == (
        TextContent(text="a"),
        TextContent(text="bb", annotations=annotated),
        TextContent(text="c"),
    )
    assert [chunk.meta for chunk in message.chunks] == [None, None, None, {"k": 1}]


def test_chunk_metadata_is_the_chunks_own():
    """PATCH-06: omitted and null are none; it never patches the message."""
    session = after(agent("a", "m", meta={"k": 1}), agent("b", "m", meta=None), agent("c", "m"))
    assert session.timeline == timeline(said("agent", ("a", {"k": 1}), "b", "c", message_id="m"))


@KINDS
def test_another_id_is_another_message(role):
    """MSG-02: ids are opaque and are compared as exact strings."""
    chunk = CHUNKS[role]
    session = after(chunk("a", "m"), chunk("b", "M"), chunk("c", " m"), chunk("e", "m"))
    assert session.timeline == timeline(
        said(role, "a", "e", message_id="m"),
        said(role, "b", message_id="M"),
        said(role, "c", message_id=" m"),
    )


def test_returning_to_an_earlier_id_resumes_that_message():
    """CONF-22: messages may interleave; each accumulates by its id."""
    session = after(agent("a", "1"), agent("b", "2"), agent("c", "1"), agent("d", "2"))
    assert session.timeline == timeline(
        said("agent", "a", "c", message_id="1"), said("agent", "b", "d", message_id="2")
    )


def test_one_id_on_two_kinds_is_two_messages():
    """MSG-03: keyed by (kind, messageId); told when the second kind is first seen."""
    session, intents = fold(thought("a", "m"), agent("b", "m"), thought("c", "m"), agent("d", "m"))
    assert session.timeline == timeline(
        said("thought", "a", "c", message_id="m"), said("agent", "b", "d", message_id="m")
    )
    assert intents == (
        noticed(
            "message-id-kind-conflict",
            "messageId 'm' of a thought message is on a agent message too",
        ),
    )


@KINDS
@pytest.mark.parametrize("named", [{}, {"messageId": None}], ids=["omitted", "null"])
def test_omitted_and_null_ids_are_the_same(role, named):
    """MSG-04, MSG-05: no id; the chunks of one kind make one anonymous run."""
    chunk = {**CHUNKS[role]("a"), **named}
    session, intents = fold(chunk, chunk)
    expected = timeline(said(role, "a", "a"), run_open=True)
    assert session == Session("s", timeline=expected, id_style="without_id")
    assert intents == ()


# Anonymous runs

KNOWN = (
    agent("known", "known"),
    call(),
    compaction(),
    letter(),
    subagent(),
    update("plan_update", plan={"type": "file", "planId": "p", "uri": "u"}),
)

CLOSES = {
    "a chunk of another kind": thought("x"),
    "a chunk of another kind with an id": thought("x", "x"),
    "a chunk with a new id": agent("x", "x"),
    "a chunk with a known id": agent("x", "known"),
    "a new tool call": call("new"),
    "an update of an unknown tool call": call_update("new"),
    "a new compaction": compaction("new"),
    "a chunk of an unknown compaction": summary("x", "new"),
    "a new session message": letter("new"),
    "a chunk of an unknown session message": letter_chunk("x", "new"),
    "a new subagent": subagent("new"),
}

LEAVES_OPEN = {
    "a patch of a tool call": call_update(status="completed"),
    "a tool call again": call(),
    "a patch of a compaction": compaction(status="completed"),
    "a chunk of a compaction": summary("x"),
    "a patch of a session message": letter(content=[text("x")]),
    "a patch of a subagent": subagent(title="x"),
    "a notice": update("notice", severity="info", title="x"),
    "usage": update("usage_update", used=1, size=2),
    "a plan": update("plan", entries=[]),
    "an identified plan": update("plan_update", plan={"type": "file", "planId": "q", "uri": "u"}),
    "the end of a plan": update("plan_removed", planId="p"),
    "a mode": update("current_mode_update", currentModeId="x"),
    "config": update("config_option_update", configOptions=[]),
    "commands": update("available_commands_update", availableCommands=[]),
    "info": update("session_info_update", title="x"),
    "a malformed update": update("agent_message_chunk"),
    "an unknown update": update("agent_message_delta", content=text("x")),
}


def runs(session, role="agent"):
    """The texts of the anonymous messages of a kind."""
    return [m.text for m in session.messages if m.role == role and m.message_id is None]


@pytest.mark.parametrize("between", CLOSES.values(), ids=CLOSES)
def test_what_closes_the_open_run(between):
    """MSG-06, TL-05: once the run is closed nothing can append to it."""
    session, _ = fold(*KNOWN, agent("a"), between, agent("b"))
    assert runs(session) == ["a", "b"]


@pytest.mark.parametrize("between", LEAVES_OPEN.values(), ids=LEAVES_OPEN)
def test_what_leaves_the_run_open(between):
    """MSG-06: patches of existing entries and latest-value slots do not close it."""
    session, _ = fold(*KNOWN, agent("a"), between, agent("b"))
    assert runs(session) == ["ab"]
    assert session.timeline.run_open


def test_a_prompt_closes_the_run():
    """MSG-06: sending `session/prompt`."""
    session, _ = fold(agent("b"), onto=prompted("Hi", onto=after(agent("a"))))
    assert runs(session) == ["a", "b"]


def test_the_response_of_a_prompt_closes_the_run():
    """MSG-06: the prompt response."""
    ended, _ = end_turn(after(agent("a"), onto=prompted("Hi")), 1, {"stopReason": "end_turn"})
    assert runs(after(agent("b"), onto=ended)) == ["a", "b"]


def test_start_and_end_of_load_close_the_run():
    """MSG-06: start and end of load."""
    connection, _ = watch(
        reported(agent("a")),
        to_agent("session/load", 1, sessionId="s", cwd="/w"),
        reported(agent("b")),
        agent_answers(1, None),
        reported(agent("c")),
        onto=connected(SESSION),
    )
    assert runs(connection.sessions["s"]) == ["a", "b", "c"]


def test_traffic_of_other_sessions_leaves_the_run_open():
    """MSG-06: and so do the prompt and the end of a turn of another session."""
    connection, _ = watch(
        reported(agent("a")),
        reported(thought("x"), "other"),
        prompt(1, "x", session_id="other"),
        agent_answers(1, {"stopReason": "end_turn"}),
        reported(agent("b")),
        onto=connected(SESSION, Session("other")),
    )
    assert runs(connection.sessions["s"]) == ["ab"]


def test_runs_alternate_by_kind():
    """MSG-05: boundaries are changes of kind."""
    session = after(thought("a"), thought("b"), agent("c"), thought("d"), user("e"))
    assert session.timeline == timeline(
        said("thought", "a", "b"),
        said("agent", "c"),
        said("thought", "d"),
        said("user", "e"),
        run_open=True,
    )


def test_chunks_with_and_without_id_never_join():
    """MSG-07: neither does an id-less chunk join a message with an id, nor the other way round."""
    session, intents = fold(agent("a", "m"), agent("b"), agent("c", "m"), agent("d"))
    assert session == Session(
        "s",
        timeline=timeline(
            said("agent", "a", "c", message_id="m"),
            said("agent", "b"),
            said("agent", "d"),
            run_open=True,
        ),
        id_style="mixed",
    )
    assert intents == (MIXED,)


def test_mixed_ids_are_counted_over_all_kinds():
    """MSG-07: a thought with an id and an answer without are mixed."""
    assert fold(thought("a", "m"), agent("b"), user("c", "n"))[1] == (MIXED,)


def test_mixed_ids_are_told_once_in_each_turn_and_once_outside():
    """MSG-07: each turn has its own count."""
    session, outside = fold(agent("a"), agent("b", "m"), agent("c"))
    session, first = fold(agent("d"), agent("e", "m"), agent("f"), onto=prompted("1", onto=session))
    session, _ = end_turn(session, 1, {"stopReason": "end_turn"})
    session, between = fold(agent("g"), agent("h", "m"), onto=session)
    session, second = fold(
        agent("i", "m"), agent("j"), onto=prompted("2", onto=session, request_id=2)
    )
    assert (outside, first, between, second) == ((MIXED,), (MIXED,), (), (MIXED,))
    assert [turn.id_style for turn in session.turns] == ["mixed", "mixed"]
    assert session.id_style == "mixed"


def test_updates_come_at_any_time():
    """MSG-08: outside a turn they create and extend messages the same way."""
    session = after(agent("a", "m"))
    session, _ = end_turn(after(agent("b", "m"), onto=prompted("Hi", onto=session)), 1, {})
    session = after(agent("c", "m"), agent("d", "n"), onto=session)
    assert session.timeline == timeline(
        said("agent", "a", "b", "c", message_id="m"),
        prompt_entry("Hi"),
        said("agent", "d", message_id="n"),
    )


def test_an_entry_knows_the_turn_in_which_it_was_first_seen():
    """TOOL-10 for messages: patches of later turns do not move it to theirs."""
    session = after(agent("a", "1"), thought("b", "2"), onto=prompted("Hi"))
    session, _ = end_turn(session, 1, {"stopReason": "end_turn"})
    session = after(
        agent("c", "1"), agent("d", "3"), onto=prompted("Ho", request_id=2, onto=session)
    )
    assert session.timeline == timeline(
        prompt_entry("Hi"),
        said("agent", "a", "c", message_id="1", turn=0),
        said("thought", "b", message_id="2", turn=0),
        prompt_entry("Ho", turn=1),
        said("agent", "d", message_id="3", turn=1),
    )


# Order


def test_an_entity_stands_where_it_was_first_seen():
    """TL-01, TL-02: chunks of a message after a call and a compaction still land in it."""
    session, _ = fold(
        agent("a", "m"),
        call_update("t"),
        summary("s", "c"),
        agent("b", "m"),
        call("t", title="T"),
        compaction("c", status="completed"),
        agent("c", "m"),
    )
    assert session.timeline == timeline(
        said("agent", "a", "b", "c", message_id="m"),
        ToolCall(tool_call_id="t", title="T"),
        Compaction(compaction_id="c", status="completed", chunks=[TextContent(text="s")]),
    )


PLACED = {
    "message": (agent("x", "x"), agent("y", "x")),
    "tool call": (call("x"), call_update("x", status="failed")),
    "tool call by update": (call_update("x"), call("x")),
    "compaction": (compaction("x"), compaction("x", status="failed", summary=None)),
    "compaction by chunk": (summary("x", "x"), compaction("x", status="failed")),
    "session message": (letter("x"), letter_chunk("x", "x")),
    "session message by chunk": (letter_chunk("x", "x"), letter("x", content=None)),
    "subagent": (subagent("x"), subagent("x", state=None)),
}


@pytest.mark.parametrize(("first", "later"), PLACED.values(), ids=PLACED)
def test_later_updates_never_move_an_entity(first, later):
    """TL-03, TL-04: the first update or chunk that refers to it has fixed its position."""
    before, _ = fold(agent("0", "0"), first, thought("2", "2"), agent("3"))
    session, _ = fold(later, onto=before)
    keys = [entry.key for entry in before.timeline]
    assert [entry.key for entry in session.timeline] == keys
    others = [0, 2, 3]
    assert all(session.timeline[at] is before.timeline[at] for at in others)


SLOTS = {
    "plan": update("plan", entries=[]),
    "plan_update": update("plan_update", plan={"type": "file", "planId": "p", "uri": "u"}),
    "available_commands_update": update("available_commands_update", availableCommands=[]),
    "current_mode_update": update("current_mode_update", currentModeId="m"),
    "config_option_update": update("config_option_update", configOptions=[]),
    "session_info_update": update("session_info_update", title="t"),
    "usage_update": update("usage_update", used=1, size=2),
    "notice": update("notice", severity="info", title="t"),
}


@pytest.mark.parametrize("slot", SLOTS.values(), ids=SLOTS)
def test_latest_value_slots_are_not_on_the_timeline(slot):
    """TL-04: plans, commands, mode, config, info, usage and notices have no position."""
    before = after(agent("a"))
    assert fold(slot, onto=before)[0].timeline is before.timeline


def test_a_compaction_truncates_nothing():
    """TL-06, CMP-10: earlier entries stay."""
    before = after(agent("a", "m"), call("t", status="completed"))
    session = after(compaction(status="completed", summary=[text("s")]), onto=before)
    assert session.timeline[:2] == before.timeline[:]
    assert len(session.timeline) == 3


def test_there_is_no_update_that_replaces_or_deletes_a_message():
    """MSG-11: each of the three classes of chunks only appends."""
    assert {
        UserMessageChunk: "user",
        AgentMessageChunk: "agent",
        AgentThoughtChunk: "thought",
    } == ROLES


# Late chunks


def test_a_chunk_for_a_message_of_a_cancelled_turn_is_accepted():
    """TURN-06, CANCEL-06: `late-update` is for information only."""
    session = after(agent("a", "m"), thought("x", "x"), onto=prompted("Hi"))
    session, _ = end_turn(session, 1, {"stopReason": "cancelled"})
    session, intents = fold(agent("b", "m"), onto=session)
    assert session.timeline[1] == said("agent", "a", "b", message_id="m", turn=0)
    assert intents == (noticed("late-update", "message 'm' belongs to a turn that was cancelled"),)


def test_a_new_message_after_a_cancelled_turn_is_not_late():
    """TURN-06: it is no patch of something whose own turn was cancelled."""
    session, _ = end_turn(prompted("Hi"), 1, {"stopReason": "cancelled"})
    assert codes(fold(agent("b", "m"), agent("c", "m"), onto=session)[1]) == ()


@pytest.mark.xfail(
    strict=True, reason="TURN-06: `late` looks at the outcome, not at whether a cancel was asked"
)
def test_any_end_after_our_cancel_is_a_cancelled_end():
    """TURN-06, TURN-07: "ended as cancelled" is also "any end after we sent `session/cancel`"."""
    connection, _ = watch(
        prompt(1, "Hi"),
        reported(agent("a", "m")),
        to_agent("session/cancel", sessionId="s"),
        agent_answers(1, {"stopReason": "end_turn"}),
        onto=connected(SESSION),
    )
    _, intents = watch(reported(agent("b", "m")), onto=connection)
    assert codes(intents) == ("late-update",)


def test_a_user_chunk_in_a_turn_may_be_an_echo():
    """TURN-04: then it appends nothing; other content is a message, and told."""
    session = after(user("Hi", "m"), onto=prompted("Hi"))
    assert session.timeline == timeline(prompt_entry("Hi", message_id="m"))
    session, intents = fold(user("Ho", "m"), onto=prompted("Hi"))
    assert session.timeline == timeline(
        prompt_entry("Hi"), said("user", "Ho", message_id="m", turn=0)
    )
    assert codes(intents) == ("user-echo-mismatch",)


def test_refusal_marks_the_entries_of_its_turn():
    """TL-08: the prompt and everything after it stay, and are excluded from the next prompt."""
    session = after(agent("kept", "k"))
    session = after(agent("a"), call("t", status="completed"), onto=prompted("Hi", onto=session))
    session, _ = end_turn(session, 1, {"stopReason": "refusal"})
    session = after(agent("b"), onto=prompted("Ho", request_id=2, onto=session))
    assert [session.is_excluded(entry) for entry in session.timeline] == [
        False,
        True,
        True,
        True,
        False,
        False,
    ]


def test_a_prompt_queued_behind_a_refused_turn_is_not_excluded():
    """TL-08: it has a turn of its own."""
    session = prompted("second", request_id=2, onto=prompted("first"))
    session, _ = end_turn(session, 1, {"stopReason": "refusal"})
    assert [session.is_excluded(entry) for entry in session.timeline] == [True, False]


def test_other_entries_stay_the_identical_objects():
    """Design, contract 5: hosts compare with `is`."""
    before = after(agent("a", "1"), agent("b", "2"))
    session = after(agent("c", "2"), onto=before)
    assert session.timeline[0] is before.timeline[0]
    assert before.timeline[1] == said("agent", "b", message_id="2")
    assert attrs.evolve(session, timeline=before.timeline) == before
