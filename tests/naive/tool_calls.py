"""Tool calls (section 8, 15.2)."""

from __future__ import annotations

from naive.state import (
    add_entry,
    diagnose,
    find_entry,
    find_or_take_over,
    line_of,
    note_if_late,
)

FINISHED = ("completed", "failed")
PLAIN = ("title", "name", "kind", "status", "content", "locations", "rawInput", "rawOutput")
RESET = {"kind": "other", "status": "pending", "content": [], "locations": []}


def blank_call(call_id):
    """TOOL-01."""
    return {
        "kind": "tool_call",
        "id": call_id,
        "title": None,
        "name": None,
        "toolKind": "other",
        "status": "pending",
        "content": [],
        "locations": [],
        "rawInput": None,
        "rawOutput": None,
        "meta": None,
        "cancelled": False,
        "announced": False,
        "updatedInReplay": False,
    }


def announce(connection, session, update, raw):
    """``tool_call``: TOOL-01, TOOL-04, LOAD-08."""
    call_id = update["toolCallId"]
    call = find_entry(line_of(session), "tool_call", call_id)
    if session["replay"]:
        announce_again_in_replay(connection, session, call, update)
    elif call is None:
        fill(add_entry(session, blank_call(call_id)), update, merges=False)
    else:
        note_if_late(connection, session, call)
        if call["announced"]:
            diagnose(connection, "duplicate-tool-call")
            step_status(connection, call, update.get("status") or "pending")
            reset_to_defaults(call)
        elif update.get("status"):
            step_status(connection, call, update["status"])
        fill(call, update)
    call = find_entry(line_of(session), "tool_call", call_id)
    call["announced"] = True
    note_cancelled(connection, call, raw)


def announce_again_in_replay(connection, session, call, update):
    """It replaces the whole call, unless an update of the same replay came before (LOAD-08)."""
    call = call or find_or_take_over(session, "tool_call", update["toolCallId"])
    anew = call is None or not call["updatedInReplay"]
    if call is None:
        call = add_entry(session, blank_call(update["toolCallId"]))
    elif anew:
        turn = call["turn"]
        call.update({**blank_call(call["id"]), "turn": turn})
    elif update.get("status"):
        step_status(connection, call, update["status"])
    fill(call, update, merges=not anew)


def patch_call(connection, session, update, raw, *, asked=False):
    """``tool_call_update``, and the call of a permission request (TOOL-02, TOOL-03, PERM-02)."""
    told = find_entry(line_of(session), "tool_call", update["toolCallId"])
    call = find_or_take_over(session, "tool_call", update["toolCallId"])
    if call is None:
        call = add_entry(session, blank_call(update["toolCallId"]))
        if not asked:
            diagnose(connection, "tool-update-first")
    else:
        note_if_late(connection, session, call)
        if told and update.get("status") and not (asked and update["status"] == "pending"):
            step_status(connection, call, update["status"])
    fill(call, update)
    if session["replay"]:
        call["updatedInReplay"] = True
    note_cancelled(connection, call, raw)
    return call


def step_status(connection, call, status):
    """15.2: the agent's last word wins, odd steps are told (TOOL-06)."""
    back = call["status"] == "in_progress" and status == "pending"
    if back or (call["status"] in FINISHED and status != call["status"]):
        diagnose(connection, "tool-status-regress")


def reset_to_defaults(call):
    call.update({"toolKind": "other", "status": "pending", "content": [], "locations": []})


def fill(call, update, *, merges=True):
    """Omitted and null keep, values replace, metadata merges (PATCH-02 to PATCH-04)."""
    for key in PLAIN:
        if update.get(key) is not None:
            call["toolKind" if key == "kind" else key] = update[key]
    if update.get("status") is not None:
        call["cancelled"] = False  # TOOL-07
    if update.get("_meta") is not None and not merges:
        call["meta"] = update["_meta"]
    elif update.get("_meta") is not None:
        call["meta"] = dict(call["meta"] or {})
        for key, value in update["_meta"].items():
            call["meta"].pop(key, None)
            if value is not None:
                call["meta"][key] = value


def note_cancelled(connection, call, raw):
    """TOOL-09: v1 has no status ``cancelled``."""
    if raw.get("status") == "cancelled" and call["status"] not in FINISHED:
        diagnose(connection, "v1-cancelled-status")
        call["cancelled"] = True


def overlay(session, *, turn=None):
    """CANCEL-02: unfinished calls, of one turn or all, look cancelled."""
    for line in {id(each): each for each in (session["timeline"], line_of(session))}.values():
        for entry in line:
            if entry["kind"] == "tool_call" and entry["status"] not in FINISHED:
                if turn is None or entry["turn"] == turn:
                    entry["cancelled"] = True
