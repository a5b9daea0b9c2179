"""Entries, turns and what belongs to them, as the page takes them: plain JSON, text ready to show.

Everything in it is text to be shown as text; the page never makes markup of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any, Final, TypeAlias

from acp_state.cli.json_text import dumps
from acp_state.cli.show_content import block_name, block_text
from acp_state.cli.show_diff import summed_up
from acp_state.cli.show_entry import state_text
from acp_state.cli.show_turn import tokens, turn_facts
from acp_state.json_values import JsonValue, thaw
from acp_state.model import (
    Compaction,
    Entry,
    Message,
    Permission,
    SessionMessage,
    Subagent,
    Terminal,
    ToolCall,
    Turn,
)
from acp_state.schema import (
    Content,
    ContentBlock,
    Diff,
    ImageContent,
    ResourceLink,
    TextContent,
    ToolCallContent,
    ToolCallLocation,
)

Json: TypeAlias = dict[str, Any]

MOST_RAW: Final = 20_000
"""Characters of raw input or output; the raw message holds all of it."""

MOST_IMAGE: Final = 400_000
"""Characters of an image in base64 that is shown."""

_BASE64: Final = re.compile(r"[A-Za-z0-9+/\s]*={0,2}\s*")

PICTURES: Final = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
"""What is shown as a picture: none of them can hold a script."""


def entry_json(entry: Entry) -> Json:
    """An entry of the timeline."""
    if isinstance(entry, Message):
        return _message(entry)
    if isinstance(entry, ToolCall):
        return _tool_call(entry)
    if isinstance(entry, Compaction):
        return _compaction(entry)
    return _session_message(entry) if isinstance(entry, SessionMessage) else _subagent(entry)


def turn_json(turn: Turn) -> Json:
    """A turn and how it ended."""
    return {
        "start": turn.start,
        "facts": turn_facts(turn),
        "outcome": turn.outcome,
        "error": None if turn.error is None else turn.error.message,
        "usage": None if turn.usage is None else tokens(turn.usage),
    }


def permission_json(permission: Permission) -> Json:
    """A question and its answer."""
    chosen = permission.selected
    return {
        "toolCallId": permission.tool_call.tool_call_id,
        "options": [f"{option.name} ({option.kind})" for option in permission.options],
        "answer": permission.outcome if chosen is None else f"{chosen.name} ({chosen.kind})",
    }


def terminal_json(terminal: Terminal) -> Json:
    """A terminal of the client's."""
    end = "runs" if not terminal.exited else f"exit code {terminal.exit_code}"
    return {
        "end": f"ended by {terminal.signal}" if terminal.signal is not None else end,
        "output": terminal.output or "",
        "released": terminal.released,
    }


def parts(blocks: Iterable[ContentBlock]) -> Iterator[Json]:
    """Content: adjacent text as one, and what else there is."""
    for is_text, run in groupby(blocks, lambda block: isinstance(block, TextContent)):
        if is_text:
            yield {"text": "".join(map(block_text, run))}
        else:
            yield from map(_part, run)


def _part(block: ContentBlock) -> Json:
    if isinstance(block, TextContent):
        return {"text": block.text}
    named: Json = {"name": block_name(block), "inside": block_text(block)}
    if isinstance(block, ResourceLink):
        named["uri"] = block.uri
    if isinstance(block, ImageContent) and block.mime_type in PICTURES:
        shown = len(block.data) <= MOST_IMAGE and _BASE64.fullmatch(block.data)
        named["image"] = f"data:{block.mime_type};base64,{block.data}" if shown else None
    return named


def _message(message: Message) -> Json:
    return {
        "kind": "message",
        "turn": message.turn,
        "role": message.role,
        "id": message.message_id,
        "parts": list(parts(message.content)),
    }


def _tool_call(call: ToolCall) -> Json:
    return {
        "kind": "tool",
        "turn": call.turn,
        "id": call.tool_call_id,
        "title": call.title or call.tool_call_id,
        "tool": call.name or call.kind,
        "status": call.effective_status,
        "content": [_tool_content(each) for each in call.content],
        "locations": [_place(each) for each in call.locations],
        "input": _raw(call.raw_input),
        "output": _raw(call.raw_output),
    }


def _tool_content(content: ToolCallContent) -> Json:
    if isinstance(content, Diff):
        size, changed = summed_up(content)
        return {"diff": content.path, "size": size, "lines": "\n".join(changed)}
    if isinstance(content, Content):
        return _part(content.content)
    return {"terminal": content.terminal_id}


def _place(location: ToolCallLocation) -> str:
    return f"{location.path}:{location.line}" if isinstance(location.line, int) else location.path


def _compaction(compaction: Compaction) -> Json:
    return {
        "kind": "compaction",
        "turn": compaction.turn,
        "id": compaction.compaction_id,
        "status": compaction.status,
        "title": compaction.error or "",
        "parts": list(parts(compaction.summary)),
    }


def _session_message(message: SessionMessage) -> Json:
    sender, recipient = message.sender_session_id, message.recipient_session_id
    return {
        "kind": "session_message",
        "turn": message.turn,
        "id": message.message_id,
        "title": f"{sender or 'unknown'} to {recipient or 'unknown'}",
        "parts": list(parts(message.content)),
    }


def _subagent(subagent: Subagent) -> Json:
    return {
        "kind": "subagent",
        "turn": subagent.turn,
        "id": subagent.session_id,
        "title": subagent.title or "(no title)",
        "status": state_text(subagent.state),
        "parts": [{"text": subagent.description}] if subagent.description else [],
    }


def _raw(value: JsonValue) -> str | None:
    """Raw input or output as text."""
    if value in (None, {}, [], ""):
        return None
    text = value if isinstance(value, str) else dumps(thaw(value), indent=True).decode().strip()
    more = len(text) - MOST_RAW
    return text if more <= 0 else f"{text[:MOST_RAW]}... ({more:,} more characters)"
