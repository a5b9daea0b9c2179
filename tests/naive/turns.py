"""Prompt turns and their cancellation (14.1, 14.2)."""

from __future__ import annotations

from naive.answers import CANCELLED
from naive.entries import association_of, is_active
from naive.messages import segments
from naive.questions import (
    cancel_elicitation,
    cancel_permission,
    elicitations_of,
    pending_permissions,
)
from naive.reading import BLOCK, STOP_REASONS, Bad, strict_list
from naive.state import (
    add_entry,
    children_of,
    current_turn,
    diagnose,
    find_request,
    line_of,
)
from naive.tables import RESULTS
from naive.tool_calls import is_open, overlay


def prompted(connection, session, request):
    """The prompt is on the timeline at once, in a turn of its own (TURN-04, TURN-11)."""
    try:
        blocks = strict_list(BLOCK)(request["params"].get("prompt"), connection["diagnostics"])
    except Bad:
        blocks = []
    index = len(session["turns"])
    chunks = [{"content": block, "meta": None} for block in blocks]
    expected = segments(blocks)
    session["turns"].append(
        {
            "requestId": request["id"],
            "cancelRequested": False,
            "cancelling": False,
            "outcome": None,
            "stopReason": None,
            "error": None,
            "usage": None,
            "meta": None,
            "echo": {"prompt": expected, "chunks": [], "id": None} if expected else None,
            "idStyle": "none",
        }
    )
    entry = {"kind": "user", "id": None, "chunks": chunks, "origin": "local", "turn": index}
    session["turns"][index]["entry"] = add_entry(session, entry)
    session["running"].append(index)


def prompt_answered(connection, session, request, result, error, *, bad=False):
    """TURN-05 to TURN-10."""
    index = turn_of(session, request)
    if index is None:
        return
    turn = session["turns"][index]
    if error is not None:
        turn["error"] = error
        turn["outcome"] = outcome_of_error(connection, turn, error, bad=bad)
    else:
        read_result(connection, turn, result)
        turn["outcome"] = "cancelled" if turn["stopReason"] == "cancelled" else "ended"
    end_turn(connection, session, index)


def turn_of(session, request):
    for index in session["running"]:
        if request_is(session["turns"][index], request):
            return index
    return None


def request_is(turn, request):
    return find_request([{"id": turn["requestId"]}], request["id"]) is not None


def outcome_of_error(connection, turn, error, *, bad):
    """TURN-09."""
    if error.get("code") == CANCELLED:
        return "cancelled"
    if turn["cancelRequested"]:
        diagnose(connection, "cancel-error-response")
        return "cancelled"
    return "failed"


def read_result(connection, turn, result):
    """TURN-08: the turn ends, whatever the response says."""
    notes = []
    try:
        found = RESULTS["session/prompt"](result, notes)
    except Bad:
        diagnose(connection, "bad-response")
        return
    connection["diagnostics"] += notes
    if found["stopReason"] not in STOP_REASONS:
        diagnose(connection, "bad-response")
    turn["stopReason"] = found["stopReason"]
    turn["usage"] = found.get("usage")
    turn["meta"] = found.get("_meta")


def end_turn(connection, session, index):
    """What is left open when a turn ends (TURN-07, TURN-10)."""
    turn = session["turns"][index]
    turn["echo"] = None
    session["running"].remove(index)
    session["runOpen"] = False
    if turn["outcome"] == "cancelled" or turn["cancelRequested"]:
        overlay(session, turn=index)
        for permission in pending_permissions(session):
            if permission["turn"] == index:
                cancel_permission(connection, session, permission)
        for elicitation in elicitations_of(connection, session):
            if elicitation["turn"] == index:
                cancel_elicitation(connection, elicitation)
        return
    calls = [
        each for each in line_of(session) if each["kind"] == "tool_call" and each["turn"] == index
    ]
    if any(is_open(each) for each in calls):
        diagnose(connection, "open-tool-calls")


# Cancelling


def cancel(connection, session):
    """``session/cancel`` was sent (CANCEL-01 to CANCEL-08)."""
    turn = current_turn(session)
    if turn is None and session["parent"] is None and not something_to_cancel(connection, session):
        diagnose(connection, "cancel-idle")
    if turn is not None:
        turn["cancelRequested"] = turn["cancelling"] = True
        overlay(session, turn=session["running"][0])
    if session["parent"] is not None:
        overlay(session)
    cascade(connection, session)
    answer_questions(connection, session)


def something_to_cancel(connection, session):
    if pending_permissions(session) or elicitations_of(connection, session):
        return True
    return any(
        is_active(association_of(connection, child)) for child in children_of(connection, session)
    )


def cascade(connection, session):
    """Active descendants are cancelled with it (CANCEL-07)."""
    for child in children_of(connection, session):
        association = association_of(connection, child)
        if association is None or is_active(association):
            overlay(child)
        cascade(connection, child)


def answer_questions(connection, session):
    """CANCEL-03, CANCEL-04: of the session and all its descendants."""
    for permission in pending_permissions(session):
        cancel_permission(connection, session, permission)
    for elicitation in elicitations_of(connection, session):
        cancel_elicitation(connection, elicitation)
    for child in children_of(connection, session):
        answer_questions(connection, child)


def closing(connection, session):
    """Close is a cancel of all turns (SESS-06)."""
    for index in session["running"]:
        turn = session["turns"][index]
        turn["cancelRequested"] = turn["cancelling"] = True
        overlay(session, turn=index)
    if session["parent"] is not None:
        overlay(session)
    cascade(connection, session)
    answer_questions(connection, session)


