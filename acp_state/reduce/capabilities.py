"""Which updates need a capability of the client's (LENIENT-16)."""

from __future__ import annotations

from typing import Final

from acp_state.intents import Intent
from acp_state.model import Session
from acp_state.omitted import OMITTED
from acp_state.reduce.step import diagnose
from acp_state.schema import (
    CompactionSummaryChunk,
    CompactionUpdate,
    Notice,
    PlanRemoved,
    PlanUpdate,
    SessionMessage,
    SessionMessageChunk,
    SubagentUpdate,
)

NEEDS: Final[dict[type, tuple[str, str]]] = {
    PlanUpdate: ("plan", "PLAN-02"),
    PlanRemoved: ("plan", "PLAN-02"),
    Notice: ("session.notices", "NOTICE-01"),
    CompactionUpdate: ("session.compaction", "CMP-01"),
    CompactionSummaryChunk: ("session.compaction", "CMP-01"),
    SubagentUpdate: ("subagents", "SUB-01"),
    SessionMessage: ("subagents", "SMSG-01"),
    SessionMessageChunk: ("subagents", "SMSG-01"),
}
"""Update, path of its capability among the client's, and the rule that says so."""


def advertises(capabilities: object, path: str) -> bool:
    """Whether a capability is there: an object, or literally true (INIT-02).

    What was not told at all, because no ``initialize`` was seen, is held against nobody.
    """
    if capabilities is None:
        return True
    held: object = capabilities
    for name in path.split("."):
        held = getattr(held, name, None)
    return held is not None and held is not OMITTED and held is not False


def is_advertised(session: Session, path: str) -> bool:
    """Whether the client advertised the capability."""
    return advertises(session.client_capabilities, path)


def check_capability(session: Session, update: object) -> tuple[Intent, ...]:
    """The diagnostic for an update whose capability is missing; it is applied all the same."""
    need = NEEDS.get(type(update))
    if need is None or is_advertised(session, need[0]):
        return ()
    text = f"{type(update).__name__} needs {need[0]!r}, which was not advertised; applied"
    return (diagnose(session, "capability-violation", text, rule=need[1]),)
