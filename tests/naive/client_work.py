"""Files and terminals: work of the client's for the agent (14.5)."""

from __future__ import annotations

from naive.answers import BAD_PARAMS, NO_METHOD, NO_RESOURCE, refuse
from naive.reading import Bad
from naive.state import client_has, diagnose
from naive.tables import MAY_BE_NULL, RESULTS, WORK, WORK_NEEDS


def want(connection, request):
    """REQ-01 to REQ-04: what cannot be done is refused, the rest waits for the host."""
    method = request["method"]
    if not client_has(connection, WORK_NEEDS[method]):
        refuse(connection, request, NO_METHOD)
        return
    notes = []
    try:
        asked = WORK[method](request["params"], notes)
    except Bad:
        refuse(connection, request, BAD_PARAMS)
        return
    connection["diagnostics"] += notes
    session = connection["sessions"].get(asked["sessionId"])
    if session is None or not knows_terminal(session, asked):
        refuse(connection, request, NO_RESOURCE)


def knows_terminal(session, asked):
    """REQ-03: a released one is invalid."""
    if "terminalId" not in asked:
        return True
    terminal = session["terminals"].get(asked["terminalId"])
    return terminal is not None and not terminal["released"]


def done(connection, request, result):
    """What the host's answer says of a terminal (REQ-03, TOOL-11)."""
    method, session = request["method"], connection["sessions"].get(request["session"])
    notes = []
    try:
        empty = method in MAY_BE_NULL and result is None
        found = RESULTS[method]({} if empty else result, notes) if method in RESULTS else {}
    except Bad:
        diagnose(connection, "bad-response")
        return
    connection["diagnostics"] += notes
    if session is None or (method not in RESULTS and method != "terminal/release"):
        return
    if method == "terminal/create":
        session["terminals"][found["terminalId"]] = new_terminal(found["terminalId"])
        return
    terminal_id = request["params"].get("terminalId")
    terminal = session["terminals"].get(terminal_id) if isinstance(terminal_id, str) else None
    if terminal is None:
        return
    if method == "terminal/output":
        terminal["output"], terminal["truncated"] = found["output"], found["truncated"]
        if found.get("exitStatus") is not None:
            exited(terminal, found["exitStatus"])
    elif method == "terminal/wait_for_exit":
        exited(terminal, found)
    elif method == "terminal/release":
        terminal["released"] = True


def new_terminal(terminal_id):
    return {
        "id": terminal_id,
        "output": None,
        "truncated": False,
        "exitCode": None,
        "signal": None,
        "exited": False,
        "released": False,
    }


def exited(terminal, status):
    terminal["exited"] = True
    terminal["exitCode"], terminal["signal"] = status.get("exitCode"), status.get("signal")
