"""Tool calls (section 8), and what may follow what (15.2)."""

from __future__ import annotations

from itertools import product

import pytest
from reduce.builders import (
    SESSION,
    after,
    agent,
    answered,
    call,
    call_update,
    client_answers,
    codes,
    connected,
    fold,
    noticed,
    permission,
    prompt_entry,
    prompted,
    replaying,
    reported,
    text,
    timeline,
    watch,
)

from acp_state import Session, ToolCall
from acp_state.leniency import Fault
from acp_state.reduce.loading import begin_replay
from acp_state.reduce.tool_calls import (
    cancel_all_unfinished,
    cancel_unfinished,
    on_permission_tool_call,
    on_tool_call,
    unfinished_calls,
)
from acp_state.reduce.turns import ask_to_cancel
from acp_state.schema import (
    Content,
    Diff,
    Terminal,
    TextContent,
    ToolCallLocation,
    ToolCallUpdate,
)
from acp_state.schema import ToolCall as ToolCallAnnouncement

STATUSES = ("pending", "in_progress", "completed", "failed")
UPDATE_FIRST = noticed(
    "tool-update-first", "tool call 't' was not announced; created from the update"
)
AGAIN = noticed("duplicate-tool-call", "tool call 't' was announced again; reported in place")


def regress(old, new):
    return noticed("tool-status-regress", f"tool call 't' went from {old} to {new}; applied")


def only(session):
    """The one tool call."""
    [found] = session.tool_calls.values()
    return found


def ask(session, **fields):
    """The session after a permission request about the call, and the intents."""
    return on_permission_tool_call(session, ToolCallUpdate(tool_call_id="t", **fields), ())


# Announcing and updating


def test_the_first_tool_call_creates_the_call_with_defaults():
    """TOOL-01: kind `other`, status `pending`, no content, no locations."""
    session = after(call("t", title="T"))
    assert session == Session(
        "s",
        timeline=timeline(
            ToolCall(
                tool_call_id="t",
                title="T",
                name=None,
                kind="other",
                status="pending",
                content=(),
                locations=(),
                raw_input=None,
                raw_output=None,
                meta=None,
                cancelled=False,
                turn=None,
            )
        ),
    )


def test_an_update_patches_in_place():
    """TOOL-02, PATCH-02: what is not sent stays."""
    session = after(
        call("t", title="T", kind="edit", rawInput={"a": 1}), call_update("t", status="completed")
    )
    assert session.timeline == timeline(
        ToolCall(tool_call_id="t", title="T", kind="edit", status="completed", raw_input={"a": 1})
    )


def test_collections_are_overwritten_and_not_extended():
    """TOOL-02: content and locations are swapped whole."""
    session = after(
        call("t", content=[{"type": "terminal", "terminalId": "1"}], locations=[{"path": "/a"}]),
        call_update("t", content=[{"type": "terminal", "terminalId": "2"}]),
        call_update("t", locations=[{"path": "/b", "line": 1}, {"path": "/a"}]),
    )
    assert only(session) == ToolCall(
        tool_call_id="t",
        title="T",
        content=(Terminal(terminal_id="2"),),
        locations=(ToolCallLocation(path="/b", line=1), ToolCallLocation(path="/a")),
    )


def test_an_update_for_an_unknown_id_creates_the_call():
    """TOOL-03: with defaults and no title; agents do send only updates."""
    session, intents = fold(call_update("t", status="in_progress"))
    assert session.timeline == timeline(
        ToolCall(tool_call_id="t", title=None, status="in_progress", announced=False)
    )
    assert intents == (UPDATE_FIRST,)


def test_metadata_of_updates_merges_by_key():
    """PATCH-03: top-level keys replace one by one, a null removes its key; nothing goes deeper."""
    session = after(
        call("t", meta={"a": {"x": 1}, "b": 1, "c": None}),
        call_update("t", meta={"a": {"y": 2}, "b": None, "d": [1]}),
    )
    assert only(session).meta == {"a": {"y": 2}, "c": None, "d": [1]}


def test_other_objects_are_swapped_whole():
    """PATCH-03: `rawInput` and `rawOutput` are not merged."""
    session = after(
        call("t", rawInput={"a": 1}, rawOutput={"b": 1}),
        call_update("t", rawInput={"c": 1}, rawOutput=[]),
    )
    assert (only(session).raw_input, only(session).raw_output) == ({"c": 1}, [])


# A tool call that was announced before (TOOL-04)


def test_a_second_tool_call_is_a_report_in_place():
    """TOOL-04: title, kind, status, content and locations are replaced, by their defaults too.

    `name`, `rawInput` and `rawOutput` are replaced only if present, `_meta` is merged.
    """
    before = after(
        agent("a", "1"),
        call(
            "t",
            title="old",
            name="n",
            kind="edit",
            status="in_progress",
            content=[{"type": "terminal", "terminalId": "1"}],
            locations=[{"path": "/a"}],
            rawInput=1,
            rawOutput=2,
            meta={"a": 1, "b": 2},
        ),
        agent("b", "2"),
        onto=prompted("Hi"),
    )
    session, _ = answered(before)
    session, intents = fold(call("t", title="new", rawOutput=3, meta={"b": None}), onto=session)
    assert session.timeline[2] == ToolCall(
        tool_call_id="t", title="new", name="n", raw_input=1, raw_output=3, meta={"a": 1}, turn=0
    )
    assert intents == (regress("in_progress", "pending"), AGAIN)


@pytest.mark.parametrize(
    "first", ["update", "permission"], ids=["known from an update", "known from a request"]
)
def test_the_first_tool_call_of_a_known_id_resets_nothing(first):
    """TOOL-04: it sets the fields that it carries, without the diagnostic."""
    known = {"kind": "edit", "status": "in_progress", "rawInput": {"a": 1}}
    if first == "update":
        session, _ = fold(call_update("t", **known, meta={"a": 1}))
    else:
        session, _ = ask(
            SESSION, kind="edit", status="in_progress", raw_input={"a": 1}, meta={"a": 1}
        )
    session, intents = fold(call("t", title="T", locations=[], meta={"b": 1}), onto=session)
    assert session.timeline == timeline(
        ToolCall(
            tool_call_id="t",
            title="T",
            kind="edit",
            status="in_progress",
            raw_input={"a": 1},
            meta={"a": 1, "b": 1},
        )
    )
    assert intents == ()


def test_only_the_first_tool_call_after_an_update_resets_nothing():
    """TOOL-04: the next one is a report in place."""
    session, _ = fold(call_update("t", kind="edit"), call("t"))
    session, intents = fold(call("t"), onto=session)
    assert only(session) == ToolCall(tool_call_id="t", title="T")
    assert intents == (AGAIN,)


def test_a_report_that_changes_nothing_gives_the_very_same_session():
    """`apply_update`: an update that changes nothing gives the very same session."""
    before = after(call("t"))
    session, intents = fold(call("t"), onto=before)
    assert session is before
    assert intents == (AGAIN,)


# Status

UNEXPECTED = {
    ("in_progress", "pending"),
    ("completed", "pending"),
    ("completed", "in_progress"),
    ("completed", "failed"),
    ("failed", "pending"),
    ("failed", "in_progress"),
    ("failed", "completed"),
}


@pytest.mark.parametrize("status", STATUSES)
@pytest.mark.parametrize("carrier", ["tool_call", "tool_call_update", "permission"])
def test_first_status(carrier, status):
    """15.2: as given; `tool-update-first` for an update, not for a permission request."""
    if carrier == "permission":
        session, intents = ask(SESSION, status=status)
    else:
        session, intents = fold(
            {"tool_call": call, "tool_call_update": call_update}[carrier]("t", status=status)
        )
    assert only(session).status == status
    assert intents == ((UPDATE_FIRST,) if carrier == "tool_call_update" else ())


@pytest.mark.parametrize(("old", "new"), list(product(STATUSES, STATUSES)))
def test_step(old, new):
    """15.2, TOOL-06: any status may follow any, the agent's last word wins; odd steps are told."""
    session, intents = fold(call_update("t", status=new), onto=after(call("t", status=old)))
    assert session.timeline == timeline(ToolCall(tool_call_id="t", title="T", status=new))
    assert intents == ((regress(old, new),) if (old, new) in UNEXPECTED else ())


@pytest.mark.parametrize(("old", "new"), list(product(STATUSES, STATUSES)))
def test_step_by_a_second_announcement(old, new):
    """15.2, TOOL-04: the same steps."""
    session, intents = fold(call("t", status=new), onto=after(call("t", status=old)))
    assert only(session).status == new
    assert intents == ((regress(old, new), AGAIN) if (old, new) in UNEXPECTED else (AGAIN,))


@pytest.mark.parametrize(("old", "new"), list(product(STATUSES, STATUSES)))
def test_step_by_a_permission_request(old, new):
    """PERM-02: `status: pending` says that the call awaits approval; it is no step back."""
    session, intents = ask(after(call("t", status=old)), status=new)
    assert only(session).status == new
    odd = (old, new) in UNEXPECTED and new != "pending"
    assert intents == ((regress(old, new),) if odd else ())


@pytest.mark.parametrize("status", STATUSES)
def test_what_finished_means(status):
    """TOOL-05: `completed` or `failed`."""
    found = only(after(call("t", status=status)))
    assert found.is_finished == (status in {"completed", "failed"})
    assert found.effective_status == status


# The overlay (TOOL-07, TOOL-09)


def cancelled(*updates):
    """The session in which a turn with these updates was asked to be cancelled."""
    return ask_to_cancel(after(*updates, onto=prompted("Hi")))


@pytest.mark.parametrize("status", ["pending", "in_progress"])
def test_a_local_cancel_lays_the_overlay(status):
    """15.2, TOOL-07: the effective status is the overlay, the wire status stays."""
    found = only(cancelled(call("t", status=status)))
    assert found == ToolCall(tool_call_id="t", title="T", status=status, cancelled=True, turn=0)
    assert found.effective_status == "cancelled"


@pytest.mark.parametrize("status", STATUSES)
def test_a_valid_status_lifts_the_overlay(status):
    """15.2, TOOL-07: that status, overlay gone, nothing told."""
    session, intents = fold(call_update("t", status=status), onto=cancelled(call("t")))
    assert only(session) == ToolCall(tool_call_id="t", title="T", status=status, turn=0)
    assert intents == ()


def test_the_same_status_lifts_the_overlay():
    """TOOL-07: a valid status, whatever it is."""
    session = after(call_update("t", status="pending"), onto=cancelled(call("t")))
    assert only(session).effective_status == "pending"


def test_an_update_without_status_leaves_the_overlay():
    """15.2, TOOL-07: fields are patched; null and malformed are no status."""
    session, intents = fold(
        call_update("t", title="new"),
        call_update("t", status=None),
        call_update("t", status="done"),
        onto=cancelled(call("t")),
    )
    assert only(session) == ToolCall(tool_call_id="t", title="new", cancelled=True, turn=0)
    assert codes(intents) == ("field-defaulted",)


@pytest.mark.parametrize(
    ("fields", "status"), [({}, "cancelled"), ({"status": "pending"}, "pending")]
)
def test_a_second_announcement_under_the_overlay(fields, status):
    """TOOL-04, TOOL-07: the status by default is none that it carries."""
    session, intents = fold(call("t", **fields), onto=cancelled(call("t")))
    assert only(session).effective_status == status
    assert intents == (AGAIN,)


@pytest.mark.parametrize(
    ("fields", "status"), [({}, "cancelled"), ({"status": "in_progress"}, "in_progress")]
)
def test_a_permission_request_under_the_overlay(fields, status):
    """TOOL-07: as for any other patch."""
    session, intents = ask(cancelled(call("t")), **fields)
    assert only(session).effective_status == status
    assert intents == ()


SHOWN = noticed(
    "v1-cancelled-status",
    "tool call 't' is shown as cancelled; its status on the wire stays in_progress",
)
NOT_A_STATUS = noticed(
    "field-defaulted",
    "must be one of pending, in_progress, completed, failed, not 'cancelled'; counts as absent",
    path="status",
    raw="cancelled",
)


def test_wire_cancelled_on_an_update():
    """TOOL-09: malformed, so the status is unchanged; and the overlay is laid."""
    session, intents = fold(
        call_update("t", status="cancelled", title="new"),
        onto=after(call("t", status="in_progress")),
    )
    assert only(session) == ToolCall(
        tool_call_id="t", title="new", status="in_progress", cancelled=True
    )
    assert intents == (NOT_A_STATUS, SHOWN)


@pytest.mark.parametrize("make", [call, call_update])
def test_wire_cancelled_at_first_sight(make):
    """TOOL-09: `pending`, under the overlay."""
    session, intents = fold(make("t", status="cancelled"))
    found = only(session)
    assert (found.status, found.effective_status) == ("pending", "cancelled")
    assert codes(intents)[:2] == ("field-defaulted", "v1-cancelled-status")


@pytest.mark.parametrize("status", ["completed", "failed"])
def test_wire_cancelled_over_a_finished_call(status):
    """TOOL-09: the overlay is only for an unfinished call."""
    before = after(call("t", status=status))
    session, intents = fold(call_update("t", status="cancelled"), onto=before)
    assert session is before
    assert intents == (NOT_A_STATUS,)


def test_wire_cancelled_under_the_overlay():
    """TOOL-09: it stays, and is told again."""
    before = cancelled(call("t", status="in_progress"))
    session, intents = fold(call_update("t", status="cancelled"), onto=before)
    assert session is before
    assert intents == (NOT_A_STATUS, SHOWN)


def test_wire_cancelled_in_a_permission_request():
    """TOOL-09: also for the `toolCall` of a permission request."""
    asked, _ = watch(
        permission(1, {"toolCallId": "t", "status": "cancelled"}),
        onto=connected(after(call("t", status="in_progress"))),
    )
    assert only(asked.sessions["s"]) == ToolCall(
        tool_call_id="t", title="T", status="in_progress", cancelled=True
    )


def test_wire_cancelled_in_a_permission_request_is_malformed():
    """TOOL-09: with `field-defaulted` beside it."""
    _, intents = watch(
        permission(1, {"toolCallId": "t", "status": "cancelled"}),
        onto=connected(after(call("t", status="in_progress"))),
    )
    assert codes(intents) == ("field-defaulted", "v1-cancelled-status")


def test_another_malformed_status_is_no_cancel():
    """TOOL-09: only `cancelled`; and only in `status`."""
    before = after(call("t"))
    session, intents = fold(
        call_update("t", status="canceled", title={"status": "cancelled"}, kind="cancelled"),
        onto=before,
    )
    assert session is before
    assert codes(intents) == ("field-defaulted",) * 3


# Turns


def test_a_call_belongs_to_the_turn_in_which_it_was_first_seen():
    """TOOL-10: decided at first sight, by an update or a request as well; none: background."""
    session = after(call("0"))
    session, _ = fold(call("1"), call_update("2"), onto=prompted("Hi", onto=session))
    session, _ = on_permission_tool_call(session, ToolCallUpdate(tool_call_id="3"), ())
    session, _ = answered(session)
    session = prompted("Ho", request_id=2, onto=session)
    session, _ = fold(*[call(each) for each in "0123"], onto=session)
    assert [found.turn for found in session.tool_calls.values()] == [None, 0, 0, 0]


@pytest.mark.parametrize("late", [call_update("t", title="new"), call("t", title="new")])
def test_updates_after_the_response_are_accepted(late):
    """TOOL-08, TURN-06: `late-update` where the call's own turn was cancelled."""
    session, _ = answered(cancelled(call("t")), "cancelled")
    session, intents = fold(late, onto=session)
    assert only(session).title == "new"
    assert codes(intents)[0] == "late-update"


def test_updates_of_other_turns_are_not_late():
    """TURN-06: the turn of the call itself counts."""
    session, _ = answered(after(call("t"), onto=prompted("Hi")))
    session, _ = answered(prompted("Ho", request_id=2, onto=session), "cancelled", index=1)
    assert fold(call_update("t", status="completed"), onto=session)[1] == ()


def test_a_permission_request_can_be_late():
    """TURN-06: it patches the call like an update."""
    session, _ = answered(cancelled(call("t")), "cancelled")
    assert ask(session, title="new")[1] == (
        noticed("late-update", "tool call 't' belongs to a turn that was cancelled"),
    )


def test_a_permission_request_with_a_pending_status_can_be_late():
    """TURN-06, PERM-02: only `tool-status-regress` is left out for `status: pending`."""
    session, _ = answered(cancelled(call("t")), "cancelled")
    assert codes(ask(session, status="pending")[1]) == ("late-update",)


def test_unfinished_calls_of_a_turn():
    """CANCEL-02, TURN-07: those of the turn alone, wherever they stand."""
    session = after(call("background"))
    session = after(call("a"), call("done", status="failed"), onto=prompted("Hi", onto=session))
    session = after(call("b"), agent("x", "x"), onto=prompted("2", request_id=2, onto=session))
    assert [(at, c.tool_call_id) for at, c in unfinished_calls(session, 0)] == [(2, "a"), (5, "b")]
    assert unfinished_calls(session, 1) == []


def test_cancelling_leaves_all_else_as_it_is():
    """CANCEL-02: every other entry is the identical object; a second cancel changes nothing."""
    before = after(agent("x", "x"), call("a"), call("b", status="failed"), onto=prompted("Hi"))
    session = cancel_unfinished(before, 0)
    assert session.timeline == timeline(
        prompt_entry("Hi"),
        *before.timeline[1:2],
        ToolCall(tool_call_id="a", title="T", cancelled=True, turn=0),
        ToolCall(tool_call_id="b", title="T", status="failed", turn=0),
    )
    assert [session.timeline[at] is before.timeline[at] for at in range(4)] == [
        True,
        True,
        False,
        True,
    ]
    assert cancel_unfinished(session, 0) is session


def test_cancelling_while_history_is_replayed():
    """CANCEL-02, LOAD-10: on what is held and on what is built, and of that turn alone."""
    held = after(call("other"), onto=prompted("Hi"))
    held = after(call("held"), onto=prompted("2", request_id=2, onto=answered(held)[0]))
    before = after(call("held"), call("new"), onto=begin_replay(held))
    session = cancel_unfinished(before, 1)
    assert session.replay is not None
    both = (session.timeline, session.replay.built)
    cancelled = [
        {each.tool_call_id: each.cancelled for each in timeline if isinstance(each, ToolCall)}
        for timeline in both
    ]
    assert cancelled == [{"other": False, "held": True}, {"held": True, "new": True}]
    assert session.timeline is session.replay.held


def test_all_calls_of_a_child_can_be_cancelled():
    """CANCEL-02: for children on all unfinished calls, whatever turn they are of."""
    before = after(call("background"), call("done", status="completed"))
    before = after(agent("x", "x"), call("a"), onto=prompted("Hi", onto=before))
    session = cancel_all_unfinished(before)
    assert {name: each.cancelled for name, each in session.tool_calls.items()} == {
        "background": True,
        "done": False,
        "a": True,
    }
    kept = [old is new for old, new in zip(before.timeline, session.timeline, strict=True)]
    assert kept == [False, True, True, True, False]
    assert cancel_all_unfinished(session) is session
    assert cancel_all_unfinished(SESSION) is SESSION


# In a replay (LOAD-08)

HELD, _ = fold(
    call("t", title="T", kind="edit", status="in_progress", rawInput=1, meta={"k": 1}),
    onto=prompted("Hi"),
)
TOLD_AGAIN = ToolCall(tool_call_id="t", title="new", turn=0)


def test_an_announcement_in_a_replay_replaces_the_call():
    """LOAD-08: the whole of it but its turn, and no TOOL-04 or TOOL-06 diagnostic."""
    assert replaying(call("t", title="new"), onto=HELD) == (timeline(TOLD_AGAIN), ())
    assert replaying(call("t"), call("t", title="new"), onto=HELD) == (timeline(TOLD_AGAIN), ())


def test_an_update_in_a_replay_patches_what_was_held():
    """LOAD-08: it is no first sight, and no overlay is left."""
    held = cancelled(call("t", kind="edit", status="in_progress", rawInput=1, meta={"k": 1}))
    patched = ToolCall(
        tool_call_id="t",
        title="new",
        kind="edit",
        status="in_progress",
        raw_input=1,
        meta={"k": 1},
        turn=0,
        updated_in_replay=True,
    )
    assert replaying(call_update("t", title="new"), onto=held) == (timeline(patched), ())


def test_an_announcement_after_an_update_of_the_replay_resets_nothing():
    """LOAD-08: it sets the fields that it carries; metadata is merged."""
    sent = [call_update("t", status="completed"), call("t", title="new", meta={"l": 2})]
    assert replaying(*sent, onto=HELD) == (
        timeline(
            ToolCall(
                tool_call_id="t",
                title="new",
                kind="edit",
                status="completed",
                raw_input=1,
                meta={"k": 1, "l": 2},
                turn=0,
                updated_in_replay=True,
            )
        ),
        (),
    )


def test_a_call_that_is_new_in_a_replay():
    """LOAD-03: as in a plain fold, of the turn that runs if there is one."""
    built, intents = replaying(call_update("u"), call("v"), onto=HELD)
    assert built == timeline(
        ToolCall(tool_call_id="u", announced=False, turn=0, updated_in_replay=True),
        ToolCall(tool_call_id="v", title="T", turn=0),
    )
    assert intents == (
        noticed("tool-update-first", "tool call 'u' was not announced; created from the update"),
    )


def test_nothing_is_late_in_a_replay():
    """TURN-06, LOAD-02: it is history."""
    held, _ = answered(cancelled(call("t")), "cancelled")
    assert replaying(call_update("t", status="completed"), onto=held)[1] == ()


# Content


def test_a_terminal_is_a_bare_reference():
    """TOOL-11: an unknown terminal id is kept as it is."""
    found = only(after(call("t", content=[{"type": "terminal", "terminalId": "unknown"}])))
    assert found.content == (Terminal(terminal_id="unknown"),)


def test_diffs_and_locations():
    """TOOL-12: no `oldText` is a new file; a relative path is kept, and told."""
    session, intents = fold(
        call(
            "t",
            content=[
                {"type": "diff", "path": "/a", "newText": "", "oldText": None},
                {"type": "diff", "path": "b.py", "newText": "n", "oldText": "o"},
                {"type": "content", "content": text("x")},
            ],
            locations=[{"path": "C:\\x", "line": 1}, {"path": "./y"}],
        )
    )
    assert only(session).content == (
        Diff(path="/a", new_text="", old_text=None),
        Diff(path="b.py", new_text="n", old_text="o"),
        Content(content=TextContent(text="x")),
    )
    assert intents == (
        noticed("relative-path", "'b.py' is relative; kept", path="content[1].path"),
        noticed("relative-path", "'./y' is relative; kept", path="locations[1].path"),
    )


def test_name_and_title_are_two_things():
    """TOOL-13: `name` is kept as display metadata."""
    found = only(after(call("t", title="Read a file", name="read_file")))
    assert (found.name, found.title) == ("read_file", "Read a file")


def test_ids_are_scoped_to_their_session():
    """TOOL-15: equal ids in two sessions are unrelated."""
    connection, _ = watch(
        reported(call("t", title="parent")),
        reported(call("t", title="child"), "child"),
        onto=connected(SESSION, Session("child")),
    )
    titles = {key: only(session).title for key, session in connection.sessions.items()}
    assert titles == {"s": "parent", "child": "child"}


def test_a_permission_answer_does_not_change_the_status():
    """TOOL-14: wait for the agent."""
    option = {"optionId": "o", "name": "O", "kind": "allow_once"}
    asked, _ = watch(permission(1, {"toolCallId": "t"}, option), onto=connected(after(call("t"))))
    answer = {"outcome": {"outcome": "selected", "optionId": "o"}}
    chosen, intents = watch(client_answers(1, answer), onto=asked)
    session = chosen.sessions["s"]
    assert session.permissions[0].selected.option_id == "o"
    assert session.timeline is asked.sessions["s"].timeline
    assert intents == ()


def test_a_typed_announcement_needs_no_faults():
    """A host may fold a wire object of its own."""
    wire = ToolCallAnnouncement(tool_call_id="t", title="T")
    assert on_tool_call(SESSION, wire, ()) == (
        Session("s", timeline=timeline(ToolCall(tool_call_id="t", title="T"))),
        (),
    )


def test_a_fault_about_another_value_is_no_cancel():
    """TOOL-09: the fault's path is the status, its value `cancelled`."""
    fault = Fault(code="field-defaulted", rule="", path="title", text="", raw="cancelled")
    wire = ToolCallAnnouncement(tool_call_id="t", title="T")
    session, intents = on_tool_call(SESSION, wire, (fault,))
    assert (only(session).cancelled, intents) == (False, ())
