"""Child sessions on a connection (SUB-01 to SUB-21, 15.7, INV-08, CONN-01)."""

from __future__ import annotations

import attrs
import pytest
from reduce.history import (
    IDLE,
    MAY_CANCEL,
    READY,
    RUNNING,
    after,
    agent_answers,
    agent_asks,
    agent_message,
    agent_tells,
    asks_form,
    asks_permission,
    call,
    call_update,
    child,
    client_asks,
    client_tells,
    compaction,
    folded,
    letter,
    load,
    made,
    mapped,
    noticed,
    notices,
    prompt,
    ready,
    resume,
    said,
    text_blocks,
    timeline,
    tool_call,
    update,
)

from acp_state import (
    AnswerElicitation,
    AnswerPermission,
    ArchiveSession,
    AskElicitation,
    AskPermission,
    Cancel,
    CloseSession,
    Compaction,
    DeleteSession,
    Disconnected,
    ElicitationWithdrawn,
    ForkSession,
    GetSessionStatus,
    LoadSession,
    LocalProtocolError,
    PermissionWithdrawn,
    Prompt,
    RequestFailed,
    Respond,
    ResumeSession,
    Send,
    Session,
    SessionMessage,
    SetConfigOption,
    SetMode,
    SetTitle,
    Subagent,
    TurnEnded,
    UnarchiveSession,
    reduce,
)
from acp_state.json_values import JsonObject
from acp_state.model import Chunks, ContextUsage
from acp_state.persistent import Map
from acp_state.schema import (
    ClientCapabilities,
    Error,
    IdleStateUpdate,
    OtherStateUpdate,
    RequiresActionStateUpdate,
    RunningStateUpdate,
    SessionCancelCapabilities,
    SubagentCapabilities,
    SubagentSessionCapabilities,
    TextContent,
    UnknownStateUpdate,
    Usage,
)
from acp_state.schema.subagents import ErrorStopReason, OtherStopReason

FAMILY = (*made(), child("k"), child("q"), child("g", "k"))
"""A session, its children k and q, and k's child g."""

KNOWN_RIGHT = SubagentSessionCapabilities(cancel=SessionCancelCapabilities())


def association(connection, child_id="k", parent="s"):
    """What the parent says of the child."""
    return connection.sessions[parent].subagents[child_id]


# SUB-01


@pytest.mark.parametrize(
    ("capabilities", "expected"),
    [
        (ClientCapabilities(), ["capability-violation"]),
        (ClientCapabilities(subagents=None), ["capability-violation"]),
        (ClientCapabilities(subagents=SubagentCapabilities()), []),
        (None, []),
    ],
)
def test_subagents_need_the_clients_capability(capabilities, expected):
    """SUB-01, LENIENT-16: applied, diagnosed."""
    onto = after(*made(), onto=attrs.evolve(READY, client_capabilities=capabilities))
    connection, told = folded(child(), onto=onto)
    assert association(connection) == Subagent(session_id="k")
    assert noticed(told) == expected


# SUB-05, SUB-06, SUB-13, SMSG-07: parent and child are two sessions


def test_a_child_is_an_ordinary_session_model_of_its_own():
    """SUB-05: timeline, plan, usage, info and requests; nothing is copied to the parent."""
    before = after(*FAMILY)
    lines = (
        said("A", "a", "k"), call("t", "k"), compaction("c", "completed", "k"),
        update("plan", "k", entries=[]), update("usage_update", "k", used=1, size=2),
        update("session_info_update", "k", title="own"),
        update("current_mode_update", "k", currentModeId="m"),
    )  # fmt: skip
    connection, told = folded(*lines, onto=before)
    assert told == ()
    assert connection.sessions == {**before.sessions, "k": connection.sessions["k"]}
    for name in "sqg":
        assert connection.sessions[name] is before.sessions[name]
    own = connection.sessions["k"]
    ordinary = after(*made("k"), child("g", "k"), *lines).sessions["k"]
    assert own == attrs.evolve(ordinary, parent_id="s", cwd=None, additional_directories=None)
    assert own.usage == ContextUsage(used=1, size=2)


def test_equal_ids_in_parent_and_child_are_unrelated():
    """TOOL-15, SMSG-02, MSG-02: ids are scoped to their session."""
    lines = (said("P", "a"), said("C", "a", "k"), call(), call("t", "k", status="failed"))
    connection = after(*made(), child(), *lines)
    assert connection.sessions == mapped(
        ready(
            timeline=timeline(
                Subagent(session_id="k"), agent_message("P", message_id="a"), tool_call()
            ),
            id_style="with_id",
        ),
        Session(
            "k",
            parent_id="s",
            timeline=timeline(agent_message("C", message_id="a"), tool_call(status="failed")),
            id_style="with_id",
        ),
    )


def test_the_parents_labels_and_the_childs_own_title_are_two_things():
    """SUB-06: neither overwrites the other."""
    connection = after(
        *made(),
        child(title="label", description="D"),
        update("session_info_update", "k", title="own"),
    )
    assert association(connection) == Subagent(session_id="k", title="label", description="D")
    assert connection.sessions["k"].title == "own"
    connection = after(child(title=None), onto=connection)
    assert association(connection) == Subagent(session_id="k", description="D")
    assert connection.sessions["k"].title == "own"


def test_messages_between_sessions_are_in_each_transcript_by_itself():
    """SMSG-07: neither is made from the other, nothing is forwarded, sent or acknowledged."""
    ids = {"senderSessionId": "s", "recipientSessionId": "k"}
    before = after(*made(), child())
    connection, told = folded(letter("l", content=text_blocks("to k"), **ids), onto=before)
    assert told == ()
    assert connection.sessions["k"] is before.sessions["k"]
    connection = after(letter("l", "k", content=text_blocks("from s"), **ids), onto=connection)
    seen = {name: connection.sessions[name].session_messages["l"] for name in "sk"}
    both = {"sender_session_id": "s", "recipient_session_id": "k", "message_id": "l"}
    assert seen == {
        name: SessionMessage(chunks=Chunks.of([TextContent(text=text)]), **both)
        for name, text in (("s", "to k"), ("k", "from s"))
    }
    assert [seen[name].direction(name) for name in "sk"] == ["outgoing", "incoming"]


def test_naming_an_unknown_session_announces_nothing():
    """SMSG-09: a historical address; it grants nothing."""
    before = after(*made())
    connection, told = folded(letter("l", recipientSessionId="unknown"), onto=before)
    assert list(connection.sessions) == ["s"]
    assert told == ()


# SUB-07, INV-08: rights


@pytest.mark.parametrize(
    ("updates", "held", "may_cancel"),
    [
        ([{}], None, False),
        ([{"capabilities": None}], None, False),
        ([{"capabilities": {}}], SubagentSessionCapabilities(), False),
        ([{"capabilities": {"cancel": None}}], SubagentSessionCapabilities(cancel=None), False),
        ([{"capabilities": {"cancel": True}}], SubagentSessionCapabilities(), False),
        ([{"capabilities": MAY_CANCEL}], KNOWN_RIGHT, True),
        ([{"capabilities": MAY_CANCEL}, {}], KNOWN_RIGHT, True),
        ([{"capabilities": MAY_CANCEL}, {"capabilities": None}], None, False),
        (
            [{"capabilities": MAY_CANCEL}, {"capabilities": {}}],
            SubagentSessionCapabilities(),
            False,
        ),
        ([{"capabilities": MAY_CANCEL}, {"capabilities": 5}], KNOWN_RIGHT, True),
    ],
)
def test_capabilities_are_swapped_whole(updates, held, may_cancel):
    """SUB-07, CONF-27, INV-08: never supplied, null and `{}` all mean no mutation."""
    connection = after(*made(), *[child(**fields) for fields in updates])
    assert association(connection) == Subagent(session_id="k", capabilities=held)
    assert association(connection).may_cancel is may_cancel


# SUB-08: what may be sent for a child

RIGHTFUL = (*made(), child("k", capabilities=MAY_CANCEL), child("q"))


@pytest.mark.parametrize(
    "command",
    [
        Prompt("k", [TextContent(text="Go")]),
        LoadSession(session_id="k", cwd="/w"),
        ResumeSession(session_id="k", cwd="/w"),
        ForkSession(session_id="k", cwd="/w"),
        CloseSession("k"),
        DeleteSession("k"),
        ArchiveSession("k"),
        UnarchiveSession("k"),
        SetTitle("k", "T"),
        SetMode("k", "m"),
        SetConfigOption("k", "o", "v"),
    ],
)
def test_no_mutation_of_a_child_is_sent(command):
    """SUB-08: whatever its rights; refused locally, `diag:child-mutation-refused`."""
    connection = after(*RIGHTFUL)
    with pytest.raises(LocalProtocolError) as refused:
        reduce(connection, command)
    found = (refused.value.rule, refused.value.code, refused.value.session_id)
    assert found == ("SUB-08", "child-mutation-refused", "k")


def test_a_child_is_cancelled_with_the_right_alone():
    """SUB-08: iff `cancel` is a non-null object."""
    connection = after(*RIGHTFUL)
    _, [send] = reduce(connection, Cancel("k"))
    assert send == Send(client_tells("session/cancel", sessionId="k")[1])
    with pytest.raises(LocalProtocolError) as refused:
        reduce(connection, Cancel("q"))
    found = (refused.value.rule, refused.value.code, refused.value.session_id)
    assert found == ("SUB-08", "child-mutation-refused", "q")


def test_read_only_methods_keep_normal_rules():
    """SUB-08."""
    _, [send] = reduce(after(*RIGHTFUL), GetSessionStatus("k"))
    assert (send.message["method"], send.message["params"]) == (
        "session/status",
        {"sessionId": "k"},
    )


def test_a_right_does_not_reach_the_childs_own_children():
    """SUB-07: each association has its own."""
    connection = after(*RIGHTFUL, child("g", "k"))
    with pytest.raises(LocalProtocolError):
        reduce(connection, Cancel("g"))


def test_a_child_whose_parent_does_not_name_it_has_no_rights():
    """SUB-08: an association that a failed load took away grants nothing."""
    orphans = mapped(Session("k", parent_id="gone"), Session("q", parent_id="s"), Session("s"))
    for name in "kq":
        with pytest.raises(LocalProtocolError):
            reduce(attrs.evolve(READY, sessions=orphans), Cancel(name))


# SUB-09, SUB-21: a child's requests


def test_answering_a_childs_requests_needs_no_capability():
    """SUB-09; SUB-21: they stay attributed to the child."""
    before = after(*made(), child())
    read = agent_asks(9, "fs/read_text_file", sessionId="k", path="/f")
    connection, told = folded(
        asks_permission("p", "k", toolCallId="t"), asks_form("e", sessionId="k"), read,
        onto=before,
    )  # fmt: skip
    [permission, form, work] = told
    assert (type(permission), permission.session_id) == (AskPermission, "k")
    assert (type(form), form.elicitation.session_id) == (AskElicitation, "k")
    assert (work.request_id, work.request.session_id) == (9, "k")
    assert {each.session_id for each in connection.agent_requests.values()} == {"k"}
    assert connection.sessions["s"] is before.sessions["s"]
    read = Respond(9, {"content": ""})
    for answer in (AnswerPermission("p", "yes"), AnswerElicitation("e", "decline"), read):
        connection, [send] = reduce(connection, answer)
        assert send.message["id"] == answer.request_id
    assert connection.agent_requests == {}
    assert connection.sessions["k"].permissions[0].option_id == "yes"


# SUB-10, SUB-11, 15.7: work

UNSET = (None, True)
EACH_STATE = {
    "running": ({"state": "running"}, RunningStateUpdate()),
    "idle": ({"state": "idle"}, IdleStateUpdate()),
    "idle, end_turn": (IDLE, IdleStateUpdate(stop_reason="end_turn")),
    "idle, error": (
        {"state": "idle", "stopReason": "error", "error": {"code": 1, "message": "E"}},
        ErrorStopReason(stop_reason="error", error=Error(code=1, message="E")),
    ),
    "idle, odd": (
        {"state": "idle", "stopReason": "_odd", "why": 1},
        OtherStopReason(stop_reason="_odd", rest=JsonObject({"why": 1})),
    ),
    "idle, usage": (
        {"state": "idle", "usage": {"totalTokens": 3, "inputTokens": 1, "outputTokens": 2}},
        IdleStateUpdate(usage=Usage(total_tokens=3, input_tokens=1, output_tokens=2)),
    ),
    "requires_action": ({"state": "requires_action"}, RequiresActionStateUpdate()),
    "unknown": ({"state": "unknown"}, UnknownStateUpdate()),
    "odd": ({"state": "_odd", "x": 1}, OtherStateUpdate(state="_odd", rest=JsonObject({"x": 1}))),
}
each_state = pytest.mark.parametrize("name", EACH_STATE)


def work(connection, child_id="k", parent="s"):
    """The child's state, and whether it is asserted."""
    found = association(connection, child_id, parent)
    return found.state, found.state_confirmed


def test_a_child_of_which_nothing_was_told_is_unset():
    """15.7, SUB-11: never supplied: unconfirmed, not idle."""
    connection = after(*made(), child())
    assert work(connection) == UNSET
    assert association(connection).is_active


@each_state
@pytest.mark.parametrize("before", [(), *[(state,) for state, _ in EACH_STATE.values()]])
def test_a_snapshot_replaces_whatever_was_there(name, before):
    """15.7, SUB-10: whole; stopReason, error and usage vanish with the old one."""
    sent, known = EACH_STATE[name]
    connection = after(*made(), child(), *[child(state=each) for each in before], child(state=sent))
    assert work(connection) == (known, True)


@each_state
def test_a_repeated_snapshot_is_idempotent(name):
    """SUB-10: no double counting."""
    sent, _ = EACH_STATE[name]
    before = after(*made(), child(state=sent))
    connection, told = folded(child(state=sent), onto=before)
    assert (connection, told) == (before, ())


@each_state
def test_null_is_unset(name):
    """15.7, SUB-11."""
    sent, _ = EACH_STATE[name]
    assert work(after(*made(), child(state=sent), child(state=None))) == UNSET


@each_state
@pytest.mark.parametrize("fields", [{}, {"title": "T"}, {"state": "running"}, {"state": 5}])
def test_an_omitted_or_malformed_state_is_the_same(name, fields):
    """15.7: a bare string is malformed (row 17)."""
    sent, known = EACH_STATE[name]
    assert work(after(*made(), child(state=sent), child(**fields))) == (known, True)


@each_state
@pytest.mark.parametrize("attempt", [load(), resume()], ids=["load", "resume"])
def test_taking_the_parent_up_unconfirms_what_is_last_known(name, attempt):
    """15.7: the parent's load or resume sent."""
    sent, known = EACH_STATE[name]
    connection = after(*made(), child(state=sent), attempt)
    assert work(connection) == (known, False)
    omitted = after(child(title="T"), onto=connection)
    assert work(after(agent_answers(2), onto=omitted)) == (known, False)


@each_state
def test_losing_the_connection_unconfirms_what_is_last_known(name):
    """15.7, SUB-15: nothing is sent, no outcome is inferred."""
    sent, known = EACH_STATE[name]
    lost, told = reduce(after(*made(), child(state=sent)), Disconnected())
    assert work(lost) == (known, False)
    assert told == ()


@each_state
def test_a_live_snapshot_confirms_again(name):
    """15.7: after a load only the ones after the response; SUB-18: in a resume at once."""
    sent, known = EACH_STATE[name]
    resumed = after(*made(), child(state=RUNNING), resume(), child(state=sent))
    assert work(resumed) == (known, True)
    loading = after(*made(), child(state=RUNNING), load(), child(state=sent))
    loaded = after(agent_answers(2), onto=loading)
    assert work(loaded) == (known, False)
    assert work(after(child(state=sent), onto=loaded)) == (known, True)


def test_a_null_in_a_replay_is_unset():
    """15.7."""
    connection = after(*made(), child(state=RUNNING), load(), child(state=None), agent_answers(2))
    assert work(connection)[0] is None


def test_reuse_of_an_idle_child_is_normal():
    """15.7, SUB-10: idle is not the end of the child."""
    connection, told = folded(child(state=IDLE), child(state=RUNNING), onto=after(*made(), child()))
    assert (work(connection), told) == ((RunningStateUpdate(), True), ())


def test_traffic_of_an_idle_child_is_background_work():
    """15.7: *unexpected*: accept, state unchanged."""
    before = after(*made(), child(state=IDLE))
    connection, told = folded(said("A", "a", "k"), call("t", "k"), onto=before)
    assert work(connection) == (IdleStateUpdate(stop_reason="end_turn"), True)
    assert [each.key for each in connection.sessions["k"].timeline] == [
        ("agent", "a"), ("tool_call", "t"),
    ]  # fmt: skip
    assert told == ()


def test_unknown_cancels_closes_resolves_and_revokes_nothing():
    """SUB-11."""
    busy = (child(state=RUNNING, capabilities=MAY_CANCEL), call("t", "k"))
    before = after(*made(), *busy, asks_permission("p", "k", toolCallId="t"))
    connection, told = folded(child(state={"state": "unknown"}), onto=before)
    assert association(connection) == Subagent(
        session_id="k", capabilities=KNOWN_RIGHT, state=UnknownStateUpdate()
    )
    assert connection.sessions["k"] is before.sessions["k"]
    assert connection.agent_requests == before.agent_requests
    assert told == ()


# SUB-12


@pytest.mark.parametrize("reason", ["end_turn", "refusal", "max_tokens"])
def test_the_parents_turn_says_nothing_about_the_child(reason):
    """SUB-12: neither its response nor its finished tool calls."""
    before = after(*made(), prompt(), call(), child(state=RUNNING), call("t", "k"))
    connection = after(
        call_update(status="completed"), agent_answers(3, {"stopReason": reason}), onto=before
    )
    assert association(connection) == Subagent(session_id="k", state=RunningStateUpdate(), turn=0)
    assert connection.sessions["k"] is before.sessions["k"]


# SUB-13


def test_costs_are_never_added_across_sessions():
    """SUB-13: context usage and cost are per session."""
    usage = {"used": 1, "size": 2, "cost": {"amount": 3, "currency": "USD"}}
    before = after(*made(), child(), update("usage_update", "s", **usage))
    connection = after(update("usage_update", "k", **usage), onto=before)
    assert connection.sessions["s"] is before.sessions["s"]
    assert connection.sessions["k"].usage == before.sessions["s"].usage


# SUB-14


@pytest.mark.parametrize(
    "roots",
    [
        {"cwd": 5}, {"cwd": []}, {"additionalDirectories": "/x"}, {"additionalDirectories": [5]},
        {"additionalDirectories": ["/x", None]},
    ],
)  # fmt: skip
def test_malformed_roots_reject_the_whole_update(roots):
    """SUB-14: a security boundary; `diag:update-dropped`."""
    before = after(*made(), child(title="T", cwd="/c"))
    connection, told = folded(child(title="New", state=IDLE, **roots), onto=before)
    assert connection == before
    assert notices(told) == [("update-dropped", "warning", "s")]


def test_roots_of_a_child_are_its_associations():
    """SUB-14: unset inherits, independently of each other; `[]` = none."""
    connection = after(*made(), child(cwd="/c", additionalDirectories=[]))
    assert association(connection) == Subagent(session_id="k", cwd="/c", additional_directories=())
    assert connection.sessions["k"] == Session("k", parent_id="s")
    assert (connection.cwd_of("k"), connection.additional_directories_of("k")) == ("/c", ())


# CANCEL-07 on a family


def test_a_cancel_of_the_parent_reaches_descendants_and_one_of_a_child_no_others():
    """CANCEL-07: touches neither parent nor siblings."""
    busy = after(*FAMILY, prompt(), call(), call("t", "k"), call("t", "g"), call("t", "q"))
    names = ("s", "k", "g", "q")

    def cancelled(name):
        connection = after(client_tells("session/cancel", sessionId=name), onto=busy)
        found = [each for each in names if connection.sessions[each].tool_calls["t"].cancelled]
        return "".join(found)

    assert {name: cancelled(name) for name in names} == {
        "s": "skgq", "k": "kg", "g": "g", "q": "q",
    }  # fmt: skip


def test_a_cancelled_child_confirms_by_its_state():
    """CANCEL-07: `idle` + `stopReason: cancelled`."""
    connection = after(*RIGHTFUL, client_tells("session/cancel", sessionId="k"))
    connection = after(child(state={"state": "idle", "stopReason": "cancelled"}), onto=connection)
    assert work(connection) == (IdleStateUpdate(stop_reason="cancelled"), True)


# SUB-19


def test_children_that_were_not_replayed_stay_in_the_tree():
    """SUB-19: history-only; a gap proves nothing."""
    held = after(*made(), child(title="K", state=IDLE), said("A", "a", "k"), load(), said("P", "p"))
    connection, told = folded(agent_answers(2), onto=held)
    assert connection.sessions["s"].timeline == timeline(
        agent_message("P", message_id="p"),
        Subagent(
            session_id="k",
            title="K",
            state=IdleStateUpdate(stop_reason="end_turn"),
            state_confirmed=False,
        ),
    )
    assert connection.sessions["k"].timeline == timeline(agent_message("A", message_id="a"))
    assert noticed(told) == []


# CONN-01


def test_on_loss_nothing_is_answered_and_no_outcome_is_invented():
    """CONN-01, SUB-15: client requests fail as interrupted, incoming ones are dropped."""
    set_title = client_asks(7, "session/set_title", sessionId="s", title="T")
    busy = (
        child(state=RUNNING, capabilities=MAY_CANCEL), call("t", "k"),
        compaction("c", "in_progress", "k"), child("g", "k", state=IDLE), prompt(), set_title,
        asks_permission("p", "k", toolCallId="t"), asks_form("e", sessionId="k"),
    )  # fmt: skip
    lost, told = reduce(after(*made(), *busy), Disconnected())
    parent, kid = lost.sessions["s"], lost.sessions["k"]
    [turn] = parent.turns
    assert (turn.outcome, turn.stop_reason, turn.error) == ("interrupted", None, None)
    assert association(lost) == Subagent(
        session_id="k", state=RunningStateUpdate(), state_confirmed=False
    )
    assert kid.timeline == timeline(
        tool_call(),
        Compaction(compaction_id="c", confirmed=False),
        Subagent(
            session_id="g",
            state=IdleStateUpdate(stop_reason="end_turn"),
            state_confirmed=False,
        ),
    )
    assert [each.outcome for each in kid.permissions] == ["dropped"]
    assert {each.readiness for each in lost.sessions.values()} == {"unattached"}
    assert lost == attrs.evolve(
        READY, phase="closed", sessions=lost.sessions, next_request_id=lost.next_request_id
    )
    failed, withdrawn, dropped, ended = told
    assert failed == RequestFailed(
        request_id=7, method="session/set_title", session_id="s", error=None
    )
    assert (type(withdrawn), withdrawn.permission.request_id) == (PermissionWithdrawn, "p")
    assert (type(dropped), dropped.elicitation.request_id) == (ElicitationWithdrawn, "e")
    assert ended == TurnEnded(session_id="s", turn=turn)


def test_the_agent_learns_that_its_requests_were_interrupted():
    """CONN-01, from the agent's seat."""
    agent = attrs.evolve(READY, side="agent")
    busy = after(*made(), asks_permission(toolCallId="t"), prompt(), onto=agent)
    _, told = reduce(busy, Disconnected())
    assert told[0] == RequestFailed(
        request_id="p", method="session/request_permission", session_id="s", error=None
    )
    assert [type(each) for each in told] == [RequestFailed, TurnEnded]


def test_a_second_loss_changes_nothing():
    """15.6: closed is the end."""
    lost, _ = reduce(after(*FAMILY), Disconnected())
    assert reduce(lost, Disconnected()) == (lost, ())


def test_late_answers_after_the_loss_answer_nothing():
    """CONN-01, RPC-03."""
    lost, _ = reduce(after(*made(), prompt()), Disconnected())
    connection, told = folded(agent_answers(3, {"stopReason": "end_turn"}), onto=lost)
    assert connection == lost
    assert noticed(told) == ["unknown-response"]
    assert connection.client_requests == Map()


def test_an_unknown_notification_for_a_child_is_nothing():
    """RPC-06."""
    before = after(*FAMILY)
    connection, told = folded(agent_tells("session/odd", sessionId="k"), onto=before)
    assert (connection, noticed(told)) == (before, ["unknown-notification"])
