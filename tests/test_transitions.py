"""The state machines as tables (section 15)."""

from __future__ import annotations

from itertools import product
from typing import get_args

import pytest

from acp_state.diagnostics import DIAGNOSTIC_CODES
from acp_state.model import Readiness, TurnOutcome
from acp_state.model.connection import Phase
from acp_state.model.permission import PermissionOutcome
from acp_state.schema import ToolCallStatus
from acp_state.transitions import (
    CHILD_WORK,
    COMPACTION_CHUNK,
    COMPACTION_FIELDS,
    COMPACTION_TERMINAL,
    CONNECTION_PHASES,
    PERMISSION_ENDS,
    SESSION_LIFECYCLE,
    TOOL_CALL_STATUS,
    TURN_ENDS,
    ChildEvent,
    ConnectionEvent,
    PermissionEvent,
    SessionEvent,
    TurnEnd,
)

STATUSES = get_args(ToolCallStatus)


# 15.1: turns

OUTCOMES = """
by                     | running     | cancelling
stop reason            | ended       | ended
stop reason cancelled  | cancelled   | cancelled
error                  | failed      | cancelled
error -32800           | cancelled   | cancelled
connection lost        | interrupted | interrupted
closed                 | cancelled   | cancelled
"""
"""15.1, TURN-09: a reason after a cancel is recorded, an error after it is a cancelled end."""


def cells(table):
    """Row, column and cell of a table that is written out, empty cells left out."""
    header, *rows = (
        [cell.strip() for cell in line.split("|")] for line in filter(None, table.splitlines())
    )
    for row, *values in rows:
        for column, value in zip(header[1:], values, strict=True):
            if value:
                yield row, column, value


def test_ends_of_a_turn():
    """15.1: every end has a row from both states, and no other state has one."""
    assert {(state, by): outcome for by, state, outcome in cells(OUTCOMES)} == TURN_ENDS
    assert {by for _, by in TURN_ENDS} == set(get_args(TurnEnd))
    assert set(TURN_ENDS.values()) == set(get_args(TurnOutcome))


# 15.2: tool calls

EXPECTED_STEPS = {
    "pending": {"pending", "in_progress", "completed", "failed"},
    "in_progress": {"in_progress", "completed", "failed"},
    "completed": {"completed"},
    "failed": {"failed"},
}
"""15.2: what may follow what without a word; skipping `in_progress` is legal."""


def test_every_pair_of_statuses_has_a_row():
    """Style, section 5; TOOL-05: four known statuses, and any may follow any (TOOL-06)."""
    assert set(STATUSES) == {"pending", "in_progress", "completed", "failed"}
    assert TOOL_CALL_STATUS.keys() == set(product(STATUSES, STATUSES))


@pytest.mark.parametrize(("old", "new"), list(product(STATUSES, STATUSES)))
def test_step_of_a_tool_call(old, new):
    """15.2."""
    expected = None if new in EXPECTED_STEPS[old] else "tool-status-regress"
    assert TOOL_CALL_STATUS[old, new] == expected


# 15.3: compactions


def test_chunks_of_a_compaction():
    """15.3: in progress: append; terminal: late; unknown statuses have no row."""
    assert COMPACTION_CHUNK == {
        "in_progress": None,
        "completed": "compaction-chunk-late",
        "failed": "compaction-chunk-late",
        "cancelled": "compaction-chunk-late",
    }


def test_terminal_statuses_of_a_compaction():
    """CMP-07: exactly one of these ends it."""
    assert {"completed", "failed", "cancelled"} == COMPACTION_TERMINAL


def test_fields_of_a_compaction():
    """CONF-06: `error` only with `failed`, a summary only with `completed`."""
    assert {
        "in_progress": set(),
        "completed": {"summary"},
        "failed": {"error"},
        "cancelled": set(),
    } == COMPACTION_FIELDS


# 15.4: permission requests


def test_ends_of_a_permission_request():
    """15.4: a cancel, a close and a dismissal are answered alike."""
    expected = {
        "selected": "selected",
        "cancelled": "cancelled",
        "error": "failed",
        "$/cancel_request": "withdrawn",
        "connection lost": "dropped",
    }
    assert expected == PERMISSION_ENDS
    assert PERMISSION_ENDS.keys() == set(get_args(PermissionEvent))
    assert set(PERMISSION_ENDS.values()) == set(get_args(PermissionOutcome))


# 15.5: sessions

LIFECYCLE = """
from       |made |load sent|resume sent|attached|close sent|closed|deleted|lost
provisional|ready|loading  |resuming   |        |closing   |      |deleted|unattached
unattached |ready|loading  |resuming   |        |closing   |      |deleted|
closed     |ready|loading  |resuming   |        |closing   |      |deleted|unattached
ready      |     |loading  |resuming   |        |closing   |      |deleted|unattached
loading    |     |         |           |ready   |closing   |      |deleted|unattached
resuming   |     |         |           |ready   |closing   |      |deleted|unattached
closing    |     |         |           |        |          |closed|deleted|unattached
deleted    |ready|         |           |        |          |      |       |unattached
"""
"""15.5: what has no cell is not foreseen, and leaves the session where it is."""


def test_lifecycle_of_a_session():
    """15.5: errors have no row, as they lead back to where the session was."""
    assert {(old, event): new for old, event, new in cells(LIFECYCLE)} == SESSION_LIFECYCLE
    assert {event for _, event in SESSION_LIFECYCLE} == set(get_args(SessionEvent))
    states = {old for old, _ in SESSION_LIFECYCLE} | set(SESSION_LIFECYCLE.values())
    assert states == set(get_args(Readiness))


# 15.6: connections

PHASES = """
from         | initialize sent | initialized | unsupported version | failed | lost
new          | initializing    |             |                     |        | closed
initializing |                 | ready       | failed              | failed | closed
ready        |                 |             |                     |        | closed
failed       | initializing    |             |                     |        | closed
closed       |                 |             |                     |        |
"""
"""15.6: what has no cell is not foreseen, and leaves the connection where it is."""


def test_phases_of_a_connection():
    """15.6: `initialize` may be sent again after it failed."""
    assert {(old, event): new for old, event, new in cells(PHASES)} == CONNECTION_PHASES
    assert {event for _, event in CONNECTION_PHASES} == set(get_args(ConnectionEvent))
    phases = {old for old, _ in CONNECTION_PHASES} | set(CONNECTION_PHASES.values())
    assert phases == set(get_args(Phase))


# 15.7: work of children


def test_work_of_a_child():
    """15.7, SUB-11, SUB-17: only what is told live is asserted, that nothing is known included."""
    expected = {
        "snapshot": ("new", True),
        "replayed snapshot": ("new", False),
        "null": ("none", True),
        "connection lost": ("held", False),
        "attach sent": ("held", False),
        "parent closed": ("held", False),
    }
    assert expected == CHILD_WORK
    assert CHILD_WORK.keys() == set(get_args(ChildEvent))


def test_every_diagnostic_of_a_table_has_a_code():
    """Section 23."""
    codes = {*TOOL_CALL_STATUS.values(), *COMPACTION_CHUNK.values()} - {None}
    assert codes <= DIAGNOSTIC_CODES.keys()
