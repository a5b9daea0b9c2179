"""Compactions, messages between sessions, and what is said of children (sections 9 to 11)."""

from __future__ import annotations

from naive.state import (
    ATTEMPTS,
    add_entry,
    ancestors_of,
    associations,
    descendants_of,
    diagnose,
    find_entry,
    find_or_take_over,
    line_of,
    new_session,
    open_epoch,
    outstanding,
)

ENDED = ("completed", "failed", "cancelled")

# Compactions


def compact(connection, session, update):
    """``compaction_update``: CMP-02 to CMP-07, LOAD-07."""
    status = update["status"]
    entry = find_or_take_over(session, "compaction", update["compactionId"])
    if entry is None:
        entry = add_entry(session, blank_compaction(update["compactionId"]))
    elif entry["status"] in ENDED and status != entry["status"]:
        diagnose(connection, "compaction-transition")
    known = (*ENDED, "in_progress")
    if status in known and update.get("error") is not None and status != "failed":
        diagnose(connection, "compaction-field-status")
    if status in known and update.get("summary") and status != "completed":
        diagnose(connection, "compaction-field-status")
    entry["status"] = status
    entry["confirmed"] = True
    if "summary" in update:
        entry["chunks"] = as_chunks(update["summary"])
    clear_or_replace(entry, update, error="error", meta="_meta")


def blank_compaction(compaction_id):
    return {
        "kind": "compaction",
        "id": compaction_id,
        "status": "in_progress",
        "chunks": [],
        "error": None,
        "meta": None,
        "confirmed": True,
    }


def summarise(connection, session, update):
    """``compaction_summary_chunk``: CMP-04, CMP-06, CONF-04, LOAD-07."""
    entry = find_or_take_over(session, "compaction", update["compactionId"])
    if session["replay"]:
        diagnose(connection, "compaction-chunk-replay")
    if entry is None:
        entry = add_entry(session, blank_compaction(update["compactionId"]))
        if not session["replay"]:
            diagnose(connection, "compaction-chunk-first")
    elif entry["status"] in ENDED and not session["replay"]:
        diagnose(connection, "compaction-chunk-late")
    entry["chunks"] = [*entry["chunks"], chunk_of(update)]


def chunk_of(update):
    return {"content": update["content"], "meta": update.get("_meta")}


def as_chunks(blocks):
    return [{"content": block, "meta": None} for block in blocks or []]


def clear_or_replace(entry, update, **names):
    """Omitted keeps, null clears, a value replaces (PATCH-01)."""
    for name, key in names.items():
        if key in update:
            entry[name] = update[key]


# Messages between sessions


def write(connection, session, update):
    """``session_message``: SMSG-02 to SMSG-06."""
    entry = find_or_take_over(session, "session_message", update["messageId"])
    if entry is None:
        entry = add_entry(session, blank_letter(update["messageId"]))
    set_participants(connection, session, entry, update)
    if "content" in update:
        entry["chunks"] = as_chunks(update["content"])
        fresh(session, update["messageId"])
    clear_or_replace(
        entry, update, senderMessageId="senderMessageId",
        recipientMessageId="recipientMessageId", meta="_meta",
    )  # fmt: skip


def write_chunk(connection, session, update):
    """``session_message_chunk``: SMSG-03, LOAD-04."""
    entry = find_or_take_over(session, "session_message", update["messageId"])
    if entry is None:
        entry = add_entry(session, blank_letter(update["messageId"]))
    if session["replay"] and update["messageId"] not in session["replay"]["fresh"]:
        entry["chunks"] = []
    fresh(session, update["messageId"])
    set_participants(connection, session, entry, update)
    entry["chunks"] = [*entry["chunks"], chunk_of(update)]


def fresh(session, message_id):
    """Its content is what the replay told, not the held one any more."""
    if session["replay"]:
        session["replay"]["fresh"].append(message_id)


def blank_letter(message_id):
    return {
        "kind": "session_message",
        "id": message_id,
        "senderSessionId": None,
        "recipientSessionId": None,
        "senderMessageId": None,
        "recipientMessageId": None,
        "chunks": [],
        "meta": None,
    }


def set_participants(connection, session, entry, update):
    """Null and omission erase nothing (SMSG-04 to SMSG-06, CONF-01, CONF-02)."""
    before = (entry["senderSessionId"], entry["recipientSessionId"])
    for key in ("senderSessionId", "recipientSessionId"):
        if update.get(key) is None:
            continue
        if entry[key] not in {None, update[key]}:
            diagnose(connection, "smsg-participant-changed")
        entry[key] = update[key]
    sender, recipient = entry["senderSessionId"], entry["recipientSessionId"]
    if (sender, recipient) != before and None not in {sender, recipient}:
        if sender == recipient or session["id"] not in {sender, recipient}:
            diagnose(connection, "smsg-participants")


# Children


def announce_child(connection, parent, update):
    """``subagent_update``: SUB-02 to SUB-07, SUB-17, SUB-18."""
    child_id = update["sessionId"]
    child = connection["sessions"].get(child_id)
    note_in_attempt(connection, parent, child_id, child)
    if child is None:
        child = connection["sessions"][child_id] = new_session(child_id)
    is_news = child["parent"] is None
    attach(child, parent)
    if is_news and parent["replay"] and child["replay"] is None:
        for each in [child, *descendants_of(connection, child)]:
            busy = each["replay"] or is_at_work(association_of(connection, each))
            if each is child or not busy:
                open_epoch(each)
    entry = find_or_take_over(parent, "subagent", child_id)
    if entry is None:
        entry = add_entry(parent, blank_association(child_id))
    clear_or_replace(
        entry, update, title="title", description="description", cwd="cwd",
        additionalDirectories="additionalDirectories", meta="_meta",
    )  # fmt: skip
    above = ancestors_of(connection, parent)
    historical = bool(parent["replay"] or [e for e in above if e["readiness"] == "loading"])
    if "capabilities" in update:
        entry["capabilities"] = update["capabilities"]
    if historical:  # whatever it says, it authorises nothing
        entry["capabilities"] = None
    if "state" in update:
        entry["state"] = update["state"]
        entry["stateConfirmed"] = not historical
    elif historical and not parent["replay"]:
        entry["stateConfirmed"] = False


def note_in_attempt(connection, parent, child_id, child):
    """What takes up the parent, or a session above it, told of the child (LOAD-09, 15.5)."""
    for each in [parent, *ancestors_of(connection, parent)]:
        attempts = outstanding(connection, each["id"], ATTEMPTS)
        if attempts:
            attempts[0]["told"].setdefault(child_id, child and child["readiness"])
            return


def names_other_parent(connection, parent_id, update):
    """A second parent, itself, or a cycle: the update is ignored, whatever it says (SUB-04)."""
    if not isinstance(update, dict) or update.get("sessionUpdate") != "subagent_update":
        return False
    child_id, parent = update.get("sessionId"), connection["sessions"].get(parent_id)
    if not isinstance(child_id, str):
        return False
    above = ancestors_of(connection, parent) if parent else []
    if child_id in [parent_id, *(each["id"] for each in above)]:
        return True
    child = connection["sessions"].get(child_id)
    return child is not None and child["parent"] not in {None, parent_id}


def attach(child, parent):
    """What came for it before is its own; one that was not attached is there again (SUB-03)."""
    again = child["readiness"] == "unattached" and parent["readiness"] == "ready"
    if child["parent"] is None or again:
        child["readiness"] = "ready"
    child["parent"] = parent["id"]


def blank_association(child_id):
    return {
        "kind": "subagent",
        "id": child_id,
        "title": None,
        "description": None,
        "capabilities": None,
        "state": None,
        "stateConfirmed": True,
        "cwd": None,
        "additionalDirectories": None,
        "meta": None,
    }


def association_of(connection, child):
    """What the parent says of the child now."""
    parent = connection["sessions"].get(child["parent"])
    if parent is None:
        return None
    return find_entry(line_of(parent), "subagent", child["id"]) or find_entry(
        parent["timeline"], "subagent", child["id"]
    )


def may_cancel(association):
    """SUB-07: the only right there is."""
    rights = association["capabilities"] if association else None
    return bool(rights) and rights.get("cancel") is not None


def is_active(association):
    """Not confirmed as idle (CANCEL-07)."""
    state = association["state"]
    idle = state is not None and state["state"] == "idle"
    return not (idle and association["stateConfirmed"])


def is_at_work(association):
    state = association["state"] if association else None
    return (
        state is not None
        and association["stateConfirmed"]
        and state is not None
        and state["state"] == "running"
    )


def doubt_children(connection, session):
    """SUB-16, SUB-18: no rights, nothing asserted, in all descendants."""
    for each in [session, *descendants_of(connection, session)]:
        doubt_associations(each)


def doubt_associations(session):
    for entry in associations(session):
        entry["capabilities"] = None
        entry["stateConfirmed"] = False
