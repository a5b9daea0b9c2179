"""What the client's answers to questions say (PERM-04, ELIC-03, 15.4)."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Final

from acp_state.intents import Intent
from acp_state.model import PendingRequest
from acp_state.reduce.links import Answer, bad_response, text_of
from acp_state.schema import PermissionOption
from acp_state.schema.errors import REQUEST_CANCELLED
from acp_state.transitions import PermissionEvent

PERMISSION: Final = "session/request_permission"
ELICITATION: Final = "elicitation/create"

ACTIONS: Final = ("accept", "decline", "cancel")
"""The answers to a question for the user (ELIC-03)."""


def selected_option(answer: Answer) -> str | None:
    """The option that an answer to a permission request selects, if it does."""
    outcome = answer.result.get("outcome") if isinstance(answer.result, dict) else None
    if not isinstance(outcome, dict) or outcome.get("outcome") != "selected":
        return None
    return text_of(outcome, "optionId")


def event_of(request: PendingRequest, answer: Answer) -> PermissionEvent:
    """What the answer does to a permission request; a normal one wins over a withdrawal."""
    if selected_option(answer) is not None:
        return "selected"
    code = None if answer.error is None else answer.error.code
    if request.cancel_requested and code in {None, REQUEST_CANCELLED}:
        return "$/cancel_request"
    return "cancelled" if code is None else "error"


def misread(
    request: PendingRequest, answer: Answer, offered: Collection[PermissionOption] | None
) -> tuple[Intent, ...]:
    """The diagnostic for an answer that answers nothing; `offered`: None where it is not known."""
    fault, rule = None, "PERM-04"
    if request.method == PERMISSION and answer.error is None:
        fault = _permission_fault(answer, offered)
    elif request.method == ELICITATION and answer.error is None:
        fault, rule = _elicitation_fault(answer.result), "ELIC-03"
    return () if fault is None else (bad_response(answer.result, fault, rule, request.session_id),)


def _permission_fault(answer: Answer, offered: Collection[PermissionOption] | None) -> str | None:
    option_id = selected_option(answer)
    if option_id is not None:
        known = offered is None or option_id in [each.option_id for each in offered]
        return None if known else f"option {option_id!r} was not offered"
    outcome = answer.result.get("outcome") if isinstance(answer.result, dict) else None
    if isinstance(outcome, dict) and outcome.get("outcome") == "cancelled":
        return None
    return "'outcome' must be cancelled, or selected with an option"


def _elicitation_fault(result: Any) -> str | None:
    action = result.get("action") if isinstance(result, dict) else None
    return None if action in ACTIONS else f"'action' must be one of {', '.join(ACTIONS)}"
