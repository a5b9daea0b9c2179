"""Tool calls as the model holds them."""

from __future__ import annotations

from itertools import product

import attrs
import pytest

from acp_state import ToolCall

STATUSES = ("pending", "in_progress", "completed", "failed")


def test_a_call_of_which_only_the_id_is_known():
    """TOOL-01, TOOL-03: defaults, and no title."""
    assert ToolCall(tool_call_id="t") == ToolCall(
        tool_call_id="t",
        title=None,
        name=None,
        kind="other",
        status="pending",
        content=(),
        locations=(),
        raw_input=None,
        raw_output=None,
        meta=None,
        cancelled=False,
        turn=None,
    )
    assert ToolCall(tool_call_id="t").key == ("tool_call", "t")


@pytest.mark.parametrize(("status", "cancelled"), list(product(STATUSES, [True, False])))
def test_the_effective_status(status, cancelled):
    """TOOL-07: the overlay if set, else the wire status; TOOL-05: finished goes by the wire."""
    call = ToolCall(tool_call_id="t", status=status, cancelled=cancelled)
    assert call.effective_status == ("cancelled" if cancelled else status)
    assert call.is_finished == (status in {"completed", "failed"})


@pytest.mark.parametrize(
    ("call", "shown"),
    [
        (ToolCall(tool_call_id="t"), "<tool call 't': other, pending>"),
        (
            ToolCall(tool_call_id="t", title="Read", kind="read", status="failed"),
            "<tool call 't': read, failed 'Read'>",
        ),
        (
            ToolCall(tool_call_id="t", title="a" * 100, cancelled=True),
            f"<tool call 't': other, cancelled {'a' * 60!r}... 100 characters>",
        ),
    ],
)
def test_what_it_looks_like(call, shown):
    assert repr(call) == shown


def test_it_is_a_value():
    """Frozen, compared by value, and it can be hashed; `announced` is no part of the value."""
    call = ToolCall(tool_call_id="t", title="T")
    assert call == attrs.evolve(call, announced=False)
    assert hash(call) == hash(ToolCall(tool_call_id="t", title="T"))
    assert call != ToolCall(tool_call_id="t")
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        call.status = "failed"
