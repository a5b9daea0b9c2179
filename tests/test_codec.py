"""The strict codec: what fits in every part is read, anything else is malformed."""

from __future__ import annotations

from typing import Literal

import pytest
from hypothesis import given
from strategies import json_values

from acp_state.codec import (
    converter,
    encode,
    is_array,
    is_tagged,
    is_untagged,
    structure,
)
from acp_state.codec import reader as cached_reader
from acp_state.json_values import JsonArray, JsonObject, JsonValue, freeze
from acp_state.omitted import OMITTED
from acp_state.reading import (
    Malformed,
    seen,
)
from acp_state.schema import (
    Annotations,
    AuthMethod,
    AuthMethodTerminal,
    BlobResourceContents,
    CancelledPermissionOutcome,
    ContentBlock,
    Cost,
    CreateTerminalRequest,
    CurrentModeUpdate,
    EmbeddedResource,
    EmbeddedResourceResource,
    Error,
    ErrorStopReason,
    IdleStateUpdate,
    ImageContent,
    OtherStateUpdate,
    OtherStopReason,
    PermissionOption,
    PlanFile,
    PlanUpdate,
    RequestPermissionOutcome,
    RunningStateUpdate,
    SelectedPermissionOutcome,
    SessionConfigBoolean,
    SessionConfigOption,
    SessionConfigSelect,
    SessionConfigSelectOption,
    SessionConfigSelectOptions,
    SessionInfoUpdate,
    SessionNotification,
    SessionUpdate,
    StateUpdate,
    SubagentUpdate,
    TextContent,
    TextResourceContents,
    ToolCall,
    ToolCallLocation,
    ToolCallUpdate,
    ToolKind,
)
from acp_state.schema.subagents import STATE_UPDATE


@pytest.fixture(scope="module", autouse=True)
def _a_new_converter():
    """The tests of this module are about how it is made, not about one that was made before."""
    converter.cache_clear()
    cached_reader.cache_clear()


def verdict(json, annotation):
    """The text with which the value is refused."""
    with pytest.raises(Malformed) as caught:
        structure(json, annotation)
    return str(caught.value)


# Scalars


def test_an_enum_takes_its_strings_alone():
    """LENIENT-08: a string that a closed enum does not have is malformed."""
    assert structure("read", ToolKind) == "read"
    assert verdict("READ", Literal["read", "edit"]) == "must be one of read, edit, not 'READ'"
    assert verdict([], Literal["read", "edit"]) == "must be one of read, edit, not an array"


@given(json_values)
def test_raw_json_is_taken_whole(value):
    """EXT-01: opaque data is anything that is JSON, and frozen."""
    assert structure(value, JsonValue) == freeze(value)


# Texts


# Objects


def test_an_object_is_read_by_key():
    """Keys are in camelCase, and `_meta` is `meta`; absent is not null (LENIENT-01)."""
    message = {
        "toolCallId": "t",
        "title": "T",
        "name": None,
        "rawInput": {"a": [1]},
        "rawOutput": None,
        "_meta": {"b": True},
    }
    assert structure(message, ToolCall) == ToolCall(
        tool_call_id="t",
        title="T",
        name=None,
        kind=OMITTED,
        raw_input={"a": [1]},
        raw_output=None,
        meta={"b": True},
    )


def test_what_is_held_of_an_object_is_frozen():
    """Contract 1: raw JSON in a wire object is a copy that nobody can change."""
    source = {"toolCallId": "t", "rawInput": [[]], "_meta": {"a": []}}
    read = structure(source, ToolCallUpdate)
    source["rawInput"][0].append(1)
    source["_meta"]["a"].append(1)
    assert read == ToolCallUpdate(tool_call_id="t", raw_input=[[]], meta={"a": []})
    assert type(read.raw_input) is JsonArray
    assert type(read.meta) is JsonObject


def test_unknown_keys_are_ignored():
    """LENIENT-07: they are no errors and no data."""
    assert structure({"amount": 1, "currency": "EUR", "x": 5}, Cost) == Cost(
        amount=1, currency="EUR"
    )


def test_snake_case_is_no_spelling():
    """LENIENT-15: keys are camelCase alone."""
    assert verdict({"current_mode_id": "a"}, CurrentModeUpdate) == "'currentModeId' is missing"


def test_a_missing_key_is_named():
    """LENIENT-05: a required key that is missing makes the object malformed."""
    assert verdict({"amount": 1}, Cost) == "'currency' is missing"


@pytest.mark.parametrize("value", [None, [], "text", 5])
def test_an_object_is_an_object(value):
    """LENIENT-05: and nothing else."""
    assert verdict(value, Cost) == f"must be an object, not {seen(value)}"


def test_null_is_a_value_where_the_type_has_it():
    """LENIENT-01: null is told from absent, and from what is wrong."""
    assert structure({"title": None}, SessionInfoUpdate) == SessionInfoUpdate(title=None)
    assert structure({}, SessionInfoUpdate) == SessionInfoUpdate()
    assert structure({"path": "/a", "line": None}, ToolCallLocation) == ToolCallLocation(
        path="/a", line=None
    )
    assert verdict({"toolCallId": None}, ToolCallUpdate) == "must be a string, not null"


CREATE = {"sessionId": "s", "command": "c"}
TERMINAL = {"type": "terminal", "id": "i", "name": "n"}


def test_null_may_stand_for_a_default():
    """LENIENT-06: where the type does not have it, it counts as empty and is written as that."""
    created = structure({**CREATE, "args": None, "env": None, "cwd": None}, CreateTerminalRequest)
    assert created == CreateTerminalRequest(session_id="s", command="c", args=(), env=(), cwd=None)
    assert encode(created) == {**CREATE, "args": [], "env": [], "cwd": None}
    method = structure({**TERMINAL, "env": None}, AuthMethod)
    assert method == AuthMethodTerminal(id="i", name="n", env={})
    assert type(method.env) is JsonObject
    assert encode(method, AuthMethod) == {**TERMINAL, "env": {}}


def test_absent_stays_absent_where_null_is_a_default():
    """LENIENT-01, LENIENT-06: the default is that of null alone."""
    assert encode(structure(CREATE, CreateTerminalRequest)) == CREATE


@pytest.mark.parametrize("value", ["-l", {}, 0, False, [None]])
def test_other_values_than_null_stand_for_no_default(value):
    """LENIENT-06: any other wrong type is malformed."""
    assert verdict({**CREATE, "args": value}, CreateTerminalRequest).startswith("must be a")


def test_an_unknown_kind_of_permission_option_is_left_to_leniency():
    """PERM-03: the strict reader takes the known ones."""
    option = {"optionId": "a", "name": "A", "kind": "allow_once"}
    assert structure(option, PermissionOption) == PermissionOption(
        option_id="a", name="A", kind="allow_once"
    )
    assert verdict({**option, "kind": "new"}, PermissionOption) == (
        "must be one of allow_once, allow_always, reject_once, reject_always, not 'new'"
    )


# Arrays


def test_an_array_is_a_tuple_of_its_items():
    """All of them fit, or the array does not."""
    assert structure([], tuple[str, ...]) == ()
    assert structure(["a", ""], tuple[str, ...]) == ("a", "")
    assert verdict(["a", 5], tuple[str, ...]) == "must be a string, not 5"


@pytest.mark.parametrize("value", [None, "abc", {}, 5])
def test_an_array_is_an_array(value):
    """LENIENT-05: a string is no array of its characters."""
    assert verdict(value, tuple[str, ...]) == f"must be an array, not {seen(value)}"


# Tagged unions


def test_the_tag_names_the_class():
    """The tag itself is no field."""
    image = {"type": "image", "data": "", "mimeType": "image/png"}
    assert structure(image, ContentBlock) == ImageContent(data="", mime_type="image/png")


@pytest.mark.parametrize(
    ("block", "text"),
    [
        ({"type": "video"}, "unknown type 'video'"),
        ({"text": "a"}, "'type' is missing"),
        ({"type": None}, "'type' must be a string, not null"),
        ({"type": 5}, "'type' must be a string, not 5"),
        ({"type": []}, "'type' must be a string, not an array"),
        ({"type": "text"}, "'text' is missing"),
        ("text", "must be an object, not 'text'"),
    ],
)
def test_a_closed_union_takes_its_tags_alone(block, text):
    """LENIENT-11: an unknown tag is malformed; LENIENT-10: so is a known one with bad content."""
    assert verdict(block, ContentBlock) == text


@pytest.mark.parametrize(
    ("state", "read"),
    [
        ({"state": "running"}, RunningStateUpdate()),
        ({"state": "idle"}, IdleStateUpdate()),
        ({"state": "idle", "stopReason": None}, IdleStateUpdate(stop_reason=None)),
        ({"state": "idle", "stopReason": "refusal"}, IdleStateUpdate(stop_reason="refusal")),
        (
            {"state": "idle", "stopReason": "error", "error": {"code": -32603, "message": "m"}},
            ErrorStopReason(stop_reason="error", error=Error(code=-32603, message="m")),
        ),
        (
            {"state": "idle", "stopReason": "_tired", "since": [5], "_meta": {}},
            OtherStopReason(stop_reason="_tired", rest={"since": [5]}, meta={}),
        ),
        ({"state": "idle", "stopReason": "new"}, OtherStopReason(stop_reason="new")),
        ({"state": "paused"}, OtherStateUpdate(state="paused")),
        (
            {"state": "paused", "by": {"user": True}, "_meta": None},
            OtherStateUpdate(state="paused", rest={"by": {"user": True}, "_meta": None}),
        ),
        (
            {"state": "paused", "rest": {"a": 1}, "b": 2},
            OtherStateUpdate(state="paused", rest={"rest": {"a": 1}, "b": 2}),
        ),
        ({"state": "paused", "rest": 5}, OtherStateUpdate(state="paused", rest={"rest": 5})),
        (
            {"state": "idle", "stopReason": "new", "rest": None},
            OtherStopReason(stop_reason="new", rest={"rest": None}),
        ),
    ],
)
def test_an_open_union_keeps_what_it_does_not_know(state, read):
    """LENIENT-09, EXT-04: an unknown state or stop reason is kept with its whole payload.

    `rest` is our name for the payload, and a key like any other on the wire.
    """
    assert structure(state, StateUpdate) == read
    assert encode(read, StateUpdate) == state


def test_a_known_tag_does_not_fall_back():
    """LENIENT-10: it is never demoted to the class of the others."""
    assert verdict({**TERMINAL, "args": 5}, AuthMethod) == "must be an array, not 5"


def test_many_unknown_tags_leave_nothing_behind():
    """Contract 2: a peer that invents tags does not grow our memory."""
    before = dict(STATE_UPDATE.variants)
    for number in range(100):
        structure({"state": f"state {number}"}, StateUpdate)
    assert dict(STATE_UPDATE.variants) == before


# Untagged unions


def test_the_first_member_is_meant_if_it_fits():
    """Section 4.3: an embedded resource with both text and blob is text."""
    both = {"uri": "u", "text": "t", "blob": "b"}
    assert structure(both, EmbeddedResourceResource) == TextResourceContents(uri="u", text="t")


def test_the_other_members_are_left_to_leniency():
    """Only leniency can tell whether the first member fits in spite of a fault."""
    assert verdict({"uri": "u", "blob": "b"}, EmbeddedResourceResource) == "'text' is missing"


def test_select_options_without_groups():
    options = [{"value": "a", "name": "A"}]
    read = (SessionConfigSelectOption(value="a", name="A"),)
    assert structure(options, SessionConfigSelectOptions) == read


@pytest.mark.parametrize(
    ("annotation", "kind"),
    [
        (tuple[str, ...], is_array),
        (ContentBlock, is_tagged),
        (SessionConfigOption, is_tagged),
        (EmbeddedResourceResource, is_untagged),
        (SessionConfigSelectOptions, is_untagged),
        (TextContent, None),
        (str, None),
        (str | int, None),
        (JsonValue, None),
    ],
)
def test_kinds_of_annotations(annotation, kind):
    """Each annotation is at most one of the three."""
    found = [each for each in (is_array, is_tagged, is_untagged) if each(annotation)]
    assert found == ([kind] if kind else [])


# Writing


def test_absent_is_left_out_and_null_written():
    """LENIENT-01: the three states survive."""
    assert encode(SessionInfoUpdate()) == {}
    assert encode(SessionInfoUpdate(title=None)) == {"title": None}
    assert encode(SessionInfoUpdate(title="", updated_at="t", meta={})) == {
        "title": "",
        "updatedAt": "t",
        "_meta": {},
    }


@pytest.mark.parametrize(
    ("value", "union", "written"),
    [
        (
            PlanUpdate(plan=PlanFile(plan_id="p", uri="u")),
            SessionUpdate,
            {"sessionUpdate": "plan_update", "plan": {"type": "file", "planId": "p", "uri": "u"}},
        ),
        (
            SessionConfigBoolean(id="i", name="n", current_value=True),
            SessionConfigOption,
            {"type": "boolean", "id": "i", "name": "n", "currentValue": True},
        ),
        (CancelledPermissionOutcome(), RequestPermissionOutcome, {"outcome": "cancelled"}),
        (
            SelectedPermissionOutcome(option_id="o"),
            RequestPermissionOutcome,
            {"outcome": "selected", "optionId": "o"},
        ),
        (
            AuthMethodTerminal(id="i", name="n", args=("-l",), env={"A": "b"}),
            AuthMethod,
            {**TERMINAL, "args": ["-l"], "env": {"A": "b"}},
        ),
        (SelectedPermissionOutcome(option_id="o"), None, {"optionId": "o"}),
        (
            EmbeddedResource(resource=BlobResourceContents(uri="u", blob="b")),
            ContentBlock,
            {"type": "resource", "resource": {"uri": "u", "blob": "b"}},
        ),
        (
            SubagentUpdate(session_id="s", state=RunningStateUpdate(), additional_directories=()),
            SessionUpdate,
            {
                "sessionUpdate": "subagent_update",
                "sessionId": "s",
                "state": {"state": "running"},
                "additionalDirectories": [],
            },
        ),
        (
            SessionConfigSelect(
                id="i",
                name="n",
                current_value="v",
                options=(SessionConfigSelectOption(value="v", name="V"),),
            ),
            SessionConfigOption,
            {
                "type": "select",
                "id": "i",
                "name": "n",
                "currentValue": "v",
                "options": [{"value": "v", "name": "V"}],
            },
        ),
        (
            TextContent(text="t", annotations=Annotations(audience=("user",), priority=1)),
            ContentBlock,
            {"type": "text", "text": "t", "annotations": {"audience": ["user"], "priority": 1}},
        ),
        (
            SessionNotification(session_id="s", update=CurrentModeUpdate(current_mode_id="m")),
            None,
            {
                "sessionId": "s",
                "update": {"sessionUpdate": "current_mode_update", "currentModeId": "m"},
            },
        ),
    ],
)
def test_a_tag_is_written_where_the_object_stands_in_a_union(value, union, written):
    assert encode(value, union) == written


def test_raw_json_is_written_as_ordinary_json():
    """EXT-04: new dicts and lists, which the caller may change."""
    update = ToolCallUpdate(tool_call_id="t", raw_input={"a": [1]}, raw_output=None, meta={"b": []})
    written = encode(update)
    assert written == {
        "toolCallId": "t",
        "rawInput": {"a": [1]},
        "rawOutput": None,
        "_meta": {"b": []},
    }
    written["rawInput"]["a"].append(2)
    written["_meta"]["b"].append(2)
    assert update == ToolCallUpdate(
        tool_call_id="t", raw_input={"a": [1]}, raw_output=None, meta={"b": []}
    )


@given(json_values)
def test_frozen_json_is_written_alone_too(value):
    written = encode(freeze(value))
    assert written == value
    assert type(written) is type(value)


def test_there_is_one_converter():
    """It is made when it is first needed, and once."""
    assert converter() is converter()
