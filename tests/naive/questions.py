"""Questions to the user: permissions and elicitations (14.3, 14.4)."""

from __future__ import annotations

import copy

from naive.answers import BAD_PARAMS, CANCELLED, NO_RESOURCE, answer, refuse
from naive.reading import Bad
from naive.state import (
    ancestors_of,
    client_has,
    current_turn,
    current_turn_index,
    diagnose,
    find_entry,
    find_request,
    same_id,
    visible,
)
from naive.tables import ELICITATION_RESULT, FORM, PERMISSION, PERMISSION_RESULT
from naive.tool_calls import patch_call

NO = {"outcome": {"outcome": "cancelled"}}

# Permissions


def ask_permission(connection, request, session_for):
    """PERM-01 to PERM-03, PERM-07, CANCEL-05."""
    notes = []
    try:
        asked = PERMISSION(request["params"], notes)
    except Bad:
        refuse(connection, request, BAD_PARAMS)
        return
    session = session_for(asked["sessionId"])
    connection["diagnostics"] += notes
    call_id, raw = asked["toolCall"]["toolCallId"], request["params"]["toolCall"]
    before = copy.deepcopy(find_entry(visible(session), "tool_call", call_id))
    patch_call(connection, session, asked["toolCall"], raw, asked=True)
    if session["replay"] and session["timeline"]:
        patch_held(connection, session, asked["toolCall"], raw)
    permission = {
        "id": request["id"],
        "toolCall": asked["toolCall"],
        "options": asked["options"],
        "before": before,
        "turn": current_turn_index(session),
        "outcome": None,
        "optionId": None,
        "error": None,
    }
    session["permissions"].append(permission)
    if is_being_cancelled(connection, session):
        cancel_permission(connection, permission)


def patch_held(connection, session, update, raw):
    """The request is live even while history is replayed: both timelines learn of it (LOAD-10)."""
    built, told = session["replay"], connection["diagnostics"]
    run = session["runOpen"]
    session["replay"] = None
    connection["diagnostics"] = [each for each in told if each not in CALL_CODES]
    patch_call(connection, session, update, raw, asked=True)
    session["replay"], session["runOpen"] = built, run


CALL_CODES = {"tool-status-regress", "v1-cancelled-status", "late-update"}


def is_being_cancelled(connection, session):
    """CANCEL-05, 15.4: also by an ancestor."""
    for each in [session, *ancestors_of(connection, session)]:
        turn = current_turn(each)
        if (turn and turn["cancelling"]) or each["readiness"] in {"closing", "closed", "deleted"}:
            return True
    return False


def pending_permissions(session):
    return [each for each in session["permissions"] if each["outcome"] is None]


def cancel_permission(connection, permission, *, outcome="cancelled"):
    """One that the agent took back stays withdrawn, whoever has yet to answer it (15.4)."""
    asked = find_request(connection["pending"]["agent"], permission["id"])
    if asked and asked["cancelRequested"]:
        outcome = "withdrawn"
    permission["outcome"] = outcome
    answer(connection, "client", permission["id"], result=NO, withdrawn=outcome == "withdrawn")


def permission_answered(session, request, result, error):
    """PERM-04, TOOL-14: the answer changes nothing of the call."""
    [permission] = [
        each for each in pending_permissions(session) if each["id"] == request["id"]
    ] or [None]
    if permission is None:
        return
    taken_back = request["cancelRequested"]
    if error is not None:
        withdrawn = taken_back and error["code"] == CANCELLED
        permission["outcome"] = "withdrawn" if withdrawn else "failed"
        permission["error"] = error
        return
    try:
        outcome = PERMISSION_RESULT(result, [])["outcome"]
    except Bad:
        permission["outcome"] = "withdrawn" if taken_back else "cancelled"
        return
    permission["outcome"] = outcome["outcome"]
    if taken_back and outcome["outcome"] == "cancelled":
        permission["outcome"] = "withdrawn"
    permission["optionId"] = outcome.get("optionId")


def misread(connection, session, request, result):
    """An answer that answers nothing is told (PERM-04, ELIC-03)."""
    if request["method"] == "elicitation/create":
        action = result.get("action") if isinstance(result, dict) else None
        fits = action in ["accept", "decline", "cancel"]
    else:
        fits = is_answer(session, request, result)
    if not fits:
        diagnose(connection, "bad-response")


def is_answer(session, request, result):
    """Whether it selects what was offered, or nothing."""
    try:
        outcome = PERMISSION_RESULT(result, [])["outcome"]
    except Bad:
        return False
    asked = pending_permissions(session) if session else []
    offered = [each["options"] for each in asked if each["id"] == request["id"]]
    option_ids = [option["optionId"] for options in offered for option in options]
    return outcome["outcome"] == "cancelled" or not offered or outcome["optionId"] in option_ids


# Elicitations


def ask_elicitation(connection, request):
    """ELIC-01, ELIC-02; an unknown session is an error (REQ-04)."""
    params = request["params"]
    mode = params.get("mode")
    fields = FORM.get(mode) if isinstance(mode, str) else None
    try:
        asked, notes = (fields or no_mode)(params, []), []
        if not client_has(connection, f"elicitation.{mode}"):
            answer_if_ours(connection, request)
            return
        scope = scope_of(params, notes)
    except Bad:
        refuse(connection, request, BAD_PARAMS)
        return
    if "sessionId" in scope and scope["sessionId"] not in connection["sessions"]:
        refuse(connection, request, NO_RESOURCE)
        return
    connection["diagnostics"] += notes
    session = connection["sessions"].get(scope.get("sessionId"))
    connection["elicitations"].append(
        {
            "id": request["id"],
            "mode": mode,
            "message": asked["message"],
            "sessionId": scope.get("sessionId"),
            "toolCallId": scope.get("toolCallId"),
            "scopeRequestId": scope.get("requestId"),
            "requestedSchema": asked.get("requestedSchema"),
            "url": asked.get("url"),
            "elicitationId": asked.get("elicitationId"),
            "turn": current_turn_index(session) if session else None,
        }
    )
    if session and is_being_cancelled(connection, session):
        cancel_elicitation(connection, connection["elicitations"][-1])


def no_mode(params, notes):
    raise Bad


def answer_if_ours(connection, request):
    """The mode was not advertised (ELIC-02)."""
    if connection["side"] == "client":
        answer(connection, "client", request["id"], code=BAD_PARAMS)


def scope_of(params, notes):
    """ELIC-01: the session's scope wins over the request's."""
    session_id, request_id = params.get("sessionId"), params.get("requestId")
    has_request = "requestId" in params and (
        request_id is None or (isinstance(request_id, int | str) and request_id is not True)
    )
    if isinstance(session_id, str):
        if request_id is not None:
            notes.append("elicitation-scope")
        call = params.get("toolCallId")
        if call is not None and not isinstance(call, str):
            notes.append("field-defaulted")
            call = None
        return {"sessionId": session_id, "toolCallId": call}
    if not has_request:
        raise Bad
    return {"requestId": request_id}


def cancel_elicitation(connection, elicitation, *, withdrawn=False):
    """CANCEL-04, CANCEL-10."""
    asked = find_request(connection["pending"]["agent"], elicitation["id"])
    withdrawn = withdrawn or bool(asked and asked["cancelRequested"])
    connection["elicitations"].remove(elicitation)
    answer(
        connection, "client", elicitation["id"], result={"action": "cancel"}, withdrawn=withdrawn
    )


def elicitations_of(connection, session):
    return [each for each in connection["elicitations"] if each["sessionId"] == session["id"]]


def elicitation_answered(connection, request, result, error):
    """ELIC-03, ELIC-04."""
    elicitation = find_request(connection["elicitations"], request["id"])
    if elicitation is None:
        return
    connection["elicitations"].remove(elicitation)
    if error is not None:
        return
    try:
        action = ELICITATION_RESULT(result, [])["action"]
    except Bad:
        return
    if action == "accept" and elicitation["mode"] == "url":
        connection["awaitedUrls"][elicitation["elicitationId"]] = elicitation


def elicitation_completed(connection, params):
    """ELIC-04."""
    elicitation_id = params.get("elicitationId")
    if isinstance(elicitation_id, str):
        connection["awaitedUrls"].pop(elicitation_id, None)


# Questions of a session


def answer_questions(connection, session):
    """CANCEL-03, CANCEL-04: whatever waits, oldest first."""
    for request in list(connection["pending"]["agent"]):
        is_question = request["method"] in {"session/request_permission", "elicitation/create"}
        if is_question and request["session"] == session["id"]:
            cancel_question(connection, request)


def cancel_questions_of_turn(connection, session, index):
    """TURN-10: those that came in the turn, oldest first."""
    waiting = [*pending_permissions(session), *elicitations_of(connection, session)]
    ids = [each["id"] for each in waiting if each["turn"] == index]
    for request in list(connection["pending"]["agent"]):
        if any(same_id(request["id"], each) for each in ids):
            cancel_question(connection, request)


def cancel_question(connection, request):
    for session in connection["sessions"].values():
        for permission in pending_permissions(session):
            if permission["id"] == request["id"]:
                cancel_permission(connection, permission)
                return
    elicitation = find_request(connection["elicitations"], request["id"])
    if elicitation is not None:
        cancel_elicitation(connection, elicitation)
        return
    permission = request["method"] == "session/request_permission"
    answer(
        connection, "client", request["id"], result=NO if permission else {"action": "cancel"},
        withdrawn=request["cancelRequested"],
    )  # fmt: skip


# Withdrawal


def withdraw(connection, request):
    """``$/cancel_request`` of the agent's (CANCEL-10)."""
    for session in connection["sessions"].values():
        for permission in pending_permissions(session):
            if permission["id"] == request["id"]:
                cancel_permission(connection, permission, outcome="withdrawn")
                return
    elicitation = find_request(connection["elicitations"], request["id"])
    if elicitation is not None:
        cancel_elicitation(connection, elicitation, withdrawn=True)
        return
    answer(connection, "client", request["id"], code=CANCELLED, withdrawn=True)
