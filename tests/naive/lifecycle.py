"""How sessions come, are taken up again, and go (15.5, sections 13 and 17)."""

from __future__ import annotations

from naive.answers import NO_RESOURCE, settle
from naive.entries import association_of, doubt_associations, doubt_children, is_at_work
from naive.questions import cancel_elicitation, cancel_permission, elicitations_of
from naive.questions import pending_permissions as waiting
from naive.slots import setup_result
from naive.state import (
    descendants_of,
    diagnose,
    find_entry,
    find_request,
    new_session,
)
from naive.turns import closing, end_turn


def session_of(connection, request):
    return connection["sessions"].get(request["session"])


def provisional(connection, session_id):
    """The session; one that nobody told of is made up (SUB-03, 15.5)."""
    session = connection["sessions"].get(session_id)
    if session is None:
        diagnose(connection, "unannounced-session")
        session = connection["sessions"][session_id] = new_session(session_id, "provisional")
    return session


# Making


def made(connection, request, result):
    """``session/new`` and ``session/fork`` succeeded."""
    session_id = result["sessionId"]
    session = connection["sessions"].get(session_id)
    if session is None:
        session = connection["sessions"][session_id] = new_session(session_id)
    session["readiness"] = "ready"
    if request["method"] == "session/fork":
        session["forkedFrom"] = request["session"]
    set_roots(session, request["params"])
    setup_result(connection, session, result)


def set_roots(session, params):
    """INFO-02, LOAD-16, SESS-02."""
    if isinstance(params.get("cwd"), str):
        session["cwd"] = params["cwd"]
    roots = params.get("additionalDirectories")
    session["additionalDirectories"] = [
        each for each in (roots if isinstance(roots, list) else []) if isinstance(each, str)
    ]


# Taking up


def take_up(connection, request):
    """``session/load`` and ``session/resume`` were sent (LOAD-02, LOAD-06, SUB-16)."""
    session_id = request["session"]
    if session_id is None:
        return
    session = connection["sessions"].get(session_id)
    request["previous"] = session and session["readiness"]
    if session is None:
        session = connection["sessions"][session_id] = new_session(session_id)
        from_catalogue(session, connection["catalogue"].get(session_id))
    request["atWork"] = [
        each["id"]
        for each in descendants_of(connection, session)
        if is_at_work(association_of(connection, each))
    ]
    doubt_children(connection, session)
    if request["method"] == "session/resume":
        session["readiness"] = "resuming"
        return
    session["readiness"] = "loading"
    begin_epoch(connection, session, request)


def begin_epoch(connection, session, request):
    """Also in each descendant that is not known to be at work (LOAD-06)."""
    for each in [session, *descendants_of(connection, session)]:
        if each["id"] not in request["atWork"]:
            each["replay"] = {"built": [], "children": [], "fresh": []}
            each["runOpen"] = False


def replay_in_resume(connection, session, kind):
    """LOAD-13: an agent that tells history in a resume all the same."""
    tells = kind.endswith("message_chunk") or kind in {"agent_thought_chunk", "tool_call"}
    tells = tells and kind != "session_message_chunk"
    if session["readiness"] != "resuming" or not tells:
        return
    diagnose(connection, "replay-in-resume")
    if session["replay"] is None:
        [request] = [
            each
            for each in connection["pending"]["client"]
            if each["method"] == "session/resume" and each["session"] == session["id"]
        ][-1:]
        begin_epoch(connection, session, request)


def taken_up(connection, request, result):
    """LOAD-06, LOAD-11, LOAD-12, LOAD-13, LOAD-16."""
    session = session_of(connection, request)
    if session is None:
        return
    if request["method"] == "session/resume" and not session["timeline"]:
        if session["replay"] is None or not session["replay"]["built"]:
            session["historyIncomplete"] = True
    if request["method"] == "session/load":
        session["historyIncomplete"] = False
    for each in [session, *descendants_of(connection, session)]:
        finish_epoch(connection, each, is_root=each is session)
    session["readiness"] = "ready"
    set_roots(session, request["params"])
    setup_result(connection, session, result)


def finish_epoch(connection, session, *, is_root):
    """The timeline in the order of the replay; associations outlive it (LOAD-05, LOAD-06)."""
    replay, held = session["replay"], session["timeline"]
    session["runOpen"] = False if replay else session["runOpen"]
    session["replay"] = None
    if replay is None or not (replay["built"] or is_root):
        return
    built = replay["built"]
    missing = [
        each for each in held
        if each["id"] is None or find_entry(built, each["kind"], each["id"]) is None
    ]  # fmt: skip
    children = [each for each in missing if each["kind"] == "subagent"]
    if len(missing) > len(children):
        diagnose(connection, "not-replayed")
    session["timeline"] = [*built, *children]
    for turn in session["turns"]:
        move_start(turn, session["timeline"])


def move_start(turn, timeline):
    """Where the prompt stands now, if the replay told it."""
    entry = turn["entry"]
    if entry is None or any(each is entry for each in timeline):
        return
    turn["entry"] = find_entry(timeline, "user", entry["id"])


def not_taken_up(connection, request):
    """LOAD-09, SUB-18: as it was before."""
    session = session_of(connection, request)
    if session is None:
        return
    family = [session, *descendants_of(connection, session)]
    doubt_children(connection, session)
    for each in family:
        forget_epoch(connection, each)
    if request["previous"] is None:
        connection["sessions"].pop(session["id"], None)
    else:
        session["readiness"] = request["previous"]


def forget_epoch(connection, session):
    replay, session["replay"] = session["replay"], None
    if replay is None:
        return
    session["runOpen"] = False
    for child_id in replay["children"]:
        connection["sessions"].pop(child_id, None)
    for turn in session["turns"]:
        if turn["entry"] and not any(each is turn["entry"] for each in session["timeline"]):
            turn["entry"] = None


# Ending


def close_asked(connection, request):
    """``session/close`` and ``session/archive`` were sent (SESS-06)."""
    session = session_of(connection, request)
    if session is None:
        return
    request["previous"] = session["readiness"]
    session["readiness"] = "closing"
    closing(connection, session)


def closed(connection, request):
    """15.5; what ran ends as cancelled (SESS-06), what was in progress is not known (CMP-08)."""
    session = session_of(connection, request)
    if session is None:
        return
    for index in list(session["running"]):
        turn = session["turns"][index]
        turn["outcome"] = "cancelled"
        drop_request(connection, turn["requestId"])
        end_turn(connection, session, index)
    session["readiness"] = "closed"
    doubt_compactions(session)
    if request["method"] == "session/archive":
        session["archived"] = True
    for each in descendants_of(connection, session):
        each["readiness"] = "unattached"


def drop_request(connection, request_id):
    """Whatever answers it is absorbed (RPC-03)."""
    asked = connection["pending"]["client"]
    request = find_request(asked, request_id)
    if request is not None:
        asked.remove(request)
        settle(connection, "agent", request_id, absorb=True)


def doubt_compactions(session):
    for entry in session["timeline"]:
        if entry["kind"] == "compaction" and entry["status"] == "in_progress":
            entry["confirmed"] = False


def close_failed(connection, request):
    session = session_of(connection, request)
    if session is not None:
        session["readiness"] = request["previous"]
        diagnose(connection, "close-failed")


def deleted(connection, request):
    """15.5, PERM-07."""
    connection["catalogue"].pop(request["session"], None)
    session = session_of(connection, request)
    if session is None:
        return
    session["readiness"] = "deleted"
    for permission in waiting(session):
        cancel_permission(connection, session, permission)
    for elicitation in elicitations_of(connection, session):
        cancel_elicitation(connection, elicitation)


def unarchived(connection, request):
    session = session_of(connection, request)
    if session is not None:
        session["archived"] = False


def is_as_good_as_success(code):
    """SESS-04."""
    return code == NO_RESOURCE


# The catalogue and single settings


def listed(connection, result):
    """INFO-01, INFO-03."""
    for entry in result["sessions"]:
        connection["catalogue"][entry["sessionId"]] = entry
        session = connection["sessions"].get(entry["sessionId"])
        if session is not None:
            from_catalogue(session, entry)


def from_catalogue(session, entry):
    for name, key in (("title", "title"), ("updatedAt", "updatedAt"), ("meta", "_meta")):
        if entry and entry.get(key) is not None:
            session[name] = entry[key]


def mode_set(connection, request):
    """MODE-03."""
    session = session_of(connection, request)
    if session is None or request["overtaken"]:
        return
    modes, mode = session["modes"], request["params"].get("modeId")
    if modes is None or mode not in [each["id"] for each in modes["availableModes"]]:
        diagnose(connection, "unknown-mode")
        return
    session["modes"] = {**modes, "currentModeId": mode}


# The end of the connection (CONN-01)


def disconnect(connection):
    connection["phase"] = "closed"
    for session in list(connection["sessions"].values()):
        forget_epoch(connection, session)
    for session in connection["sessions"].values():
        for index in session["running"]:
            session["turns"][index]["outcome"] = "interrupted"
            session["turns"][index]["echo"] = None
        session["running"] = []
        session["runOpen"] = False
        for permission in waiting(session):
            permission["outcome"] = "dropped"
        session["readiness"] = "unattached"
        doubt_compactions(session)
        doubt_associations(session)
    for name in ("pending", "settled"):
        connection[name] = {"client": [], "agent": []}
    connection["elicitations"] = []
    connection["awaitedUrls"] = {}


