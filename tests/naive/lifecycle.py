"""How sessions come, are taken up again, and go (15.5, sections 13 and 17)."""

from __future__ import annotations

from naive.answers import NO_RESOURCE, settle
from naive.entries import association_of, doubt_associations, doubt_children, is_at_work
from naive.questions import answer_questions
from naive.questions import pending_permissions as waiting
from naive.slots import setup_result
from naive.state import (
    ATTEMPTS,
    descendants_of,
    diagnose,
    find_entry,
    find_request,
    new_session,
    open_epoch,
    outstanding,
    visible,
)
from naive.tool_calls import overlay
from naive.turns import cascade, closing, end_turn


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
    if session["readiness"] in {"provisional", "unattached", "closed", "deleted"}:
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

CLOSINGS = ("session/close", "session/archive")


def take_up(connection, request):
    """``session/load`` and ``session/resume`` were sent (LOAD-02, LOAD-06, SUB-16)."""
    session_id = request["session"]
    if session_id is None:
        return
    session = connection["sessions"].get(session_id)
    request["previous"] = session and session["readiness"]
    if session and session["readiness"] in {"loading", "resuming"}:
        request["previous"] = outstanding(connection, session_id, ATTEMPTS)[0]["previous"]
    if session is None:
        session = connection["sessions"][session_id] = new_session(session_id, "unattached")
        from_catalogue(session, connection["catalogue"].get(session_id))
    request["atWork"] = at_work(connection, session)
    request["told"], request["wasEmpty"] = {}, not visible(session)
    doubt_children(connection, session)
    session["runOpen"] = session["runOpen"] and session["replay"] is not None
    attempt(connection, session, request)


def at_work(connection, session):
    """The descendants whose traffic is live (LOAD-06)."""
    return [
        each["id"]
        for each in descendants_of(connection, session)
        if is_at_work(association_of(connection, each))
    ]


def attempt(connection, session, request):
    """15.5; while one load is replayed another opens no epoch, its turn comes later.

    So it does while the session is being closed.
    """
    loading = request["method"] == "session/load"
    if session["readiness"] in {"provisional", "unattached", "closed", "ready"}:
        session["readiness"] = "loading" if loading else "resuming"
    if loading and session["replay"] is None and session["readiness"] != "closing":
        begin_epoch(connection, session)


def begin_epoch(connection, session):
    """Also in each descendant that is not known to be at work (LOAD-06, LOAD-08)."""
    busy = at_work(connection, session)
    for each in outstanding(connection, session["id"], ATTEMPTS):
        busy += each["atWork"]
    for each in [session, *descendants_of(connection, session)]:
        if each is session or (each["id"] not in busy and each["replay"] is None):
            open_epoch(each)


def next_attempt(connection, session):
    """Another load is outstanding: what comes now is its replay (LOAD-02)."""
    waiting_ones = outstanding(connection, session["id"], ATTEMPTS)
    if waiting_ones and session["id"] in connection["sessions"]:
        attempt(connection, session, waiting_ones[0])


def replay_in_resume(connection, session, kind):
    """LOAD-13: a message or an announced call is history that is told all the same."""
    told = kind in {"user_message_chunk", "agent_message_chunk", "agent_thought_chunk", "tool_call"}
    if session["readiness"] == "resuming" and session["replay"] is None and told:
        diagnose(connection, "replay-in-resume")
        begin_epoch(connection, session)


def note_news_in_resume(connection, session, kind, count):
    """LOAD-13: what else is new there is told; patches of what is known are live."""
    quiet = session["readiness"] != "resuming" or session["replay"] or kind == "subagent_update"
    if not quiet and len(session["timeline"]) > count:
        diagnose(connection, "replay-in-resume")


def taken_up(connection, request, result):
    """LOAD-06, LOAD-11, LOAD-12, LOAD-13, LOAD-16."""
    session = session_of(connection, request)
    if session is None:
        return
    was_told = session["replay"] is not None
    below = [each["id"] for each in descendants_of(connection, session)]
    for each in [session, *descendants_of(connection, session)]:
        finish_epoch(connection, each, is_root=each is session)
    if session["readiness"] in {"loading", "resuming"}:
        session["readiness"] = "ready"
    if request["method"] == "session/load":
        session["historyIncomplete"] = False
    elif request["wasEmpty"] and not was_told:
        session["historyIncomplete"] = True
    set_roots(session, request["params"])
    setup_result(connection, session, result)
    now_is(connection, session, "ready", ("loading", "resuming", None))
    for child_id in request["told"] if was_told else below:
        child = connection["sessions"].get(child_id)
        if child is not None and child["readiness"] == "unattached":
            child["readiness"] = "ready"
    next_attempt(connection, session)


def now_is(connection, session, readiness, instead_of):
    """What fails later takes the session back to where it has got meanwhile (15.5)."""
    for each in outstanding(connection, session["id"], (*ATTEMPTS, *CLOSINGS)):
        if each["previous"] in instead_of:
            each["previous"] = readiness


def finish_epoch(connection, session, *, is_root):
    """The timeline in the order of the replay; associations outlive it (LOAD-05, LOAD-06)."""
    replay, held = session["replay"], session["timeline"]
    session["runOpen"] = False if replay else session["runOpen"]
    session["replay"] = None
    if replay is None:
        return
    if not (replay["told"] or is_root):
        session["timeline"] = held or replay["built"]
        return
    built = replay["built"]
    missing = [
        each for each in held
        if each["id"] is not None and find_entry(built, each["kind"], each["id"]) is None
    ]  # fmt: skip
    children = [each for each in missing if each["kind"] == "subagent"]
    if len(missing) > len(children):
        diagnose(connection, "not-replayed")
    session["timeline"] = [*built, *children]
    for turn in session["turns"]:
        turn["entry"] = turn["echo"] = None


def not_taken_up(connection, request):
    """LOAD-09, SUB-18: as it was before."""
    session = session_of(connection, request)
    if session is None:
        return
    family = [session, *descendants_of(connection, session)]
    doubt_children(connection, session)
    for each in family:
        forget_epoch(each)
    others = outstanding(connection, session["id"], ATTEMPTS)
    if request["previous"] is None and session["parent"] is None and not others:
        go_away(connection, session)
    elif session["readiness"] in {"loading", "resuming"}:
        session["readiness"] = request["previous"] or "ready"
    forget_told(connection, request)
    next_attempt(connection, session)


def go_away(connection, session):
    """15.5; not while a question or a prompt waits in it (INV-02)."""
    asked = [
        each for each in connection["pending"]["agent"]
        if each["session"] == session["id"]
        and each["method"] in {"session/request_permission", "elicitation/create"}
    ]  # fmt: skip
    if asked or session["running"]:
        session["parent"], session["readiness"] = None, "provisional"
    else:
        connection["sessions"].pop(session["id"])


def forget_told(connection, request, *, lost=False):
    """LOAD-09: a child that nobody tells of any more is what it was, or not there."""
    for child_id, before in request["told"].items():
        child = connection["sessions"].get(child_id)
        parent = child and connection["sessions"].get(child["parent"])
        if child is None or (parent and find_entry(parent["timeline"], "subagent", child_id)):
            continue
        if before is None:
            go_away(connection, child)
        else:
            child["parent"], child["readiness"] = None, "unattached" if lost else before


def is_live(session, replay, entry):
    """A prompt that was sent meanwhile, or the call that a question is about (LOAD-10)."""
    asked = [each["toolCall"]["toolCallId"] for each in waiting(session)]
    prompted = any(each is entry for each in replay["live"])
    return prompted or (entry["kind"] == "tool_call" and entry["id"] in asked)


def forget_epoch(session):
    """The prompts that were sent meanwhile are no part of the replay (LOAD-10)."""
    replay, session["replay"] = session["replay"], None
    if replay is None:
        return
    session["runOpen"] = False
    if not session["timeline"]:
        session["timeline"] = [each for each in replay["built"] if is_live(session, replay, each)]


# Ending


def close_asked(connection, request):
    """``session/close`` and ``session/archive`` were sent (SESS-06)."""
    session = session_of(connection, request)
    if session is None:
        return
    request["previous"] = session["readiness"]
    others = [
        each for each in outstanding(connection, session["id"], CLOSINGS) if each is not request
    ]
    if session["readiness"] == "closing" and others:
        request["previous"] = others[0]["previous"]
    if session["readiness"] != "deleted":
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
    if session["readiness"] == "closing":
        session["readiness"] = "closed"
    if request["method"] == "session/archive":
        session["archived"] = True
    family = [session, *descendants_of(connection, session)]
    cascade(connection, session)
    if session["parent"] is not None:
        overlay(session)
    for each in family:
        answer_questions(connection, each)
        forget_epoch(each)
    for each in family:
        doubt_compactions(each)
        doubt_associations(each)
        each["readiness"] = each["readiness"] if each is session else "unattached"
    for each in outstanding(connection, session["id"], ATTEMPTS):
        if each["previous"] != "closing":
            forget_told(connection, each, lost=True)
    opened_again(connection, session)


def opened_again(connection, session):
    """What was to take it up while it was being closed has its turn (15.5)."""
    attempts = outstanding(connection, session["id"], ATTEMPTS)
    waited = [each for each in attempts if each["previous"] == "closing"]
    now_is(connection, session, session["readiness"], ("closing",))
    if waited:
        next_attempt(connection, session)


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
    if session is None:
        return
    diagnose(connection, "close-failed")
    if session["readiness"] == "closing" and not outstanding(connection, session["id"], CLOSINGS):
        session["readiness"] = request["previous"] or "ready"
        opened_again(connection, session)


def deleted(connection, request):
    """15.5, PERM-07."""
    connection["catalogue"].pop(request["session"], None)
    session = session_of(connection, request)
    if session is None:
        return
    session["readiness"] = "deleted"
    answer_questions(connection, session)


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
    if not isinstance(mode, str):
        return
    if modes is None or mode not in [each["id"] for each in modes["availableModes"]]:
        diagnose(connection, "unknown-mode")
        return
    session["modes"] = {**modes, "currentModeId": mode}


# The end of the connection (CONN-01)


def disconnect(connection):
    connection["phase"] = "closed"
    for session in connection["sessions"].values():
        forget_epoch(session)
    for session in connection["sessions"].values():
        for index in session["running"]:
            session["turns"][index]["outcome"] = "interrupted"
            session["turns"][index]["echo"] = None
        session["runOpen"] = session["runOpen"] and not session["running"]
        session["running"] = []
        for permission in waiting(session):
            permission["outcome"] = "dropped"
        session["readiness"] = "unattached"
        doubt_compactions(session)
        doubt_associations(session)
    attempts = [each for each in connection["pending"]["client"] if "told" in each]
    for name in ("pending", "settled"):
        connection[name] = {"client": [], "agent": []}
    for each in attempts:
        forget_told(connection, each, lost=True)
    connection["elicitations"] = []
    connection["awaitedUrls"] = {}
