"""The state machines as tables (section 15)."""

from __future__ import annotations

from itertools import product
from typing import get_args

import pytest

from acp_state.diagnostics import DIAGNOSTIC_CODES
from acp_state.schema import ToolCallStatus
from acp_state.transitions import (
    COMPACTION_CHUNK,
    COMPACTION_FIELDS,
    COMPACTION_TERMINAL,
    TOOL_CALL_STATUS,
)

STATUSES = get_args(ToolCallStatus)

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


def test_every_diagnostic_of_a_table_has_a_code():
    """Section 23."""
    codes = {*TOOL_CALL_STATUS.values(), *COMPACTION_CHUNK.values()} - {None}
    assert codes <= DIAGNOSTIC_CODES.keys()
