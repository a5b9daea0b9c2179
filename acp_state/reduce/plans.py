"""Plans: each report replaces its plan whole (PLAN)."""

from __future__ import annotations

from acp_state.model import Session
from acp_state.model.copying import evolve
from acp_state.reduce.step import Faults, Step, diagnose
from acp_state.schema import Plan, PlanRemoved, PlanUpdate


def on_plan(session: Session, plan: Plan, _: Faults) -> Step:
    """Replace the unnamed plan (PLAN-01)."""
    return (session if plan == session.plan else evolve(session, plan=plan)), ()


def on_plan_update(session: Session, update: PlanUpdate, _: Faults) -> Step:
    """Replace the plan with that id, whatever its type was (PLAN-03)."""
    if session.plans.get(update.plan.plan_id) == update.plan:
        return session, ()
    return evolve(session, plans=session.plans.set(update.plan.plan_id, update.plan)), ()


def on_plan_removed(session: Session, update: PlanRemoved, _: Faults) -> Step:
    """Remove the plan with that id (PLAN-04)."""
    if update.plan_id not in session.plans:
        text = f"there is no plan {update.plan_id!r}; ignored"
        return session, (diagnose(session, "unknown-plan", text),)
    return evolve(session, plans=session.plans.remove(update.plan_id)), ()
