"""Timeline entries as lines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from acp_state import codec
from acp_state.cli.limits import Limits
from acp_state.cli.page import Line, headed, line, lines
from acp_state.cli.safe_text import one_line
from acp_state.cli.show_content import show_blocks
from acp_state.cli.show_tool_call import INDENT, STATUS_STYLES, show_tool_call
from acp_state.intents import ShowNotice
from acp_state.model import Compaction, Entry, Message, Session, SessionMessage, Subagent, ToolCall
from acp_state.schema import StateUpdate

_ROLES: Final = {"user": ("User", "cyan"), "agent": ("Agent", "green"), "thought": ("Thought", "")}


def show_entry(entry: Entry, session: Session, limits: Limits, tag: str) -> Iterator[Line]:
    """An entry; `tag` says what its place alone does not: the turn it belongs to."""
    refused = ", refused: not part of the next prompt" if session.is_excluded(entry) else ""
    tag = f"({(tag + refused).removeprefix(', ')})" if tag or refused else ""
    if isinstance(entry, Message):
        yield from _show_message(entry, limits, tag)
    elif isinstance(entry, ToolCall):
        yield from show_tool_call(entry, session, limits, tag)
    elif isinstance(entry, Compaction):
        yield from _show_compaction(entry, limits, tag)
    elif isinstance(entry, SessionMessage):
        yield from _show_session_message(entry, session, limits, tag)
    else:
        yield from _show_subagent(entry, limits, tag)


def show_notice(shown: ShowNotice, limits: Limits) -> Iterator[Line]:
    """A notice in its place; it is no part of the session."""
    notice = shown.notice
    title = one_line(notice.title, limits.title)
    yield headed("Notice", "magenta", f"{notice.severity}: {title}", ("(not kept)", "dim"))
    if notice.description:
        yield from lines(notice.description, limits.message, indent=INDENT)


def state_text(state: StateUpdate | None) -> str:
    """What a child session does, in a few words."""
    if state is None:
        return "unconfirmed"
    said = codec.encode(state, StateUpdate)
    assert isinstance(said, dict)  # noqa: S101 - every state is an object
    name, reason, error = said.get("state"), said.get("stopReason"), said.get("error")
    message = f": {error['message']}" if isinstance(error, dict) else ""
    return f"{name} ({reason}{message})" if isinstance(reason, str) else f"{name}"


def _show_message(message: Message, limits: Limits, tag: str) -> Iterator[Line]:
    name, style = _ROLES[message.role]
    is_thought = message.role == "thought"
    yield headed(name, style, (message.message_id or "", "dim"), (tag, "dim"))
    limit = limits.thought if is_thought else limits.message
    style = "italic" if is_thought else ""
    shown = list(show_blocks(message.content, limit, indent=INDENT, style=style))
    has_text = any(each.text.plain.strip() for each in shown)
    yield from shown if has_text else [line(("(no text)", "dim"), indent=INDENT)]


def _show_compaction(compaction: Compaction, limits: Limits, tag: str) -> Iterator[Line]:
    status = compaction.status
    what = (status, STATUS_STYLES.get(status, ""))
    yield headed("Compaction", "blue", what, (compaction.compaction_id, "dim"), (tag, "dim"))
    if compaction.error:
        yield from lines(compaction.error, limits.message, indent=INDENT, style="red")
    yield from show_blocks(compaction.summary, limits.message, indent=INDENT)


def _show_session_message(
    message: SessionMessage, session: Session, limits: Limits, tag: str
) -> Iterator[Line]:
    way = _way(message, session.session_id)
    yield headed("Message", "blue", way, (message.message_id, "dim"), (tag, "dim"))
    yield from show_blocks(message.content, limits.message, indent=INDENT)


def _way(message: SessionMessage, session_id: str) -> str:
    sender, recipient = message.sender_session_id, message.recipient_session_id
    direction = message.direction(session_id)
    if direction == "outgoing":
        return f"To {recipient}"
    if direction == "incoming":
        return f"From {sender}"
    return f"From {sender or 'an unknown session'} To {recipient or 'an unknown session'}"


def _show_subagent(subagent: Subagent, limits: Limits, tag: str) -> Iterator[Line]:
    title = one_line(subagent.title or "(no title)", limits.title)
    yield headed("Subagent", "blue", (title, "bold"), (tag, "dim"))
    known = "" if subagent.state_confirmed else "last known as "
    cancel = ", can be cancelled" if subagent.may_cancel else ""
    state = f"{known}{state_text(subagent.state)}{cancel}"
    yield line(state, (f"  {subagent.session_id}", "dim"), indent=INDENT)
    if subagent.description:
        yield from lines(subagent.description, limits.message, indent=INDENT)
