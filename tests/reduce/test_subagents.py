"""Child sessions, as their parents report them (section 11, 15.7)."""

from __future__ import annotations

from itertools import pairwise

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
    connected,
    fold,
    noticed,
    permission,
    prompt,
    prompted,
    reported,
    said,
    subagent,
    timeline,
    update,
    watch,
)

from acp_state import Session, Subagent
from acp_state.reduce.subagents import on_subagent_update
from acp_state.reduce.turns import end_turn
from acp_state.schema import (
    Error,
    ErrorStopReason,
    IdleStateUpdate,
    OtherStateUpdate,
    OtherStopReason,
    RequiresActionStateUpdate,
    RunningStateUpdate,
    SessionCancelCapabilities,
    SubagentSessionCapabilities,
    SubagentUpdate,
    UnknownStateUpdate,
    Usage,
)

SELF = noticed("reparent", "a session cannot be its own child; the update is ignored")
ROOTED = attrs.evolve(SESSION, cwd="/work", additional_directories=("/more",))


def only(session):
    """The one association."""
    [found] = session.subagents.values()
    return found


def reparent(child, parent):
    text = f"session {child!r} cannot be a child of {parent!r}; the update is ignored"
    return noticed("reparent", text, session_id=parent)


def unannounced(session_id):
    text = f"session {session_id!r} is not known; what comes for it is kept"
    return noticed("unannounced-session", text, session_id=session_id)


# The association


def test_the_first_update_makes_the_association():
    """SUB-02, TL-01: an entry of the parent's timeline, by the child's id; nothing is known yet."""
    assert fold(subagent("child")) == (
        Session("s", timeline=timeline(Subagent(session_id="child"))),
        (),
    )


def test_later_updates_patch_the_association():
    """SUB-02, row 17: what is not sent stays, null clears."""
    session = after(
        subagent("child", title="T", description="D"),
        agent("a", "a"),
        subagent("child", title=None, meta={"k": 1}),
    )
    assert session.timeline == timeline(
        Subagent(session_id="child", description="D", meta={"k": 1}),
        said("agent", "a", message_id="a"),
    )


def test_it_belongs_to_the_turn_in_which_it_was_first_seen():
    """TL-01: as every entry."""
    assert only(after(subagent(), onto=prompted("Hi"))).turn == 0


def test_a_session_is_not_its_own_child():
    """SUB-04: the update is ignored, `diag:reparent`."""
    before = after(agent("a"))
    session, intents = fold(subagent("s", title="T"), onto=before)
    assert session is before
    assert intents == (SELF,)


@pytest.mark.parametrize(
    ("capabilities", "right"),
    [
        ({}, False),
        (None, False),
        ({"cancel": None}, False),
        ({"cancel": {}}, True),
        ({"cancel": {"_meta": {}}}, True),
    ],
)
def test_rights(capabilities, right):
    """SUB-07: `cancel: {}` is the only right; ``{}``, null and never supplied mean none."""
    assert not only(after(subagent())).may_cancel
    assert only(after(subagent(capabilities=capabilities))).may_cancel is right


def test_capabilities_are_swapped_whole():
    """SUB-07, PATCH-03."""
    session = after(subagent(capabilities={"cancel": {}}))
    assert not only(after(subagent(capabilities={}), onto=session)).may_cancel
    assert not only(after(subagent(capabilities=None), onto=session)).may_cancel
    assert only(after(subagent(title="x"), onto=session)).may_cancel


def test_malformed_capabilities_keep_the_old_rights():
    """CONF-27: the annotation says absent; `cancel: true` is no right."""
    session = after(subagent(capabilities={"cancel": {}}))
    kept, intents = fold(subagent(capabilities=[]), onto=session)
    assert only(kept).capabilities == SubagentSessionCapabilities(
        cancel=SessionCancelCapabilities()
    )
    assert codes(intents) == ("field-defaulted",)
    assert not only(fold(subagent(capabilities={"cancel": True}), onto=session)[0]).may_cancel


# Its work state (15.7)

IDLE = {"state": "idle"}
STATES = {
    "running": ({"state": "running"}, RunningStateUpdate()),
    "idle": (IDLE, IdleStateUpdate()),
    "idle after a turn": (
        {**IDLE, "stopReason": "end_turn"},
        IdleStateUpdate(stop_reason="end_turn"),
    ),
    "idle with usage": (
        {**IDLE, "usage": {"totalTokens": 3, "inputTokens": 1, "outputTokens": 2}},
        IdleStateUpdate(usage=Usage(total_tokens=3, input_tokens=1, output_tokens=2)),
    ),
    "idle after an error": (
        {**IDLE, "stopReason": "error", "error": {"code": 1, "message": "m"}},
        ErrorStopReason(stop_reason="error", error=Error(code=1, message="m")),
    ),
    "idle for an unknown reason": (
        {**IDLE, "stopReason": "_tired", "why": ["late"]},
        OtherStopReason(stop_reason="_tired", rest={"why": ["late"]}),
    ),
    "requires_action": ({"state": "requires_action"}, RequiresActionStateUpdate()),
    "unknown": ({"state": "unknown"}, UnknownStateUpdate()),
    "an open state": (
        {"state": "_asleep", "until": 5},
        OtherStateUpdate(state="_asleep", rest={"until": 5}),
    ),
}


@pytest.mark.parametrize(("sent", "state"), STATES.values(), ids=STATES)
def test_a_state_is_a_whole_snapshot(sent, state):
    """SUB-10, LENIENT-09: unknown states and stop reasons are kept with their payload."""
    assert only(after(subagent(state=sent))) == Subagent(session_id="child", state=state)


@pytest.mark.parametrize(("sent", "state"), STATES.values(), ids=STATES)
def test_a_newer_state_replaces_it_whole(sent, state):
    """15.7, SUB-10: stopReason, error and usage vanish with it."""
    held = after(subagent(state=STATES["idle after an error"][0]))
    assert only(after(subagent(state=sent), onto=held)) == Subagent(session_id="child", state=state)


@pytest.mark.parametrize("sent", [state for state, _ in STATES.values()], ids=STATES)
def test_repeats_are_idempotent(sent):
    """SUB-10: no double counting of usage or completions: nothing changes at all."""
    held = after(subagent(state=sent))
    assert after(subagent(state=sent), onto=held) is held


def test_null_is_unconfirmed():
    """15.7, SUB-11: not idle."""
    held = after(subagent(state={"state": "running"}))
    assert only(after(subagent(state=None), onto=held)) == Subagent(session_id="child", state=None)


@pytest.mark.parametrize("fields", [{}, {"state": "idle"}, {"state": {}}])
def test_an_omitted_or_malformed_state_changes_nothing(fields):
    """15.7: the same as before."""
    held = after(subagent(state={"state": "running"}))
    assert fold(subagent(**fields), onto=held)[0] is held


def test_unknown_changes_nothing_else():
    """SUB-11: it cancels, closes, resolves and revokes nothing."""
    held = after(subagent(capabilities={"cancel": {}}, title="T"))
    assert only(after(subagent(state={"state": "unknown"}), onto=held)) == Subagent(
        session_id="child",
        title="T",
        capabilities=SubagentSessionCapabilities(cancel=SessionCancelCapabilities()),
        state=UnknownStateUpdate(),
    )


UNCONFIRMED = Session(
    "s",
    timeline=timeline(
        Subagent(session_id="child", state=RunningStateUpdate(), state_confirmed=False)
    ),
)


@pytest.mark.parametrize("state", [RunningStateUpdate(), IdleStateUpdate(), None])
def test_a_live_snapshot_confirms(state):
    """15.7: from unconfirmed, with the last known one retained, to the confirmed snapshot."""
    session, _ = on_subagent_update(
        UNCONFIRMED, SubagentUpdate(session_id="child", state=state), ()
    )
    assert only(session) == Subagent(session_id="child", state=state, state_confirmed=True)


def test_other_patches_do_not_confirm():
    """15.7: an omitted state leaves it unconfirmed."""
    session = after(subagent(title="T"), onto=UNCONFIRMED)
    assert only(session) == Subagent(
        session_id="child", title="T", state=RunningStateUpdate(), state_confirmed=False
    )


def test_the_parents_turn_says_nothing_about_the_child():
    """SUB-12: neither its response nor completed tool calls."""
    held = after(subagent(state={"state": "running"}), call("t"), onto=prompted("Hi"))
    session = after(call_update("t", status="completed"), onto=held)
    session, _ = end_turn(session, 1, {"stopReason": "end_turn"})
    assert only(session) is only(held)


# Roots


@pytest.mark.parametrize("fields", [{"cwd": 5}, {"cwd": []}, {"additionalDirectories": "/a"}])
def test_malformed_roots_reject_the_update(fields):
    """SUB-14: root sets are a security boundary, `diag:update-dropped`."""
    held = after(subagent(title="T", cwd="/a", additionalDirectories=["/b"]))
    session, intents = fold(subagent(title="new", **fields), onto=held)
    assert session is held
    assert codes(intents) == ("update-dropped",)


def test_relative_roots_are_kept():
    """TOOL-12: kept with `diag:relative-path`, each for itself."""
    session, intents = fold(subagent(cwd="a", additionalDirectories=["/b", "c"]))
    assert only(session) == Subagent(
        session_id="child", cwd="a", additional_directories=("/b", "c")
    )
    assert intents == (
        noticed("relative-path", "'a' is relative; kept", path="cwd"),
        noticed("relative-path", "'c' is relative; kept", path="additionalDirectories"),
    )


def with_children():
    """A connection with a session, its child, and the child's own child."""
    connection, intents = watch(
        reported(subagent("child")),
        reported(subagent("grandchild"), "child"),
        onto=connected(ROOTED),
    )
    assert intents == ()
    return connection


def roots(connection):
    """The effective roots of the three sessions."""
    return {
        key: (connection.cwd_of(key), connection.additional_directories_of(key))
        for key in connection.sessions
    }


def test_unset_roots_are_inherited():
    """SUB-14: the parent's *effective* value, at any depth."""
    assert roots(with_children()) == dict.fromkeys(
        ("s", "child", "grandchild"), ("/work", ("/more",))
    )


def test_roots_are_inherited_independently():
    """SUB-14: ``[]`` is "none reported", which is not "inherited"; null goes back to that."""
    connection, _ = watch(
        reported(subagent("child", cwd="/own")),
        reported(subagent("grandchild", additionalDirectories=[]), "child"),
        onto=with_children(),
    )
    assert roots(connection) == {
        "s": ("/work", ("/more",)),
        "child": ("/own", ("/more",)),
        "grandchild": ("/own", ()),
    }
    connection, _ = watch(reported(subagent("child", cwd=None)), onto=connection)
    assert roots(connection)["grandchild"] == ("/work", ())


# The child session, as `observe` keeps it


def test_an_announcement_registers_the_child():
    """SUB-02: an empty model, with the immediate parent."""
    connection, intents = watch(reported(subagent("child", title="T")), onto=connected(SESSION))
    assert intents == ()
    assert dict(connection.sessions) == {
        "s": Session("s", timeline=timeline(Subagent(session_id="child", title="T"))),
        "child": Session("child", parent_id="s"),
    }


def test_later_updates_leave_the_child_alone():
    """SUB-02: they patch the association only."""
    before = with_children()
    connection, _ = watch(reported(subagent("child", title="T")), onto=before)
    assert connection.sessions["child"] is before.sessions["child"]
    assert only(connection.sessions["s"]).title == "T"


def test_traffic_before_the_announcement():
    """SUB-03: a provisional session without parent, told once; attached when announced."""
    connection, intents = watch(
        reported(agent("a", "a"), "child"),
        reported(agent("b", "a"), "child"),
        onto=connected(SESSION),
    )
    assert intents == (unannounced("child"),)
    child = connection.sessions["child"]
    assert child.parent_id is None
    connection, intents = watch(reported(subagent("child")), onto=connection)
    assert intents == ()
    assert connection.sessions["child"] == attrs.evolve(child, parent_id="s")


@pytest.mark.parametrize(
    "message",
    [
        permission(1, {"toolCallId": "t"}, session_id="child"),
        prompt(1, "Hi", session_id="child"),
    ],
    ids=["permission", "prompt"],
)
def test_requests_before_the_announcement(message):
    """SUB-03, 15.5: folded into a provisional session as well."""
    connection, intents = watch(message, onto=connected(SESSION))
    assert intents == (unannounced("child"),)
    assert connection.sessions["child"].parent_id is None


def test_a_second_parent_is_ignored():
    """SUB-04: one parent per child, for good."""
    before, _ = watch(reported(subagent("child")), onto=connected(SESSION, Session("other")))
    connection, intents = watch(reported(subagent("child", title="T"), "other"), onto=before)
    assert connection is before
    assert intents == (reparent("child", "other"),)


def test_a_second_parent_that_is_not_known_is_ignored():
    """SUB-04: no session is made of it."""
    before, _ = watch(reported(subagent("child")), onto=connected(SESSION))
    connection, intents = watch(reported(subagent("child"), "other"), onto=before)
    assert connection is before
    assert intents == (reparent("child", "other"),)


@pytest.mark.parametrize(
    ("child", "parent"), [("s", "child"), ("s", "grandchild"), ("child", "grandchild")]
)
def test_a_cycle_is_ignored(child, parent):
    """SUB-04: `diag:reparent`."""
    before = with_children()
    connection, intents = watch(reported(subagent(child), parent), onto=before)
    assert connection is before
    assert intents == (reparent(child, parent),)


def test_self_parenting_is_ignored():
    """SUB-04: the session stays as it is, and has no parent."""
    before = connected(SESSION)
    connection, intents = watch(reported(subagent("s")), onto=before)
    assert connection is before
    assert intents == (SELF,)


@pytest.mark.xfail(strict=True, reason="SUB-04: an ignored update makes a provisional session")
def test_self_parenting_of_an_unknown_session_is_ignored():
    """SUB-04: "ignore that update"."""
    connection, intents = watch(reported(subagent("s")))
    assert dict(connection.sessions) == {}
    assert intents == (SELF,)


def test_children_nest_to_any_depth():
    """SUB-04."""
    names = [f"child {depth}" for depth in range(20)]
    connection, intents = watch(
        *[reported(subagent(below), above) for above, below in pairwise(names)],
        onto=connected(Session(names[0], cwd="/work")),
    )
    assert intents == ()
    assert connection.cwd_of(names[-1]) == "/work"


def test_the_child_is_an_ordinary_session():
    """SUB-05: own timeline, plan, mode, config, usage, info; nothing is copied to the parent."""
    before = with_children()
    connection, intents = watch(
        *[
            reported(each, "child")
            for each in (
                agent("a", "a"),
                call("t"),
                update("plan", entries=[]),
                update("current_mode_update", currentModeId="m"),
                update("config_option_update", configOptions=[]),
                update("usage_update", used=1, size=2),
                update("session_info_update", title="own"),
                update("available_commands_update", availableCommands=[]),
            )
        ],
        onto=before,
    )
    assert intents == ()
    assert connection.sessions["s"] is before.sessions["s"]
    child = connection.sessions["child"]
    assert [entry.key for entry in child.timeline] == [
        ("subagent", "grandchild"),
        ("agent", "a"),
        ("tool_call", "t"),
    ]
    assert None not in (child.plan, child.modes, child.config_options, child.usage, child.title)


def test_labels_and_title_are_separate():
    """SUB-06: neither overwrites the other."""
    connection, _ = watch(
        reported(subagent("child", title="label", description="d")),
        reported(update("session_info_update", title="own"), "child"),
        reported(subagent("child", title="new label")),
        onto=connected(SESSION),
    )
    assert only(connection.sessions["s"]).title == "new label"
    assert connection.sessions["child"].title == "own"


def test_a_dropped_announcement_makes_nothing():
    """SUB-14, LENIENT-03: `update-dropped` alone."""
    before = connected(SESSION)
    connection, intents = watch(reported(subagent("child", cwd=5)), onto=before)
    assert connection is before
    assert codes(intents) == ("update-dropped",)


def test_costs_are_per_session():
    """SUB-13: nothing is added up over sessions."""
    cost = {"amount": 1, "currency": "USD"}
    connection, _ = watch(
        reported(update("usage_update", used=1, size=9, cost=cost)),
        reported(update("usage_update", used=2, size=9, cost=cost), "child"),
        onto=with_children(),
    )
    used = {key: s.usage and s.usage.used for key, s in connection.sessions.items()}
    assert used == {"s": 1, "child": 2, "grandchild": None}


def test_child_traffic_while_idle_changes_no_state():
    """15.7: background work is accepted."""
    before, _ = watch(reported(subagent("child", state={"state": "idle"})), onto=connected(SESSION))
    connection, intents = watch(reported(agent("a"), "child"), onto=before)
    assert intents == ()
    assert connection.sessions["s"] is before.sessions["s"]


def test_the_parents_response_leaves_the_child_alone():
    """SUB-12."""
    before, _ = watch(prompt(1, "Hi"), onto=with_children())
    connection, _ = watch(agent_answers(1, {"stopReason": "cancelled"}), onto=before)
    assert connection.sessions["child"] is before.sessions["child"]
