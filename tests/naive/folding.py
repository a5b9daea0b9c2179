"""One message after the other: envelope, methods, responses (sections 1, 15.6, 16, 18, 19)."""

from __future__ import annotations

import copy

from naive import client_work, lifecycle, questions, slots, turns
from naive.answers import INVALID, NO_METHOD, answer
from naive.entries import announce_child, compact, names_other_parent, summarise, write, write_chunk
from naive.messages import say
from naive.reading import Bad, record, string
from naive.responses import auth_told, fold_response, initialize_sent
from naive.state import client_has, diagnose, find_request, new_connection
from naive.tables import NEEDED, read_update
from naive.tool_calls import announce, patch_call

OTHER = {"client": "agent", "agent": "client"}
CLIENT_REQUESTS = {
    "initialize", "authenticate", "logout", "auth/status", "providers/list", "providers/set",
    "providers/disable",
    *(f"session/{verb}" for verb in (
        "new", "load", "resume", "fork", "list", "delete", "archive", "unarchive", "status",
        "set_title", "close", "set_mode", "set_config_option", "prompt",
    )),
}  # fmt: skip
AGENT_REQUESTS = {"session/request_permission", "elicitation/create", *client_work.WORK}
REQUESTS = {"client": CLIENT_REQUESTS, "agent": AGENT_REQUESTS}
NOTIFICATIONS = {
    "client": {"session/cancel", "$/cancel_request"},
    "agent": {"session/update", "elicitation/complete", "auth/status_update", "$/cancel_request"},
}


def fold(connection, sender, message):
    """One message changes the connection; what came of it is in its three lists (RPC-08)."""
    connection["diagnostics"], connection["answers"], connection["notices"] = [], [], []
    if isinstance(message, list):
        refuse_batch(connection, sender)
    elif (
        not isinstance(message, dict)
        or message.get("jsonrpc") != "2.0"
        or ("id" in message and not is_id(message["id"]))
    ):
        diagnose(connection, "invalid-message")
    elif message.get("method") is not None:
        fold_call(connection, sender, message)
    elif "id" in message:
        fold_response(connection, sender, message)
    else:
        diagnose(connection, "invalid-message")


def is_id(value):
    """RPC-02."""
    if isinstance(value, bool):
        return False
    return value is None or isinstance(value, str | int) or (
        isinstance(value, float) and value.is_integer()
    )  # fmt: skip


def refuse_batch(connection, sender):
    """RPC-09."""
    diagnose(connection, "batch")
    if connection["side"] == OTHER[sender]:
        connection["answers"].append({"id": None, "code": INVALID})


def fold_call(connection, sender, message):
    method = message["method"]
    if not isinstance(method, str):
        diagnose(connection, "invalid-message")
        return
    params = message.get("params")
    params = params if isinstance(params, dict) else {}
    again = "id" in message and find_request(connection["pending"][sender], message["id"])
    if connection["phase"] == "initializing" and not again:
        diagnose(connection, "before-initialize")
    if "id" in message:
        fold_request(connection, sender, message["id"], method, params)
    elif method in NOTIFICATIONS[sender]:
        notified(connection, sender, method, params)
    elif not method.startswith("$/"):
        diagnose(connection, "unknown-notification")


# Requests


def fold_request(connection, sender, request_id, method, params):
    """RPC-04, RPC-05, RPC-11."""
    if find_request(connection["pending"][sender], request_id) is not None:
        diagnose(connection, "duplicate-request-id")
        return
    settled = connection["settled"][OTHER[sender]]
    connection["settled"][OTHER[sender]] = [
        each for each in settled if find_request([each], request_id) is None
    ]
    session_id = params.get("sessionId")
    request = {
        "id": request_id,
        "method": method,
        "params": params,
        "session": session_id if isinstance(session_id, str) else None,
        "cancelRequested": False,
        "previous": None,
        "overtaken": False,
    }
    connection["pending"][sender].append(request)
    if method not in REQUESTS[sender]:
        if connection["side"] == OTHER[sender]:
            answer(connection, OTHER[sender], request_id, code=NO_METHOD)
    elif sender == "client":
        client_asked(connection, request)
    else:
        agent_asked(connection, request)


def client_asked(connection, request):
    method = request["method"]
    if method == "initialize":
        initialize_sent(connection, request["params"])
    elif method in {"session/load", "session/resume"}:
        lifecycle.take_up(connection, request)
    elif method in {"session/close", "session/archive"}:
        lifecycle.close_asked(connection, request)
    elif method == "session/prompt" and request["session"] is not None:
        session = lifecycle.provisional(connection, request["session"])
        turns.prompted(connection, session, request)


def agent_asked(connection, request):
    if request["method"] == "session/request_permission":
        questions.ask_permission(
            connection, request, lambda session_id: lifecycle.provisional(connection, session_id)
        )
    elif request["method"] == "elicitation/create":
        questions.ask_elicitation(connection, request)
    else:
        client_work.want(connection, request)


# Notifications


def notified(connection, sender, method, params):
    if method == "$/cancel_request":
        request = find_request(connection["pending"][sender], params.get("requestId", object()))
        if request is not None:
            take_back(connection, sender, request)
    elif method == "session/cancel":
        session = connection["sessions"].get(str_or_none(params.get("sessionId")))
        if session is None:
            diagnose(connection, "cancel-idle")
        else:
            turns.cancel(connection, session)
    elif method == "session/update":
        updated(connection, params)
    elif method == "elicitation/complete":
        questions.elicitation_completed(connection, params)
    else:
        auth_told(connection, params)


def str_or_none(value):
    return value if isinstance(value, str) else None


def take_back(connection, sender, request):
    """CANCEL-09, CANCEL-10."""
    if request["cancelRequested"]:
        return
    if sender == "agent" and connection["side"] == "client":
        questions.withdraw(connection, request)
        return
    request["cancelRequested"] = True
    if sender == "agent":
        return
    session = connection["sessions"].get(request["session"])
    if request["method"] == "session/prompt" and session is not None:
        index = turns.turn_of(session, request)
        if index is not None:
            session["turns"][index]["cancelRequested"] = True


def updated(connection, params):
    """``session/update``: RPC-07, RPC-12, LENIENT-16, 15.5."""
    notes = []
    session_id, raw = params.get("sessionId"), params.get("update")
    if isinstance(session_id, str) and names_other_parent(connection, session_id, raw):
        diagnose(connection, "reparent")
        return
    try:
        record(raw, notes)
        string(session_id, notes)
        kind, update = read_update(raw, notes)
        notes += ["empty-id"] if session_id == "" else []
        notes += [] if isinstance(params.get("_meta"), dict | None) else ["field-defaulted"]
    except Bad:
        diagnose(connection, "update-dropped")
        return
    session = lifecycle.provisional(connection, session_id)
    connection["diagnostics"] += notes
    if kind in NEEDED and not client_has(connection, NEEDED[kind]):
        diagnose(connection, "capability-violation")
    if session["readiness"] in {"closed", "deleted"}:
        diagnose(connection, "update-after-close")
    lifecycle.replay_in_resume(connection, session, kind)
    count_before = len(session["timeline"])
    built_before = copy.deepcopy(session["replay"] and session["replay"]["built"])
    apply(connection, session, kind, update, raw)
    if session["replay"] and session["replay"]["built"] != built_before:
        session["replay"]["told"] = True
    lifecycle.note_news_in_resume(connection, session, kind, count_before)


CHANGES = {
    "plan": slots.plan,
    "plan_update": slots.plan_update,
    "plan_removed": slots.plan_removed,
    "available_commands_update": slots.commands,
    "current_mode_update": slots.current_mode,
    "config_option_update": slots.config_options,
    "session_info_update": slots.info,
    "usage_update": slots.usage,
    "notice": slots.notice,
    "compaction_update": compact,
    "compaction_summary_chunk": summarise,
    "session_message": write,
    "session_message_chunk": write_chunk,
    "subagent_update": announce_child,
}
ROLES = {
    "user_message_chunk": "user",
    "agent_message_chunk": "agent",
    "agent_thought_chunk": "thought",
}


def apply(connection, session, kind, update, raw):
    """The nineteen updates."""
    if kind in ROLES:
        say(connection, session, ROLES[kind], update)
    elif kind == "tool_call":
        announce(connection, session, update, raw)
    elif kind == "tool_call_update":
        patch_call(connection, session, update, raw)
    else:
        CHANGES[kind](connection, session, update)


# The end, and a new beginning (CONN-01)


def disconnect(connection):
    connection["diagnostics"], connection["answers"], connection["notices"] = [], [], []
    lifecycle.disconnect(connection)


def reopen(connection):
    """The sessions and the catalogue outlive the connection."""
    again = new_connection(connection["side"])
    again["sessions"], again["catalogue"] = connection["sessions"], connection["catalogue"]
    return again
