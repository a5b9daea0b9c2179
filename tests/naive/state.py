"""What the naive model knows: plain dicts and lists that are changed in place.

Nothing here is clever or fast: whoever looks for an entry walks the whole timeline.
"""

from __future__ import annotations


def new_connection(side="client", phase="new"):
    return {
        "side": side,
        "phase": phase,
        "protocolVersion": None,
        "clientCapabilities": None,
        "clientInfo": None,
        "agentCapabilities": None,
        "agentInfo": None,
        "authMethods": [],
        "authentication": {"required": False, "state": "unknown", "accounts": []},
        "sessions": {},
        "catalogue": {},
        "elicitations": [],
        "awaitedUrls": {},
        "pending": {"client": [], "agent": []},
        "settled": {"client": [], "agent": []},
        "diagnostics": [],
        "answers": [],
        "notices": [],
    }


def new_session(session_id, readiness="ready"):
    return {
        "id": session_id,
        "parent": None,
        "readiness": readiness,
        "forkedFrom": None,
        "archived": False,
        "historyIncomplete": False,
        "cwd": None,
        "additionalDirectories": None,
        "title": None,
        "updatedAt": None,
        "meta": None,
        "timeline": [],
        "replay": None,
        "runOpen": False,
        "turns": [],
        "running": [],
        "permissions": [],
        "plan": None,
        "plans": {},
        "availableCommands": [],
        "modes": None,
        "configOptions": None,
        "usage": None,
        "terminals": {},
        "idStyle": "none",
    }


def diagnose(connection, code):
    connection["diagnostics"].append(code)


# Ids of requests: equal by JSON type and value (RPC-02)


def request_key(request_id):
    if isinstance(request_id, bool):
        return ("no id", request_id)
    kind = "string" if isinstance(request_id, str) else "null" if request_id is None else "number"
    return (kind, request_id)


def same_id(one, other):
    return request_key(one) == request_key(other)


def find_request(requests, request_id):
    return next((each for each in requests if same_id(each["id"], request_id)), None)


# Requests that take a session up

ATTEMPTS = ("session/load", "session/resume")


def outstanding(connection, session_id, methods):
    """The requests of these methods about a session that wait, oldest first."""
    return [
        each
        for each in connection["pending"]["client"]
        if each["session"] == session_id and each["method"] in methods
    ]


def open_epoch(session):
    """Local overlays are gone, the open run is closed (LOAD-08, MSG-06)."""
    session["replay"] = {"built": [], "told": False, "fresh": [], "live": []}
    session["runOpen"] = False
    for entry in session["timeline"]:
        if entry["kind"] == "tool_call":
            entry["cancelled"] = entry["updatedInReplay"] = False


# The timeline (section 5)


def line_of(session):
    """Where updates go: the history that is being replayed, else the timeline (LOAD-02)."""
    return session["replay"]["built"] if session["replay"] else session["timeline"]


def visible(session):
    """What readers see: what is held; nothing held: what is being built (LOAD-09)."""
    if session["replay"] and not session["timeline"]:
        return session["replay"]["built"]
    return session["timeline"]


def find_entry(line, kind, entry_id):
    """The entry with that key; messages are told apart by role (MSG-03, SMSG-02)."""
    for entry in line:
        if entry["kind"] == kind and entry["id"] is not None and entry["id"] == entry_id:
            return entry
    return None


def add_entry(session, entry):
    """A new entry stands at the end and closes the open run (TL-01, MSG-06)."""
    session["runOpen"] = False
    entry.setdefault("turn", current_turn_index(session))
    line_of(session).append(entry)
    return entry


def find_or_take_over(session, kind, entry_id):
    """The entry in the line; in a replay it starts from what was held (LOAD-04 to LOAD-08)."""
    found = find_entry(line_of(session), kind, entry_id)
    if found is None and session["replay"]:
        held = find_entry(session["timeline"], kind, entry_id)
        if held is not None:
            found = add_entry(session, dict(held))
    return found


# Turns


def current_turn_index(session):
    """The oldest that runs (TURN-11)."""
    return session["running"][0] if session["running"] else None


def current_turn(session):
    index = current_turn_index(session)
    return None if index is None else session["turns"][index]


def ended_as_cancelled(turn):
    return turn["outcome"] is not None and (
        turn["outcome"] == "cancelled" or turn["cancelRequested"]
    )


def note_if_late(connection, session, entry):
    """TURN-06: a patch of something whose own turn ended as cancelled."""
    if session["replay"] or entry["turn"] is None:
        return
    if ended_as_cancelled(session["turns"][entry["turn"]]):
        diagnose(connection, "late-update")


# The family (section 11)


def children_of(connection, session):
    told = [entry["id"] for entry in associations(session)]
    return [
        each
        for each in connection["sessions"].values()
        if each["parent"] == session["id"] and each["id"] in told
    ]


def descendants_of(connection, session):
    found = []
    for child in children_of(connection, session):
        found += [child, *descendants_of(connection, child)]
    return found


def ancestors_of(connection, session):
    found = []
    while session["parent"] is not None:
        session = connection["sessions"].get(session["parent"])
        if session is None:
            break
        found.append(session)
    return found


def associations(session):
    """What a session says of its children, held and replayed."""
    lines = [session["timeline"], *([session["replay"]["built"]] if session["replay"] else [])]
    return [entry for line in lines for entry in line if entry["kind"] == "subagent"]


# Capabilities (section 20)


def advertised(capabilities, path):
    """Whether the path leads to an object or to ``true`` (INIT-02, INIT-04)."""
    for name in path.split("."):
        capabilities = capabilities.get(name) if isinstance(capabilities, dict) else None
    boolean = path in {"fs.readTextFile", "fs.writeTextFile", "terminal"}
    return capabilities is True if boolean else isinstance(capabilities, dict)


def client_has(connection, path):
    """What nobody told is not checked (INIT-05)."""
    known = connection["clientCapabilities"]
    return known is None or advertised(known, path)
