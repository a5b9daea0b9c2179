"""What the code does where the protocol is unclear: a test for each reading (sections 6 and 24).

Those that a module's own tests state are named there.
"""

from __future__ import annotations

import pytest
from reduce import talk as said_by
from reduce.builders import (
    SESSION,
    after,
    agent,
    call,
    call_update,
    codes,
    fold,
    letter,
    letter_chunk,
    prompt_entry,
    prompted,
    replayed,
    said,
    subagent,
    text,
    timeline,
    update,
    user,
)
from reduce.talk import CANCELLED, Noticed, Refuses, running, with_child
from reduce.talk import talk as talking

from acp_state import (
    ForkSession,
    LocalProtocolError,
    PermissionWithdrawn,
    Send,
    ShowNotice,
    Subagent,
    ToolCall,
    WorkWithdrawn,
    materialize,
)
from acp_state.schema import Plan
from acp_state.schema.subagents import OtherStateUpdate

PLAN = {"type": "markdown", "planId": "p", "content": "x"}

# The texts contradict each other


def test_a_notice_needs_a_capability_and_is_shown_without_it():
    """CONF-05: the newest text counts."""
    notice = said_by.update("notice", severity="warning", title="T")
    [violation, shown] = talking(client={}).agent(notice)
    assert violation == Noticed("capability-violation", "s", rule="NOTICE-01")
    assert type(shown) is ShowNotice


def test_what_some_texts_call_a_draft_is_read_everywhere():
    """CONF-07: notices, compactions, and the name of a tool."""
    session, intents = fold(
        call(name="read"),
        update("compaction_update", compactionId="c", status="in_progress"),
        update("notice", severity="info", title="T"),
    )
    assert session.tool_calls["t"].name == "read"
    assert list(session.compactions) == ["c"]
    assert codes(intents) == (ShowNotice,)


def test_a_plan_is_known_by_planid_alone():
    """CONF-10: `id` is no second name of it."""
    older = {"type": "markdown", "id": "p", "content": "x"}
    assert fold(update("plan_update", plan=older)) == (
        SESSION,
        (Noticed("update-dropped", "s", path="plan"),),
    )


@pytest.mark.parametrize("rubbish", [None, "x", 5, {}])
def test_a_required_list_that_is_rubbish_is_empty(rubbish):
    """CONF-11: where the schema marks it as lenient."""
    session, intents = fold(update("plan", entries=rubbish))
    assert session.plan == Plan(entries=())
    assert intents == (Noticed("field-defaulted", "s", rule="LENIENT-04", path="entries"),)


def test_a_malformed_optional_field_keeps_what_is_held():
    """CONF-12: absent, and not null, which would clear."""
    session, intents = fold(
        update("session_info_update", title="T"), update("session_info_update", title=5)
    )
    assert session.title == "T"
    assert intents == (Noticed("field-defaulted", "s", rule="LENIENT-02", path="title"),)


def test_null_metadata_clears_that_of_a_session():
    """CONF-15."""
    told = update("session_info_update", meta={"a": 1})
    assert after(told, update("session_info_update", meta=None)) == SESSION


def test_null_input_and_output_of_an_update_keep_what_is_held():
    """CONF-16: v1 clears no field of a tool call."""
    session = after(call(rawInput={"a": 1}, rawOutput=1))
    assert after(call_update(rawInput=None, rawOutput=None), onto=session) == session


def test_a_subagent_update_has_roots():
    """CONF-19."""
    session = after(subagent(cwd="/a", additionalDirectories=["/b"]))
    assert session.timeline == timeline(
        Subagent(session_id="child", cwd="/a", additional_directories=("/b",))
    )


def test_a_batch_is_no_message():
    """CONF-20: none of it is folded."""
    there = talking()
    before = there.connection
    told = there.agent([said_by.says("a"), said_by.says("b")])
    assert told == (Noticed("batch"), Refuses(None, -32600))
    assert there.connection is before


def test_a_request_that_is_taken_back_is_stopped():
    """CONF-21: always, and answered."""
    there = talking()
    there.agent(said_by.request(7, "fs/read_text_file", sessionId="s", path="/a"))
    assert there.agent(said_by.cancel_request(7)) == (
        WorkWithdrawn(request_id=7, method="fs/read_text_file"),
        Refuses(7, -32800),
    )
    assert there.connection.agent_requests == {}


FORK = ForkSession(session_id="s", cwd="/w")


def test_the_fork_capability_is_a_session_capability():
    """CONF-23: at the root it says nothing."""
    [send] = talking(agent={"sessionCapabilities": {"fork": {}}}).do(FORK)
    assert send.message["method"] == "session/fork"
    with pytest.raises(LocalProtocolError):
        talking(agent={"session": {"fork": {}}}).do(FORK)


def test_older_drafts_of_child_sessions_are_not_read():
    """CONF-25: neither their names; their states are unknown ones, and no end."""
    older = update("subagent_update", subagentSessionId="c", name="n", task="t")
    assert fold(older) == (SESSION, (Noticed("update-dropped", "s"),))
    [child] = after(subagent(state={"state": "completed"})).timeline
    assert child.state == OtherStateUpdate(state="completed")
    assert child.is_active


def test_to_switch_the_mode_is_a_kind_of_tool_call():
    """CONF-26."""
    assert after(call(kind="switch_mode")).tool_calls["t"].kind == "switch_mode"


# The texts are silent


def test_a_patch_of_an_older_entry_ends_no_message_without_id():
    """24.1: something new does."""
    session = after(call(), agent("a"), call_update(status="completed"), agent("b"))
    assert session.messages == (said("agent", "a", "b"),)
    assert after(call("u"), agent("c"), onto=session).messages[1:] == (said("agent", "c"),)


def test_the_prompt_is_shown_at_once_and_its_echo_adopted():
    """24.2."""
    session = prompted("Hi", " there")
    assert list(session.timeline) == [prompt_entry("Hi", " there")]
    echoed = after(user("Hi there", "m"), onto=session)
    assert list(echoed.timeline) == [prompt_entry("Hi", " there", message_id="m")]


def test_what_a_load_does_not_tell():
    """24.3: entries go, associations and plans stay."""
    before = after(agent("a", "a"), subagent(), update("plan_update", plan=PLAN))
    session, intents = replayed(agent("b", "b"), onto=before)
    assert session.timeline == timeline(
        said("agent", "b", message_id="b"), Subagent(session_id="child")
    )
    assert session.plans == before.plans
    assert intents == (Noticed("not-replayed", "s"),)


def test_usage_is_a_snapshot_and_its_cost_a_patch():
    """24.4, CONF-14."""
    cost = {"amount": 1, "currency": "credits"}
    first = after(update("usage_update", used=1, size=9, cost=cost))
    second = after(update("usage_update", used=2, size=8), onto=first)
    assert (second.usage.used, second.usage.size) == (2, 8)
    assert second.usage.cost == first.usage.cost
    third = after(update("usage_update", used=2, size=8, cost=None), onto=second)
    assert third.usage.cost is None


def test_a_repeated_tool_call_resets_to_defaults():
    """24.5: title, kind, status, content, locations; the other fields only if they are there."""
    session, intents = fold(
        call(name="n", kind="read", status="completed", rawInput=1, locations=[{"path": "/a"}]),
        call(title="again"),
    )
    assert session.timeline == timeline(
        ToolCall(tool_call_id="t", title="again", name="n", raw_input=1)
    )
    assert codes(intents) == ("tool-status-regress", "duplicate-tool-call")


def test_a_permission_request_that_is_taken_back_is_answered_as_cancelled():
    """24.6, CONF-17."""
    there = running()
    there.agent(said_by.call(), said_by.ask_permission(9))
    [withdrawn, answer] = there.agent(said_by.cancel_request(9))
    assert type(withdrawn) is PermissionWithdrawn
    assert answer == Send(said_by.result(9, CANCELLED))


def test_a_cancel_answers_what_descendants_ask():
    """24.7."""
    there = with_child()
    there.agent(said_by.ask_permission(7), said_by.ask_permission(8, "c", session_id="child"))
    told = there.client(said_by.cancel())
    assert [intent for intent in told if type(intent) is Send] == [
        Send(said_by.result(7, CANCELLED)),
        Send(said_by.result(8, CANCELLED)),
    ]


def test_metadata_of_a_tool_call_is_merged():
    """24.8: a null removes its key."""
    session = after(call(meta={"a": 1, "b": {"x": 1}}), call_update(meta={"a": None, "b": {}}))
    assert session.tool_calls["t"].meta == {"b": {}}


def test_a_bare_block_and_a_wire_status_of_cancelled():
    """24.9, CONF-09: the block is left out, and the call does not look alive."""
    session, intents = fold(call(), call_update(content=[text("x")], status="cancelled"))
    [found] = session.timeline
    assert (found.content, found.status, found.effective_status) == ((), "pending", "cancelled")
    assert set(codes(intents)) == {"item-dropped", "field-defaulted", "v1-cancelled-status"}


def test_malformed_roots_announce_no_child():
    """24.10: what comes for it makes a session that has no parent."""
    there = talking()
    told = there.agent(said_by.child(cwd=5), said_by.says("a", "child"))
    assert told == (
        Noticed("update-dropped", "s", path="cwd"),
        Noticed("unannounced-session", "child"),
    )
    orphan = there.connection.sessions["child"]
    assert (orphan.parent_id, orphan.readiness) == (None, "provisional")
    assert list(there.session.timeline) == []


def test_two_neighbours_without_id_are_told_as_two():
    """READ-01: the second one gets an id, the same each time."""
    twice = SESSION.with_timeline(timeline(said("agent", "a"), said("agent", "b")))
    told, _ = fold(*materialize(twice))
    assert told.messages == (said("agent", "a"), said("agent", "b", message_id="anonymous-1"))
    assert fold(*materialize(told))[0] == told


# A participant of null, and message ids of the other side


def test_participants_are_kept_and_hints_are_cleared():
    """CONF-01, CONF-02, CONF-03: null on the one keeps, on the other clears."""
    session = after(
        letter_chunk("a", senderSessionId="x"),
        letter(senderMessageId="m"),
        letter(senderSessionId=None, senderMessageId=None),
    )
    [message] = session.timeline
    assert (message.sender_session_id, message.sender_message_id) == ("x", None)
