"""What is not valid in every part is read as far as the rules of leniency allow."""

from __future__ import annotations

import copy
from contextlib import suppress
from math import nan

import pytest
from hypothesis import given
from strategies import half_valid, json_like

from acp_state.codec import encode
from acp_state.leniency import Decoded, Fault, decode, hold
from acp_state.omitted import OMITTED
from acp_state.reading import Malformed
from acp_state.schema import (
    Annotations,
    AuthMethodAgent,
    AuthMethodTerminal,
    AvailableCommand,
    AvailableCommandsUpdate,
    BlobResourceContents,
    CompactionUpdate,
    ConfigOptionUpdate,
    Content,
    ContentBlock,
    Cost,
    CreateTerminalRequest,
    CurrentModeUpdate,
    Diff,
    EmbeddedResource,
    Error,
    ErrorStopReason,
    IdleStateUpdate,
    InitializeResponse,
    NewSessionResponse,
    Notice,
    OtherStateUpdate,
    OtherStopReason,
    PermissionOption,
    Plan,
    PlanEntry,
    PromptResponse,
    RequestPermissionRequest,
    RunningStateUpdate,
    SessionConfigBoolean,
    SessionConfigSelect,
    SessionConfigSelectGroup,
    SessionConfigSelectOption,
    SessionInfoUpdate,
    SessionMode,
    SessionModeState,
    SessionNotification,
    SessionUpdate,
    SubagentSessionCapabilities,
    SubagentUpdate,
    TextContent,
    TextResourceContents,
    ToolCall,
    ToolCallLocation,
    ToolCallUpdate,
    UsageUpdate,
    UserMessageChunk,
)

TEXT = {"type": "text", "text": "a"}
OPTION = {"optionId": "o", "name": "O", "kind": "allow_once"}
ENTRY = {"content": "c", "priority": "low", "status": "pending"}


def update(tag, **fields):
    """The JSON of a session update."""
    return {"sessionUpdate": tag, **fields}


def defaulted(path, text, raw, rule="LENIENT-02"):
    """The fault of a field that counts as absent, or as ``[]``."""
    return Fault(code="field-defaulted", rule=rule, path=path, text=text, raw=raw)


def dropped(path, text, raw, rule="LENIENT-03"):
    """The fault of an item that is left out."""
    return Fault(code="item-dropped", rule=rule, path=path, text=text, raw=raw)


def verdict(json, annotation=SessionUpdate):
    """The text with which the whole is refused."""
    with pytest.raises(Malformed) as caught:
        decode(json, annotation)
    return str(caught.value)


# What is valid


def test_valid_json_has_no_faults():
    """A message that fits is read as it is."""
    chunk = update("user_message_chunk", content=TEXT, messageId="m")
    assert decode(chunk, SessionUpdate) == Decoded(
        UserMessageChunk(content=TextContent(text="a"), message_id="m"), ()
    )


# Optional fields


def test_a_malformed_optional_field_counts_as_absent():
    """LENIENT-01, LENIENT-02: neither null, which would clear, nor a coerced value."""
    assert decode(update("session_info_update", title="t", updatedAt=3), SessionUpdate) == Decoded(
        SessionInfoUpdate(title="t", updated_at=OMITTED),
        (defaulted("updatedAt", "must be a string, not 3; counts as absent", 3),),
    )


def test_null_is_malformed_where_the_type_has_none():
    """Table 4.1, row 4: null in `kind` or `content` of a `tool_call` counts as absent."""
    call = update("tool_call", toolCallId="t", title="T", kind=None, content=None, name=None)
    assert decode(call, SessionUpdate) == Decoded(
        ToolCall(tool_call_id="t", title="T", name=None),
        (
            defaulted("kind", f"must be one of {KINDS}, not null; counts as absent", None),
            defaulted("content", "must be an array, not null; counts as absent", None),
        ),
    )


KINDS = "read, edit, delete, move, search, execute, think, fetch, switch_mode, other"


def test_an_unknown_string_of_a_closed_enum_is_malformed():
    """LENIENT-08, TOOL-09: in an optional field it counts as absent, as wire `cancelled` does."""
    patch = update("tool_call_update", toolCallId="t", status="cancelled")
    text = "must be one of pending, in_progress, completed, failed, not 'cancelled'"
    assert decode(patch, SessionUpdate) == Decoded(
        ToolCallUpdate(tool_call_id="t"),
        (defaulted("status", f"{text}; counts as absent", "cancelled"),),
    )


def test_an_open_string_is_kept():
    """LENIENT-09: severity, compaction status and category are any string."""
    notice = update("notice", severity="_loud", title="t")
    compaction = update("compaction_update", compactionId="c", status="paused")
    assert decode(notice, SessionUpdate) == Decoded(Notice(severity="_loud", title="t"))
    assert decode(compaction, SessionUpdate) == Decoded(
        CompactionUpdate(compaction_id="c", status="paused")
    )


@pytest.mark.parametrize("meta", [5, "a", [], True])
def test_meta_is_an_object_or_null(meta):
    """LENIENT-14: anything else counts as absent."""
    decoded = decode(update("session_info_update", _meta=meta), SessionUpdate)
    assert decoded.value == SessionInfoUpdate()
    assert [(fault.path, fault.raw) for fault in decoded.faults] == [("_meta", meta)]


def test_meta_that_is_no_json_cannot_be_held():
    """The fault has null for what cannot be frozen."""
    decoded = decode(update("session_info_update", _meta={"a": nan}), SessionUpdate)
    assert decoded == Decoded(
        SessionInfoUpdate(),
        (defaulted("_meta", "nan is no JSON value; counts as absent", None),),
    )


def test_a_malformed_part_spoils_the_optional_object_around_it():
    """LENIENT-05: one fault, which tells where inside."""
    usage = update("usage_update", used=1, size=2, cost={"amount": "5", "currency": 3})
    assert decode(usage, SessionUpdate) == Decoded(
        UsageUpdate(used=1, size=2),
        (
            defaulted(
                "cost",
                "amount: must be a number, not '5'; counts as absent",
                {"amount": "5", "currency": 3},
            ),
        ),
    )


def test_what_is_repaired_inside_is_a_fault_of_its_own():
    """LENIENT-02: the object around a lenient field stays, and the path says where it is."""
    usage = update("usage_update", used=1, size=2, cost={"amount": 5, "currency": "", "_meta": 1})
    assert decode(usage, SessionUpdate) == Decoded(
        UsageUpdate(used=1, size=2, cost=Cost(amount=5, currency="")),
        (defaulted("cost._meta", "must be an object, not 1; counts as absent", 1),),
    )


def test_faults_inside_what_is_spoiled_are_not_told():
    """LENIENT-03: one malformed field is one fault, not one for each of its parts."""
    cost = {"_meta": 1, "amount": 5}
    assert decode(update("usage_update", used=1, size=2, cost=cost), SessionUpdate) == Decoded(
        UsageUpdate(used=1, size=2),
        (defaulted("cost", "'currency' is missing; counts as absent", cost),),
    )


def test_a_negative_count_is_malformed():
    """LENIENT-12: where the schema has a minimum; in an optional field it counts as absent."""
    call = update("tool_call", toolCallId="t", title="T", locations=[{"path": "/a", "line": -1}])
    assert decode(call, SessionUpdate) == Decoded(
        ToolCall(tool_call_id="t", title="T", locations=(ToolCallLocation(path="/a"),)),
        (defaulted("locations[0].line", "must be at least 0, not -1; counts as absent", -1),),
    )


def test_integral_numbers_and_empty_strings_are_no_faults():
    """LENIENT-12: 5.0 is an integer; LENIENT-13: "" is a string, and an id."""
    usage = update("usage_update", used=5.0, size=10**400)
    assert decode(usage, SessionUpdate) == Decoded(UsageUpdate(used=5, size=10**400))
    chunk = update("user_message_chunk", content=TEXT, messageId="")
    assert decode(chunk, SessionUpdate) == Decoded(
        UserMessageChunk(content=TextContent(text="a"), message_id="")
    )


# Required fields


@pytest.mark.parametrize(
    ("json", "text"),
    [
        (update("usage_update", size=1), "'used' is missing"),
        (update("usage_update", used=None, size=1), "used: must be an integer, not null"),
        (update("usage_update", used="5", size=1), "used: must be an integer, not '5'"),
        (update("usage_update", used=True, size=1), "used: must be an integer, not True"),
        (update("usage_update", used=-1, size=1), "used: must be at least 0, not -1"),
        (update("usage_update", used=nan, size=1), "used: must be an integer, not nan"),
        (update("notice", severity="s", title=""), "title: must not be empty"),
        (update("notice", severity=5, title="t"), "severity: must be a string, not 5"),
        (update("user_message_chunk"), "'content' is missing"),
        (update("user_message_chunk", content=None), "content: must be an object, not null"),
        (update("user_message_chunk", content=[]), "content: must be an object, not an array"),
        (update("user_message_chunk", content={"type": "video"}), "content: unknown type 'video'"),
        (update("user_message_chunk", content={}), "content: 'type' is missing"),
        (update("user_message_chunk", content={"type": "text"}), "content: 'text' is missing"),
        (
            update("user_message_chunk", content={"type": "text", "text": 5}),
            "content.text: must be a string, not 5",
        ),
        (
            update("user_message_chunk", content={"type": "resource", "resource": {"uri": "u"}}),
            "content.resource: 'blob' is missing",
        ),
        (
            update("plan_update", plan={"type": "items", "planId": "p"}),
            "plan: 'entries' is missing",
        ),
        (update("plan_update", plan={"type": "tree", "planId": "p"}), "plan: unknown type 'tree'"),
        (
            update("plan_update", plan={"type": "file", "id": "p", "uri": "u"}),
            "plan: 'planId' is missing",
        ),
        (update("plan"), "'entries' is missing"),
        (update("current_mode_update", current_mode_id="m"), "'currentModeId' is missing"),
        (update("tool_call_delta"), "unknown sessionUpdate 'tool_call_delta'"),
        ({"type": "plan"}, "'sessionUpdate' is missing"),
        ([update("plan", entries=[])], "must be an object, not an array"),
        (None, "must be an object, not null"),
    ],
)
def test_a_malformed_required_field_spoils_the_update(json, text):
    """LENIENT-05, -08, -11, -12, -13, -15: the text begins with the part that did it."""
    assert verdict(json) == text


def test_the_path_of_what_spoils_is_told_apart_from_the_text():
    with pytest.raises(Malformed) as caught:
        decode(update("user_message_chunk", content={"type": "text", "text": 5}), SessionUpdate)
    assert (caught.value.path, caught.value.text) == ("content.text", "must be a string, not 5")


def test_an_update_spoils_its_notification():
    """RPC-12: both keys of `session/update` are required."""
    assert verdict({"sessionId": "s"}, SessionNotification) == "'update' is missing"
    assert verdict({"sessionId": "s", "update": update("plan")}, SessionNotification) == (
        "update: 'entries' is missing"
    )


def test_roots_are_strict():
    """SUB-14: a malformed `cwd` or one bad directory spoils the whole update."""
    subagent = update("subagent_update", sessionId="s")
    assert verdict({**subagent, "cwd": 5}) == "cwd: must be a string, not 5"
    assert verdict({**subagent, "additionalDirectories": ["/a", 5]}) == (
        "additionalDirectories[1]: must be a string, not 5"
    )
    assert verdict({**subagent, "additionalDirectories": "/a"}) == (
        "additionalDirectories: must be an array, not '/a'"
    )
    assert decode(
        {**subagent, "cwd": None, "additionalDirectories": [], "title": 5}, SessionUpdate
    ) == Decoded(
        SubagentUpdate(session_id="s", cwd=None, additional_directories=()),
        (defaulted("title", "must be a string, not 5; counts as absent", 5),),
    )


# Arrays


def test_bad_items_are_left_out_one_by_one():
    """LENIENT-03, LENIENT-08: the others keep their order; the path has the place as sent."""
    bad = {**ENTRY, "status": "done"}
    plan = update("plan", entries=[bad, ENTRY, "x", {**ENTRY, "content": "d"}])
    assert decode(plan, SessionUpdate) == Decoded(
        Plan(
            entries=(
                PlanEntry(content="c", priority="low", status="pending"),
                PlanEntry(content="d", priority="low", status="pending"),
            )
        ),
        (
            dropped(
                "entries[0]",
                "status: must be one of pending, in_progress, completed, not 'done'",
                bad,
            ),
            dropped("entries[2]", "must be an object, not 'x'", "x"),
        ),
    )


def test_an_array_that_loses_all_items_is_empty():
    """LENIENT-03: a concrete ``[]``, which replaces; it is not absent."""
    patch = update("tool_call_update", toolCallId="t", content=[5], locations=[])
    assert decode(patch, SessionUpdate) == Decoded(
        ToolCallUpdate(tool_call_id="t", content=(), locations=()),
        (dropped("content[0]", "must be an object, not 5", 5),),
    )


def test_a_bare_content_block_is_no_tool_content():
    """CONF-09: the item is left out, as the schema says."""
    patch = update("tool_call_update", toolCallId="t", content=[TEXT])
    assert decode(patch, SessionUpdate) == Decoded(
        ToolCallUpdate(tool_call_id="t", content=()),
        (dropped("content[0]", "unknown type 'text'", TEXT, "LENIENT-11"),),
    )


def test_an_item_with_an_unknown_part_is_left_out():
    """LENIENT-11: the fault names the rule of what is unknown, and carries the item."""
    block = {"type": "content", "content": {"type": "video", "uri": "u"}}
    patch = update("tool_call_update", toolCallId="t", content=[block])
    assert decode(patch, SessionUpdate) == Decoded(
        ToolCallUpdate(tool_call_id="t", content=()),
        (dropped("content[0]", "content: unknown type 'video'", block, "LENIENT-11"),),
    )


def test_a_repaired_item_stays():
    """LENIENT-02 inside LENIENT-03: what is optional in an item does not cost the item."""
    diff = {"type": "diff", "path": "/a", "newText": "n", "oldText": 5}
    block = {"type": "content", "content": {**TEXT, "annotations": {"priority": "1"}}}
    call = update("tool_call", toolCallId="t", title="T", content=[diff, block])
    assert decode(call, SessionUpdate) == Decoded(
        ToolCall(
            tool_call_id="t",
            title="T",
            content=(
                Diff(path="/a", new_text="n"),
                Content(content=TextContent(text="a", annotations=Annotations())),
            ),
        ),
        (
            defaulted("content[0].oldText", "must be a string, not 5; counts as absent", 5),
            defaulted(
                "content[1].content.annotations.priority",
                "must be a number, not '1'; counts as absent",
                "1",
            ),
        ),
    )


def test_faults_inside_a_lost_item_are_not_told():
    """LENIENT-03: one malformed item is one fault."""
    command = {"name": "n", "input": 5, "_meta": 5}
    commands = update("available_commands_update", availableCommands=[command])
    assert decode(commands, SessionUpdate) == Decoded(
        AvailableCommandsUpdate(available_commands=()),
        (dropped("availableCommands[0]", "'description' is missing", command),),
    )


def test_a_command_keeps_without_its_input():
    """Section 4.3: `input` needs its hint, the command does not need `input`."""
    command = {"name": "n", "description": "d", "input": {}}
    commands = update("available_commands_update", availableCommands=[command])
    assert decode(commands, SessionUpdate) == Decoded(
        AvailableCommandsUpdate(available_commands=(AvailableCommand(name="n", description="d"),)),
        (defaulted("availableCommands[0].input", "'hint' is missing; counts as absent", {}),),
    )


@pytest.mark.parametrize(
    ("entries", "seen"), [(None, "null"), ("abc", "'abc'"), ({}, "an object"), (5, "5")]
)
def test_a_malformed_required_array_is_empty(entries, seen):
    """LENIENT-04: null or no array counts as ``[]``; a string is no array of characters."""
    assert decode(update("plan", entries=entries), SessionUpdate) == Decoded(
        Plan(entries=()),
        (
            defaulted(
                "entries", f"must be an array, not {seen}; counts as []", entries, "LENIENT-04"
            ),
        ),
    )


def test_a_malformed_optional_array_is_absent():
    """LENIENT-02: not ``[]``, which would clear."""
    compaction = update("compaction_update", compactionId="c", status="completed", summary="s")
    assert decode(compaction, SessionUpdate) == Decoded(
        CompactionUpdate(compaction_id="c", status="completed"),
        (defaulted("summary", "must be an array, not 's'; counts as absent", "s"),),
    )


def test_modes_need_their_current_one():
    """Section 4.2: without `currentModeId` the modes are not reported; without a list they are."""
    bad = {"sessionId": "s", "modes": {"availableModes": []}}
    assert decode(bad, NewSessionResponse) == Decoded(
        NewSessionResponse(session_id="s"),
        (
            defaulted(
                "modes", "'currentModeId' is missing; counts as absent", {"availableModes": []}
            ),
        ),
    )
    modes = {"currentModeId": "m", "availableModes": [{"id": "m", "name": "M"}, {"id": "n"}]}
    assert decode({"sessionId": "s", "modes": modes}, NewSessionResponse) == Decoded(
        NewSessionResponse(
            session_id="s",
            modes=SessionModeState(
                current_mode_id="m", available_modes=(SessionMode(id="m", name="M"),)
            ),
        ),
        (dropped("modes.availableModes[1]", "'name' is missing", {"id": "n"}),),
    )


# Aliases


def test_mode_id_is_read_where_current_mode_id_is_absent():
    """LENIENT-15, CONF-08: the documentation spells it so."""
    assert decode(update("current_mode_update", modeId="m"), SessionUpdate) == Decoded(
        CurrentModeUpdate(current_mode_id="m"),
        (
            Fault(
                code="alias",
                rule="LENIENT-15",
                path="modeId",
                text="'modeId' is read as 'currentModeId'",
                raw=None,
            ),
        ),
    )


def test_mode_id_is_nothing_beside_current_mode_id():
    """LENIENT-15, LENIENT-07: then it is an unknown key."""
    both = update("current_mode_update", modeId="m", currentModeId="c")
    assert decode(both, SessionUpdate) == Decoded(CurrentModeUpdate(current_mode_id="c"))
    assert verdict({**both, "currentModeId": 5}) == "currentModeId: must be a string, not 5"


def test_a_malformed_alias_is_told_by_its_own_name():
    assert verdict(update("current_mode_update", modeId=5)) == "modeId: must be a string, not 5"


def test_the_path_of_an_alias_is_whole():
    """From the root of what was decoded."""
    message = {"sessionId": "s", "update": update("current_mode_update", modeId="m")}
    [fault] = decode(message, SessionNotification).faults
    assert (fault.code, fault.path) == ("alias", "update.modeId")


# Permission options


def permission(*options):
    """The JSON of a permission request."""
    return {"sessionId": "s", "toolCall": {"toolCallId": "t"}, "options": list(options)}


def test_an_unknown_kind_of_permission_option_is_kept():
    """PERM-03: the option stays as it is, and the host is told that it is not known."""
    decoded = decode(permission(OPTION, {**OPTION, "kind": "_ask"}), RequestPermissionRequest)
    assert decoded == Decoded(
        RequestPermissionRequest(
            session_id="s",
            tool_call=ToolCallUpdate(tool_call_id="t"),
            options=(
                PermissionOption(option_id="o", name="O", kind="allow_once"),
                PermissionOption(option_id="o", name="O", kind="_ask"),
            ),
        ),
        (defaulted("options[1].kind", "unknown kind '_ask' is kept", "_ask", "PERM-03"),),
    )
    assert encode(decoded.value) == permission(OPTION, {**OPTION, "kind": "_ask"})


@pytest.mark.parametrize(
    ("request_", "text"),
    [
        (permission({**OPTION, "kind": 5}), "options[0].kind: must be one of "),
        (permission({**OPTION, "kind": None}), "options[0].kind: must be one of "),
        (permission(OPTION, {"optionId": "p"}), "options[1]: 'name' is missing"),
        (permission(5), "options[0]: must be an object, not 5"),
        ({**permission(), "options": {}}, "options: must be an array, not an object"),
        ({**permission(), "options": None}, "options: must be an array, not null"),
        ({**permission(), "toolCall": {}}, "toolCall: 'toolCallId' is missing"),
    ],
)
def test_a_permission_request_is_strict(request_, text):
    """PERM-03, section 4.2: one bad option spoils the request."""
    assert verdict(request_, RequestPermissionRequest).startswith(text)


def test_the_tool_call_of_a_permission_request_is_lenient():
    """Section 4.2: its fields are those of a `tool_call_update`; known kinds are no faults."""
    request = {**permission(OPTION), "toolCall": {"toolCallId": "t", "title": 5}}
    assert decode(request, RequestPermissionRequest).faults == (
        defaulted("toolCall.title", "must be a string, not 5; counts as absent", 5),
    )


# Untagged unions


def resource(**fields):
    """The JSON of an embedded resource."""
    return {"type": "resource", "resource": {"uri": "u", **fields}}


@pytest.mark.parametrize(
    ("fields", "read"),
    [
        ({"text": "t"}, TextResourceContents(uri="u", text="t")),
        ({"blob": "b"}, BlobResourceContents(uri="u", blob="b")),
        ({"text": "t", "blob": "b"}, TextResourceContents(uri="u", text="t")),
        ({"text": 5, "blob": "b"}, BlobResourceContents(uri="u", blob="b")),
    ],
)
def test_text_wins_over_blob(fields, read):
    """Section 4.3: the first that fits is meant, and that the other does not is no fault."""
    assert decode(resource(**fields), ContentBlock) == Decoded(EmbeddedResource(resource=read))


@pytest.mark.parametrize(
    ("fields", "read"),
    [
        ({"text": "t", "mimeType": 5}, TextResourceContents(uri="u", text="t")),
        ({"blob": "b", "mimeType": 5}, BlobResourceContents(uri="u", blob="b")),
        ({"text": "t", "blob": "b", "mimeType": 5}, TextResourceContents(uri="u", text="t")),
    ],
)
def test_a_repaired_member_fits(fields, read):
    """LENIENT-02: text with a fault wins over a blob without one; the fault is told once."""
    assert decode(resource(**fields), ContentBlock) == Decoded(
        EmbeddedResource(resource=read),
        (defaulted("resource.mimeType", "must be a string, not 5; counts as absent", 5),),
    )


VALUE = {"value": "v", "name": "V"}
GROUP = {"group": "g", "name": "G", "options": [VALUE]}
READ_VALUE = SessionConfigSelectOption(value="v", name="V")


def select(options, **fields):
    """The JSON of a config option with a list to choose from."""
    option = {"type": "select", "id": "i", "name": "n", "currentValue": "v", "options": options}
    return {**option, **fields}


def read_select(*options):
    return SessionConfigSelect(id="i", name="n", current_value="v", options=options)


def options_update(*options):
    return update("config_option_update", configOptions=list(options))


@pytest.mark.parametrize(
    ("options", "read", "faults"),
    [
        ([], (), ()),
        ([VALUE], (READ_VALUE,), ()),
        ([GROUP], (SessionConfigSelectGroup(group="g", name="G", options=(READ_VALUE,)),), ()),
        (
            [{**VALUE, "description": 5}],
            (READ_VALUE,),
            (
                defaulted(
                    "configOptions[0].options[0].description",
                    "must be a string, not 5; counts as absent",
                    5,
                ),
            ),
        ),
        (
            [{**GROUP, "options": [VALUE, 5]}],
            (SessionConfigSelectGroup(group="g", name="G", options=(READ_VALUE,)),),
            (dropped("configOptions[0].options[0].options[1]", "must be an object, not 5", 5),),
        ),
        (
            [{**GROUP, "options": None}],
            (SessionConfigSelectGroup(group="g", name="G", options=()),),
            (
                defaulted(
                    "configOptions[0].options[0].options",
                    "must be an array, not null; counts as []",
                    None,
                    "LENIENT-04",
                ),
            ),
        ),
    ],
)
def test_select_options_are_values_or_groups(options, read, faults):
    """Section 4.3, CFG-07: an empty list is ungrouped; a group's own values are lenient."""
    assert decode(options_update(select(options)), SessionUpdate) == Decoded(
        ConfigOptionUpdate(config_options=(read_select(*read),)), faults
    )


@pytest.mark.parametrize("options", [[VALUE, 5], [VALUE, GROUP], [GROUP, VALUE], [{}], {}, None])
def test_select_options_are_all_of_one_kind(options):
    """Section 4.3: one bad value, or values beside groups, cost the whole config option."""
    bad = select(options)
    decoded = decode(options_update(select([VALUE]), bad), SessionUpdate)
    assert decoded.value == ConfigOptionUpdate(config_options=(read_select(READ_VALUE),))
    assert [(f.code, f.rule, f.path, f.raw) for f in decoded.faults] == [
        ("item-dropped", "LENIENT-03", "configOptions[1]", bad)
    ]


def test_config_options_of_each_type():
    """CFG-04, section 4.3: an unknown type and a value of the wrong type cost the option."""
    flag = {"type": "boolean", "id": "b", "name": "B", "currentValue": True}
    slider = {**flag, "type": "slider"}
    wrong = {**flag, "currentValue": "true"}
    assert decode(options_update(flag, slider, wrong), SessionUpdate) == Decoded(
        ConfigOptionUpdate(
            config_options=(SessionConfigBoolean(id="b", name="B", current_value=True),)
        ),
        (
            dropped("configOptions[1]", "unknown type 'slider'", slider, "CFG-04"),
            dropped(
                "configOptions[2]",
                "currentValue: must be true or false, not 'true'",
                wrong,
            ),
        ),
    )


# Open unions


def subagent(**fields):
    return update("subagent_update", sessionId="s", **fields)


@pytest.mark.parametrize(
    ("state", "text"),
    [
        ("running", "must be an object, not 'running'"),
        ({}, "'state' is missing"),
        ({"state": 5}, "'state' must be a string, not 5"),
        ([], "must be an object, not an array"),
    ],
)
def test_a_malformed_state_is_not_reported(state, text):
    """Table 4.1, row 17: a bare string is bad, and what is bad keeps the held state."""
    assert decode(subagent(state=state), SessionUpdate) == Decoded(
        SubagentUpdate(session_id="s"),
        (defaulted("state", f"{text}; counts as absent", state),),
    )


@pytest.mark.parametrize(
    ("state", "read", "path", "raw"),
    [
        ({"state": "running", "_meta": 5}, RunningStateUpdate(), "_meta", 5),
        ({"state": "idle", "stopReason": 5}, IdleStateUpdate(), "stopReason", 5),
        (
            {"state": "idle", "stopReason": "error", "error": "E"},
            ErrorStopReason(stop_reason="error"),
            "error",
            "E",
        ),
        (
            {"state": "idle", "stopReason": "_x", "usage": 5, "why": [1]},
            OtherStopReason(stop_reason="_x", rest={"why": [1]}),
            "usage",
            5,
        ),
    ],
)
def test_a_known_state_with_a_bad_payload_stays_known(state, read, path, raw):
    """LENIENT-10: it is never demoted to the open variant."""
    decoded = decode(subagent(state=state), SessionUpdate)
    assert decoded.value == SubagentUpdate(session_id="s", state=read)
    assert [(f.path, f.raw) for f in decoded.faults] == [(f"state.{path}", raw)]


@pytest.mark.parametrize(
    ("state", "read"),
    [
        ({"state": "paused"}, OtherStateUpdate(state="paused")),
        (
            {"state": "paused", "_meta": 5, "by": {"a": 1}},
            OtherStateUpdate(state="paused", rest={"_meta": 5, "by": {"a": 1}}),
        ),
        (
            {"state": "paused", "rest": {"a": 1}},
            OtherStateUpdate(state="paused", rest={"rest": {"a": 1}}),
        ),
        ({"state": "paused", "rest": 5}, OtherStateUpdate(state="paused", rest={"rest": 5})),
        (
            {"state": "idle", "stopReason": "new", "rest": {}},
            OtherStopReason(stop_reason="new", rest={"rest": {}}),
        ),
    ],
)
def test_an_unknown_state_is_kept_beside_a_fault(state, read):
    """LENIENT-09, EXT-04: with its whole payload, whatever else is wrong in the update."""
    assert decode(subagent(state=state, title=5), SessionUpdate) == Decoded(
        SubagentUpdate(session_id="s", state=read),
        (defaulted("title", "must be a string, not 5; counts as absent", 5),),
    )


def test_a_payload_that_is_no_json_spoils_the_state():
    """EXT-04: what cannot be kept whole is not kept."""
    assert decode(subagent(state={"state": "paused", "a": nan}), SessionUpdate) == Decoded(
        SubagentUpdate(session_id="s"),
        (defaulted("state", "nan is no JSON value; counts as absent", None),),
    )


def test_a_right_that_is_not_an_object_is_none():
    """SUB-07, table 4.1, row 17: `capabilities.cancel` of true is bad, so no right."""
    assert decode(subagent(capabilities={"cancel": True}), SessionUpdate) == Decoded(
        SubagentUpdate(session_id="s", capabilities=SubagentSessionCapabilities()),
        (
            defaulted(
                "capabilities.cancel", "must be an object, not True; counts as absent", raw=True
            ),
        ),
    )


# Responses, errors


def test_a_prompt_response_needs_a_known_stop_reason():
    """LENIENT-08, TURN-08: in a response it is closed; its usage is optional."""
    assert verdict({"stopReason": "tired"}, PromptResponse).startswith("stopReason: must be one of")
    usage = {"totalTokens": 1, "inputTokens": 1, "outputTokens": -1}
    assert decode({"stopReason": "end_turn", "usage": usage}, PromptResponse) == Decoded(
        PromptResponse(stop_reason="end_turn"),
        (defaulted("usage", "outputTokens: must be at least 0, not -1; counts as absent", usage),),
    )


def test_the_data_of_an_error_is_anything():
    """RPC-14: any integer is a code, `data` is opaque."""
    assert decode({"code": 5.0, "message": "", "data": None}, Error) == Decoded(
        Error(code=5, message="", data=None)
    )
    assert verdict({"code": "5", "message": ""}, Error) == "code: must be an integer, not '5'"


# Requests of the agent, and the first response

CREATE = {"sessionId": "s", "command": "c"}


def test_null_that_stands_for_a_default_is_no_fault():
    """LENIENT-06: it counts as empty, in what is spoiled elsewhere too."""
    assert decode({**CREATE, "args": None, "env": None, "_meta": 5}, CreateTerminalRequest) == (
        Decoded(
            CreateTerminalRequest(session_id="s", command="c", args=(), env=()),
            (defaulted("_meta", "must be an object, not 5; counts as absent", 5),),
        )
    )


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"args": "-l"}, "args: must be an array, not '-l'"),
        ({"args": ["-l", None]}, "args[1]: must be a string, not null"),
        ({"env": {"A": "b"}}, "env: must be an array, not an object"),
        ({"env": [{"name": "A"}]}, "env[0]: 'value' is missing"),
        ({"args": None, "env": 5}, "env: must be an array, not 5"),
        ({"cwd": 5}, "cwd: must be a string, not 5"),
        ({"outputByteLimit": -1}, "outputByteLimit: must be at least 0, not -1"),
    ],
)
def test_what_a_terminal_is_made_with_is_strict(fields, text):
    """LENIENT-05, LENIENT-06: any other wrong value spoils the request."""
    assert verdict({**CREATE, **fields}, CreateTerminalRequest) == text


@pytest.mark.parametrize("version", [-1, 65536, 1.5, "1", None])
def test_a_version_has_sixteen_bits(version):
    """Section 4.2, LENIENT-12: what is no version spoils the response."""
    assert verdict({"protocolVersion": version}, InitializeResponse).startswith(
        "protocolVersion: must be a"
    )


def test_ways_to_authenticate():
    """Section 4.2, LENIENT-03, LENIENT-10: no type is `agent`; a known one is not demoted to it.

    AUTH-01: one that is not known is kept, to be told from it.
    """
    way = {"id": "i", "name": "n"}
    bad = {**way, "type": "terminal", "args": 5}
    ways = [way, {**way, "type": "new"}, bad, {**way, "type": "terminal", "env": None}, {"id": "i"}]
    agent = AuthMethodAgent(id="i", name="n")
    unknown = AuthMethodAgent(id="i", name="n", type="new")
    terminal = AuthMethodTerminal(id="i", name="n", env={})
    assert decode({"protocolVersion": 1, "authMethods": ways}, InitializeResponse) == Decoded(
        InitializeResponse(protocol_version=1, auth_methods=(agent, unknown, terminal)),
        (
            dropped("authMethods[2]", "args: must be an array, not 5", bad),
            dropped("authMethods[4]", "'name' is missing", {"id": "i"}),
        ),
    )


# Other things than wire classes


def test_arrays_and_scalars_can_be_decoded_too():
    """A strict array has no survivors."""
    assert decode([1, 2.0], tuple[int, ...]) == Decoded((1, 2))
    assert verdict([1, "2"], tuple[int, ...]) == "[1]: must be an integer, not '2'"
    assert verdict("2", int) == "must be an integer, not '2'"
    assert decode([{**TEXT, "_meta": 5}], tuple[ContentBlock, ...]) == Decoded(
        (TextContent(text="a"),),
        (defaulted("[0]._meta", "must be an object, not 5; counts as absent", 5),),
    )


def test_hold():
    assert hold({"a": [1]}) == {"a": [1]}
    assert hold([nan]) is None


def test_what_a_fault_holds_does_not_change():
    """Contract 1: the raw value is a frozen copy."""
    source = update("session_info_update", title=["a"])
    decoded = decode(source, SessionUpdate)
    source["title"].append("b")
    assert decoded.faults == (
        defaulted("title", "must be a string, not an array; counts as absent", ["a"]),
    )
    assert hash(decoded) == hash(copy.deepcopy(decoded))


# Whatever it is


@given(json_like)
def test_anything_decodes_or_is_malformed(json):
    """Contract 2: nothing that a peer sends raises anything else."""
    with suppress(Malformed):
        decode(json, SessionUpdate)


@given(half_valid(SessionUpdate))
def test_half_valid_updates_decode_or_are_malformed(json):
    """Contract 2: nor does a valid update with anything at all in some of its places.

    What is read of it is valid: written and read again it has no fault.
    """
    with suppress(Malformed):
        value = decode(json, SessionUpdate).value
        assert decode(encode(value, SessionUpdate), SessionUpdate) == Decoded(value)


@pytest.mark.parametrize("sign", [1, -1])
def test_a_number_too_long_to_print_is_no_exception(sign):
    """Contract 2: Python refuses to print such a number, but it is JSON."""
    huge = sign * 10**5000
    title = decode(update("session_info_update", title=huge), SessionUpdate)
    assert title.value == SessionInfoUpdate()
    assert [(fault.path, fault.raw == huge) for fault in title.faults] == [("title", True)]
    assert verdict(update("notice", severity=huge, title="t")).startswith("severity: must be")
    assert verdict(update("usage_update", used=-(10**5000), size=1)).startswith("used: must be")
    assert decode(update("session_info_update", _meta={"a": huge}), SessionUpdate) == Decoded(
        SessionInfoUpdate(meta={"a": huge})
    )


def test_depth_does_not_matter():
    """Contract 2: raw JSON that is too deep counts as malformed, and nothing runs out of stack."""
    deep = []
    for _ in range(100_000):
        deep = [deep]
    call = update("tool_call", toolCallId="t", title="T", rawInput=deep, content=deep, _meta=deep)
    assert decode(call, SessionUpdate) == Decoded(
        ToolCall(tool_call_id="t", title="T", content=()),
        (
            dropped("content[0]", "must be an object, not an array", None),
            defaulted("rawInput", "nested deeper than 128 levels; counts as absent", None),
            defaulted("_meta", "must be an object, not an array; counts as absent", None),
        ),
    )
