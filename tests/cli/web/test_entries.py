"""What the page shows of content."""

from acp_state.cli.web.entries import MOST_RAW, entry_json, parts, permission_json, terminal_json
from acp_state.model import Permission, Terminal, ToolCall
from acp_state.schema import (
    ImageContent,
    PermissionOption,
    ResourceLink,
    TextContent,
    ToolCallUpdate,
)


def test_adjacent_text_is_one():
    link = ResourceLink(name="n", uri="javascript:x")
    blocks = [TextContent(text="a"), TextContent(text="b"), link, TextContent(text="c")]
    assert list(parts(blocks)) == [
        {"text": "ab"},
        {"name": "link n: javascript:x", "inside": "", "uri": "javascript:x"},
        {"text": "c"},
    ]


def test_pictures_that_can_hold_no_script_are_shown():
    [png] = parts([ImageContent(data="aGk=", mime_type="image/png")])
    assert png["image"] == "data:image/png;base64,aGk="


def test_no_other_picture_is():
    [svg] = parts([ImageContent(data="aGk=", mime_type="image/svg+xml")])
    [odd] = parts([ImageContent(data='" onerror="x', mime_type="image/png")])
    [long] = parts([ImageContent(data="a" * 400_004, mime_type="image/png")])
    assert [each.get("image") for each in (svg, odd, long)] == [None, None, None]


def test_raw_values_are_cut():
    call = ToolCall(tool_call_id="c", raw_input="x" * (MOST_RAW + 5), raw_output={})
    shown = entry_json(call)
    assert shown["input"].endswith("x... (5 more characters)")
    assert (shown["output"], shown["title"], shown["tool"]) == (None, "c", "other")


def test_a_question():
    option = PermissionOption(option_id="y", name="Yes", kind="allow_once")
    asked = {
        "request_id": 1,
        "tool_call": ToolCallUpdate(tool_call_id="c"),
        "options": (option,),
    }
    answers = [{}, {"outcome": "selected", "option_id": "y"}, {"outcome": "cancelled"}]
    assert [permission_json(Permission(**asked, **answer))["answer"] for answer in answers] == [
        None,
        "Yes (allow_once)",
        "cancelled",
    ]


def test_a_terminal():
    ends = [{}, {"exited": True, "exit_code": 3}, {"exited": True, "signal": "SIGINT"}]
    shown = [terminal_json(Terminal(terminal_id="t", **end))["end"] for end in ends]
    assert shown == ["runs", "exit code 3", "ended by SIGINT"]
