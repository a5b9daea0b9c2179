"""Where a judge says something else than is read here: what, why, and who is right.

A pattern is for the lines that `verdicts` makes; a row is one line or a few that have one reason.
"""

from __future__ import annotations

import json
from typing import Literal

from attrs import frozen

Standing = Literal["wrong", "older", "another right"]
"""What the judge is: wrong by the published schema; right by an older one; or right in its way,
where the rules choose another, or the schema leaves it open."""


@frozen
class Difference:
    """Differences that have one reason, and a value that shows them."""

    judge: str
    standing: Standing
    rule: str
    reason: str
    what: str
    """A pattern for the difference as `verdicts` words it."""
    name: str
    """The definition that the witness is a value of."""
    witness: object
    file: str = "unstable"


def rows(judge, standing, rule, reason, *shown):
    """Rows that share all but what they show: pattern, definition, witness."""
    return tuple(Difference(judge, standing, rule, reason, *each) for each in shown)


TOO_MUCH_FOR_32_BITS = 2**53 + 1
TEXT = {"type": "text", "text": "a"}
TERMINAL = {"type": "terminal", "id": "i", "name": "N"}
TERMINAL_AND_AGENT = [{**TERMINAL, "args": 5}, {"id": "i", "name": "N"}]
BAD_ARGS = {"protocolVersion": 1, "authMethods": TERMINAL_AND_AGENT}
NO_TYPE = {"type": 5, "id": "i", "name": "N"}
OPTION = {"optionId": "o", "name": "N", "kind": "no_such"}
ASKED = {"sessionId": "s", "toolCall": {"toolCallId": "t"}, "options": [OPTION]}
LINE = {"path": "/a", "line": TOO_MUCH_FOR_32_BITS}
CHUNK = {"messageId": "m", "content": TEXT}
BOOLEAN = {"id": "i", "name": "N", "type": "boolean", "currentValue": True}


DEEP = {"toolCallId": "t", "rawInput": json.loads('{"in":' * 200 + "1" + "}" * 200)}


def update(tag, **fields):
    """An update with its tag."""
    return {"sessionUpdate": tag, **fields}


BY_SCHEMA = (
    *rows(
        "schema", "another right", "LENIENT-06",
        "null where it counts as empty is not valid, and is no fault",
        ("AuthMethodTerminal: not valid", "AuthMethodTerminal", {**TERMINAL, "args": None}),
        ("CreateTerminalRequest: not valid", "CreateTerminalRequest",
            {"sessionId": "s", "command": "c", "args": None}),
    ),
    *rows(
        "schema", "another right", "LENIENT-10",
        "a malformed terminal method has all that the branch without a type asks for; but what has"
        " a known type is of that type or nothing, or a terminal method would be offered as if it"
        " were the agent's own",
        ("AuthMethod: valid", "AuthMethod", TERMINAL_AND_AGENT[0]),
        ("InitializeResponse: valid, LENIENT-03 authMethods", "InitializeResponse", BAD_ARGS),
    ),
    *rows(
        "schema", "another right", "AUTH-01",
        "the key is not in the branch of the methods without a type; one that is no string counts"
        " as absent, and is told",
        ("AuthMethod*: valid, LENIENT-02 type", "AuthMethod", NO_TYPE),
        ("InitializeResponse: valid, LENIENT-02 type", "InitializeResponse",
            {"protocolVersion": 1, "authMethods": [NO_TYPE]}),
    ),
    *rows(
        "schema", "another right", "EXT-03",
        "the schema gives these markers no `_meta`; it is read as in all other objects",
        ("*: valid, LENIENT-02 _meta", "NoticeCapabilities", {"_meta": 5}),
    ),
    *rows(
        "schema", "another right", "CONF-02",
        "the schema does not know participants of chunks, the protocol's text does",
        ("*SessionMessageChunk: valid, LENIENT-02 senderSessionId", "SessionMessageChunk",
            {**CHUNK, "senderSessionId": 5}),
        ("*/session_message_chunk: valid, LENIENT-02 senderSessionId", "SessionUpdate",
            update("session_message_chunk", **CHUNK, senderSessionId=5)),
    ),
    *rows(
        "schema", "another right", "LENIENT-14",
        "what is nested deeper than 128 levels is malformed, so that no host falls over it",
        ("*: valid, LENIENT-02 rawInput", "ToolCallUpdate", DEEP),
    ),
)  # fmt: skip


BY_ANNOTATIONS = (
    *rows(
        "annotations", "another right", "AUTH-01",
        "the key is not in the branch of the methods without a type; here it is kept, and told"
        " where it is no string",
        ("*AuthMethod*: field-defaulted here alone", "AuthMethod", NO_TYPE),
        ("*AuthMethod*.type: lost there", "AuthMethod", {**NO_TYPE, "type": "no_such"}),
        ("InitializeResponse: field-defaulted here alone", "InitializeResponse",
            {"protocolVersion": 1, "authMethods": [NO_TYPE]}),
        ("InitializeResponse.authMethods.#.type: lost there", "InitializeResponse",
            {"protocolVersion": 1, "authMethods": [{**NO_TYPE, "type": "no_such"}]}),
    ),
    *rows(
        "annotations", "another right", "EXT-03",
        "the schema gives these markers no `_meta`; it is read as in all other objects",
        ("NoticeCapabilities: field-defaulted here alone", "NoticeCapabilities", {"_meta": 5}),
        ("CompactionCapabilities: field-defaulted here alone", "CompactionCapabilities",
            {"_meta": 5}),
        ("NoticeCapabilities._meta: lost there", "NoticeCapabilities", {"_meta": {}}),
        ("CompactionCapabilities._meta: lost there", "CompactionCapabilities", {"_meta": None}),
        ("*.notices._meta: lost there", "ClientSessionCapabilities", {"notices": {"_meta": {}}}),
        ("*.compaction._meta: lost there", "ClientCapabilities",
            {"session": {"compaction": {"_meta": {}}}}),
        ("Client*Capabilities: field-defaulted here alone", "ClientSessionCapabilities",
            {"notices": {"_meta": 5}}),
        ("InitializeRequest: field-defaulted here alone", "InitializeRequest",
            {"protocolVersion": 1, "clientCapabilities": {"session": {"notices": {"_meta": 5}}}}),
    ),
    *rows(
        "annotations", "another right", "PERM-03",
        "an unknown kind of option is kept and told, so that the question reaches the user",
        ("PermissionOption: refused there, *PERM-03 kind*", "PermissionOption", OPTION),
        ("RequestPermissionRequest: refused there, *PERM-03 kind*", "RequestPermissionRequest",
            ASKED),
    ),
    *rows(
        "annotations", "another right", "CONF-02",
        "the schema does not know participants of chunks, the protocol's text does",
        ("SessionMessageChunk.senderSessionId: lost there", "SessionMessageChunk",
            {**CHUNK, "senderSessionId": "s"}),
        ("SessionMessageChunk: field-defaulted here alone", "SessionMessageChunk",
            {**CHUNK, "senderSessionId": 5}),
        ("*/session_message_chunk*.senderSessionId: lost there", "SessionUpdate",
            update("session_message_chunk", **CHUNK, senderSessionId="s")),
        ("*/session_message_chunk: field-defaulted here alone", "SessionUpdate",
            update("session_message_chunk", **CHUNK, senderSessionId=5)),
    ),
    *rows(
        "annotations", "another right", "LENIENT-15",
        "the alias that the protocol's own example has is read where the key is absent",
        ("CurrentModeUpdate: refused there, *LENIENT-15 modeId*", "CurrentModeUpdate",
            {"modeId": "m"}),
        ("*/current_mode_update: refused there, *LENIENT-15 modeId*", "SessionUpdate",
            update("current_mode_update", modeId="m")),
    ),
    *rows(
        "annotations", "another right", "LENIENT-14",
        "what is nested deeper than 128 levels is malformed, so that no host falls over it",
        ("ToolCallUpdate.rawInput: more there", "ToolCallUpdate", DEEP),
        ("ToolCallUpdate: field-defaulted here alone", "ToolCallUpdate", DEEP),
    ),
)  # fmt: skip


BY_PYTHON = (
    *rows(
        "python", "wrong", "CONF-12",
        "a malformed optional field becomes null, which clears where the field is a patch",
        ("*: null there", "SessionUpdate", update("session_info_update", updatedAt=5)),
    ),
    *rows(
        "python", "wrong", "CONF-11",
        "a required array that is none spoils what is around it, instead of being empty",
        ("*: refused there, *LENIENT-04 *", "SetSessionConfigOptionResponse",
            {"configOptions": None}),
        ("ListSessionsResponse.sessions: other items there", "ListSessionsResponse",
            {"sessions": [{"sessionId": "s", "cwd": "/", "additionalDirectories": 5}]}),
        ("*.modes: nothing there", "LoadSessionResponse",
            {"modes": {"currentModeId": "m", "availableModes": None}}),
        ("*onfigOptions: other items there", "SetSessionConfigOptionResponse",
            {"configOptions": [{"id": "i", "name": "N", "type": "select", "currentValue": "v",
                "options": [{"group": "g", "name": "N", "options": None}]}]}),
    ),
    *rows(
        "python", "wrong", "LENIENT-02",
        "an optional array whose items are skipped spoils what is around it when it is no array",
        ("*.annotations: nothing there", "TextContent",
            {"text": "a", "annotations": {"audience": 5}}),
        *(
            (f"*: refused there, *LENIENT-02 {key}*", name, {**valid, key: 5})
            for key, name, valid in (
                ("content", "ToolCallUpdate", {"toolCallId": "t"}),
                ("locations", "ToolCall", {"toolCallId": "t", "title": "T"}),
                ("configOptions", "LoadSessionResponse", {}),
                ("audience", "Annotations", {}),
                ("additionalDirectories", "SessionInfo", {"sessionId": "s", "cwd": "/"}),
                ("authMethods", "InitializeResponse", {"protocolVersion": 1}),
            )
        ),
    ),
    *rows(
        "python", "wrong", "LENIENT-08", "the roles of an audience are any strings",
        ("*audience: other items there", "Annotations", {"audience": ["no_such"]}),
    ),
    *rows(
        "python", "wrong", "LENIENT-02",
        "an option's category may be an object there; it is a string",
        ("*onfigOptions.#.category: more there", "SetSessionConfigOptionResponse",
            {"configOptions": [{**BOOLEAN, "category": {"k": 1}}]}),
    ),
    *rows(
        "python", "wrong", "LENIENT-09",
        "an option's category that the SDK does not know is lost; the schema leaves it open",
        ("*onfigOptions.#.category: nothing there", "SetSessionConfigOptionResponse",
            {"configOptions": [{**BOOLEAN, "category": "no_such"}]}),
    ),
    *rows(
        "python", "another right", "LENIENT-06", "null is kept where it counts as empty",
        ("*.args: nothing there", "AuthMethodTerminal", {"id": "i", "name": "N", "args": None}),
        ("*.env: nothing there", "AuthMethodTerminal", {"id": "i", "name": "N", "env": None}),
    ),
    *rows(
        "python", "another right", "LENIENT-12",
        "the format `double` is taken for a bound; here only the schema's bounds are bounds",
        ("Cost: refused there*", "Cost", {"amount": 10**400, "currency": "EUR"}),
        ("*.cost: nothing there", "SessionUpdate",
            update("usage_update", used=1, size=2, cost={"amount": 10**400, "currency": "EUR"})),
        ("*.priority: nothing there", "TextContent",
            {"text": "a", "annotations": {"priority": 10**400}}),
    ),
    *rows(
        "python", "another right", "LENIENT-02",
        "a malformed field gets the schema's default; here it is absent, which means the same",
        ("*: default there", "AuthCapabilities", {"terminal": 5}),
    ),
    *rows(
        "python", "wrong", "LENIENT-10",
        "a malformed terminal method is taken for one of the agent's own",
        ("InitializeResponse.authMethods: other items there", "InitializeResponse", BAD_ARGS),
    ),
    *rows(
        "python", "another right", "PERM-03",
        "an unknown kind of option is kept and told, so that the question reaches the user",
        ("*: refused there, *PERM-03 kind*", "PermissionOption", OPTION),
    ),
    *rows(
        "python", "another right", "INIT-05",
        "a protocol version that is no integer is taken for 0 or 1, for old clients",
        ("InitializeRequest: refused here", "InitializeRequest", {"protocolVersion": "2024-11-05"}),
    ),
    *rows(
        "python", "older", "LENIENT-05",
        "in its schema these fields of requests were lenient",
        ("AuthMethodTerminal: refused here", "AuthMethodTerminal",
            {"id": "i", "name": "N", "args": [5]}),
        ("CreateTerminalRequest: refused here", "CreateTerminalRequest",
            {"sessionId": "s", "command": "c", "args": [5]}),
        ("ReadTextFileRequest: refused here", "ReadTextFileRequest",
            {"sessionId": "s", "path": "/a", "line": -1}),
    ),
    *rows(
        "python", "older", "LENIENT-07", "its schema does not have these fields",
        ("*.archive: lost there", "SessionCapabilities", {"archive": {}}),
        ("*.status: lost there", "SessionCapabilities", {"status": {}}),
        ("*.title: lost there", "SessionCapabilities", {"title": {}}),
        ("*.systemPrompt: lost there", "SessionCapabilities", {"systemPrompt": {}}),
        ("*.notices: lost there", "ClientSessionCapabilities", {"notices": {}}),
        ("*.compaction: lost there", "ClientSessionCapabilities", {"compaction": {}}),
        ("*.subagents: lost there", "ClientCapabilities", {"subagents": {}}),
        ("*.archived: lost there", "SessionInfo",
            {"sessionId": "s", "cwd": "/", "archived": True}),
        ("*.name: lost there", "ToolCallUpdate", {"toolCallId": "t", "name": "n"}),
        ("*.type: lost there", "AuthMethodAgent", {"id": "i", "name": "N", "type": "no_such"}),
    ),
    *rows(
        "python", "older", "LENIENT-11", "its schema does not have these updates",
        ("*/notice: refused there*", "SessionUpdate",
            update("notice", severity="info", title="T")),
        ("*/compaction_update: refused there*", "SessionUpdate",
            update("compaction_update", compactionId="c", status="completed")),
        ("*/compaction_summary_chunk: refused there*", "SessionUpdate",
            update("compaction_summary_chunk", compactionId="c", content=TEXT)),
        ("*/subagent_update: refused there*", "SessionUpdate",
            update("subagent_update", sessionId="s")),
        ("*/session_message: refused there*", "SessionUpdate",
            update("session_message", messageId="m")),
        ("*/session_message_chunk: refused there*", "SessionUpdate",
            update("session_message_chunk", **CHUNK)),
    ),
    *rows(
        "python", "another right", "LENIENT-15",
        "the alias that the protocol's own example has is read where the key is absent",
        ("*/current_mode_update: refused there, *LENIENT-15 modeId*", "SessionUpdate",
            update("current_mode_update", modeId="m")),
    ),
    *rows(
        "python", "another right", "LENIENT-14",
        "what is nested deeper than 128 levels is malformed, so that no host falls over it",
        ("ToolCallUpdate.rawInput: more there", "ToolCallUpdate", DEEP),
    ),
)  # fmt: skip


BY_TYPESCRIPT = (
    *rows(
        "typescript", "another right", "LENIENT-02",
        "an absent or malformed field gets the schema's default; here it is absent, which means"
        " the same",
        ("*: default there", "AuthCapabilities", {}),
    ),
    *rows(
        "typescript", "another right", "LENIENT-12",
        "formats (`uint32`, `int32`) are taken for bounds; only the schema's bounds bind here",
        ("*.line: lost there", "ToolCallLocation", LINE),
        ("*.exitCode: lost there", "TerminalExitStatus", {"exitCode": TOO_MUCH_FOR_32_BITS}),
        ("Error: refused there", "Error", {"code": 2**31, "message": "m"}),
        ("ReadTextFileRequest: refused there", "ReadTextFileRequest",
            {"sessionId": "s", "path": "/a", "limit": TOO_MUCH_FOR_32_BITS}),
        ("ReadTextFileRequest: refused there, LENIENT-02 _meta", "ReadTextFileRequest",
            {"sessionId": "s", "path": "/a", "limit": TOO_MUCH_FOR_32_BITS, "_meta": 5}),
    ),
    *rows(
        "typescript", "another right", "LENIENT-07",
        "markers that the schema says nothing of are kept whole; here only their `_meta` is",
        ("NoticeCapabilities.*: * there", "NoticeCapabilities", {"other": 5}),
        ("CompactionCapabilities.*: * there", "CompactionCapabilities", {"other": None}),
        ("*.notices.*: * there", "ClientSessionCapabilities", {"notices": {"other": 5}}),
        ("*.compaction.*: * there", "ClientSessionCapabilities", {"compaction": {"other": 5}}),
    ),
    *rows(
        "typescript", "wrong", "LENIENT-10",
        "a malformed terminal method is taken for one of the agent's own",
        ("AuthMethod: refused here", "AuthMethod", TERMINAL_AND_AGENT[0]),
        ("InitializeResponse.authMethods: other items there", "InitializeResponse", BAD_ARGS),
    ),
    *rows(
        "typescript", "another right", "AUTH-01",
        "an unknown type of a method is dropped; here it is kept",
        ("AuthMethod*.type: lost there", "AuthMethod", {**NO_TYPE, "type": "no_such"}),
        ("InitializeResponse.authMethods.#.type: lost there", "InitializeResponse",
            {"protocolVersion": 1, "authMethods": [{**NO_TYPE, "type": "no_such"}]}),
    ),
    *rows(
        "typescript", "another right", "CONF-02",
        "the schema does not know participants of chunks, the protocol's text does",
        ("SessionMessageChunk.senderSessionId: lost there", "SessionMessageChunk",
            {**CHUNK, "senderSessionId": "s"}),
        ("*/session_message_chunk*.senderSessionId: lost there", "SessionUpdate",
            update("session_message_chunk", **CHUNK, senderSessionId="s")),
    ),
    *rows(
        "typescript", "another right", "PERM-03",
        "an unknown kind of option is kept and told, so that the question reaches the user",
        ("PermissionOption: refused there, *PERM-03 kind*", "PermissionOption", OPTION),
        ("RequestPermissionRequest: refused there, *PERM-03 kind*", "RequestPermissionRequest",
            ASKED),
    ),
    *rows(
        "typescript", "another right", "LENIENT-15",
        "the alias that the protocol's own example has is read where the key is absent",
        ("CurrentModeUpdate: refused there, *LENIENT-15 modeId*", "CurrentModeUpdate",
            {"modeId": "m"}),
        ("*/current_mode_update: refused there, *LENIENT-15 modeId*", "SessionUpdate",
            update("current_mode_update", modeId="m")),
    ),
    *rows(
        "typescript", "another right", "LENIENT-14",
        "what is nested deeper than 128 levels is malformed, so that no host falls over it",
        ("ToolCallUpdate.rawInput: more there", "ToolCallUpdate", DEEP),
    ),
)  # fmt: skip


DIFFERENCES = (*BY_SCHEMA, *BY_ANNOTATIONS, *BY_PYTHON, *BY_TYPESCRIPT)
