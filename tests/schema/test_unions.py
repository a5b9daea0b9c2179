"""A tagged union is found by its members, and a class by the unions that it is in."""

import pytest

from acp_state.schema import (
    AgentMessageChunk,
    AuthMethod,
    AuthMethodAgent,
    ContentBlock,
    EmbeddedResourceResource,
    IdleStateUpdate,
    OtherStopReason,
    PlanUpdateContent,
    RequestPermissionOutcome,
    SessionConfigOption,
    SessionConfigSelectOptions,
    SessionUpdate,
    StateUpdate,
    TextContent,
    ToolCallContent,
    Usage,
)
from acp_state.schema.unions import TAGGED_UNIONS, tagged_union, union_tags


@pytest.mark.parametrize(
    ("union", "tag"),
    [
        (ContentBlock, "type"),
        (ToolCallContent, "type"),
        (PlanUpdateContent, "type"),
        (SessionConfigOption, "type"),
        (StateUpdate, "state"),
        (RequestPermissionOutcome, "outcome"),
        (SessionUpdate, "sessionUpdate"),
        (AuthMethod, "type"),
    ],
)
def test_a_union_of_classes_is_tagged(union, tag):
    assert tagged_union(union).tag == tag


def test_each_tagged_union_is_there():
    assert len(TAGGED_UNIONS) == 8


@pytest.mark.parametrize(
    "annotation",
    [str, TextContent, EmbeddedResourceResource, SessionConfigSelectOptions, str | int, None],
)
def test_other_annotations_are_none(annotation):
    assert tagged_union(annotation) is None


@pytest.mark.parametrize("union", TAGGED_UNIONS.values())
def test_the_classes_of_a_union_are_its_members(union):
    """A tag leads to no class that the annotation does not name, and each member has a tag."""
    members = next(members for members, spec in TAGGED_UNIONS.items() if spec is union)
    assert set(union.classes()) == members


def test_the_nineteen_updates():
    """Section 4.1: the variants of `SessionUpdate` in the order of the table."""
    assert list(tagged_union(SessionUpdate).variants) == [
        "user_message_chunk",
        "agent_message_chunk",
        "agent_thought_chunk",
        "tool_call",
        "tool_call_update",
        "plan",
        "plan_update",
        "plan_removed",
        "available_commands_update",
        "current_mode_update",
        "config_option_update",
        "session_info_update",
        "usage_update",
        "notice",
        "compaction_update",
        "compaction_summary_chunk",
        "subagent_update",
        "session_message",
        "session_message_chunk",
    ]


def test_the_keys_that_hold_a_tag():
    """EXT-04: a tag is not part of the payload that an open variant keeps."""
    assert union_tags(AgentMessageChunk) == {"sessionUpdate"}
    assert union_tags(TextContent) == {"type"}
    assert union_tags(IdleStateUpdate) == {"state"}
    assert union_tags(OtherStopReason) == {"state"}
    assert union_tags(AuthMethodAgent) == {"type"}
    assert union_tags(Usage) == frozenset()
