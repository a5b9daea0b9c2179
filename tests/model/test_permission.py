"""Permission requests as the model holds them."""

from __future__ import annotations

from typing import get_args

import attrs
import pytest

from acp_state.model import Permission
from acp_state.model.permission import PermissionOutcome
from acp_state.schema import PermissionOption, ToolCallUpdate

YES = PermissionOption(option_id="yes", name="Yes", kind="allow_once")
NO = PermissionOption(option_id="no", name="No", kind="reject_once")
CALL = ToolCallUpdate(tool_call_id="t")
ASKED = Permission(request_id=1, tool_call=CALL, options=(YES, NO))

OUTCOMES = get_args(PermissionOutcome)


def test_a_request_that_came():
    """PERM-01: it waits for an answer."""
    assert (
        Permission(
            request_id=1,
            tool_call=CALL,
            options=(YES, NO),
            before=None,
            turn=None,
            outcome=None,
            option_id=None,
            error=None,
        )
        == ASKED
    )


@pytest.mark.parametrize("outcome", [None, *OUTCOMES])
def test_what_waits(outcome):
    """15.4: until it is answered, withdrawn or dropped."""
    assert attrs.evolve(ASKED, outcome=outcome).is_pending is (outcome is None)


def test_the_outcomes():
    """15.4, and an answer that is an error."""
    assert set(OUTCOMES) == {"selected", "cancelled", "withdrawn", "failed", "dropped"}


@pytest.mark.parametrize(("option_id", "option"), [("yes", YES), ("no", NO)])
def test_the_option_that_was_selected(option_id, option):
    """PERM-04."""
    assert attrs.evolve(ASKED, outcome="selected", option_id=option_id).selected == option


@pytest.mark.parametrize("outcome", [each for each in (None, *OUTCOMES) if each != "selected"])
def test_no_option_was_selected(outcome):
    """PERM-04: any other outcome."""
    assert attrs.evolve(ASKED, outcome=outcome, option_id="yes").selected is None


@pytest.mark.parametrize("option_id", [None, "maybe"])
def test_an_option_that_was_not_offered(option_id):
    """PERM-04: what was selected is none of those that are known."""
    assert attrs.evolve(ASKED, outcome="selected", option_id=option_id).selected is None


def test_of_two_options_with_one_id_the_first_counts():
    """PERM-04."""
    again = attrs.evolve(NO, option_id="yes")
    asked = attrs.evolve(ASKED, options=(YES, again), outcome="selected", option_id="yes")
    assert asked.selected is YES


def test_it_is_a_value():
    """Frozen, compared by value, and it can be hashed."""
    assert attrs.evolve(ASKED) == ASKED
    assert hash(attrs.evolve(ASKED)) == hash(ASKED)
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        ASKED.outcome = "selected"
