"""`apply_update`: any update upon any session (RPC-07, RPC-08, sections 2 and 3)."""

from __future__ import annotations

import copy
import json

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reduce.builders import (
    SESSION,
    after,
    agent,
    answered,
    call,
    call_update,
    chunks,
    codes,
    compaction,
    connected,
    fold,
    letter,
    letter_chunk,
    noticed,
    prompted,
    reported,
    said,
    snapshot,
    subagent,
    summary,
    text,
    thought,
    timeline,
    to_client,
    update,
    user,
    watch,
)
from shared import needs_shared
from strategies import half_valid, json_like, json_of, json_values, typed

from acp_state import (
    Diagnose,
    LocalProtocolError,
    Message,
    Session,
    apply_update,
)
from acp_state.codec import encode, structure
from acp_state.json_values import JsonObject
from acp_state.reduce.loading import begin_replay
from acp_state.reduce.turns import end_all
from acp_state.reduce.updates import HANDLERS
from acp_state.schema import ContentBlock, Plan, SessionUpdate, TextContent
from acp_state.schema.unions import SESSION_UPDATE
from acp_state.schema.wire import union_members

HISTORY = (
    user("Hi"),
    thought("hm", "m"),
    agent("a", "m"),
    call("t", status="in_progress", rawInput={"deep": [{"er": 1}]}, meta={"k": {"x": [1]}}),
    call_update("t", content=[{"type": "content", "content": text("x")}]),
    compaction("c"),
    summary("s", "c"),
    letter("l", content=[text("x")]),
    letter_chunk("y", "l", meta={"k": 1}),
    subagent("child", state={"state": "_open", "more": {"x": [1]}}),
    update("plan", entries=[{"content": "c", "priority": "low", "status": "pending"}]),
    update("plan_update", plan={"type": "file", "planId": "p", "uri": "u"}),
    update("current_mode_update", currentModeId="m"),
    update(
        "config_option_update",
        configOptions=[{"type": "boolean", "id": "b", "name": "B", "currentValue": True}],
    ),
    update("available_commands_update", availableCommands=[{"name": "n", "description": "d"}]),
    update("session_info_update", title="T", _meta={"k": 1}),
    update("usage_update", used=1, size=2, cost={"amount": 1, "currency": "USD"}),
    agent("b"),
)
RICH = prompted("Hello", request_id=2, onto=fold(*HISTORY, onto=prompted("Hi"))[0])
"""A session that holds something of everything."""

updates = st.lists(json_of("SessionUpdate"), max_size=5)
"""Valid updates, of the published schema."""


# One row for each variant


def test_every_variant_has_a_handler():
    """Style, section 5: every member of the union has a row, and every row is reachable."""
    assert HANDLERS.keys() == set(union_members(SessionUpdate))
    assert HANDLERS.keys() == set(SESSION_UPDATE.variants.values())
    assert len(HANDLERS) == 19


@given(typed(SessionUpdate))
def test_typed_and_raw_updates_do_the_same(wire):
    """`apply_update`: the JSON object as the parser gave it, or a wire object."""
    assert apply_update(RICH, wire) == apply_update(RICH, encode(wire, SessionUpdate))


@pytest.mark.parametrize(
    "foreign",
    [TextContent(text="x"), Session("s"), Message(role="user"), Diagnose(None)],
    ids=lambda each: type(each).__name__,
)
def test_an_object_of_the_host_that_is_no_update_is_the_hosts_mistake(foreign):
    """`LocalProtocolError`: nothing has changed."""
    with pytest.raises(LocalProtocolError, match=type(foreign).__name__) as caught:
        apply_update(RICH, foreign)
    assert caught.value.rule == "RPC-07"


# What is malformed costs only itself (RPC-07)


@pytest.mark.parametrize(
    ("sent", "told", "path", "rule"),
    [
        (
            update("agent_message_chunk"),
            "'content' is missing; the update is dropped",
            "",
            None,
        ),
        (
            agent({"type": "text"}, "m"),
            "agent_message_chunk: content: 'text' is missing; the update is dropped",
            "content",
            None,
        ),
        (
            agent({"type": "video"}, "m"),
            "agent_message_chunk: content: unknown type 'video'; the update is dropped",
            "content",
            "LENIENT-11",
        ),
        (
            update("agent_message_delta", content=text("x")),
            "unknown sessionUpdate 'agent_message_delta'; the update is dropped",
            "",
            "LENIENT-11",
        ),
        (
            {"content": text("x")},
            "'sessionUpdate' is missing; the update is dropped",
            "",
            None,
        ),
        (
            {"sessionUpdate": ["plan"]},
            "'sessionUpdate' must be a string, not an array; the update is dropped",
            "",
            None,
        ),
        ([call()], "must be an object, not an array; the update is dropped", "", None),
        ("plan", "must be an object, not 'plan'; the update is dropped", "", None),
        (None, "must be an object, not null; the update is dropped", "", None),
    ],
)
def test_a_dropped_update_changes_nothing(sent, told, path, rule):
    """RPC-07, LENIENT-05, LENIENT-11: `update-dropped` alone, which carries what was sent."""
    session, intents = fold(sent, onto=RICH)
    assert session is RICH
    assert intents == (noticed("update-dropped", told, path=path, rule=rule, raw=sent),)


def test_later_updates_are_unaffected():
    """RPC-07: a malformed update costs only itself."""
    session, intents = fold(agent("a"), agent(None), update("nonsense"), agent("b"))
    assert session.timeline == timeline(said("agent", "a", "b"), run_open=True)
    assert codes(intents) == ("update-dropped", "update-dropped")


def test_a_known_tag_with_a_bad_payload_is_malformed():
    """LENIENT-10: never demoted to an unknown variant."""
    _, intents = fold(update("plan_update", plan={"type": "file", "planId": "p"}))
    assert codes(intents) == ("update-dropped",)
    assert intents[0].diagnostic.rule == "RPC-07"


def test_unknown_properties_are_ignored():
    """LENIENT-07: they are no errors, and go nowhere."""
    assert fold(agent("a", title="T", message_id_="x")) == fold(agent("a"))


def test_snake_case_keys_are_unknown():
    """LENIENT-15: not accepted."""
    sent = update("tool_call_update", tool_call_id="t", toolCallId="u", raw_input=5)
    session, _ = fold(sent)
    assert list(session.tool_calls) == ["u"]
    assert session.tool_calls["u"].raw_input is None


@given(json_like.filter(lambda value: not isinstance(value, bytes)))
def test_no_json_raises(value):
    """RPC-07, contract 2: whatever JSON it is, and what only looks like it."""
    session, intents = apply_update(RICH, value)
    assert session is RICH
    assert codes(intents) == ("update-dropped",)


@given(half_valid(SessionUpdate))
def test_nothing_half_valid_raises(value):
    """RPC-07, contract 2: an update with anything at all in one to three places."""
    session, intents = apply_update(RICH, value)
    assert isinstance(session, Session)
    if "update-dropped" in codes(intents):
        assert session is RICH
        assert codes(intents) == ("update-dropped",)


@pytest.mark.parametrize("value", [10**5000, -(10**5000)], ids=["positive", "negative"])
def test_an_integer_of_any_length_does_not_raise(value):
    """RPC-07, LENIENT-12: there is no limit to an integer, and this one stands for a string."""
    session, intents = fold(update("session_info_update", title=value))
    assert session is SESSION
    assert codes(intents) == ("field-defaulted",)


def test_a_cost_of_any_length_does_not_raise():
    """RPC-07, USAGE-02: a cost that decreased by much is told."""
    costs = [{"amount": amount, "currency": "USD"} for amount in (10**5000, 1)]
    _, intents = fold(*[update("usage_update", used=1, size=2, cost=cost) for cost in costs])
    assert codes(intents) == ("cost-decreased",)


@pytest.mark.parametrize(
    "sent",
    [
        update("session_info_update", title="T", meta={"k": [{"x": 1}]}),
        update("tool_call", toolCallId="t", title="T", content=[5, {"type": "diff"}]),
        update("session_info_update", title=5),
        update("_vendor", of=[1]),
    ],
    ids=["valid", "item dropped", "field defaulted", "dropped"],
)
def test_an_update_may_be_a_frozen_object(sent):
    """`apply_update`: ``update: SessionUpdate | JsonObject | dict``; diagnostics are the same."""
    assert fold(JsonObject(sent), onto=RICH) == fold(sent, onto=RICH)


@given(half_valid(SessionUpdate), st.data())
def test_a_malformed_optional_field_is_as_good_as_absent(value, data):
    """INV-04, LENIENT-02: the same state as without it, diagnostics aside."""
    session, intents = apply_update(RICH, value)
    defaulted = [
        intent.diagnostic.path
        for intent in intents
        if isinstance(intent, Diagnose)
        and intent.diagnostic.code == "field-defaulted"
        and intent.diagnostic.rule == "LENIENT-02"
        and intent.diagnostic.path in value
    ]
    if not defaulted or "v1-cancelled-status" in codes(intents):
        return
    key = data.draw(st.sampled_from(defaulted))
    without = {name: each for name, each in value.items() if name != key}
    assert apply_update(RICH, without)[0] == session


# Purity


@needs_shared
@given(updates)
def test_folding_twice_gives_equal_sessions(sent):
    """INV-01: and equal intents, also from JSON that was parsed anew."""
    again = json.loads(json.dumps(sent))
    assert fold(*sent, onto=RICH) == fold(*again, onto=RICH)


@needs_shared
@given(updates, updates)
def test_folding_in_two_parts_is_folding_at_once(first, second):
    """Contract 4: for every split of the updates."""
    session, before = fold(*first, onto=RICH)
    session, later = fold(*second, onto=session)
    assert (session, before + later) == fold(*first, *second, onto=RICH)


@needs_shared
@given(st.lists(json_of("SessionUpdate") | half_valid(SessionUpdate), min_size=1, max_size=6))
def test_earlier_sessions_never_change(sent):
    """INV-01, contract 1: all of them are kept, and compared down to the leaves."""
    kept = [(RICH, snapshot(RICH))]
    for each in sent:
        session, _ = apply_update(kept[-1][0], each)
        kept.append((session, snapshot(session)))
    assert [snapshot(session) for session, _ in kept] == [before for _, before in kept]


@needs_shared
@given(updates, updates)
def test_branches_of_one_session_do_not_meet(left, right):
    """Contract 1: two folds of one session, step by step in turns, are as if each were alone."""
    one = two = RICH
    for at in range(max(len(left), len(right))):
        one = fold(*left[at : at + 1], onto=one)[0]
        two = fold(*right[at : at + 1], onto=two)[0]
    assert one == fold(*left, onto=RICH)[0]
    assert two == fold(*right, onto=RICH)[0]


@needs_shared
@given(json_of("SessionUpdate"))
def test_the_update_is_left_untouched(sent):
    """INV-01: the JSON object is the host's own."""
    before = copy.deepcopy(sent)
    apply_update(RICH, sent)
    assert sent == before


def _spoil(value):
    """Change a JSON value in every place in which it can be."""
    if isinstance(value, dict):
        for each in [*value.values()]:
            _spoil(each)
        value.clear()
        value["spoilt"] = True
    elif isinstance(value, list):
        for each in value:
            _spoil(each)
        value.append("spoilt")


@needs_shared
@given(st.lists(json_of("SessionUpdate"), min_size=1, max_size=5))
def test_the_json_may_be_changed_afterwards(sent):
    """Contract 1: what was folded shares nothing with the JSON that it came from."""
    session, intents = fold(*sent, onto=RICH)
    before = snapshot(session), repr(intents)
    _spoil(sent)
    assert (snapshot(session), repr(intents)) == before


def test_metadata_is_kept_where_its_scope_says():
    """EXT-01: an entity's, a chunk's, an event's; the envelope's is nobody's; none is read."""
    mine = {"traceparent": "00", "cancelled": True, "status": "completed"}
    connection, intents = watch(
        reported(call("t", meta=mine)),
        reported(agent("a", "m", meta={"part": 1})),
        reported(update("session_info_update", meta={"whole": [1]})),
        reported(update("plan", entries=[], meta={"plan": {}})),
        to_client(
            "session/update",
            sessionId="s",
            update=update("session_info_update", title="T"),
            _meta={"envelope": 1},
        ),
        onto=connected(SESSION),
    )
    session = connection.sessions["s"]
    assert session.tool_calls["t"].meta == mine
    assert session.tool_calls["t"].effective_status == "pending"
    assert [chunk.meta for chunk in session.messages[0].chunks] == [{"part": 1}]
    assert (session.meta, session.plan.meta) == ({"whole": [1]}, {"plan": {}})
    assert intents == ()


def test_raw_json_is_copied():
    """Style, section 8: raw payloads are frozen, never aliased."""
    raw = {"deep": [{"er": 1}]}
    session = after(call("t", rawInput=raw, meta=raw))
    raw["deep"][0]["er"] = 2
    assert session.tool_calls["t"].raw_input == {"deep": [{"er": 1}]}
    assert session.tool_calls["t"].meta == {"deep": [{"er": 1}]}


@needs_shared
@given(updates)
def test_sessions_hash_as_they_compare(sent):
    """Immutable all the way down: equal sessions have equal hashes."""
    one, two = fold(*sent, onto=RICH)[0], fold(*copy.deepcopy(sent), onto=RICH)[0]
    assert hash(one) == hash(two)


# Sharing


@needs_shared
@given(json_of("SessionUpdate"))
def test_every_other_entry_is_the_identical_object(sent):
    """Contract 5: an update changes at most one entry, or adds one, or renames one prompt."""
    session, _ = apply_update(RICH, sent)
    pairs = zip(RICH.timeline, session.timeline, strict=False)
    assert sum(old is not new for old, new in pairs) <= 1
    assert 0 <= len(session.timeline) - len(RICH.timeline) <= 1


@needs_shared
@given(json_of("SessionUpdate"))
def test_a_session_that_is_equal_is_the_very_same(sent):
    """`apply_update`: an update that changes nothing gives the very same session.

    But for a state of a child that is reported again: see `test_subagents`.
    """
    session, _ = apply_update(RICH, sent)
    if sent.get("sessionUpdate") != "subagent_update":
        assert (session == RICH) is (session is RICH)


NOTHING_NEW = {
    "tool_call_update": call_update("t", status="in_progress"),
    "compaction_update": compaction("c"),
    "tool_call": call(
        "t",
        status="in_progress",
        content=[{"type": "content", "content": text("x")}],
        rawInput={"deep": [{"er": 1}]},
        meta={"k": {"x": [1]}},
    ),
    "subagent_update": subagent("child", title=None),
    "session_message": letter("l"),
    "plan": HISTORY[10],
    "plan_update": HISTORY[11],
    "current_mode_update": HISTORY[12],
    "config_option_update": HISTORY[13],
    "available_commands_update": HISTORY[14],
    "session_info_update": HISTORY[15],
    "usage_update": HISTORY[16],
    "notice": update("notice", severity="info", title="T"),
}


@pytest.mark.parametrize("sent", NOTHING_NEW.values(), ids=NOTHING_NEW)
def test_an_update_that_changes_nothing_gives_the_very_same_session(sent):
    """`apply_update`: chunks aside, which are always something new."""
    assert apply_update(RICH, sent)[0] is RICH


@needs_shared
@given(updates)
def test_the_order_of_entries_never_changes(sent):
    """INV-03: no sequence of updates moves an entry, and none goes away (TL-03)."""
    session, _ = fold(*sent, onto=RICH)
    old = [(entry.key, type(entry)) for entry in RICH.timeline]
    new = [(entry.key, type(entry)) for entry in session.timeline[: len(old)]]
    changed = [(a, b) for a, b in zip(old, new, strict=True) if a != b]
    # Only a prompt can get a key, by its echo (TURN-04).
    assert all(a == (None, Message) and b[1] is Message for a, b in changed)


# In a replay (section 17)


@given(half_valid(SessionUpdate))
def test_what_is_replayed_is_not_shown_where_something_was_held(value):
    """LOAD-09: readers see the held timeline until the load is answered.

    But for prompts that wait for an echo meanwhile: see `test_echo`.
    """
    before = begin_replay(end_all(RICH, "connection lost")[0])
    session, _ = apply_update(before, value)
    assert session.timeline is before.timeline
    assert session.replay.held is before.replay.held


def test_a_replay_into_nothing_is_a_plain_fold():
    """LOAD-03: readers see what is built."""
    history = [each for each in HISTORY if each["sessionUpdate"] != "compaction_summary_chunk"]
    session, intents = fold(*history, onto=begin_replay(SESSION))
    plain, told = fold(*history)
    assert session.timeline == session.replay.built
    assert [entry.key for entry in session.timeline] == [entry.key for entry in plain.timeline]
    assert attrs.evolve(session, timeline=plain.timeline, replay=None) == plain
    assert intents == told


def test_a_malformed_update_costs_only_itself_in_a_replay():
    """RPC-07: the very same session."""
    before = begin_replay(RICH)
    session, intents = fold(update("agent_message_chunk"), onto=before)
    assert session is before
    assert codes(intents) == ("update-dropped",)


RESUMING = attrs.evolve(after(agent("a", "m"), call("t")), readiness="resuming")
REPLAY_IN_RESUME = noticed(
    "replay-in-resume",
    "history is replayed before the resume was answered; folded as by a load",
)


@pytest.mark.parametrize(
    "sent",
    [user("x", "1"), agent("x", "m"), thought("x", "1"), call("t")],
    ids=["user", "agent", "thought", "tool_call"],
)
def test_history_before_the_answer_to_a_resume_is_a_replay(sent):
    """LOAD-13: a message chunk or a `tool_call`; told once."""
    session, intents = fold(sent, agent("y", "n"), onto=RESUMING)
    expected, _ = fold(sent, agent("y", "n"), onto=begin_replay(RESUMING))
    assert session == expected
    assert intents == (REPLAY_IN_RESUME,)


@pytest.mark.parametrize(
    "sent",
    [
        call_update("t", status="completed"),
        update("usage_update", used=1, size=2),
        subagent("child"),
    ],
    ids=["tool_call_update", "usage", "subagent"],
)
def test_other_updates_before_the_answer_to_a_resume_are_live(sent):
    """LOAD-13: patches of known entries alone are background work, and open no epoch."""
    session, intents = fold(sent, onto=RESUMING)
    assert session.replay is None
    live, _ = fold(sent, onto=attrs.evolve(RESUMING, readiness="ready"))
    assert session == attrs.evolve(live, readiness="resuming")
    assert intents == ()


@pytest.mark.parametrize(
    "sent",
    [compaction("c"), letter("l"), call_update("new", status="completed")],
    ids=["compaction", "session_message", "tool_call_update"],
)
def test_something_new_before_the_answer_to_a_resume_is_told(sent):
    """LOAD-13: a conversation update; it is no chunk and no `tool_call`, and opens no epoch."""
    session, intents = fold(sent, sent, onto=RESUMING)
    assert session.replay is None
    live, told = fold(sent, sent, onto=attrs.evolve(RESUMING, readiness="ready"))
    assert session == attrs.evolve(live, readiness="resuming")
    text = "something new before the resume was answered; folded"
    assert intents == (noticed("replay-in-resume", text), *told)


# Order


def test_updates_are_applied_in_the_order_fed_in():
    """RPC-08: there are no sequence numbers or timestamps."""
    session = after(
        agent("b", "m"), agent("a", "m"), call("t", title="2"), call_update("t", title="1")
    )
    assert session.timeline[0].chunks == chunks("b", "a")
    assert session.tool_calls["t"].title == "1"


def test_diagnostics_come_in_order():
    """Faults of the update first, in its order; then what its reducer found."""
    sent = call_update("", title=5, content=[5], locations=[{"path": "x", "line": "1"}], status=[])
    assert codes(fold(sent)[1]) == (
        "field-defaulted",
        "field-defaulted",
        "item-dropped",
        "field-defaulted",
        "empty-id",
        "relative-path",
        "tool-update-first",
    )


def test_a_diagnostic_has_the_place_the_text_and_what_was_sent():
    """LENIENT-03, -11: what is dropped is never dropped in silence."""
    _, intents = fold(call("t", content=[{"type": "video", "data": [1]}]))
    assert intents == (
        noticed(
            "item-dropped",
            "unknown type 'video'",
            rule="LENIENT-11",
            path="content[0]",
            raw={"type": "video", "data": [1]},
        ),
    )


@given(json_values)
def test_unknown_updates_are_carried_raw(payload):
    """LENIENT-11: the raw payload is in the diagnostic."""
    sent = {"sessionUpdate": "from_the_future", "payload": payload}
    session, [intent] = apply_update(RICH, sent)
    assert session is RICH
    assert (intent.diagnostic.rule, intent.diagnostic.raw) == ("LENIENT-11", sent)


# Splitting text


@given(st.text(max_size=12), st.lists(st.integers(0, 24), max_size=4))
def test_splitting_a_text_changes_no_text(whole, cuts):
    """Style, section 9: cut anywhere, also between the halves of a character."""
    units = whole.encode("utf-16-le", "surrogatepass")
    ends = sorted({min(cut * 2, len(units)) for cut in cuts} | {len(units)})
    pieces = [
        units[a:b].decode("utf-16-le", "surrogatepass")
        for a, b in zip([0, *ends], ends, strict=False)
    ]
    [one] = fold(*[agent(piece, "m") for piece in pieces or [""]])[0].timeline
    [other] = fold(agent(whole, "m"))[0].timeline
    assert one.text == other.text
    assert one.content == other.content


def test_what_a_session_says_of_itself_is_short():
    """A person can read it."""
    session, _ = answered(RICH)
    assert repr(session) == "<session 's' 'T': 9 entries, 2 turns, 1 running>"
    assert structure(text("x"), ContentBlock) == TextContent(text="x")
    assert fold(update("plan", entries=[]), onto=SESSION)[0].plan == Plan(entries=())
