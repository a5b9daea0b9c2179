"""`apply_update`: one session update folded into one session."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from acp_state.host_values import require_json
from acp_state.intents import Diagnose, Intent
from acp_state.json_values import JsonObject, thaw_object
from acp_state.leniency import Decoded, Fault, decoder, hold
from acp_state.model import Session, Subagent
from acp_state.reading import Malformed
from acp_state.reduce.capabilities import check_capability
from acp_state.reduce.compactions import on_compaction_summary_chunk, on_compaction_update
from acp_state.reduce.info import on_notice, on_session_info_update, on_usage_update
from acp_state.reduce.loading import after_replayed, begin_replay, replaying
from acp_state.reduce.messages import on_message_chunk
from acp_state.reduce.odd_values import check_values
from acp_state.reduce.plans import on_plan, on_plan_removed, on_plan_update
from acp_state.reduce.session_messages import on_session_message, on_session_message_chunk
from acp_state.reduce.settings import (
    on_available_commands_update,
    on_config_option_update,
    on_current_mode_update,
)
from acp_state.reduce.step import Faults, Step, diagnose
from acp_state.reduce.streaming import stream_update
from acp_state.reduce.subagents import on_subagent_update
from acp_state.reduce.tool_calls import on_tool_call, on_tool_call_update
from acp_state.schema import (
    AgentMessageChunk,
    AgentThoughtChunk,
    AvailableCommandsUpdate,
    CompactionSummaryChunk,
    CompactionUpdate,
    ConfigOptionUpdate,
    CurrentModeUpdate,
    Notice,
    Plan,
    PlanRemoved,
    PlanUpdate,
    SessionInfoUpdate,
    SessionMessage,
    SessionMessageChunk,
    SessionUpdate,
    SubagentUpdate,
    ToolCall,
    ToolCallUpdate,
    UsageUpdate,
    UserMessageChunk,
)
from acp_state.schema.messages import ContentChunk

HANDLERS: Final[Mapping[type, Callable[[Session, Any, Faults], Step]]] = {
    UserMessageChunk: on_message_chunk,
    AgentMessageChunk: on_message_chunk,
    AgentThoughtChunk: on_message_chunk,
    ToolCall: on_tool_call,
    ToolCallUpdate: on_tool_call_update,
    Plan: on_plan,
    PlanUpdate: on_plan_update,
    PlanRemoved: on_plan_removed,
    AvailableCommandsUpdate: on_available_commands_update,
    CurrentModeUpdate: on_current_mode_update,
    ConfigOptionUpdate: on_config_option_update,
    SessionInfoUpdate: on_session_info_update,
    UsageUpdate: on_usage_update,
    Notice: on_notice,
    CompactionUpdate: on_compaction_update,
    CompactionSummaryChunk: on_compaction_summary_chunk,
    SubagentUpdate: on_subagent_update,
    SessionMessage: on_session_message,
    SessionMessageChunk: on_session_message_chunk,
}
"""What each update does; one row for each variant of the wire."""


_decode = decoder(SessionUpdate)


def apply_update(session: Session, update: SessionUpdate | JsonObject | dict[str, Any]) -> Step:
    """Fold one update into a session.

    Args:
        session: the session it is for; it stays as it is.
        update: the ``update`` of a ``session/update`` notification: the JSON object as the parser
            gave it, or a wire object from `acp_state.schema`.

    Returns:
        The session after the update, and the intents that come out of it. An update that changes
        nothing gives the very same session. A malformed or unknown one changes nothing and is
        diagnosed, whatever JSON it is (RPC-07).

    Raises:
        LocalProtocolError: `update` is neither JSON nor an object of `SessionUpdate`.

    >>> session, intents = apply_update(
    ...     Session("sess_1"),
    ...     {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "Hi"}},
    ... )
    >>> session.timeline[0].text, intents
    ('Hi', ())
    """
    streamed = stream_update(session, update)
    return fold_update(session, update) if streamed is None else (streamed, ())


def fold_update(session: Session, update: object) -> Step:
    """Fold one update the general way; for callers that have tried the short one."""
    try:
        decoded = _decoded(update)
    except Malformed as malformed:
        return session, (_dropped(session, update, malformed),)
    value, faults = decoded.value, decoded.faults
    if session.readiness == "resuming" and session.replay is None:
        return _in_resume(session, value, faults)
    after, intents = _handled(session, value, faults)
    return after, _noticed(session, value, faults) + intents


def _noticed(session: Session, value: Any, faults: Faults) -> tuple[Intent, ...]:
    """What is odd about the update itself, which is applied all the same."""
    checked = check_capability(session, value) + check_values(session.session_id, value)
    return tuple(map(_fault(session), faults)) + checked if faults else checked


def _handled(session: Session, value: Any, faults: Faults) -> Step:
    handler = HANDLERS[value.__class__]
    if session.replay is None:
        return handler(session, value, faults)
    after, intents = handler(replaying(session), value, faults)
    return after_replayed(after), intents


def _in_resume(session: Session, value: Any, faults: Faults) -> Step:
    """History that is told although only a resume was asked for (LOAD-13).

    A message or a call that is announced begins a replay; of what else is new there is just told.
    """
    if isinstance(value, (ContentChunk, ToolCall)):
        text = "history is replayed before the resume was answered; folded as by a load"
        session, opened = begin_replay(session), True
    else:
        text, opened = "something new before the resume was answered; folded", False
    after, intents = _handled(session, value, faults)
    new = len(after.timeline) > len(session.timeline)
    told = opened or (new and not isinstance(after.timeline[-1], Subagent))
    found = (diagnose(session, "replay-in-resume", text),) if told else ()
    return after, found + _noticed(session, value, faults) + intents


def _decoded(update: object) -> Decoded[Any]:
    if type(update) is dict:
        return _decode(update)
    if type(update) in HANDLERS:
        return Decoded(update)
    require_json(update, "session update of acp_state.schema", "RPC-07")
    return _decode(thaw_object(update) if isinstance(update, JsonObject) else update)


def _dropped(session: Session, update: object, malformed: Malformed) -> Intent:
    kind = update.get("sessionUpdate") if isinstance(update, dict) else None
    name = f"{kind}: " if isinstance(kind, str) and malformed.path else ""
    return diagnose(
        session,
        "update-dropped",
        f"{name}{malformed}; the update is dropped",
        rule=malformed.rule,
        path=malformed.path,
        raw=hold(update),
    )


def _fault(session: Session) -> Callable[[Fault], Diagnose]:
    return lambda fault: diagnose(
        session, fault.code, fault.text, rule=fault.rule, path=fault.path, raw=fault.raw
    )
