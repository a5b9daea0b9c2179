"""What is known of a session beside its conversation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final

from acp_state.cli.limits import SHORT, Limits
from acp_state.cli.page import BLANK, Line, line, lines
from acp_state.cli.safe_text import one_line
from acp_state.cli.show_entry import state_text
from acp_state.model import ContextUsage, Session
from acp_state.model.connection import Connection
from acp_state.schema import (
    AvailableCommand,
    PlanEntry,
    PlanFile,
    PlanItems,
    PlanUpdateContent,
    SessionConfigBoolean,
    SessionConfigOption,
    SessionConfigSelectGroup,
)

MARGIN: Final = 14
NAMED_COMMANDS: Final = 5
ABSURD: Final = 1 << 63
"""No share of a context is worked out from numbers that large."""

_CHECKS: Final = {"completed": "[x]", "in_progress": "[>]", "pending": "[ ]"}


def show_header(session: Session, connection: Connection, limits: Limits) -> Iterator[Line]:
    """The header: a row for each thing that is known."""
    title = one_line(session.title or "(no title)", limits.title)
    yield line(("== ", "dim"), (f"Session {title}", "bold"), rule="=")
    for name, value in header_rows(session, connection):
        yield _row(name, one_line(value, limits.title))
    yield from _show_plans(session, limits)


def show_peers(connection: Connection) -> Iterator[Line]:
    """Who talks to whom, as far as they said."""
    sides = (("agent", connection.agent_info), ("client", connection.client_info))
    named = [f"{side} {info.name} {info.version}" for side, info in sides if info is not None]
    if named:
        named.append(f"protocol version {connection.protocol_version}")
        yield line(one_line(", ".join(named), SHORT.title), style="dim")
        yield BLANK


def header_rows(session: Session, connection: Connection) -> Iterator[tuple[str, str]]:
    """A name and a text for each thing that is known of a session."""
    yield "id", session.session_id
    if session.parent_id is not None:
        yield "parent", session.parent_id
        yield from _association(session, connection.sessions.get(session.parent_id))
    if session.forked_from is not None:
        yield "forked", f"from {session.forked_from}"
    if session.readiness != "ready":
        yield "is", session.readiness
    yield "cwd", connection.cwd_of(session.session_id) or "not known"
    for root in connection.additional_directories_of(session.session_id) or ():
        yield "also", root
    yield from _mode(session)
    for option in session.config_options or ():
        if option.category != "mode":
            yield "option", f"{option.name}: {_chosen(option)}"
    if session.usage is not None:
        yield "usage", _usage(session.usage)
    if session.available_commands:
        yield "commands", _commands(session.available_commands)
    if session.updated_at is not None:
        yield "updated", session.updated_at


def _association(session: Session, parent: Session | None) -> Iterator[tuple[str, str]]:
    """What the parent says of the session, unless only its replay does so far (SUB-06, LOAD-09)."""
    subagent = None if parent is None else parent.subagents.get(session.session_id)
    if subagent is None:
        return
    yield "state", state_text(subagent.state)
    if subagent.title is not None:
        yield "called", subagent.title


def _row(name: str, value: str) -> Line:
    return line(value, indent=MARGIN, label=f"   {name}", style="dim")


def _mode(session: Session) -> Iterator[tuple[str, str]]:
    """The option that is about the mode, if there is one, else the mode itself (CFG-03)."""
    options = [option for option in session.config_options or () if option.category == "mode"]
    if options:
        yield from (("mode", _chosen(option)) for option in options)
    elif session.modes is not None:
        current = session.modes.current_mode_id
        names = {mode.id: mode.name for mode in session.modes.available_modes}
        yield "mode", _named(names.get(current), current)


def _chosen(option: SessionConfigOption) -> str:
    if isinstance(option, SessionConfigBoolean):
        return "on" if option.current_value else "off"
    choices = chain.from_iterable(
        item.options if isinstance(item, SessionConfigSelectGroup) else (item,)
        for item in option.options
    )
    names = {choice.value: choice.name for choice in choices}
    return _named(names.get(option.current_value), option.current_value)


def _named(name: str | None, its_id: str) -> str:
    if name is None:
        return its_id
    return name if name.lower() == its_id.lower() else f"{name} ({its_id})"


def _usage(usage: ContextUsage) -> str:
    text = f"{usage.used:,} of {usage.size:,} tokens"
    if usage.size > 0 and max(usage.used, usage.size) < ABSURD:
        tenths = 1_000 * usage.used // usage.size
        text += f" ({tenths // 10}.{tenths % 10} %)"
    cost = usage.cost
    return text if cost is None else f"{text}, {round(cost.amount, 6)} {cost.currency}"


def _commands(commands: tuple[AvailableCommand, ...]) -> str:
    names = [f"/{command.name}" for command in commands[:NAMED_COMMANDS]]
    more = ["..."] if len(commands) > NAMED_COMMANDS else []
    return f"{len(commands)}: {', '.join(names + more)}"


def _show_plans(session: Session, limits: Limits) -> Iterator[Line]:
    if session.plan is not None:
        yield _row("plan", _progress(session.plan.entries))
        yield from _show_tasks(session.plan.entries, limits)
    for plan in session.plans.values():
        yield from _show_plan(plan, limits)


def _show_plan(plan: PlanUpdateContent, limits: Limits) -> Iterator[Line]:
    name = one_line(plan.plan_id, limits.title)
    if isinstance(plan, PlanItems):
        yield _row("plan", f"{name}, {_progress(plan.entries)}")
        yield from _show_tasks(plan.entries, limits)
    elif isinstance(plan, PlanFile):
        yield _row("plan", f"{name}, in {plan.uri}")
    else:
        yield _row("plan", f"{name}, as text")
        yield from lines(plan.content, limits.message, indent=MARGIN)


def _progress(entries: tuple[PlanEntry, ...]) -> str:
    done = sum(entry.status == "completed" for entry in entries)
    return f"{done} of {len(entries)} done" if entries else "empty"


def _show_tasks(entries: Iterable[PlanEntry], limits: Limits) -> Iterator[Line]:
    for entry in entries:
        label = f"{'':{MARGIN}}{_CHECKS[entry.status]} "
        priority = "" if entry.priority == "medium" else f"  ({entry.priority})"
        task = one_line(entry.content, limits.title)
        yield line(task, (priority, "dim"), indent=len(label), label=label)
