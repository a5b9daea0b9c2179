"""What a host passes to a command, as the command holds it."""

from __future__ import annotations

import pytest

from acp_state import JsonObject, LocalProtocolError
from acp_state.events import (
    AnswerElicitation,
    ForkSession,
    LoadSession,
    NewSession,
    Prompt,
    Respond,
    RespondError,
    ResumeSession,
    SendNotification,
    SendRequest,
    SendUpdate,
)
from acp_state.json_values import MAX_DEPTH
from acp_state.schema import AgentMessageChunk, TextContent

TEXT = TextContent(text="Hi")


def test_prompts_take_any_sequence():
    """Design: immutable; a list is copied into a tuple."""
    blocks = [TEXT]
    command = Prompt("s", blocks)
    blocks.append(TEXT)
    assert command == Prompt("s", (TEXT,))


def test_json_is_frozen_at_the_door():
    """Contract 1: a host may go on using the objects that it passed."""
    server, params, content = {"name": "x", "args": []}, {"a": []}, {"b": []}
    new = NewSession(cwd="/w", mcp_servers=[server])
    asked = SendRequest("_v/x", params)
    answer = AnswerElicitation(1, "accept", content)
    value = Respond(1, params)
    for each in (server["args"], params["a"], content["b"]):
        each.append(1)
    assert new.mcp_servers == (JsonObject({"name": "x", "args": []}),)
    assert asked.params == JsonObject({"a": []})
    assert answer.content == JsonObject({"b": []})
    assert value.result == JsonObject({"a": []})


@pytest.mark.parametrize("value", [None, 0, "", False, [1], {"a": None}])
def test_any_json_value_is_a_result(value):
    """RPC-01: a result may be any JSON value."""
    assert Respond(1, value).result == value


def test_the_data_of_an_error_is_frozen_at_the_door():
    """Contract 1."""
    data = {"a": []}
    command = RespondError(1, 1, "m", data)
    data["a"].append(1)
    assert command.data == {"a": []}


@pytest.mark.parametrize("value", [float("nan"), object(), {1: 2}])
def test_what_is_no_json_is_no_result(value):
    """Design: raises where it is made; it never becomes an event."""
    with pytest.raises(ValueError, match="is no"):
        Respond(1, value)


@pytest.mark.parametrize("content", [("Hi",), [{"type": "text", "text": "Hi"}], (None,)])
def test_a_prompt_holds_content_blocks(content):
    """TURN-02: what is none is refused where it is made."""
    with pytest.raises(LocalProtocolError, match="ContentBlock") as raised:
        Prompt("s", content)
    assert raised.value.rule == "TURN-02"


def test_one_block_alone_is_no_list():
    """TURN-02."""
    with pytest.raises(LocalProtocolError, match=r"^TextContent\(.*\) is one alone: pass a tuple"):
        Prompt("s", TEXT)


def test_a_string_is_one_text_block():
    """TURN-02: text always."""
    assert Prompt("s", "Hi") == Prompt("s", (TEXT,))


SAID = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "Hi"}}
FILE = {"type": "resource", "resource": {"uri": "u", "blob": "AAAA"}}


def test_the_json_of_an_update_is_the_update():
    """LENIENT-16: so that capabilities are checked, whichever of the two is passed."""
    update = AgentMessageChunk(content=TEXT)
    assert SendUpdate("s", SAID) == SendUpdate("s", JsonObject(SAID)) == SendUpdate("s", update)
    assert SendUpdate("s", {**SAID, "content": FILE}).update.content.resource.blob == "AAAA"


@pytest.mark.parametrize(
    ("change", "seen"),
    [
        (5, "must be an object, not 5"),
        ("x", "must be an object, not 'x'"),
        (TEXT, "must be an object, not TextContent"),
        ({}, "'sessionUpdate' is missing"),
        ({"sessionUpdate": None}, "'sessionUpdate' must be a string, not null"),
        ({"sessionUpdate": "plan"}, "'entries' is missing"),
        ({**SAID, "messageId": 5}, "messageId: must be a string, not 5"),
    ],
)
def test_what_is_no_update_is_refused_where_it_is_made(change, seen):
    """RPC-07: of what our own side sends, nothing is left out or put right."""
    with pytest.raises(LocalProtocolError, match="no session update") as raised:
        SendUpdate("s", change)
    assert raised.value.rule == "RPC-07"
    assert seen in str(raised.value)


DEEP = {}
for _ in range(MAX_DEPTH):
    DEEP = {"a": DEEP}


@pytest.mark.parametrize(
    "make",
    [
        lambda json: SendRequest("_v/x", json),
        lambda json: SendNotification("_v/x", json),
        lambda json: Respond(1, json),
        lambda json: RespondError(1, 1, "m", json),
        lambda json: AnswerElicitation(1, "accept", json),
        lambda json: NewSession(cwd="/w", mcp_servers=(json,)),
    ],
)
@pytest.mark.parametrize(
    ("json", "seen"),
    [
        (DEEP, "nested deeper than 128 levels"),
        ({"a": float("nan")}, "nan is no JSON value"),
        ({"a": b"x"}, "b'x' is no JSON value"),
        ({5: "x"}, "5 is no key of a JSON object"),
    ],
)
def test_what_is_no_json_is_refused_where_it_is_made(make, json, seen):
    """RPC-01: it would make a message that is none."""
    with pytest.raises(LocalProtocolError, match=rf"^{seen}: pass JSON \[RPC-01\]$"):
        make(json)


@pytest.mark.parametrize("make", [NewSession, LoadSession, ResumeSession, ForkSession])
@pytest.mark.parametrize("one", ["/a", {"name": "x"}, 5, None])
def test_one_alone_is_no_list(make, one):
    """SESS-01, SESS-02: a string would be taken for a list of its letters."""
    more = {} if make is NewSession else {"session_id": "s"}
    for name in ("mcp_servers", "additional_directories"):
        with pytest.raises(LocalProtocolError, match="is one alone: pass a tuple"):
            make(cwd="/w", **more, **{name: one})


def test_a_list_will_do():
    """Hosts have lists; a command holds tuples."""
    command = NewSession(cwd="/w", mcp_servers=[{"name": "x"}], additional_directories=["/a"])
    assert command == NewSession(
        cwd="/w", mcp_servers=({"name": "x"},), additional_directories=("/a",)
    )
