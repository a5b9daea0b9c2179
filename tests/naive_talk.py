"""Moves of a conversation that say more than those of `conversations`, for the naive model.

A move draws one line, (sender, JSON). `mutated` spoils one place of a line.
"""

from __future__ import annotations

import copy

from conversations import MOVES, OPTION
from reduce.history import (
    MAY_CANCEL,
    agent_answers,
    agent_asks,
    agent_tells,
    call_update,
    child,
    client_asks,
    compaction,
    letter,
    letter_chunk,
    prompt,
    update,
)

TEXT = {"type": "text", "text": "Go"}
NOTED = {"annotations": {"audience": ["user"], "priority": 1.0}}
BLOCKS = (
    TEXT,
    {"type": "text", "text": " on"},
    {**TEXT, **NOTED},
    {**TEXT, "_meta": {"b": 1}},
    {"type": "image", "data": "aa", "mimeType": "image/png", "uri": "u"},
    {"type": "audio", "data": "aa", "mimeType": "audio/wav"},
    {"type": "resource_link", "name": "n", "uri": "file:///n", "size": 5},
    {"type": "resource", "resource": {"uri": "u", "text": "t", "mimeType": None}},
    {"type": "resource", "resource": {"uri": "u", "blob": "aa"}},
    {"type": "odd"},
)
CONTENTS = (
    {"type": "content", "content": TEXT},
    {"type": "diff", "path": "/f", "newText": "n", "oldText": "o"},
    {"type": "diff", "path": "f", "newText": ""},
    {"type": "terminal", "terminalId": "x"},
    TEXT,
)
LOCATIONS = ({"path": "/f", "line": 3}, {"path": "f", "line": -1}, {"line": 1})
GROUPED = {**OPTION, "id": "q", "options": [{"group": "g", "name": "G", "options": [
    {"value": "v", "name": "V"}, {"value": 5, "name": "V"}]}]}  # fmt: skip
OPTIONS = (
    OPTION,
    {**OPTION, "currentValue": "other", "category": "mode"},
    GROUPED,
    {"id": "b", "name": "B", "type": "boolean", "currentValue": True},
    {"id": "n", "name": "N", "type": "number", "currentValue": 1},
    {**OPTION, "id": "e", "options": []},
)
META = ({"k": 1}, {"k": None, "l": {"m": None}}, {}, None, 5)


def some(script, values, most=3):
    """Some of the values, in any order."""
    return [copy.deepcopy(script.one_of(*values)) for _ in range(script.one_of(*range(most + 1)))]


def meta(script):
    return script.maybe({"meta": copy.deepcopy(script.one_of(*META))})


def optional(script, **fields):
    """Each field with one of its values, or none."""
    found = {}
    for key, values in fields.items():
        if script.once_in(2):
            found[key] = copy.deepcopy(script.one_of(*values))
    return found


def says_blocks(script):
    kind = script.one_of("user_message_chunk", "agent_message_chunk", "agent_thought_chunk")
    fields = optional(script, messageId=("m", "n", "", None, 5))
    block = copy.deepcopy(script.one_of(*BLOCKS))
    return update(kind, script.session, content=block, **fields, **meta(script))


def echoes(script):
    """Pieces of what `prompts_blocks` says."""
    fields = optional(script, messageId=("m", "e", None))
    block = script.one_of(TEXT, {"type": "text", "text": "G"}, {"type": "text", "text": "o"},
                          {**TEXT, **NOTED}, BLOCKS[1], BLOCKS[4], BLOCKS[6])  # fmt: skip
    return update("user_message_chunk", script.root, content=copy.deepcopy(block), **fields)


def prompts_blocks(script):
    _, message = prompt(script.request_id, "", script.root)
    message["params"]["prompt"] = script.one_of(
        [TEXT], [TEXT, BLOCKS[1]], [TEXT, BLOCKS[4]], [{**BLOCKS[6], **NOTED}, TEXT], [TEXT, TEXT],
    )  # fmt: skip
    return "client", copy.deepcopy(message)


def calls_fully(script):
    fields = {
        **optional(
            script,
            title=("T", "U", None),
            name=("n", None, 5),
            kind=("read", "other", None, "odd"),
            status=("pending", "in_progress", "completed", "failed", "cancelled", None, "odd"),
            rawInput=({"a": [1]}, [], "raw", 0, None),
            rawOutput=({"a": None}, False, None),
        ),
        **script.maybe({"content": some(script, CONTENTS)}),
        **script.maybe({"locations": some(script, LOCATIONS)}),
        **meta(script),
    }
    name = script.one_of("t", "u", "v")
    if script.once_in(2):
        return call_update(name, script.session, **fields)
    return update("tool_call", script.session, toolCallId=name, **{"title": "T", **fields})


def asks_fully(script):
    kinds = ("allow_once", "allow_always", "reject_once", "odd")
    options = [
        {"optionId": script.one_of("yes", "no"), "name": "N", "kind": script.one_of(*kinds)}
        for _ in range(script.one_of(0, 1, 2, 3))
    ]
    call = {
        "toolCallId": script.one_of("t", "u", "v"),
        **optional(
            script, title=("T", None), status=("pending", "completed", "cancelled", None),
            content=([], [CONTENTS[0]]), rawInput=({}, {"a": 1}), _meta=META,
        ),
    }  # fmt: skip
    return agent_asks(
        script.request_id, "session/request_permission", sessionId=script.session,
        toolCall=call, options=options,
    )  # fmt: skip


def compacts_fully(script):
    status = script.one_of("in_progress", "completed", "failed", "cancelled", "_odd")
    fields = optional(script, error=("E", None, 5), summary=([], None, [TEXT, BLOCKS[-1]], 5))
    return compaction(script.one_of("c", "d"), status, script.session, **fields, **meta(script))


def writes_fully(script):
    who = ("a", "k", "g", "z", None, 5)
    fields = optional(script, senderSessionId=who, recipientSessionId=who)
    if script.once_in(3):
        return letter_chunk("x", "l", script.session, **fields, **meta(script))
    more = optional(
        script, senderMessageId=("x", None, 5), recipientMessageId=("y", None),
        content=([TEXT, BLOCKS[4]], [BLOCKS[-1]], None, 5),
    )  # fmt: skip
    return letter(script.one_of("l", "r"), script.session, **fields, **more, **meta(script))


def announces_fully(script):
    family = script.one_of(*script.families)
    parent, name = script.one_of(*[(up, down) for up in family for down in (*family[1:], "z")])
    states = (
        {"state": "running"}, {"state": "idle"}, {"state": "idle", "stopReason": 5},
        {"state": "idle", "stopReason": "error", "error": {"code": 1, "message": "m"}, "x": 1},
        {"state": "idle", "stopReason": "_odd", "x": 1, "usage": {"totalTokens": 1}},
        {"state": "requires_action", "_meta": {"s": 1}}, {"state": "_odd", "x": [1]}, "running",
        {"state": "idle", "usage": {"totalTokens": 1, "inputTokens": 1, "outputTokens": 0}}, None,
    )  # fmt: skip
    fields = optional(
        script, title=("T", None, 5), description=("D", None), state=states,
        capabilities=(MAY_CANCEL, {}, None, {"cancel": True}, {"cancel": None}, []),
        cwd=("/c", "c", None), additionalDirectories=([], ["/d"], ["d"], None, ["/d", 5]),
    )  # fmt: skip
    return child(name, parent, **fields, **meta(script))


def reports_fully(script):
    entries = (
        {"content": "C", "priority": "high", "status": "pending"},
        {"content": "C", "priority": "odd", "status": "pending"},
    )
    plans = (
        {"type": "items", "planId": "p", "entries": list(entries)},
        {"type": "file", "planId": "q", "uri": "u"},
        {"type": "odd", "planId": "p"},
        {"type": "markdown", "planId": "p"},
    )
    commands = (
        {"name": "n", "description": "d", "input": {"hint": "h"}},
        {"name": "n", "description": "d", "input": {}},
        {"name": "n"},
    )
    costs = (
        {"amount": 1.5, "currency": "USD"},
        {"amount": 1, "currency": "USD"},
        {"amount": 1},
        None,
    )
    kind, fields = script.one_of(
        ("plan", {"entries": some(script, entries)}),
        ("plan", {"entries": None}),
        ("plan_update", {"plan": script.one_of(*plans)}),
        ("plan_removed", {"planId": script.one_of("p", "q")}),
        ("available_commands_update", {"availableCommands": some(script, commands)}),
        (
            "current_mode_update",
            {script.one_of("currentModeId", "modeId"): script.one_of("m", "x")},
        ),
        ("config_option_update", {"configOptions": some(script, OPTIONS)}),
        ("session_info_update", optional(script, title=("T", "U", None, 5), updatedAt=("t", None))),
        (
            "usage_update",
            {"used": script.one_of(1, 2.0, -1), "size": 0, **optional(script, cost=costs)},
        ),
        ("notice", {"severity": "_odd", "title": script.one_of("N", ""), "description": None}),
        ("odd_update", {}),
    )
    return update(kind, script.session, **copy.deepcopy(fields), **meta(script))


def visits(script):
    """A URL to go to, and its end."""
    if script.once_in(3):
        return agent_tells("elicitation/complete", elicitationId=script.one_of("v", "w", 5))
    scope = script.one_of(
        {"sessionId": script.session}, {"requestId": 1}, {"sessionId": "a", "toolCallId": "t"},
        {"sessionId": "a", "requestId": 1}, {"sessionId": "a", "toolCallId": 5},
    )  # fmt: skip
    fields = {"mode": "url", "message": "?", "url": "u", "elicitationId": script.one_of("v", "w")}
    return agent_asks(script.request_id, "elicitation/create", **fields, **scope)


def wants_a_form(script):
    """A form of one field, of which some cannot be asked for."""
    kind = script.one_of("string", "number", "integer", "boolean", "array", "_v/x", None)
    said = optional(
        script, minLength=(1, -1, "1", None), maximum=(5, 5.5, True), enum=(["a"], "a", ["a", 5]),
        oneOf=([{"const": "a", "title": "A"}], [{"const": "a"}]), format=("email", "phone"),
        items=({"type": "string", "enum": []}, {"anyOf": []}, {}, {"type": "_v/y"}, None),
        minItems=(0, -1), title=("T", 5), pattern=("a", 5),
    )  # fmt: skip
    schema = {"properties": script.one_of({"n": {"type": kind, **said}}, {"n": said}, {}, 5)}
    schema |= optional(script, required=(["n"], "n", [5], None))
    fields = {"mode": "form", "message": "?", "requestedSchema": schema}
    return agent_asks(script.request_id, "elicitation/create", **fields, sessionId=script.session)


def authenticates(script):
    accounts = [{"label": "l"}, {"label": "l", "active": "yes"}, {}]
    status = {
        "state": script.one_of("authenticated", "_odd"),
        **script.maybe({"accounts": accounts}),
    }
    return script.one_of(
        client_asks(script.request_id, "authenticate", methodId="x"),
        client_asks(script.request_id, "logout"),
        client_asks(script.request_id, "auth/status"),
        agent_tells("auth/status_update", **status),
    )


def initializes(script):
    full = {
        "plan": {}, "session": {"notices": {}, "compaction": {}, "configOptions": {"boolean": {}}},
        "subagents": {}, "fs": {"readTextFile": True, "writeTextFile": True}, "terminal": True,
        "elicitation": {"form": {}, "url": {}},
    }  # fmt: skip
    capabilities = script.one_of(full, full, {}, {"plan": {}, "session": {"notices": None}})
    return client_asks(
        script.request_id, "initialize", protocolVersion=1, clientCapabilities=capabilities
    )


def answers_initialize(script):
    ids = [key for key, each in script.asked["client"].items() if each["method"] == "initialize"]
    if not ids:
        return None
    result = {"protocolVersion": script.one_of(1, 1, 1, 2), "agentCapabilities": {
        "sessionCapabilities": {"list": {}, "close": True}, "auth": {"logout": {}}}}  # fmt: skip
    return agent_answers(ids[0], result)


RICH = (
    *MOVES, says_blocks, says_blocks, echoes, echoes, echoes, prompts_blocks, prompts_blocks,
    calls_fully, calls_fully, calls_fully, asks_fully, asks_fully, compacts_fully, writes_fully,
    announces_fully, announces_fully, reports_fully, reports_fully, visits, wants_a_form,
    authenticates,
    initializes, answers_initialize, answers_initialize,
)  # fmt: skip

SPOILT = (None, 5, -1, "", "x", True, 1.5, [], {}, [5], {"x": 1})


def mutated(script, line):
    """The line with one place of it null, missing or of another type."""
    sender, message = copy.deepcopy(line)
    places = [place for place in places_of(message) if place[1] != "jsonrpc"] or [(message, "id")]
    holder, key = script.one_of(*places)
    if isinstance(holder, dict) and script.once_in(3):
        holder.pop(key, None)
    else:
        holder[key] = copy.deepcopy(script.one_of(*SPOILT))
    return sender, message


def places_of(value):
    items = list(value.items() if isinstance(value, dict) else enumerate(value))
    inner = [
        place for _, each in items if isinstance(each, dict | list) for place in places_of(each)
    ]
    return [(value, key) for key, _ in items] + inner
