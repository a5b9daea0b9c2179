"""What the client's answers to questions say (PERM-04, ELIC-03, 15.4)."""

from __future__ import annotations

import pytest
from reduce.talk import Noticed, ask_form, ask_permission, error, result, talk

from acp_state import Diagnose
from acp_state.model import PendingRequest
from acp_state.reduce.answers import event_of, selected_option
from acp_state.reduce.links import Answer
from acp_state.schema import Error

CANCELLED = {"outcome": {"outcome": "cancelled"}}


def selects(option_id):
    return {"outcome": {"outcome": "selected", "optionId": option_id}}


@pytest.mark.parametrize(
    ("answer", "option_id"),
    [
        (selects("yes"), "yes"),
        (selects(5), None),
        (CANCELLED, None),
        ({"outcome": "selected", "optionId": "yes"}, None),
        (None, None),
    ],
)
def test_the_option_that_is_selected(answer, option_id):
    """PERM-04."""
    assert selected_option(Answer(result=answer)) == option_id


@pytest.mark.parametrize(
    ("taken_back", "answer", "event"),
    [
        (False, Answer(result=selects("yes")), "selected"),
        (True, Answer(result=selects("yes")), "selected"),
        (False, Answer(result=CANCELLED), "cancelled"),
        (True, Answer(result=CANCELLED), "$/cancel_request"),
        (True, Answer(error=Error(code=-32800, message="")), "$/cancel_request"),
        (False, Answer(error=Error(code=-32800, message="")), "error"),
        (True, Answer(error=Error(code=1, message="")), "error"),
    ],
)
def test_what_an_answer_does_to_a_permission_request(taken_back, answer, event):
    """15.4: a normal answer wins over a withdrawal."""
    asked = PendingRequest(request_id=1, method="m", params={}, cancel_requested=taken_back)
    assert event_of(asked, answer) == event


@pytest.mark.parametrize("side", ["agent", "observer"])
@pytest.mark.parametrize(
    ("ask", "answer", "fault"),
    [
        (ask_permission(1), selects("yes"), None),
        (ask_permission(1), CANCELLED, None),
        (ask_permission(1), selects("zz"), ("PERM-04", "option 'zz' was not offered")),
        *(
            (
                ask_permission(1),
                bad,
                ("PERM-04", "'outcome' must be cancelled, or selected with an option"),
            )
            for bad in (None, {}, [], {"outcome": None}, {"outcome": {"outcome": "x"}}, selects(5))
        ),
        (ask_form(1), {"action": "decline"}, None),
        *(
            (ask_form(1), bad, ("ELIC-03", "'action' must be one of accept, decline, cancel"))
            for bad in (None, {}, 5, {"action": "x"}, {"action": []})
        ),
    ],
)
def test_an_answer_that_answers_nothing_is_told(side, ask, answer, fault):
    """PERM-04, ELIC-03: it allows nothing, and the question is over."""
    there = talk(side)
    there.agent(ask)
    told = [each for each in there.client(result(1, answer)) if isinstance(each, Diagnose)]
    assert told == ([] if fault is None else [Noticed("bad-response", "s", rule=fault[0])])
    assert [each.diagnostic.text for each in told] == ([] if fault is None else [fault[1]])
    assert there.connection.agent_requests == {}


@pytest.mark.parametrize("ask", [ask_permission(1), ask_form(1)])
def test_an_error_is_an_answer(ask):
    """15.4: it is no breach."""
    there = talk("observer")
    there.agent(ask)
    assert there.client(error(1)) == ()


def test_what_was_offered_is_not_known_of_a_session_that_has_gone():
    """PERM-04: then any option counts as offered."""
    there = talk("observer")
    there.agent(ask_permission(1))
    there.drops("s")
    assert there.client(result(1, selects("zz"))) == ()
