"""The nineteen session updates, by the tag that names them.

Source: protocol v1 draft, Prompt Turn, Session Updates; ``$defs``: SessionUpdate,
SessionNotification.
"""

from typing import Final, TypeAlias

from attrs import field

from acp_state.json_values import JsonObject, freeze_meta
from acp_state.omitted import OMITTED, Omitted
from acp_state.records import frozen
from acp_state.schema.compaction import CompactionSummaryChunk, CompactionUpdate
from acp_state.schema.config_options import ConfigOptionUpdate
from acp_state.schema.messages import AgentMessageChunk, AgentThoughtChunk, UserMessageChunk
from acp_state.schema.notices import Notice
from acp_state.schema.plans import Plan, PlanRemoved, PlanUpdate
from acp_state.schema.session_info import SessionInfoUpdate
from acp_state.schema.session_messages import SessionMessage, SessionMessageChunk
from acp_state.schema.session_modes import CurrentModeUpdate
from acp_state.schema.slash_commands import AvailableCommandsUpdate
from acp_state.schema.subagents import SubagentUpdate
from acp_state.schema.tool_calls import ToolCall, ToolCallUpdate
from acp_state.schema.usage import UsageUpdate
from acp_state.schema.wire import TaggedUnion

SessionUpdate: TypeAlias = (
    UserMessageChunk
    | AgentMessageChunk
    | AgentThoughtChunk
    | ToolCall
    | ToolCallUpdate
    | Plan
    | PlanUpdate
    | PlanRemoved
    | AvailableCommandsUpdate
    | CurrentModeUpdate
    | ConfigOptionUpdate
    | SessionInfoUpdate
    | UsageUpdate
    | Notice
    | CompactionUpdate
    | CompactionSummaryChunk
    | SubagentUpdate
    | SessionMessage
    | SessionMessageChunk
)

SESSION_UPDATE: Final = TaggedUnion(
    tag="sessionUpdate",
    variants={
        "user_message_chunk": UserMessageChunk,
        "agent_message_chunk": AgentMessageChunk,
        "agent_thought_chunk": AgentThoughtChunk,
        "tool_call": ToolCall,
        "tool_call_update": ToolCallUpdate,
        "plan": Plan,
        "plan_update": PlanUpdate,
        "plan_removed": PlanRemoved,
        "available_commands_update": AvailableCommandsUpdate,
        "current_mode_update": CurrentModeUpdate,
        "config_option_update": ConfigOptionUpdate,
        "session_info_update": SessionInfoUpdate,
        "usage_update": UsageUpdate,
        "notice": Notice,
        "compaction_update": CompactionUpdate,
        "compaction_summary_chunk": CompactionSummaryChunk,
        "subagent_update": SubagentUpdate,
        "session_message": SessionMessage,
        "session_message_chunk": SessionMessageChunk,
    },
)


@frozen(kw_only=True)
class SessionNotification:
    """One update and the session it is for; `meta` is the envelope's own (RPC-12)."""

    session_id: str
    update: SessionUpdate
    meta: JsonObject | None | Omitted = field(default=OMITTED, converter=freeze_meta)
