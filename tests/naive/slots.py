"""Latest-value slots: plans, commands, modes, options, info, usage, notices (sections 12, 13)."""

from __future__ import annotations

from naive.entries import clear_or_replace
from naive.state import client_has, diagnose, line_of


def plan(connection, session, update):
    """PLAN-01: the unnamed plan is told whole."""
    session["plan"] = {"entries": update["entries"], "_meta": update.get("_meta")}


def plan_update(connection, session, update):
    """PLAN-03, PLAN-05."""
    session["plans"][update["plan"]["planId"]] = update["plan"]


def plan_removed(connection, session, update):
    """PLAN-04."""
    if session["plans"].pop(update["planId"], None) is None:
        diagnose(connection, "unknown-plan")


def commands(connection, session, update):
    """CMD-01."""
    session["availableCommands"] = update["availableCommands"]


def current_mode(connection, session, update):
    """MODE-01; a mode that is told overtakes one that was asked for (MODE-03)."""
    mode = update["currentModeId"]
    modes = session["modes"] or {"availableModes": [], "_meta": None}
    if modes["availableModes"] and mode not in [each["id"] for each in modes["availableModes"]]:
        diagnose(connection, "unknown-mode")
    session["modes"] = {**modes, "currentModeId": mode}
    for request in connection["pending"]["client"]:
        if request["method"] == "session/set_mode" and request["session"] == session["id"]:
            request["overtaken"] = True


def config_options(connection, session, update):
    """CFG-01, CFG-05, CFG-06."""
    kept = []
    for option in update["configOptions"]:
        unknown = option["type"] == "boolean" and not client_has(
            connection, "session.configOptions.boolean"
        )
        if unknown or option["id"] in [each["id"] for each in kept]:
            diagnose(connection, "item-dropped")
            continue
        if option["type"] == "select" and option["currentValue"] not in values_of(option):
            diagnose(connection, "config-value")
        kept.append(option)
    session["configOptions"] = kept


def values_of(option):
    groups = [each.get("options", [each]) for each in option["options"]]
    return [value["value"] for group in groups for value in group]


def info(connection, session, update):
    """INFO-01."""
    clear_or_replace(session, update, title="title", updatedAt="updatedAt", meta="_meta")


def usage(connection, session, update):
    """USAGE-01, USAGE-02, CONF-14."""
    held = (session["usage"] or {}).get("cost")
    cost = update.get("cost", held)
    if held and cost and held["currency"] == cost["currency"] and cost["amount"] < held["amount"]:
        diagnose(connection, "cost-decreased")
    session["usage"] = {
        "used": update["used"],
        "size": update["size"],
        "cost": cost,
        "meta": update.get("_meta"),
    }


def notice(connection, session, update):
    """NOTICE-02, NOTICE-04: an event, never state."""
    if session["replay"]:
        diagnose(connection, "notice-in-replay")
    connection["notices"].append((session["id"], update, len(line_of(session))))


def setup_result(connection, session, result):
    """`modes` and `configOptions` of a response; what is not reported is kept (LOAD-12)."""
    if result.get("modes") is not None:
        session["modes"] = result["modes"]
    if result.get("configOptions") is not None:
        config_options(connection, session, result)
