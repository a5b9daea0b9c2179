"""Prompt turns and their cancellation (14.1, 14.2)."""

from __future__ import annotations

from naive.answers import CANCELLED
from naive.entries import association_of, may_cancel
from naive.messages import segments
from naive.questions import answer_questions, cancel_questions_of_turn
from naive.reading import BLOCK, STOP_REASONS, USAGE, Bad, lenient_list, record
from naive.state import (
    add_entry,
    children_of,
    current_turn,
    descendants_of,
    diagnose,
    find_request,
    visible,
)
from naive.tables import RESULTS
from naive.tool_calls import FINISHED, overlay


def prompted(connection, session, request):
    """The prompt is on the timeline at once, in a turn of its own (TURN-04, TURN-11)."""
    try:
        blocks = lenient_list(BLOCK)(request["params"].get("prompt"), connection["diagnostics"])
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
    turn = session["turns"][index]
    turn["entry"] = add_entry(session, entry)
    session["running"].append(index)
    if session["replay"]:  # LOAD-10: it is live, so that it is there whatever becomes of the load
        session["replay"]["live"].append(entry)
        if session["timeline"]:
            session["timeline"].append(dict(entry))
        turn["entry"] = turn["echo"] = None


def prompt_answered(connection, session, request, result, error):
    """TURN-05 to TURN-10."""
    index = turn_of(session, request)
    if index is None:
        return
    turn = session["turns"][index]
    if error is not None:
        turn["error"] = error
        turn["outcome"] = outcome_of_error(connection, turn, error)
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


def outcome_of_error(connection, turn, error):
    """TURN-09."""
    if turn["cancelling"]:
        diagnose(connection, "cancel-error-response")
    return "cancelled" if turn["cancelRequested"] or error.get("code") == CANCELLED else "failed"


def read_result(connection, turn, result):
    """TURN-08: the turn ends, whatever the response says."""
    notes = []
    try:
        found = RESULTS["session/prompt"](result, notes)
    except Bad:
        diagnose(connection, "bad-response")
        read_rest(turn, result)
        return
    connection["diagnostics"] += notes
    if found["stopReason"] not in STOP_REASONS:
        diagnose(connection, "bad-response")
    turn["stopReason"] = found["stopReason"]
    turn["usage"] = found.get("usage")
    turn["meta"] = found.get("_meta")


def read_rest(turn, result):
    """What else the malformed response says."""
    if not isinstance(result, dict):
        return
    for name, key, kind in (("usage", "usage", USAGE), ("meta", "_meta", record)):
        try:
            turn[name] = kind(result.get(key), [])
        except Bad:
            turn[name] = None


def end_turn(connection, session, index):
    """What is left open when a turn ends (TURN-07, TURN-10)."""
    turn = session["turns"][index]
    turn["echo"] = None
    session["running"].remove(index)
    session["runOpen"] = False
    if turn["outcome"] == "cancelled" or turn["cancelRequested"]:
        overlay(session, turn=index)
        cancel_questions_of_turn(connection, session, index)
        return
    calls = [
        each for each in visible(session) if each["kind"] == "tool_call" and each["turn"] == index
    ]
    if any(each["status"] not in FINISHED for each in calls):
        diagnose(connection, "open-tool-calls")


# Cancelling


def cancel(connection, session):
    """``session/cancel`` was sent (CANCEL-01 to CANCEL-08)."""
    turn = current_turn(session)
    if not may_be_cancelled(connection, session):
        diagnose(connection, "cancel-idle")
    if turn is not None:
        turn["cancelRequested"] = turn["cancelling"] = True
        overlay(session, turn=session["running"][0])
    if session["parent"] is not None:
        overlay(session)
    cascade(connection, session)
    for each in [session, *descendants_of(connection, session)]:
        answer_questions(connection, each)


def may_be_cancelled(connection, session):
    """An ordinary session with a turn, a child with the right (CANCEL-01, SUB-08)."""
    if session["parent"] is None:
        return current_turn(session) is not None
    return may_cancel(association_of(connection, session))


def cascade(connection, session):
    """Its descendants are cancelled with it; what is unfinished there is at work (CANCEL-07)."""
    for child in children_of(connection, session):
        overlay(child)
        cascade(connection, child)


def closing(connection, session):
    """Close is a cancel of all turns (SESS-06)."""
    for index in session["running"]:
        turn = session["turns"][index]
        turn["cancelRequested"] = turn["cancelling"] = True
        overlay(session, turn=index)
    if session["parent"] is not None:
        overlay(session)
    cascade(connection, session)
    for each in [session, *descendants_of(connection, session)]:
        answer_questions(connection, each)
