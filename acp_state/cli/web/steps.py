"""What each message changes, as operations that the page applies and takes back.

An operation is a list that begins with its name:

- ``["session", id, fields]``: these fields of the session are now so; it may be new.
- ``["gone", id]``: the session is gone.
- ``["set", id, list, at, fields]``: likewise for an item of the session's ``entries``, ``turns``,
  ``permissions`` (at a position) or ``terminals`` (at a key).
- ``["cut", id, list, length]``: the list is shorter now.
- ``["text", id, at, kept, text]``: text was appended to what the entry says; where ``kept`` is -1,
  the last character is replaced.
- ``["output", id, at, text]``: text was appended to the output of a terminal.
- ``["note", id or null, fields]``: a diagnostic, a notice or a question, at the end of what the
  session holds.

So the page holds every change once, however many messages there are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final, TypeAlias

from acp_state.changes import Change, SessionChanges, changes
from acp_state.cli.show_header import header_rows
from acp_state.cli.web.entries import (
    Json,
    entry_json,
    permission_json,
    terminal_json,
    turn_json,
)
from acp_state.diagnostics import Diagnostic
from acp_state.intents import Diagnose, Intent, ShowNotice
from acp_state.model import Elicitation, Session
from acp_state.model.connection import Connection
from acp_state.schema import Cost, PlanEntry, PlanFile, PlanItems, PlanUpdateContent, TextContent

Op: TypeAlias = list[Any]

_SEQUENCES: Final[tuple[tuple[str, Callable[[Any], Json]], ...]] = (
    ("entries", entry_json),
    ("turns", turn_json),
    ("permissions", permission_json),
    ("terminals", terminal_json),
)

_APART: Final = frozenset({"usage", "id"})
"""Rows of the header that are told apart from the others."""


def operations(old: Connection, new: Connection, intents: tuple[Intent, ...]) -> Iterator[Op]:
    """What a message changed."""
    differing = changes(old, new)
    for session_id, found in differing.sessions.items():
        if found.after is None:
            yield ["gone", session_id]
        else:
            yield from _in_session(session_id, found, found.after, old, new)
    for asked in differing.elicitations:
        if asked.before is None and asked.after is not None:
            yield ["note", asked.after.session_id, _question(asked.after)]
    for intent in intents:
        if isinstance(intent, Diagnose):
            yield ["note", intent.diagnostic.session_id, _diagnostic(intent.diagnostic)]
        elif isinstance(intent, ShowNotice):
            yield ["note", intent.session_id, _notice(intent)]


def _in_session(
    session_id: str, found: SessionChanges, after: Session, old: Connection, new: Connection
) -> Iterator[Op]:
    if found.slots or found.plans or found.before is None:
        before = {} if found.before is None else _session(found.before, old)
        yield from _set(["session", session_id], before, _session(after, new))
    for name, as_json in _SEQUENCES:
        for change in getattr(found, name):
            yield from _in_list(session_id, name, as_json, change)


def _in_list(
    session_id: str, name: str, as_json: Callable[[Any], Json], change: Change[Any, Any]
) -> Iterator[Op]:
    if change.after is None:
        if name != "terminals":
            yield ["cut", session_id, name, change.at]
        return
    grown = _grown(session_id, name, change)
    if grown is not None:
        yield grown
        return
    before = {} if type(change.before) is not type(change.after) else as_json(change.before)
    yield from _set(["set", session_id, name, change.at], before, as_json(change.after))


def _grown(session_id: str, name: str, change: Change[Any, Any]) -> Op | None:
    """The operation for what only grew; None: more has changed."""
    appended = change.appended
    if appended is None:
        return None
    if name == "terminals":
        return ["output", session_id, change.at, appended.text]
    is_text = all(isinstance(chunk.content, TextContent) for chunk in appended.chunks)
    return ["text", session_id, change.at, appended.kept or 0, appended.text] if is_text else None


def _set(op: Op, before: Json, after: Json) -> Iterator[Op]:
    """The operation with the fields that differ; none, if none does."""
    fields = {
        key: value for key, value in after.items() if key not in before or before[key] != value
    }
    if fields:
        yield [*op, fields]


def _session(session: Session, connection: Connection) -> Json:
    known = session.session_id in connection.sessions
    rows = header_rows(session, connection) if known else iter(())
    usage = session.usage
    return {
        "title": session.title,
        "parent": session.parent_id,
        "rows": [list(row) for row in rows if row[0] not in _APART],
        "used": None if usage is None else usage.used,
        "size": None if usage is None else usage.size,
        "cost": None if usage is None or usage.cost is None else _cost(usage.cost),
        "plans": list(_plans(session)),
        "running": len(session.running),
    }


def _cost(cost: Cost) -> str:
    return f"{round(cost.amount, 6)} {cost.currency}"


def _plans(session: Session) -> Iterator[Json]:
    if session.plan is not None:
        yield {"name": "Plan", "tasks": _tasks(session.plan.entries)}
    for plan_id, plan in session.plans.items():
        yield {"name": f"Plan {plan_id}", **_plan(plan)}


def _plan(plan: PlanUpdateContent) -> Json:
    if isinstance(plan, PlanItems):
        return {"tasks": _tasks(plan.entries)}
    return {"text": plan.uri if isinstance(plan, PlanFile) else plan.content}


def _tasks(entries: tuple[PlanEntry, ...]) -> list[list[str]]:
    return [[entry.status, entry.content] for entry in entries]


def _question(asked: Elicitation) -> Json:
    text = asked.message if asked.url is None else f"{asked.message} {asked.url}"
    return {"severity": "question", "title": f"A {asked.mode} for the user", "text": text}


def _diagnostic(diagnostic: Diagnostic) -> Json:
    return {
        "severity": diagnostic.severity,
        "title": f"{diagnostic.rule} {diagnostic.code}",
        "text": diagnostic.text,
    }


def _notice(intent: ShowNotice) -> Json:
    notice = intent.notice
    text = notice.description if isinstance(notice.description, str) else ""
    return {"severity": notice.severity, "title": f"Notice: {notice.title}", "text": text}
