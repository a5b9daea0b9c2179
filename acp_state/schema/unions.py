"""The tagged unions, found by their members."""

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from acp_state.schema.authentication import AUTH_METHOD, AuthMethod
from acp_state.schema.config_options import SESSION_CONFIG_OPTION, SessionConfigOption
from acp_state.schema.content import CONTENT_BLOCK, ContentBlock
from acp_state.schema.permissions import REQUEST_PERMISSION_OUTCOME, RequestPermissionOutcome
from acp_state.schema.plans import PLAN_UPDATE_CONTENT, PlanUpdateContent
from acp_state.schema.subagents import STATE_UPDATE, StateUpdate
from acp_state.schema.tool_calls import TOOL_CALL_CONTENT, ToolCallContent
from acp_state.schema.updates import SESSION_UPDATE, SessionUpdate
from acp_state.schema.wire import TaggedUnion, union_members

TAGGED_UNIONS: Final[Mapping[frozenset[type], TaggedUnion]] = {
    frozenset(union_members(union)): spec
    for union, spec in (
        (ContentBlock, CONTENT_BLOCK),
        (ToolCallContent, TOOL_CALL_CONTENT),
        (PlanUpdateContent, PLAN_UPDATE_CONTENT),
        (SessionConfigOption, SESSION_CONFIG_OPTION),
        (StateUpdate, STATE_UPDATE),
        (RequestPermissionOutcome, REQUEST_PERMISSION_OUTCOME),
        (SessionUpdate, SESSION_UPDATE),
        (AuthMethod, AUTH_METHOD),
    )
}


def tagged_union(annotation: Any) -> TaggedUnion | None:
    """The tagged union that an annotation spells, if it does."""
    return TAGGED_UNIONS.get(frozenset(union_members(annotation)))


@cache
def union_tags(cls: type) -> frozenset[str]:
    """The keys that hold a tag in objects of the class."""
    return frozenset(spec.tag for members, spec in TAGGED_UNIONS.items() if cls in members)
