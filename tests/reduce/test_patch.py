"""The one function that applies patches (section 3)."""

from __future__ import annotations

import attrs
import pytest
from attrs import field, frozen

from acp_state.json_values import JsonArray, JsonObject
from acp_state.model import Chunks, Compaction
from acp_state.model.copying import Versioned
from acp_state.omitted import CLEAR, KEEP, MERGE, OMITTED, RESET, Patch
from acp_state.reduce.patch import patch
from acp_state.schema import (
    CompactionUpdate,
    SessionInfoUpdate,
    SessionMessage,
    SessionMessageChunk,
    SubagentUpdate,
    TextContent,
    ToolCall,
    ToolCallUpdate,
    UsageUpdate,
)
from acp_state.schema.wire import patch_fields, wire


@frozen(kw_only=True)
class Entity(Versioned):
    """What is patched."""

    keep: object = None
    clear: object = "default"
    merge: JsonObject | None = None
    reset: object = "default"
    target: tuple = field(default=(), converter=tuple)
    beside: str = "never touched"


@frozen(kw_only=True)
class Update:
    """A patch with a field of each policy."""

    name: str = "no patch field"
    keep: object = field(default=OMITTED, metadata=wire(patch=KEEP))
    clear: object = field(default=OMITTED, metadata=wire(patch=CLEAR))
    merge: object = field(default=OMITTED, metadata=wire(patch=MERGE))
    reset: object = field(default=OMITTED, metadata=wire(patch=RESET))
    source: object = field(default=OMITTED, metadata=wire(patch=Patch(null="clear", into="target")))


HELD = Entity(
    keep="held", clear="held", merge=JsonObject({"a": 1, "b": 2}), reset="held", target=(1, 2)
)


@pytest.mark.parametrize(
    ("name", "omitted", "null", "value"),
    [
        ("keep", "held", "held", "new"),
        ("clear", "held", "default", "new"),
        ("reset", "default", "default", "new"),
    ],
)
def test_policy(name, omitted, null, value):
    """PATCH-01, PATCH-02, and snapshots: what omission, null and a value do."""
    quiet = attrs.evolve(HELD, reset="default")
    for sent, expected in ((OMITTED, omitted), (None, null), ("new", value)):
        assert patch(HELD, Update(**{name: sent})) == attrs.evolve(quiet, **{name: expected})


def test_a_value_replaces_whole():
    """PATCH-03: nothing is deep-merged."""
    new = JsonObject({"b": JsonObject({"x": 1})})
    held = Entity(keep=JsonObject({"a": 1, "b": JsonObject({"y": 2})}))
    assert patch(held, Update(keep=new)) == Entity(keep=new)


@pytest.mark.parametrize(
    ("held", "sent", "merged"),
    [
        ({"a": 1, "b": 2}, {"b": 3, "c": 4}, {"a": 1, "b": 3, "c": 4}),
        ({"a": 1, "b": 2}, {"a": None, "z": None}, {"b": 2}),
        ({"a": {"x": 1}}, {"a": {"y": 2}}, {"a": {"y": 2}}),
        ({"a": 1}, {}, {"a": 1}),
        (None, {"a": 1, "b": None}, {"a": 1}),
        ({"a": 1}, None, {"a": 1}),
        ({"a": 1}, OMITTED, {"a": 1}),
    ],
)
def test_merging(held, sent, merged):
    """PATCH-03: top-level keys replace one by one, a null removes its key."""
    entity = Entity(merge=held if held is None else JsonObject(held))
    value = JsonObject(sent) if isinstance(sent, dict) else sent
    assert patch(entity, Update(merge=value), resets=False) == attrs.evolve(
        entity, merge=JsonObject(merged)
    )


def test_an_object_can_be_set_instead_of_merged():
    """Row 4: the first announcement sets `_meta` as it is sent."""
    value = JsonObject({"b": None})
    assert patch(HELD, Update(merge=value), resets=False, merges=False) == attrs.evolve(
        HELD, merge=value
    )


def test_resetting_can_be_left_out():
    """TOOL-04: the first `tool_call` of a known id resets nothing; null resets all the same."""
    assert patch(HELD, Update(), resets=False) is HELD
    assert patch(HELD, Update(reset=None), resets=False) == attrs.evolve(HELD, reset="default")


@pytest.mark.parametrize(("sent", "held"), [(OMITTED, (1, 2)), (None, ()), ([], ()), ([3], (3,))])
def test_an_empty_array_is_a_concrete_value(sent, held):
    """PATCH-04: it clears; and a field may patch an attribute of another name."""
    assert patch(HELD, Update(source=sent), resets=False) == attrs.evolve(HELD, target=held)


@pytest.mark.parametrize("sent", [OMITTED, None])
def test_first_seen(sent):
    """PATCH-05, PATCH-08: omission and null both start with no value, which is one state."""
    nothing = Update(keep=sent, clear=sent, merge=sent, reset=sent, source=sent)
    assert patch(Entity(), nothing) == Entity()


@pytest.mark.parametrize(
    "update",
    [
        Update(reset="held"),
        Update(reset="held", keep="held", clear="held", merge=JsonObject({"a": 1})),
        Update(reset="held", source=[1, 2]),
    ],
)
def test_a_patch_that_changes_nothing_gives_the_very_same_entity(update):
    """Design, contract 5; PATCH-07: what is omitted is not reset by anything."""
    assert patch(HELD, update) is HELD


@pytest.mark.parametrize(("old", "new"), [(1, True), (1, 1.0), (0, False), ((), JsonArray())])
def test_values_that_only_compare_equal_are_two(old, new):
    """EXT-04: JSON ``1`` and ``true`` are different values."""
    patched = patch(Entity(keep=old), Update(keep=new))
    assert type(patched.keep) is type(new)


def test_chunks_are_made_of_a_list_of_blocks():
    """CMP-04: the entity's own converter makes what it holds."""
    held = Compaction(compaction_id="c", chunks=[TextContent(text="a")])
    blocks = (TextContent(text="b"),)
    sent = CompactionUpdate(compaction_id="c", status="completed", summary=blocks)
    assert patch(held, sent) == Compaction(
        compaction_id="c", status="completed", chunks=Chunks.of(blocks)
    )
    assert patch(patch(held, sent), sent) == patch(held, sent)


# Which field has which policy (PATCH-01, PATCH-02)

CLEARS = Patch(null="clear")

POLICIES = {
    CompactionUpdate: {
        "status": KEEP,
        "summary": Patch(null="clear", into="chunks"),
        "error": CLEARS,
        "meta": CLEARS,
    },
    SessionInfoUpdate: {"title": CLEARS, "updated_at": CLEARS, "meta": CLEARS},
    SubagentUpdate: {
        "title": CLEARS,
        "description": CLEARS,
        "capabilities": CLEARS,
        "state": CLEARS,
        "cwd": CLEARS,
        "additional_directories": CLEARS,
        "meta": CLEARS,
    },
    SessionMessage: {
        "sender_session_id": KEEP,
        "recipient_session_id": KEEP,
        "sender_message_id": CLEARS,
        "recipient_message_id": CLEARS,
        "content": Patch(null="clear", into="chunks"),
        "meta": CLEARS,
    },
    SessionMessageChunk: {"sender_session_id": KEEP, "recipient_session_id": KEEP},
    ToolCallUpdate: {
        "title": KEEP,
        "name": KEEP,
        "kind": KEEP,
        "status": KEEP,
        "content": KEEP,
        "locations": KEEP,
        "raw_input": KEEP,
        "raw_output": KEEP,
        "meta": MERGE,
    },
    ToolCall: {
        "title": KEEP,
        "name": KEEP,
        "kind": RESET,
        "status": RESET,
        "content": RESET,
        "locations": RESET,
        "raw_input": KEEP,
        "raw_output": KEEP,
        "meta": MERGE,
    },
    UsageUpdate: {"used": KEEP, "size": KEEP, "cost": CLEARS, "meta": RESET},
}


@pytest.mark.parametrize(
    ("cls", "policies"), POLICIES.items(), ids=lambda each: getattr(each, "__name__", "")
)
def test_the_policies_of_a_patch(cls, policies):
    """PATCH-01, PATCH-02, PATCH-03, TOOL-04: three-state, two-state, merged and reset fields."""
    assert {name: policy for name, _, policy in patch_fields(cls)} == policies
