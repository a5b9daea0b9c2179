"""Responses, and what both sides say of themselves (RPC-01, RPC-03, 15.6, sections 16 and 19)."""

from __future__ import annotations

from naive import client_work, lifecycle, questions, slots, turns
from naive.answers import INVALID, fulfils
from naive.capabilities import ASKED
from naive.reading import Bad, anything, may, must, string, table, whole
from naive.state import diagnose, find_request
from naive.tables import MAY_BE_NULL, RESULTS

OTHER = {"client": "agent", "agent": "client"}

# Responses


def fold_response(connection, sender, message):
    """RPC-01, RPC-03."""
    asked = connection["pending"][OTHER[sender]]
    request = find_request(asked, message["id"])
    if request is None:
        absorb(connection, sender, message)
        return
    asked.remove(request)
    result, error = message.get("result"), read_error(connection, message)
    if sender == "client":
        client_answered(connection, request, result, error)
    else:
        agent_answered(connection, request, result, error)
    if OTHER[sender] == "client":
        withdraw_scoped(connection, request)


def absorb(connection, sender, message):
    settled = find_request(connection["settled"][sender], message["id"])
    if settled is not None and fulfils(settled, message):
        connection["settled"][sender].remove(settled)
    else:
        diagnose(connection, "unknown-response")


def read_error(connection, message):
    """The error that counts, or None; an invalid response counts as one (RPC-01)."""
    has_result, error = "result" in message, message.get("error")
    if has_result and "error" in message:
        diagnose(connection, "bad-response")
        return None if error is None else {"code": INVALID}
    if has_result:
        return None
    try:
        return table(code=must(whole), message=must(string), data=may(anything))(error, [])
    except Bad:
        diagnose(connection, "bad-response")
        return {"code": INVALID}


def withdraw_scoped(connection, request):
    """ELIC-05: a question about a request goes with it."""
    for elicitation in list(connection["elicitations"]):
        scope = elicitation["scopeRequestId"]
        if elicitation["sessionId"] is None and find_request([{"id": scope}], request["id"]):
            questions.cancel_elicitation(connection, elicitation)


def client_answered(connection, request, result, error):
    method = request["method"]
    session = connection["sessions"].get(request["session"])
    if method in {"session/request_permission", "elicitation/create"} and error is None:
        questions.misread(connection, session, request, result)
    if method == "session/request_permission" and session is not None:
        questions.permission_answered(session, request, result, error)
    elif method == "elicitation/create":
        questions.elicitation_answered(connection, request, result, error)
    elif method in client_work.WORK and error is None:
        client_work.done(connection, request, result)


def agent_answered(connection, request, result, error):
    """Section 19."""
    method = request["method"]
    if error is not None and error["code"] == -32000:  # AUTH-02
        connection["authentication"]["required"] = True
    if method == "session/prompt":
        session = connection["sessions"].get(request["session"])
        if error is None and (session is None or turns.turn_of(session, request) is None):
            turns.read_result(connection, {}, result)
        elif session is not None:
            turns.prompt_answered(connection, session, request, result, error)
        return
    if error is None and method in RESULTS:
        try:
            empty = method in MAY_BE_NULL and result is None
            result = RESULTS[method]({} if empty else result, connection["diagnostics"])
        except Bad:
            diagnose(connection, "bad-response")
            error = {"code": INVALID}
    if error is None:
        succeeded(connection, request, result)
    else:
        failed(connection, request, error)


SUCCESSES = {
    "session/new": lifecycle.made,
    "session/fork": lifecycle.made,
    "session/load": lifecycle.taken_up,
    "session/resume": lifecycle.taken_up,
    "session/close": lambda connection, request, _: lifecycle.closed(connection, request),
    "session/archive": lambda connection, request, _: lifecycle.closed(connection, request),
    "session/delete": lambda connection, request, _: lifecycle.deleted(connection, request),
    "session/unarchive": lambda connection, request, _: lifecycle.unarchived(connection, request),
    "session/list": lambda connection, _, result: lifecycle.listed(connection, result),
    "session/set_mode": lambda connection, request, _: lifecycle.mode_set(connection, request),
}


def succeeded(connection, request, result):
    method = request["method"]
    session = lifecycle.session_of(connection, request)
    if method in SUCCESSES:
        SUCCESSES[method](connection, request, result)
    elif method == "initialize":
        if connection["phase"] == "initializing":
            initialized(connection, result)
    elif method == "authenticate":
        connection["authentication"]["required"] = False
    elif method == "auth/status":
        auth_told(connection, result)
    elif method == "session/set_title":
        for known in (session, connection["catalogue"].get(request["session"])):
            if known is not None:
                known["title"] = result["title"]
    elif method == "session/set_config_option" and session is not None:
        slots.config_options(connection, session, result)


def failed(connection, request, error):
    method = request["method"]
    gone = lifecycle.is_as_good_as_success(error["code"])
    if method == "initialize":
        if connection["phase"] == "initializing":
            connection["phase"] = "failed"
    elif method in {"session/load", "session/resume"}:
        lifecycle.not_taken_up(connection, request)
    elif method in {"session/close", "session/archive"}:
        if gone:
            lifecycle.closed(connection, request)
        else:
            lifecycle.close_failed(connection, request)
    elif method == "session/delete" and gone:
        lifecycle.deleted(connection, request)


# Initialisation and authentication (15.6, section 16)


def initialize_sent(connection, params):
    if connection["phase"] not in {"new", "failed"}:
        return  # INIT-05, 15.6
    connection["phase"], connection["protocolVersion"] = "initializing", None
    try:
        asked = ASKED({"protocolVersion": 1, **params}, connection["diagnostics"])
    except Bad:
        diagnose(connection, "invalid-message")
        asked = {}
    connection["clientCapabilities"] = asked.get("clientCapabilities", {})
    connection["clientInfo"] = asked.get("clientInfo")


def initialized(connection, result):
    """INIT-02 to INIT-04."""
    connection["protocolVersion"] = result["protocolVersion"]
    connection["phase"] = "ready" if result["protocolVersion"] == 1 else "failed"
    connection["agentCapabilities"] = result.get("agentCapabilities", {})
    connection["agentInfo"] = result.get("agentInfo")
    connection["authMethods"] = result.get("authMethods") or []


def auth_told(connection, params):
    """AUTH-03."""
    try:
        found = RESULTS["auth/status"](params, connection["diagnostics"])
    except Bad:
        diagnose(connection, "update-dropped")
        return
    connection["authentication"]["state"] = found["state"]
    connection["authentication"]["accounts"] = found.get("accounts") or []
