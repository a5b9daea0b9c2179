"""Session info, usage and notices (INFO, USAGE, NOTICE)."""

from __future__ import annotations

from acp_state.intents import Intent, ShowNotice
from acp_state.model import ContextUsage, Session
from acp_state.model.copying import evolve
from acp_state.reading import seen
from acp_state.reduce.patch import patch
from acp_state.reduce.step import Faults, Step, diagnose
from acp_state.schema import Notice, SessionInfoUpdate, UsageUpdate


def on_session_info_update(session: Session, update: SessionInfoUpdate, _: Faults) -> Step:
    """Patch title, time of last activity and metadata (INFO-01)."""
    return patch(session, update), ()


def on_usage_update(session: Session, update: UsageUpdate, _: Faults) -> Step:
    """Replace the numbers as sent; an omitted cost keeps what is known (USAGE-01, CONF-14).

    In a turn or outside of one (USAGE-04).
    """
    held = session.usage
    usage = patch(held or ContextUsage(used=update.used, size=update.size), update)
    if usage is held:
        return session, ()
    return evolve(session, usage=usage), _cost_decreased(session, held, usage)


def on_notice(session: Session, notice: Notice, _: Faults) -> Step:
    """Hand the notice out; it changes nothing (NOTICE-02, NOTICE-03)."""
    position = len(session.timeline)
    shown = ShowNotice(session_id=session.session_id, notice=notice, position=position)
    if session.replay is None:
        return session, (shown,)
    text = "a notice came while history was replayed; it is shown as live"
    return session, (diagnose(session, "notice-in-replay", text), shown)


def _cost_decreased(
    session: Session, held: ContextUsage | None, usage: ContextUsage
) -> tuple[Intent, ...]:
    old, new = held and held.cost, usage.cost
    if not old or not new or old.currency != new.currency or new.amount >= old.amount:
        return ()
    text = f"cost went from {seen(old.amount)} to {seen(new.amount)}; taken as sent"
    return (diagnose(session, "cost-decreased", text),)
