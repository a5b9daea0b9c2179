"""Prompt turns as the model holds them."""

from __future__ import annotations

import attrs
import pytest
from reduce.builders import chunks

from acp_state import Turn
from acp_state.model import Echo
from acp_state.schema import Error


def test_a_turn_that_began():
    """15.1: running; nothing was asked, nothing answered."""
    assert Turn(request_id=1, start=0) == Turn(
        request_id=1,
        start=0,
        cancel_requested=False,
        outcome=None,
        stop_reason=None,
        error=None,
        usage=None,
        meta=None,
        echo=None,
        id_style="none",
    )


@pytest.mark.parametrize("outcome", [None, "ended", "cancelled", "failed", "interrupted"])
def test_what_runs(outcome):
    """TURN-05, TURN-09: until its response, whatever that says."""
    assert Turn(request_id=1, start=0, outcome=outcome).is_running is (outcome is None)


@pytest.mark.parametrize("reason", [None, "end_turn", "refusal", "cancelled", "_tired"])
def test_what_is_refused(reason):
    """TL-08."""
    turn = Turn(request_id=1, start=0, outcome="ended", stop_reason=reason)
    assert turn.is_refused is (reason == "refusal")


def test_three_facts_are_kept_apart():
    """TURN-09: what was asked, the reason as sent and the error as sent."""
    error = Error(code=1, message="m")
    turn = Turn(request_id=1, start=0, cancel_requested=True, outcome="cancelled", error=error)
    assert (turn.cancel_requested, turn.stop_reason, turn.error) == (True, None, error)


def test_what_it_looks_like():
    """The echo is nobody's business."""
    turn = Turn(request_id=1, start=0, echo=Echo.of(chunks("Hi")))
    assert "echo" not in repr(turn)
    assert "request_id=1" in repr(turn)


def test_it_is_a_value():
    """Frozen, compared by value, and it can be hashed."""
    turn = Turn(request_id="1", start=0, echo=Echo.of(chunks("Hi")))
    assert turn == attrs.evolve(turn)
    assert hash(turn) == hash(attrs.evolve(turn))
    assert turn != Turn(request_id=1, start=0)
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        turn.outcome = "ended"
