"""`reading`: strict values, and what is said of others."""

from __future__ import annotations

from math import inf, nan

import pytest

from acp_state.codec import (
    encode,
    structure,
)
from acp_state.json_values import JsonObject, JsonValue
from acp_state.omitted import OMITTED
from acp_state.reading import (
    Malformed,
    check_bounds,
    freeze_json,
    read_array,
    read_object,
    read_rest,
    seen,
    variant,
)
from acp_state.schema import (
    AuthMethod,
    AuthMethodAgent,
    AuthMethodTerminal,
    ContentBlock,
    IdleStateUpdate,
    InitializeRequest,
    Notice,
    OtherStateUpdate,
    OtherStopReason,
    SessionConfigOption,
    SessionUpdate,
    StateUpdate,
    TextContent,
    ToolCallLocation,
    ToolKind,
    UsageUpdate,
)
from acp_state.schema.authentication import AUTH_METHOD
from acp_state.schema.content import CONTENT_BLOCK
from acp_state.schema.subagents import STATE_UPDATE
from acp_state.schema.wire import wire_fields


def verdict(json, annotation):
    """The text with which the value is refused."""
    with pytest.raises(Malformed) as caught:
        structure(json, annotation)
    return str(caught.value)


@pytest.mark.parametrize(
    ("annotation", "value"),
    [
        (str, ""),
        (str, "\ud83d"),
        (bool, True),
        (bool, False),
        (int, 0),
        (int, -5),
        (int, 2**53 + 1),
        (int, 10**30),
        (float, 0.5),
        (float, 5),
        (float, -(10**400)),
    ],
)
def test_a_scalar_of_its_type_is_taken(annotation, value):
    """LENIENT-12, LENIENT-13: any string, any number that is one; there is no 53-bit limit."""
    read = structure(value, annotation)
    assert read == value
    assert type(read) is type(value)


def test_an_integral_number_is_an_integer():
    """LENIENT-12: 42.0 is the integer 42."""
    read = structure(42.0, int)
    assert read == 42
    assert type(read) is int


@pytest.mark.parametrize(
    ("annotation", "value", "text"),
    [
        (str, 5, "must be a string, not 5"),
        (str, None, "must be a string, not null"),
        (str, True, "must be a string, not True"),
        (str, ["a"], "must be a string, not an array"),
        (bool, 1, "must be true or false, not 1"),
        (bool, "true", "must be true or false, not 'true'"),
        (bool, None, "must be true or false, not null"),
        (int, "5", "must be an integer, not '5'"),
        (int, True, "must be an integer, not True"),
        (int, 1.5, "must be an integer, not 1.5"),
        (int, nan, "must be an integer, not nan"),
        (int, 1e400, "must be an integer, not inf"),
        (int, {}, "must be an integer, not an object"),
        (float, "5", "must be a number, not '5'"),
        (float, False, "must be a number, not False"),
        (float, nan, "nan is no JSON value"),
        (float, 1e400, "inf is no JSON value"),
        (float, -inf, "-inf is no JSON value"),
        (JsonObject, [], "must be an object, not an array"),
        (JsonObject, None, "must be an object, not null"),
        (JsonObject, {"a": nan}, "nan is no JSON value"),
        (JsonValue, {1: 2}, "1 is no key of a JSON object"),
        (ToolKind, 5, "must be one of " + ", ".join(ToolKind.__args__) + ", not 5"),
    ],
)
def test_a_scalar_of_another_type_is_malformed(annotation, value, text):
    """LENIENT-12: nothing is coerced; 5 is no title, "5" no number and true no integer."""
    assert verdict(value, annotation) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        ({"a": 1}, "an object"),
        ([1], "an array"),
        ("a", "'a'"),
        (1.5, "1.5"),
        (True, "True"),
        ("x" * 100, "'" + "x" * 59),
    ],
)
def test_what_was_seen_is_told_in_few_words(value, text):
    """A diagnostic does not carry the whole message in its text."""
    assert seen(value) == text


@pytest.mark.parametrize("sign", [1, -1])
def test_a_number_too_long_to_print_is_told_too(sign):
    """Contract 2: Python refuses to print such a number, which must not raise here."""
    value = sign * 10**5000
    assert len(seen(value)) <= 60
    assert verdict(value, str).startswith("must be a string, not ")
    assert verdict({"path": "/a", "line": -(10**5000)}, ToolCallLocation).startswith("must be")


def test_a_long_tag_makes_no_long_text():
    """A diagnostic does not carry the whole message in its text."""
    assert len(verdict({"type": "x" * 10_000}, ContentBlock)) < 100


def test_malformed_tells_where():
    """The path is that of the part which did not fit: one that is known is not replaced."""
    fault = Malformed("unknown type 'a'", rule="LENIENT-11")
    assert (str(fault), fault.text, fault.path) == ("unknown type 'a'", "unknown type 'a'", "")
    inner = fault.at("content[2]")
    assert str(inner) == "content[2]: unknown type 'a'"
    assert (inner.text, inner.path, inner.rule) == (fault.text, "content[2]", "LENIENT-11")
    assert inner.at("content") is inner


@pytest.mark.parametrize(
    ("message", "cls", "text"),
    [
        ({"used": -1, "size": 1}, UsageUpdate, "must be at least 0, not -1"),
        ({"path": "/a", "line": -1}, ToolCallLocation, "must be at least 0, not -1"),
        ({"severity": "info", "title": ""}, Notice, "must not be empty"),
        ({"protocolVersion": -1}, InitializeRequest, "must be at least 0, not -1"),
        ({"protocolVersion": 65536}, InitializeRequest, "must be at most 65535, not 65536"),
        ({"protocolVersion": 65536.0}, InitializeRequest, "must be at most 65535, not 65536"),
        ({"protocolVersion": None}, InitializeRequest, "must be an integer, not null"),
    ],
)
def test_bounds(message, cls, text):
    """LENIENT-12, LENIENT-13: no negative counts, no empty title; 16 bits of version."""
    assert verdict(message, cls) == text


def test_within_bounds():
    """LENIENT-12: the format ``uint32`` or ``uint64`` is none; LENIENT-13: "" is a string."""
    assert structure({"used": 0, "size": 10**30}, UsageUpdate) == UsageUpdate(used=0, size=10**30)
    assert structure({"path": "", "line": 2**40}, ToolCallLocation) == ToolCallLocation(
        path="", line=2**40
    )
    for version in (0, 1, 65535):
        request = InitializeRequest(protocol_version=version)
        assert structure({"protocolVersion": version}, InitializeRequest) == request
    assert structure({"severity": "", "title": " "}, Notice) == Notice(severity="", title=" ")


def test_bounds_alone():
    line, title = wire_fields(ToolCallLocation)[1], wire_fields(Notice)[1]
    version = wire_fields(InitializeRequest)[0]
    assert check_bounds(0, line) == 0
    assert check_bounds("a", title) == "a"
    with pytest.raises(Malformed, match=r"^must be at least 0, not -2$"):
        check_bounds(-2, line)
    assert check_bounds(65535, version) == 65535
    with pytest.raises(Malformed, match=r"^must be at most 65535, not 65536$"):
        check_bounds(65536, version)
    with pytest.raises(Malformed, match=r"^must not be empty$"):
        check_bounds("", title)


def test_objects_and_arrays_alone():
    assert read_object({"a": 1}) == {"a": 1}
    assert read_array([1]) == [1]
    with pytest.raises(Malformed, match=r"^must be an object, not an array$"):
        read_object([])
    with pytest.raises(Malformed, match=r"^must be an array, not an object$"):
        read_array({})


@pytest.mark.parametrize(
    ("json", "union", "rule"),
    [
        ({"type": "video"}, ContentBlock, "LENIENT-11"),
        ({"sessionUpdate": "new"}, SessionUpdate, "LENIENT-11"),
        ({"type": "slider"}, SessionConfigOption, "CFG-04"),
        ({"type": 5}, ContentBlock, None),
        ({"type": "text"}, ContentBlock, None),
    ],
)
def test_an_unknown_tag_has_a_rule_of_its_own(json, union, rule):
    """LENIENT-11, CFG-04: what is unknown is told from what is malformed."""
    with pytest.raises(Malformed) as caught:
        structure(json, union)
    assert caught.value.rule == rule


def test_the_tag_of_an_open_union_is_a_string():
    """LENIENT-09: what has no state at all is not open but malformed."""
    assert verdict({"stopReason": "refusal"}, StateUpdate) == "'state' is missing"


def test_a_payload_is_json():
    """EXT-04: what cannot be kept is malformed."""
    assert verdict({"state": "paused", "a": nan}, StateUpdate) == "nan is no JSON value"


@pytest.mark.parametrize("tag", [{}, {"type": ""}, {"type": "agent"}, {"type": "new"}])
def test_a_union_may_have_a_class_for_all_other_tags(tag):
    """Section 4.2, AUTH-01: a way to authenticate of no type, or of any but `terminal`.

    The tag is kept as sent, and written if there is one.
    """
    method = structure({**tag, "id": "i", "name": "n"}, AuthMethod)
    assert method == AuthMethodAgent(id="i", name="n", **tag)
    assert encode(method, AuthMethod) == {"id": "i", "name": "n", **tag}


@pytest.mark.parametrize("tag", [None, 5])
def test_the_tag_of_such_a_class_is_a_string(tag):
    """Section 4.2: strictly; where it is malformed in an `initialize` it counts as absent."""
    text = verdict({"type": tag, "id": "i", "name": "n"}, AuthMethod)
    assert text == f"must be a string, not {'null' if tag is None else tag}"


def test_variant():
    assert variant(AUTH_METHOD, {"type": "terminal"}) is AuthMethodTerminal
    assert variant(AUTH_METHOD, {"type": "new"}) is AuthMethodAgent
    assert variant(AUTH_METHOD, {}) is AuthMethodAgent
    assert variant(CONTENT_BLOCK, {"type": "text"}) is TextContent
    assert variant(STATE_UPDATE, {"state": "idle"}) is IdleStateUpdate
    assert variant(STATE_UPDATE, {"state": "idle", "stopReason": "x"}) is OtherStopReason
    assert variant(STATE_UPDATE, {"state": "x"}) is OtherStateUpdate


def test_read_rest():
    assert read_rest(OtherStateUpdate, {"state": "x", "a": [1]}) == {"a": [1]}
    assert read_rest(OtherStateUpdate, {"state": "x"}) is OMITTED


def test_freeze_json():
    assert freeze_json({"a": [1]}) == {"a": [1]}
    with pytest.raises(Malformed, match=r"^nan is no JSON value$"):
        freeze_json([nan])


def test_an_object_whose_values_are_strings():
    """`wire(string_values=True)`: one value of another type spoils the object."""
    method = {"id": "i", "name": "n", "env": {"A": "b"}}
    assert structure(method, AuthMethodTerminal).env == {"A": "b"}
    text = verdict({**method, "env": {"A": 5}}, AuthMethodTerminal)
    assert text == "its values must be strings"
