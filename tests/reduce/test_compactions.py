"""Context compactions (section 9), and what may follow what (15.3)."""

from __future__ import annotations

from itertools import product

import pytest
from reduce.builders import (
    SESSION,
    after,
    agent,
    answered,
    chunks,
    codes,
    compaction,
    fold,
    noticed,
    prompted,
    replaying,
    said,
    summary,
    text,
    thought,
    timeline,
    update,
)

from acp_state import Compaction, Session
from acp_state.reduce.turns import ask_to_cancel

KNOWN = ("in_progress", "completed", "failed", "cancelled")
STATUSES = (*KNOWN, "_paused", "")
TERMINAL = {"completed", "failed", "cancelled"}


def only(session):
    """The one compaction."""
    [found] = session.compactions.values()
    return found


def texts(session):
    """The texts of the chunks of its summary."""
    return [chunk.content.text for chunk in only(session).chunks]


def transition(old, new):
    return noticed("compaction-transition", f"compaction 'c' went from {old} to {new}; applied")


def misplaced(name, status):
    text = f"compaction 'c': {name} with status {status}; applied"
    return noticed("compaction-field-status", text, path=name)


FIRST = noticed("compaction-chunk-first", "compaction 'c' was not announced; the chunk is appended")


def late(status):
    return noticed("compaction-chunk-late", f"compaction 'c' is {status}; the chunk is appended")


# The entity


def test_one_entity_for_each_id():
    """CMP-02, TL-01: position fixed by the first update; the ids are opaque."""
    session = after(compaction("c"), agent("a", "a"), compaction("C"), compaction("c", "completed"))
    assert session == Session(
        "s",
        timeline=timeline(
            Compaction(compaction_id="c", status="completed"),
            said("agent", "a", message_id="a"),
            Compaction(compaction_id="C", status="in_progress"),
        ),
        id_style="with_id",
    )


def test_it_belongs_to_the_turn_in_which_it_was_first_seen():
    """TL-01: as every entry; by an update or by a chunk."""
    session, _ = fold(compaction("c"), summary("x", "d"), onto=prompted("Hi"))
    assert [found.turn for found in session.compactions.values()] == [0, 0]


def test_status_is_required_on_every_update():
    """CMP-03: including metadata-only patches."""
    before = after(compaction("c"))
    sent = update("compaction_update", compactionId="c", _meta={"a": 1})
    session, intents = fold(sent, onto=before)
    assert session is before
    assert codes(intents) == ("update-dropped",)


# 15.3


@pytest.mark.parametrize("status", STATUSES)
def test_none_update(status):
    """15.3, CMP-07: any status may come first, a terminal one in replay."""
    assert fold(compaction("c", status)) == (
        Session("s", timeline=timeline(Compaction(compaction_id="c", status=status))),
        (),
    )


def test_none_chunk():
    """15.3, CMP-06, CONF-04: `in_progress` is implied."""
    assert fold(summary("a")) == (
        Session("s", timeline=timeline(Compaction(compaction_id="c", chunks=chunks("a")))),
        (FIRST,),
    )
    assert only(fold(summary("a"))[0]).status == "in_progress"


@pytest.mark.parametrize("status", STATUSES)
def test_chunk(status):
    """15.3, CMP-06: appended in every status; late after an end; an unknown one is no end."""
    session, intents = fold(summary("a"), onto=after(compaction("c", status)))
    assert only(session) == Compaction(compaction_id="c", status=status, chunks=chunks("a"))
    assert intents == ((late(status),) if status in TERMINAL else ())


@pytest.mark.parametrize(("old", "new"), list(product(STATUSES, STATUSES)))
def test_step(old, new):
    """15.3, CMP-07: applied in receive order; another status after a terminal one is told."""
    session, intents = fold(compaction("c", new), onto=after(compaction("c", old)))
    assert only(session) == Compaction(compaction_id="c", status=new)
    assert intents == ((transition(old, new),) if old in TERMINAL and new != old else ())


def test_the_same_terminal_status_again_patches():
    """15.3: replay, or metadata; nothing is told."""
    session = after(
        compaction("c", "completed", summary=[text("a")]),
        compaction("c", "completed", meta={"k": 1}),
    )
    assert only(session) == Compaction(
        compaction_id="c", status="completed", chunks=chunks("a"), meta={"k": 1}
    )


# The summary


def test_chunks_append():
    """CMP-04: in receive order; chunk metadata is the chunk's own (PATCH-06)."""
    session = after(compaction("c"), summary("a", meta={"k": 1}), summary("b", meta=None))
    assert only(session) == Compaction(compaction_id="c", chunks=chunks(("a", {"k": 1}), "b"))


def test_a_concrete_summary_replaces_and_chunks_append_to_it():
    """CMP-04: it replaces everything accumulated; later chunks append to the replacement."""
    session, _ = fold(
        compaction("c"), summary("a"), summary("b"), compaction("c", summary=[text("x"), text("y")])
    )
    assert texts(session) == ["x", "y"]
    assert texts(fold(summary("z"), onto=session)[0]) == ["x", "y", "z"]


@pytest.mark.parametrize("cleared", [None, []], ids=["null", "[]"])
@pytest.mark.parametrize("status", KNOWN)
def test_null_and_empty_clear(status, cleared):
    """CMP-04: also partial output before failure or cancellation; chunks go on from there."""
    session = after(compaction("c"), summary("a"), compaction("c", status, summary=cleared))
    assert only(session) == Compaction(compaction_id="c", status=status)
    assert texts(fold(summary("b"), onto=session)[0]) == ["b"]


def test_completed_without_a_summary_keeps_what_was_streamed():
    """CMP-05."""
    session = after(compaction("c"), summary("a"), compaction("c", "completed"))
    assert only(session) == Compaction(compaction_id="c", status="completed", chunks=chunks("a"))


def test_completed_with_a_summary_is_authoritative():
    """CMP-05: the array replaces what was streamed."""
    session = after(
        compaction("c"), summary("a"), compaction("c", "completed", summary=[text("b")])
    )
    assert only(session) == Compaction(compaction_id="c", status="completed", chunks=chunks("b"))


def test_a_materialised_entry_replaces_what_is_held():
    """CMP-09: a concrete summary replaces, an omitted one keeps; no implicit reset (PATCH-07)."""
    held = after(
        compaction("c"), summary("a"), summary("b"), compaction("c", "completed", meta={"k": 1})
    )
    again = after(compaction("c", "completed", summary=[text("ab")]), onto=held)
    assert only(again) == Compaction(
        compaction_id="c", status="completed", chunks=chunks("ab"), meta={"k": 1}
    )
    assert after(compaction("c", "completed"), onto=held) is held


# What goes with which status (CONF-06)

FIELDS = {
    "error": {"error": "e"},
    "summary": {"summary": [text("a")]},
    "error and summary": {"error": "e", "summary": [text("a")]},
}


@pytest.mark.parametrize("status", KNOWN)
@pytest.mark.parametrize("fields", FIELDS.values(), ids=FIELDS)
def test_fields_that_a_status_does_not_allow(status, fields):
    """CONF-06: `error` only with `failed`, a non-empty `summary` only with `completed`."""
    session, intents = fold(compaction("c", status, **fields))
    found = only(session)
    assert found.error == fields.get("error")
    assert found.text == ("a" if "summary" in fields else "")
    allowed = {"failed": "error", "completed": "summary"}.get(status)
    assert intents == tuple(
        misplaced(name, status)
        for name in ("error", "summary")
        if name in fields and name != allowed
    )


@pytest.mark.parametrize("fields", FIELDS.values(), ids=FIELDS)
def test_unknown_statuses_allow_all_fields(fields):
    """15.3, CMP-03: no lifecycle is inferred from them."""
    assert fold(compaction("c", "_paused", **fields))[1] == ()


@pytest.mark.parametrize("status", KNOWN)
def test_no_values_go_with_every_status(status):
    """CONF-06: only a *non-empty* summary; clearing an error is no error."""
    assert fold(compaction("c", status, summary=[], error=None))[1] == ()
    assert fold(compaction("c", status, summary=None))[1] == ()


def test_an_empty_error_is_an_error():
    """CONF-06, LENIENT-13: the empty string is a valid string, so a concrete value."""
    session, intents = fold(compaction("c", "completed", error=""))
    assert only(session).error == ""
    assert intents == (misplaced("error", "completed"),)


def test_a_step_is_told_before_its_fields():
    """CMP-07, CONF-06: both, in order."""
    _, intents = fold(
        compaction("c", "failed", summary=[text("a")]), onto=after(compaction("c", "completed"))
    )
    assert intents == (transition("completed", "failed"), misplaced("summary", "failed"))


# After a loss, and in a replay

UNCONFIRMED = Session("s", timeline=timeline(Compaction(compaction_id="c", confirmed=False)))


@pytest.mark.parametrize("status", ["in_progress", "completed"])
def test_an_update_confirms(status):
    """CMP-08: what was unconfirmed since the connection was lost is known again."""
    assert only(after(compaction("c", status), onto=UNCONFIRMED)) == Compaction(
        compaction_id="c", status=status, confirmed=True
    )


def test_a_chunk_says_nothing_of_the_status():
    """CMP-08: only an update has one."""
    assert only(after(summary("a"), onto=UNCONFIRMED)) == Compaction(
        compaction_id="c", chunks=chunks("a"), confirmed=False
    )


HELD = after(
    agent("a", "a"),
    compaction("c"),
    summary("a"),
    compaction("c", "completed", meta={"k": 1}),
    onto=prompted("Hi"),
)


def test_a_replay_resets_nothing():
    """LOAD-07, CMP-09: what an entry omits keeps what was held, also the turn; its place is new."""
    built, intents = replaying(compaction("d"), compaction("c", "completed"), onto=HELD)
    assert built == timeline(Compaction(compaction_id="d", turn=0), only(HELD))
    assert intents == ()


def test_a_summary_in_a_replay_replaces():
    """LOAD-07: a concrete one."""
    built, intents = replaying(compaction("c", "completed", summary=[text("b")]), onto=HELD)
    assert built == timeline(
        Compaction(compaction_id="c", status="completed", chunks=chunks("b"), meta={"k": 1}, turn=0)
    )
    assert intents == ()


def told_in_replay(state):
    text = f"compaction 'c' {state}; the chunk is appended"
    return noticed("compaction-chunk-replay", text)


def test_a_summary_chunk_in_a_replay():
    """LOAD-07: it appends, to what was held as well, and is a breach in any status."""
    built, intents = replaying(summary("b"), compaction("c", "completed"), summary("c"), onto=HELD)
    assert built == timeline(
        Compaction(
            compaction_id="c",
            status="completed",
            chunks=chunks("a", "b", "c"),
            meta={"k": 1},
            turn=0,
        )
    )
    assert intents == (told_in_replay("was not announced"), told_in_replay("is completed"))


# What it is not


def test_a_cancel_lays_no_overlay():
    """CMP-08: the agent reports `cancelled` itself."""
    session = ask_to_cancel(after(compaction("c"), onto=prompted("Hi")))
    assert only(session) == Compaction(compaction_id="c", turn=0)
    ended, _ = answered(session, "cancelled")
    assert only(ended) == Compaction(compaction_id="c", turn=0)


def test_usage_and_compaction_are_independent():
    """CMP-10: neither implies the other."""
    usage = update("usage_update", used=1, size=2)
    session = after(usage, compaction("c", "completed"), usage)
    assert session.usage == after(usage).usage
    assert session.timeline == after(compaction("c", "completed")).timeline


def test_an_ordinary_message_about_it_is_an_ordinary_message():
    """CMP-11: plain conversation content, never recognised specially."""
    session = after(agent("Context compacted.", "m"), thought("## Retained context", "n"))
    assert session.timeline == timeline(
        said("agent", "Context compacted.", message_id="m"),
        said("thought", "## Retained context", message_id="n"),
    )
    assert len(session.compactions) == 0


def test_the_summary_is_no_message():
    """CMP-11: a message and a compaction of one id are two things."""
    session, _ = fold(agent("a", "c"), compaction("c"), summary("s"), onto=SESSION)
    assert session.timeline == timeline(
        said("agent", "a", message_id="c"), Compaction(compaction_id="c", chunks=chunks("s"))
    )
