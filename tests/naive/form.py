"""What of the naive model is compared: everything but its bookkeeping."""

from __future__ import annotations

from naive.messages import content_of, text_of
from naive.state import advertised, visible

RAW = ("_meta", "rawInput", "rawOutput", "meta", "data", "params", "requestedSchema")

CLIENT_PATHS = (
    "plan", "session.notices", "session.compaction", "session.configOptions.boolean", "subagents",
    "fs.readTextFile", "fs.writeTextFile", "terminal", "elicitation.form", "elicitation.url",
)  # fmt: skip
AGENT_PATHS = (
    "sessionCapabilities.list", "sessionCapabilities.delete", "sessionCapabilities.resume",
    "sessionCapabilities.close", "sessionCapabilities.fork", "sessionCapabilities.archive",
    "auth.logout", "auth.status",
)  # fmt: skip


def bare(value):
    """Null and absent are one in a form; raw JSON stays as it is."""
    if isinstance(value, dict):
        return {
            key: each if key in RAW else bare(each)
            for key, each in value.items()
            if each is not None
        }
    return [bare(each) for each in value] if isinstance(value, list | tuple) else value


def form_of(connection):
    """The connection as plain JSON."""
    kept = (
        "side", "phase", "protocolVersion", "clientInfo", "agentInfo", "authMethods",
        "authentication", "catalogue", "elicitations", "awaitedUrls",
    )  # fmt: skip
    return bare(
        {
            **{key: connection[key] for key in kept},
            "catalogue": list(connection["catalogue"].values()),
            "clientCapabilities": having(connection["clientCapabilities"], CLIENT_PATHS),
            "agentCapabilities": having(connection["agentCapabilities"], AGENT_PATHS),
            "pending": {
                sender: [pending_form(each) for each in requests]
                for sender, requests in connection["pending"].items()
            },
            "sessions": [session_form(each) for each in connection["sessions"].values()],
        }
    )


def having(capabilities, paths):
    if capabilities is None:
        return None
    return [path for path in paths if advertised(capabilities, path)]


def pending_form(request):
    return {key: request[key] for key in ("id", "method", "params", "session", "cancelRequested")}


def session_form(session):
    kept = (
        "id", "parent", "readiness", "forkedFrom", "archived", "historyIncomplete", "cwd",
        "additionalDirectories", "title", "updatedAt", "meta", "running", "permissions", "plan",
        "availableCommands", "modes", "configOptions", "usage",
    )  # fmt: skip
    lines = [session["timeline"], *([session["replay"]["built"]] if session["replay"] else [])]
    return {
        **{key: session[key] for key in kept},
        "permissions": [
            {**each, "before": each["before"] and entry_form(each["before"])}
            for each in session["permissions"]
        ],
        "plans": list(session["plans"].values()),
        "terminals": list(session["terminals"].values()),
        "timeline": [entry_form(each) for each in visible(session)],
        "replay": session["replay"] and [entry_form(each) for each in session["replay"]["built"]],
        "turns": [turn_form(each, lines) for each in session["turns"]],
    }


def entry_form(entry):
    shown = {key: each for key, each in entry.items() if key != "updatedInReplay"}
    if "chunks" in entry:
        shown["content"], shown["text"] = content_of(entry["chunks"]), text_of(entry["chunks"])
    if entry["kind"] == "subagent" and entry["state"] is None:
        del shown["stateConfirmed"]
    return shown


def turn_form(turn, lines):
    shown = {key: each for key, each in turn.items() if key not in {"entry", "echo", "idStyle"}}
    places = [index for line in lines for index, each in enumerate(line) if each is turn["entry"]]
    return {**shown, "start": places[0] if places else None}
