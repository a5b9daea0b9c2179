"""Plans: the unnamed one, and those with an id.

Source: protocol v1 draft, Agent Plan; ``$defs``: Plan, PlanUpdate, PlanRemoved and what they hold.
"""

from typing import Final, Literal, TypeAlias

from attrs import field

from acp_state.json_values import JsonObject, freeze_meta
from acp_state.omitted import OMITTED, Omitted
from acp_state.records import frozen
from acp_state.schema.wire import TaggedUnion, wire

PlanEntryPriority: TypeAlias = Literal["high", "medium", "low"]

PlanEntryStatus: TypeAlias = Literal["pending", "in_progress", "completed"]


@frozen(kw_only=True)
class PlanEntry:
    """One task of a plan; it has no id, its place in the list is its identity (PLAN-06)."""

    content: str
    priority: PlanEntryPriority
    status: PlanEntryStatus
    meta: JsonObject | None | Omitted = field(default=OMITTED, converter=freeze_meta)


@frozen(kw_only=True)
class Plan:
    """The unnamed plan, whole each time (PLAN-01)."""

    entries: tuple[PlanEntry, ...] = field(metadata=wire(lenient=True, skip_items=True))
    meta: JsonObject | None | Omitted = field(default=OMITTED, converter=freeze_meta)


@frozen(kw_only=True)
class PlanItems:
    """A plan with an id, as a list of entries."""

    plan_id: str = field(metadata=wire(identifies=True))
    entries: tuple[PlanEntry, ...] = field(metadata=wire(lenient=True, skip_items=True))
    meta: JsonObject | None | Omitted = field(default=OMITTED, converter=freeze_meta)


@frozen(kw_only=True)
class PlanFile:
    """A plan with an id, as a file."""

    plan_id: str = field(metadata=wire(identifies=True))
    uri: str
    meta: JsonObject | None | Omitted = field(default=OMITTED, converter=freeze_meta)


@frozen(kw_only=True)
class PlanMarkdown:
    """A plan with an id, as Markdown."""

    plan_id: str = field(metadata=wire(identifies=True))
    content: str
    meta: JsonObject | None | Omitted = field(default=OMITTED, converter=freeze_meta)


PlanUpdateContent: TypeAlias = PlanItems | PlanFile | PlanMarkdown

PLAN_UPDATE_CONTENT: Final = TaggedUnion(
    tag="type", variants={"items": PlanItems, "file": PlanFile, "markdown": PlanMarkdown}
)


@frozen(kw_only=True)
class PlanUpdate:
    """Replaces the plan with that id, whatever its type was (PLAN-03)."""

    plan: PlanUpdateContent
    meta: JsonObject | None | Omitted = field(default=OMITTED, converter=freeze_meta)


@frozen(kw_only=True)
class PlanRemoved:
    """Removes the plan with that id (PLAN-04)."""

    plan_id: str = field(metadata=wire(identifies=True))
    meta: JsonObject | None | Omitted = field(default=OMITTED, converter=freeze_meta)
