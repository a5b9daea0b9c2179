"""A session is told again in the fewest updates that rebuild its history (contract 7)."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

import attrs
import pytest
from conversations import conversations, end_of
from golden_form import GOLDEN
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from published import published
from reduce.builders import agent, call, call_update, chunks, text, thought, update, user
from reduce.history import (
    after,
    agent_answers,
    folded,
    load,
    made,
    message,
    noticed,
    prompt,
    session_after,
    timeline,
    tool_call,
)
from reduce.history import update as notification
from shared import SHARED, needs_shared
from strategies import typed

from acp_state import (
    Chunks,
    Compaction,
    Connection,
    ContextUsage,
    JsonObject,
    LocalProtocolError,
    Message,
    SendUpdate,
    Session,
    SessionMessage,
    Subagent,
    ToolCall,
    fold_updates,
    materialize,
    reduce,
)
from acp_state.materialize import _UPDATES
from acp_state.model import Entry
from acp_state.persistent import Map
from acp_state.recording import replay
from acp_state.reduce.loading import begin_replay, finish_replay
from acp_state.schema import (
    ClientCapabilities,
    Content,
    Cost,
    Diff,
    IdleStateUpdate,
    ImageContent,
    Plan,
    PlanEntry,
    PlanFile,
    PlanMarkdown,
    SessionConfigBoolean,
    SessionMode,
    SessionModeState,
    SessionUpdate,
    SubagentSessionCapabilities,
    Terminal,
    TextContent,
    ToolCallLocation,
    ToolCallUpdate,
    Usage,
)
from acp_state.schema.compaction import CompactionUpdate
from acp_state.schema.session_messages import SessionMessage as SessionMessageUpdate
from acp_state.schema.slash_commands import AvailableCommand
from acp_state.schema.subagents import SubagentUpdate
from acp_state.schema.tool_calls import ToolCall as ToolCallAnnouncement
from acp_state.schema.updates import SESSION_UPDATE
from acp_state.schema.wire import patch_fields, union_members

HIGH, LOW, ROCKET = "\ud83d", "\ude80", "\U0001f680"
K1, K2 = JsonObject({"k": 1}), JsonObject({"k": 2})
IMAGE = ImageContent(data="d", mime_type="m", meta=K1)
PICTURE = {"type": "image", "data": "d", "mimeType": "m"}

LOCAL = {
    Message: {"origin": "agent", "turn": None},
    ToolCall: {"cancelled": False, "announced": True, "updated_in_replay": False, "turn": None},
    Compaction: {"confirmed": True, "turn": None},
    SessionMessage: {"turn": None},
    Subagent: {"state_confirmed": True, "turn": None},
}
"""What of an entry no update carries, and what it is after a fold."""

NO_HISTORY = {
    "parent_id", "client_capabilities", "readiness", "forked_from", "archived",
    "history_incomplete", "cwd", "additional_directories", "replay", "turns", "running",
    "permissions", "open_permissions", "terminals", "id_style",
}  # fmt: skip
"""What of a session no update carries."""

SLOTS = (
    "title", "updated_at", "meta", "plan", "plans", "available_commands", "config_options", "usage",
)  # fmt: skip
"""The slots; of the modes it is the current one alone."""


def rebuilt(updates, onto=None):
    """The session that the updates make."""
    return fold_updates(onto or Session("s"), updates)[0]


def reloaded(session, updates):
    """The session after a load that replays the updates."""
    return finish_replay(rebuilt(updates, begin_replay(session)))[0]


def of(*entries):
    """What is materialised of a session with these entries."""
    return materialize(Session("s", timeline=timeline(*entries)))


def history(session):
    """What of a session is history: its entries, what was said, and its slots."""
    entries = [as_told(entry) for entry in session.timeline]
    mode = session.modes and session.modes.current_mode_id
    slots = {name: getattr(session, name) for name in SLOTS}
    return entries, slots | {"mode": mode, "said": said(session)}


def said(session):
    """What people read, in each entry that is streamed."""
    return [entry.text for entry in session.timeline if hasattr(entry, "chunks")]


def as_told(entry):
    """The entry less what is no history, and its chunks as few as they can be."""
    entry = attrs.evolve(entry, **LOCAL[type(entry)])
    if isinstance(entry, Message):
        entry = attrs.evolve(entry, chunks=joined(entry.chunks) or chunks(""))
        return attrs.evolve(entry, message_id=None) if is_invented(entry.message_id) else entry
    if isinstance(entry, Compaction):
        return attrs.evolve(entry, chunks=Chunks.of(Chunks.of(entry.summary).blocks))
    if isinstance(entry, SessionMessage):
        return attrs.evolve(entry, chunks=joined(entry.chunks))
    return entry


def joined(given):
    """The chunks with neighbours joined that differ in nothing but their text."""
    made = Chunks()
    for chunk in given.joined:
        made = made.append(chunk.content, chunk.meta)
    return made


def is_invented(message_id):
    return message_id is not None and re.fullmatch(r"anonymous-\d+_*", message_id) is not None


def without_rights(told):
    """The history less what a load takes from children (SUB-17)."""
    entries, slots = told
    return [
        attrs.evolve(entry, capabilities=None) if isinstance(entry, Subagent) else entry
        for entry in entries
    ], slots


def count_of(session):
    """How many updates are needed: by entry its blocks or one, and one by slot."""
    entries, slots = history(session)
    blocks = sum(_count(entry) for entry in entries)
    info = any(slots[name] is not None for name in ("title", "updated_at", "meta"))
    values = ("plan", "config_options", "usage", "mode")
    others = sum(slots[name] is not None for name in values) + len(session.plans)
    return blocks + info + others + bool(slots["available_commands"])


def _count(entry):
    if isinstance(entry, Message):
        return len(entry.chunks)
    metas = [chunk.meta is not None for chunk in getattr(entry, "chunks", ())]
    return 1 + (len(metas) - metas.index(True) if True in metas else 0)


@cache
def validator():
    return Draft202012Validator(
        {"$defs": published().closure, "allOf": [published().named("SessionUpdate")]}
    )


# One thing at a time


def test_an_empty_session_is_told_in_no_update():
    assert materialize(Session("s")) == ()


def test_chunks_of_one_message_are_told_as_one():
    """MSG-01: the text is the same, and no metadata is lost."""
    session = rebuilt([agent("He", "m"), agent("llo", "m"), agent(" all", "m")])
    assert materialize(session) == (agent("Hello all", "m"),)


def test_a_message_that_was_interleaved_is_told_where_it_was_first_seen():
    """TL-02: chunks that came after a later entry landed in it."""
    session = rebuilt([agent("He", "m"), call(), agent("llo", "m")])
    assert materialize(session) == (agent("Hello", "m"), call())


def test_what_is_no_plain_text_is_told_block_by_block():
    hint = text("b", annotations={"priority": 1})
    given = [agent("a"), agent(PICTURE), agent("b"), agent(hint), agent(text("c", meta={"k": 1}))]
    assert materialize(rebuilt(given)) == tuple(given)


def test_metadata_of_chunks_is_kept():
    """PATCH-06."""
    given = [agent("a", meta={"k": 1}), agent("b", meta={"k": 1}), agent("c", meta={"k": 2})]
    session = rebuilt(given)
    assert materialize(session) == (agent("ab", meta={"k": 1}), agent("c", meta={"k": 2}))


def test_a_character_that_was_cut_in_two_is_whole():
    session = rebuilt([agent("a" + HIGH, "m"), agent(LOW + "b", "m")])
    assert materialize(session) == (agent("a" + ROCKET + "b", "m"),)


def test_a_character_that_was_cut_between_two_blocks_is_whole_in_the_first():
    session = rebuilt([agent("a" + HIGH, meta={"k": 1}), agent(LOW + "b")])
    assert materialize(session) == (agent("a" + ROCKET, meta={"k": 1}), agent("b"))


def test_half_a_character_is_told_as_it_is_shown():
    """What is sent can be encoded."""
    assert materialize(rebuilt([agent("a" + HIGH)])) == (agent("a\ufffd"),)


def test_each_role_has_its_chunks():
    given = (user("a"), thought("b", "m"), agent("c", "m"))
    assert materialize(rebuilt(given)) == given


def test_an_empty_id_is_an_id():
    """LENIENT-13."""
    assert materialize(rebuilt([agent("a", "")])) == (agent("a", ""),)


def test_a_prompt_is_told_as_what_the_user_said():
    """TURN-04: the agent's side holds it as the client's does."""
    assert materialize(session_after(*made(), prompt(text="Go"))) == (user("Go"),)


def test_a_prompt_whose_echo_gave_an_id_has_it():
    session = session_after(
        *made(),
        prompt(text="Go"),
        notification("user_message_chunk", content=text("Go"), messageId="m"),
    )
    assert materialize(session) == (user("Go", "m"),)


def test_a_message_of_nothing_is_told_as_an_empty_text():
    """MSG-01: a chunk has a block; a prompt without blocks keeps its place."""
    assert of(Message(role="user", origin="local")) == (user(""),)


def test_a_tool_call_is_announced_as_it_stands():
    given = [call(kind="read", rawInput={"a": 1}), call_update(status="completed", content=[])]
    [told] = materialize(rebuilt(given))
    assert told == call(kind="read", rawInput={"a": 1}, status="completed")


def test_a_tool_call_without_title_is_told_by_an_update():
    """TOOL-03: an announcement needs a title; what can be cleared is said, the rest left out."""
    told = materialize(rebuilt([call_update(name="n")]))
    snapshot = {"kind": "other", "status": "pending", "content": [], "locations": []}
    assert told == (call_update(name="n", **snapshot),)


def test_a_tool_call_that_got_its_title_from_an_update_is_announced():
    """Clients that know the official types alone can show it."""
    assert materialize(rebuilt([call_update(title="T")])) == (call(title="T"),)


@pytest.mark.parametrize(("status", "told"), [("pending", {}), ("in_progress", None)])
def test_the_overlay_never_goes_on_the_wire(status, told):
    """TOOL-07, CONF-18: the status is what the agent said last."""
    told = {"status": status} if told is None else told
    assert of(tool_call(status=status, cancelled=True)) == (call(**told),)


def test_a_compaction_is_told_whole():
    """CMP-09: one update with its id, in its place; a concrete summary, never chunks."""
    session = rebuilt(
        [
            agent("a"),
            update("compaction_update", compactionId="c", status="in_progress"),
            update("compaction_summary_chunk", compactionId="c", content=text("S", meta={"k": 1})),
            update("compaction_summary_chunk", compactionId="c", content=text("u"), meta={"k": 1}),
            update("compaction_summary_chunk", compactionId="c", content=text("m")),
            agent("b"),
            update("compaction_update", compactionId="c", status="completed"),
        ]
    )
    summary = [text("S", meta={"k": 1}), text("um")]
    whole = {"summary": summary, "error": None, "meta": None}
    assert materialize(session) == (
        agent("a"),
        update("compaction_update", compactionId="c", status="completed", **whole),
        agent("b"),
    )


def test_a_compaction_without_summary_clears_what_its_reader_holds():
    """SEED, Session Compaction: a materialised entry that should clear says so."""
    [told] = of(Compaction(compaction_id="c", status="failed", error="E"))
    held = rebuilt(
        [update("compaction_update", compactionId="c", status="_x", summary=[text("S")])]
    )
    assert told["summary"] == []
    assert reloaded(held, [told]).compactions["c"].summary == ()


def test_a_message_between_sessions_is_told_whole():
    session = rebuilt(
        [
            update("session_message_chunk", messageId="l", content=text("a")),
            update("session_message", messageId="l", senderSessionId="k"),
            update("session_message_chunk", messageId="l", content=text("b")),
        ]
    )
    cleared = {"senderMessageId": None, "recipientMessageId": None, "meta": None}
    whole = {"senderSessionId": "k", "content": [text("ab")], **cleared}
    assert materialize(session) == (update("session_message", messageId="l", **whole),)


def test_a_message_between_sessions_goes_on_in_chunks_where_they_have_metadata():
    """PATCH-06: nothing else carries it."""
    letter = SessionMessage(
        message_id="l", chunks=Chunks().append(TextContent(text="a")).append(IMAGE, K1)
    )
    whole, chunk = of(letter)
    assert whole["content"] == [text("a")]
    assert chunk == update(
        "session_message_chunk",
        messageId="l",
        content={**PICTURE, "_meta": {"k": 1}},
        meta={"k": 1},
    )


def test_a_subagent_is_told_whole():
    session = rebuilt(
        [
            update("subagent_update", sessionId="k", title="T", state={"state": "running"}),
            update("subagent_update", sessionId="k", state={"state": "idle"}, cwd="/c"),
        ]
    )
    cleared = {
        "description": None, "capabilities": None, "additionalDirectories": None, "meta": None,
    }  # fmt: skip
    whole = {"title": "T", "state": {"state": "idle"}, "cwd": "/c", **cleared}
    assert materialize(session) == (update("subagent_update", sessionId="k", **whole),)


def test_slots_come_after_the_timeline_each_once():
    given = [
        update("plan", entries=[]),
        update("usage_update", used=1, size=2),
        agent("a"),
        update("usage_update", used=3, size=4),
        update("current_mode_update", currentModeId="m"),
        update("plan", entries=[{"content": "c", "priority": "low", "status": "pending"}]),
        update("session_info_update", title=""),
    ]
    assert materialize(rebuilt(given)) == (
        given[2],
        update("session_info_update", title="", updatedAt=None, meta=None),
        given[4],
        given[5],
        update("usage_update", used=3, size=4, cost=None),
    )


def test_what_was_removed_is_not_told():
    """PLAN-04: what the wire can say of a removed plan needs one that is there."""
    plan = {"type": "markdown", "planId": "p", "content": "P"}
    assert materialize(rebuilt([update("plan_update", plan=plan)])) != ()
    given = [update("plan_update", plan=plan), update("plan_removed", planId="p")]
    assert materialize(rebuilt(given)) == ()


def test_a_notice_is_not_told():
    """NOTICE-04."""
    assert materialize(rebuilt([update("notice", severity="info", title="N")])) == ()


def test_while_a_load_runs_it_is_what_readers_see_that_is_told():
    """LOAD-09."""
    held = rebuilt([agent("held", "m")])
    assert materialize(rebuilt([agent("new", "n")], begin_replay(held))) == (agent("held", "m"),)
    assert materialize(rebuilt([agent("new", "n")], begin_replay(Session("s")))) == (
        agent("new", "n"),
    )


# Anonymous messages


def test_the_blocks_of_an_anonymous_message_stay_together():
    """MSG-05: they extend the open run."""
    given = [agent("a"), agent(PICTURE), agent("b")]
    assert materialize(rebuilt(given)) == tuple(given)
    assert len(rebuilt(materialize(rebuilt(given))).timeline) == 1


@pytest.mark.parametrize("between", [thought("b"), agent("b", "m"), call()], ids=str)
def test_what_came_between_two_anonymous_messages_keeps_them_apart(between):
    """MSG-06: a chunk of another kind, one with an id, any new entry."""
    given = (agent("a"), between, agent("c"))
    told = materialize(rebuilt(given))
    assert told == given
    assert len(rebuilt(told).timeline) == 3


def test_of_two_prompts_without_an_answer_the_second_gets_an_id():
    """MSG-05: without one they would be one message; nothing on the wire parts them."""
    session = session_after(*made(), prompt(3, "Go"), agent_answers(3), prompt(4, "on"))
    told = materialize(session)
    assert told == (user("Go"), user("on", "anonymous-1"))
    assert [each.text for each in rebuilt(told).messages] == ["Go", "on"]


def test_only_every_second_of_many_neighbours_needs_an_id():
    """MSG-06: the chunk with an id ended the run before the third."""
    go = message("user", "Go")
    told = of(go, go, go, go)
    assert told == (user("Go"), user("Go", "anonymous-1"), user("Go"), user("Go", "anonymous-3"))
    assert len(rebuilt(told).timeline) == 4


def test_neighbours_of_two_roles_need_none():
    assert of(message("user", "a"), message("agent", "b")) == (user("a"), agent("b"))


def test_an_id_that_is_taken_is_not_given_again():
    """MSG-02, MSG-03: by a message of any role, wherever it is."""
    told = of(
        message("user", "a"),
        message("user", "b"),
        message("thought", "c", message_id="anonymous-1"),
        message("agent", "d", message_id="anonymous-1_"),
    )
    assert told[1] == user("b", "anonymous-1__")


def test_the_ids_are_the_same_whenever_the_session_is_told():
    """MSG-09 would allow others; a client that loads twice need not notice."""
    go = message("user", "Go")
    assert of(go, go, message("agent", "a"))[:2] == of(go, go)


# Nothing is forgotten


FULL = [
    Message(role="thought", message_id="m", chunks=Chunks().append(IMAGE, K1), origin="local"),
    ToolCall(
        tool_call_id="t",
        title="T",
        name="n",
        kind="read",
        status="completed",
        content=(
            Content(content=IMAGE, meta=K1),
            Diff(path="/f", new_text="n", old_text="o", meta=K1),
            Terminal(terminal_id="x", meta=K1),
        ),
        locations=(ToolCallLocation(path="/f", line=1, meta=K1),),
        raw_input=JsonObject({"a": [1, None]}),
        raw_output=0,
        meta=JsonObject({"k": None}),
        cancelled=True,
        announced=False,
        updated_in_replay=True,
    ),
    Compaction(
        compaction_id="c", status="odd", chunks=(IMAGE,), error="E", meta=K1, confirmed=False
    ),
    SessionMessage(
        message_id="l",
        sender_session_id="a",
        recipient_session_id="b",
        sender_message_id="1",
        recipient_message_id="2",
        chunks=Chunks().append(TextContent(text="a")).append(IMAGE, K1),
        meta=K2,
    ),
    Subagent(
        session_id="k",
        title="T",
        description="D",
        capabilities=SubagentSessionCapabilities(meta=K1),
        state=IdleStateUpdate(
            stop_reason="end_turn", usage=Usage(total_tokens=1, input_tokens=2, output_tokens=3)
        ),
        state_confirmed=False,
        cwd="/c",
        additional_directories=("/d",),
        meta=K1,
    ),
]
"""An entry of each kind, with something in every field."""

FULL_SESSION = Session(
    "s",
    title="T",
    updated_at="2026",
    meta=K1,
    timeline=timeline(*FULL),
    plan=Plan(entries=(PlanEntry(content="c", priority="low", status="pending"),), meta=K1),
    plans=Map.of(
        {
            "p": PlanFile(plan_id="p", uri="u", meta=K1),
            "q": PlanMarkdown(plan_id="q", content="c"),
        }
    ),
    available_commands=(AvailableCommand(name="n", description="d", meta=K1),),
    modes=SessionModeState(
        current_mode_id="m", available_modes=(SessionMode(id="m", name="M"),), meta=K1
    ),
    config_options=(SessionConfigBoolean(id="o", name="O", current_value=True, meta=K1),),
    usage=ContextUsage(used=1, size=2, cost=Cost(amount=0.5, currency="EUR", meta=K1), meta=K1),
)
"""A session with something in every slot."""


def empty_fields(value):
    """The fields of an object that are at their defaults."""
    return {
        field.name
        for field in attrs.fields(type(value))
        if getattr(value, field.name) == field.default
    }


def test_every_kind_of_entry_has_a_row():
    assert set(_UPDATES) == set(union_members(Entry)) == {type(entry) for entry in FULL}


@pytest.mark.parametrize("entry", FULL, ids=lambda entry: type(entry).__name__)
def test_every_field_of_an_entry_is_told(entry):
    """A field that is new must be set in `FULL`, and then be told or be named in `LOCAL`."""
    assert empty_fields(entry) <= set(LOCAL[type(entry)])
    [again] = rebuilt(of(entry)).timeline
    assert again == attrs.evolve(entry, **LOCAL[type(entry)])


@pytest.mark.parametrize(
    ("wire", "model"),
    [
        (ToolCallAnnouncement, ToolCall),
        (ToolCallUpdate, ToolCall),
        (CompactionUpdate, Compaction),
        (SessionMessageUpdate, SessionMessage),
        (SubagentUpdate, Subagent),
    ],
    ids=lambda cls: cls.__name__,
)
def test_every_field_of_an_entry_is_one_of_its_update(wire, model):
    """Beside its id, which is no patch."""
    fields = {field.name for field in attrs.fields(model)} - set(LOCAL[model])
    [entry_id] = fields - {target for _, target, _ in patch_fields(wire)}
    assert entry_id.endswith("_id")


def test_every_slot_of_a_session_is_told():
    """A new field must be set in `FULL_SESSION`, and then be told or stand in `NO_HISTORY`."""
    assert empty_fields(FULL_SESSION) == NO_HISTORY
    told = materialize(FULL_SESSION)
    assert history(rebuilt(told)) == history(FULL_SESSION)
    assert reloaded(FULL_SESSION, told).modes == FULL_SESSION.modes


def test_every_update_that_leaves_something_is_used():
    """The others are chunks of what is told whole, a removal, and what is no history."""
    left_out = {"notice", "plan_removed", "compaction_summary_chunk"}
    told = {each["sessionUpdate"] for each in materialize(FULL_SESSION)}
    told |= {each["sessionUpdate"] for each in of(*(message(r, "") for r in ("user", "agent")))}
    told |= {each["sessionUpdate"] for each in of(tool_call(title=None))}
    assert told == set(SESSION_UPDATE.variants) - left_out


@pytest.mark.parametrize("entry", FULL, ids=lambda entry: type(entry).__name__)
def test_an_entry_is_the_same_whatever_an_older_version_held(entry):
    """LOAD-04, LOAD-07, LOAD-08: an empty one is told so that nothing of a full one is left."""
    ids = {name: value for name in ("role", "message_id", "tool_call_id", "compaction_id",
           "session_id") if (value := getattr(entry, name, None))}  # fmt: skip
    kept = {"title": "U"} if isinstance(entry, ToolCall) else {}
    kept |= {"chunks": chunks("a")} if isinstance(entry, Message) else {}
    if isinstance(entry, SessionMessage):
        kept |= {"sender_session_id": "a", "recipient_session_id": "b"}
    bare = type(entry)(**ids, **kept)
    held = Session("s", timeline=timeline(entry))
    [again] = reloaded(held, of(bare)).timeline
    assert again == bare


# All sessions


def all_holds(session):
    """The contract: what is told rebuilds the history, and changes nothing where it is held."""
    told = materialize(session)
    before = history(session)
    again = rebuilt(told, Session(session.session_id))
    assert history(again) == before
    assert materialize(again) == told
    assert without_rights(history(reloaded(session, told))) == without_rights(before)
    assert len(told) == count_of(session)
    for old, new in zip(session.timeline, again.timeline, strict=True):
        if isinstance(old, Message | SessionMessage) and old.content:
            assert new.content == old.content
    assert json.loads(json.dumps(told)) == list(told)


ON_SESSIONS = settings(max_examples=100)


@ON_SESSIONS
@given(conversations())
def test_what_is_told_of_any_session_rebuilds_its_history(lines):
    """Contract 7."""
    for session in end_of(lines).sessions.values():
        all_holds(session)


@ON_SESSIONS
@given(conversations())
def test_a_load_that_is_answered_from_what_is_held_changes_nothing(lines):
    """LOAD-04 to LOAD-08, in whatever state the session and its children are."""
    connection = end_of(lines)
    for name in ("a", "b"):
        session = connection.sessions.get(name)
        attaching = any(
            request.method in ("session/load", "session/resume")
            for request in connection.client_requests.values()
        )
        if session is not None and session.readiness != "deleted" and not attaching:
            assert_load_changes_nothing(connection, name)


@ON_SESSIONS
@given(conversations(families=(("a", "k"),)))
def test_each_update_is_needed(lines):
    """Whichever is left out, the history is another."""
    for session in end_of(lines).sessions.values():
        told = materialize(session)
        for index in range(len(told)):
            fewer = rebuilt(told[:index] + told[index + 1 :], Session(session.session_id))
            assert history(fewer) != history(session)


@ON_SESSIONS
@given(conversations(), conversations())
def test_a_load_makes_of_any_older_state_what_is_told(old, new):
    """TL-09, LOAD-06: but what no update can clear of a call without title, or of participants."""
    held, meant = (end_of(lines).sessions.get("a") for lines in (old, new))
    assume(held is not None and meant is not None)
    found, _ = without_rights(history(reloaded(held, materialize(meant))))
    expected, _ = without_rights(history(meant))
    for again, entry in zip(found, expected, strict=False):
        if isinstance(entry, SessionMessage) or getattr(entry, "title", "") is None:
            assert again.key == entry.key
        else:
            assert again == entry
    assert all(isinstance(entry, Subagent) for entry in found[len(expected) :])
    assert len(found) >= len(expected)


@st.composite
def updates(draw):
    """An update with anything in it, about few things."""
    found = draw(typed(SessionUpdate))
    ids = ("tool_call_id", "compaction_id", "message_id", "session_id")
    few = {
        name: draw(st.sampled_from("xy"))
        for name in ids
        if isinstance(getattr(found, name, 0), str)
    }
    return attrs.evolve(found, **few)


@ON_SESSIONS
@given(st.lists(updates(), max_size=8))
def test_what_is_told_of_any_updates_rebuilds_their_history(given_updates):
    all_holds(rebuilt(given_updates))


@needs_shared
@ON_SESSIONS
@given(st.lists(updates(), max_size=8))
def test_what_is_told_is_valid_by_the_published_schema(given_updates):
    for told in materialize(rebuilt(given_updates)):
        assert validator().is_valid(told)


@needs_shared
@ON_SESSIONS
@given(conversations())
def test_what_is_told_of_a_conversation_is_valid_by_the_published_schema(lines):
    assert all_are_valid(end_of(lines))


# Real sessions


NAMES = sorted(path.stem for path in GOLDEN.glob("*.txt"))
"""The recordings, also where they are not at hand."""

NUMBERS = [f"{number:03}" for number in range(1, 42)]
"""The cases."""


@cache
def end_of_recording(name):
    """What the observer of a recording holds at its end."""
    return replay((SHARED / "traces" / f"{name}.jsonl").read_bytes().splitlines())


def end_of_case(number):
    [path] = (SHARED / "cases").glob(f"{number}-*.json")
    return replay([path.read_bytes()])


def loads(connection, session_id):
    """The connection after a load that is answered from what it holds, and what came out.

    A child's history follows its parent's, unless the child is at work: then what comes is live.
    """
    session = connection.sessions[session_id]
    family = [session, *quiet_children(connection, session_id)]
    told = [notified(each.session_id, update) for each in family for update in materialize(each)]
    asked = load("load", session_id, session.cwd or "/w")
    return folded(asked, *told, agent_answers("load"), onto=connection)


def notified(session_id, update):
    told = {"sessionId": session_id, "update": update}
    return "agent", {"jsonrpc": "2.0", "method": "session/update", "params": told}


def quiet_children(connection, session_id):
    """The descendants that are not asserted to be at work (LOAD-06)."""
    return [
        child
        for child in connection.descendants_of(session_id)
        if not connection.sessions[child.parent_id].subagents[child.session_id].is_confirmed_running
    ]


def all_holds_of(connection):
    for session in connection.sessions.values():
        all_holds(session)
        if session.parent_id is None and session.readiness != "deleted":
            assert_load_changes_nothing(connection, session.session_id)


def assert_load_changes_nothing(connection, session_id):
    loaded, intents = loads(connection, session_id)
    for each in (
        session_id,
        *(child.session_id for child in connection.descendants_of(session_id)),
    ):
        before, now = connection.sessions[each], loaded.sessions[each]
        assert without_rights(history(now)) == without_rights(history(before))
    assert "not-replayed" not in noticed(intents)


def all_are_valid(connection):
    told = [update for each in connection.sessions.values() for update in materialize(each)]
    return all(map(validator().is_valid, told))


@needs_shared
@pytest.mark.parametrize("name", NAMES)
def test_what_is_told_of_a_recorded_session_rebuilds_it(name):
    """Contract 7, in every session of the recording, by itself and as the replay of a load."""
    connection = end_of_recording(name)
    all_holds_of(connection)
    assert all_are_valid(connection)


def test_what_is_told_of_the_example_of_the_docs_rebuilds_it():
    """A conversation with every kind of update."""
    [path] = (Path(__file__).parents[1] / "docs" / "examples").glob("*.jsonl")
    all_holds_of(replay(path.read_bytes().splitlines()))


@needs_shared
@pytest.mark.parametrize("number", NUMBERS)
def test_what_is_told_of_the_sessions_of_a_case_rebuilds_them(number):
    connection = end_of_case(number)
    all_holds_of(connection)
    assert all_are_valid(connection)


@needs_shared
@pytest.mark.parametrize("name", NAMES)
def test_a_recorded_session_is_told_in_few_updates(name):
    """An answer that came in a thousand chunks is one."""
    for session in end_of_recording(name).sessions.values():
        assert len(materialize(session)) <= 3 * len(session.timeline) + len(SLOTS) + 1


# Into a session that holds it


def test_an_agent_answers_a_load_from_its_own_state():
    """LOAD-02, LOAD-03: a client that knows nothing ends with the agent's history.

    The agent folds what it sends as the replay that it is, and ends where it was.
    """
    said_before = [prompt(3, "Go"), notification("agent_message_chunk", content=text("Hi"))]
    held = after(*made(), *said_before, agent_answers(3, {"stopReason": "end_turn"}))
    connection = attrs.evolve(held, side="agent")
    answer, _ = loads(connection, "s")
    told = [notified("s", each) for each in materialize(connection.sessions["s"])]
    client = after(load(), *told, agent_answers(2))
    for side in (answer, client):
        assert history(side.sessions["s"]) == history(held.sessions["s"])
    assert [entry.text for entry in client.sessions["s"].timeline] == ["Go", "Hi"]
    assert client.sessions["s"].readiness == "ready"


def test_an_agent_leaves_out_what_its_client_did_not_advertise():
    """LOAD-14: `SendUpdate` takes what is told as it is, and says which needs a capability."""
    given = [agent("a", "m"), update("compaction_update", compactionId="c", status="completed")]
    session, _ = fold_updates(Session("s"), given)
    connection = Connection(side="agent", phase="ready", client_capabilities=ClientCapabilities())
    sent, refused = [], []
    for told in materialize(session):
        try:
            connection, [send] = reduce(connection.with_session(session), SendUpdate("s", told))
            sent.append(send.message["params"])
        except LocalProtocolError as error:
            refused.append(error.code)
    assert sent == [{"sessionId": "s", "update": agent("a", "m")}]
    assert refused == ["capability-missing"]


def test_a_load_leaves_the_session_as_it_was():
    """LOAD-04, LOAD-08, LOAD-12: what it held comes again, and nothing doubles."""
    given = [
        agent("a", "m", meta={"k": 1}),
        call(status="completed", rawInput=1),
        update("compaction_update", compactionId="c", status="completed", summary=[text("S")]),
        update("session_message", messageId="l", senderSessionId="s", content=[text("L")]),
        update("plan", entries=[]),
        update("usage_update", used=1, size=2),
        update("current_mode_update", currentModeId="m"),
    ]
    connection = after(
        *made(), *(notification(each.pop("sessionUpdate"), **each) for each in given)
    )
    loaded, intents = loads(connection, "s")
    assert loaded.sessions == connection.sessions
    assert noticed(intents) == []


def test_updates_that_are_folded_live_into_their_session_double_its_messages_alone():
    """MSG-11: chunks append; what has an id and is told whole stays the same."""
    session = after(*made()).sessions["s"]
    whole = [call(), update("compaction_update", compactionId="c", status="completed")]
    session = rebuilt([agent("a", "m"), *whole, update("plan", entries=[])], session)
    again = rebuilt(materialize(session), session)
    assert [type(entry) for entry in again.timeline] == [Message, ToolCall, Compaction]
    assert again.timeline[0].text == "aa"
    assert history(again)[0][1:] == history(session)[0][1:]
