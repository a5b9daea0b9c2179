"""Plans (section 12)."""

from __future__ import annotations

import pytest
from reduce.builders import SESSION, after, fold, noticed, prompted, update

from acp_state import Session
from acp_state.persistent import Map
from acp_state.reduce.turns import end_turn, request_cancel
from acp_state.schema import Plan, PlanEntry, PlanFile, PlanItems, PlanMarkdown

ONE = {"content": "one", "priority": "high", "status": "pending"}
TWO = {"content": "two", "priority": "low", "status": "completed", "_meta": {"k": 1}}
READ_ONE = PlanEntry(content="one", priority="high", status="pending")
READ_TWO = PlanEntry(content="two", priority="low", status="completed", meta={"k": 1})

PLANS = {
    "items": ({"entries": [ONE]}, PlanItems(plan_id="p", entries=(READ_ONE,))),
    "file": ({"uri": "file:///p"}, PlanFile(plan_id="p", uri="file:///p")),
    "markdown": ({"content": "# p"}, PlanMarkdown(plan_id="p", content="# p")),
}


def plan_update(kind, plan_id="p", **content):
    return update("plan_update", plan={"type": kind, "planId": plan_id, **content})


def test_there_is_no_plan_at_first():
    """PLAN-01, PLAN-03."""
    assert (SESSION.plan, dict(SESSION.plans)) == (None, {})


def test_a_plan_replaces_the_unnamed_plan_completely():
    """PLAN-01: the agent sends all entries each time, order significant."""
    session = after(
        update("plan", entries=[ONE], _meta={"a": 1}), update("plan", entries=[TWO, ONE])
    )
    assert session == Session("s", plan=Plan(entries=(READ_TWO, READ_ONE)))


def test_a_plan_without_entries_is_a_plan():
    """PLAN-01: ``entries: []``."""
    assert after(update("plan", entries=[ONE]), update("plan", entries=[])) == Session(
        "s", plan=Plan(entries=())
    )


@pytest.mark.parametrize("old", PLANS)
@pytest.mark.parametrize("new", PLANS)
def test_a_plan_update_replaces_the_plan_with_that_id(old, new):
    """PLAN-03: completely, including a change of type; other plans are untouched."""
    before = after(plan_update(old, **PLANS[old][0]), plan_update("file", "q", uri="u"))
    session = after(plan_update(new, **PLANS[new][0]), onto=before)
    expected = {"p": PLANS[new][1], "q": PlanFile(plan_id="q", uri="u")}
    assert session == Session("s", plans=Map.of(expected))
    assert session.plans["q"] is before.plans["q"]


def test_a_removed_plan_is_gone():
    """PLAN-04, TL-03: the one thing that removes anything."""
    session = after(
        plan_update("file", "p", uri="u"),
        plan_update("file", "q", uri="u"),
        update("plan_removed", planId="p"),
    )
    assert session == Session("s", plans=Map.of({"q": PlanFile(plan_id="q", uri="u")}))


def test_removing_an_unknown_plan_is_ignored():
    """PLAN-04: `diag:unknown-plan`."""
    before = after(plan_update("file", "p", uri="u"), update("plan_removed", planId="p"))
    session, intents = fold(update("plan_removed", planId="p"), onto=before)
    assert session is before
    assert intents == (noticed("unknown-plan", "there is no plan 'p'; ignored"),)


def test_a_removed_plan_can_come_anew():
    """PLAN-04, TL-04: a later `plan_update` with the id creates it, at the end."""
    session = after(
        plan_update("file", "p", uri="u"),
        plan_update("file", "q", uri="u"),
        update("plan_removed", planId="p"),
        plan_update("markdown", "p", content="c"),
    )
    assert list(session.plans.items()) == [
        ("q", PlanFile(plan_id="q", uri="u")),
        ("p", PlanMarkdown(plan_id="p", content="c")),
    ]


def test_the_unnamed_plan_is_no_identified_one():
    """PLAN-05: they live side by side; the unnamed one is not planId `main`."""
    session = after(update("plan", entries=[ONE]), plan_update("items", "main", entries=[TWO]))
    assert session == Session(
        "s",
        plan=Plan(entries=(READ_ONE,)),
        plans=Map.of({"main": PlanItems(plan_id="main", entries=(READ_TWO,))}),
    )
    session, _ = fold(update("plan_removed", planId="main"), onto=session)
    assert session == Session("s", plan=Plan(entries=(READ_ONE,)))


def test_plans_survive_the_turn_and_its_cancel():
    """PLAN-06: until replaced."""
    before = after(update("plan", entries=[ONE]), plan_update("file", uri="u"), onto=prompted("Hi"))
    session, _ = end_turn(request_cancel(before), 1, {"stopReason": "cancelled"})
    assert session.plan is before.plan
    assert session.plans is before.plans


@pytest.mark.parametrize(
    "sent", [update("plan", entries=[TWO]), *[plan_update(k, **PLANS[k][0]) for k in PLANS]]
)
def test_an_equal_plan_changes_nothing(sent):
    """Design, contract 5: the very same session."""
    before = after(sent)
    assert after(sent, onto=before) is before
