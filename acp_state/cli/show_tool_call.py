"""Tool calls as lines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from acp_state.cli.json_text import dumps
from acp_state.cli.limits import Limits
from acp_state.cli.page import Line, headed, line, lines
from acp_state.cli.safe_text import Limit, one_line
from acp_state.cli.show_content import show_blocks
from acp_state.cli.show_diff import show_diff
from acp_state.json_values import JsonValue, thaw
from acp_state.model import Session, Terminal, ToolCall
from acp_state.schema import Content, Diff, ToolCallContent, ToolCallLocation

INDENT: Final = 2

STATUS_STYLES: Final = {
    "pending": "yellow",
    "in_progress": "blue",
    "completed": "green",
    "failed": "red",
    "cancelled": "magenta",
}


def show_tool_call(call: ToolCall, session: Session, limits: Limits, tag: str) -> Iterator[Line]:
    """What the tool is, how far it is, what it works on and what came out."""
    title = "(not announced)" if call.title is None else call.title
    yield headed("Tool call", "yellow", (one_line(title, limits.title), "bold"), (tag, "dim"))
    status = call.effective_status
    name = f", {call.name}" if call.name else ""
    facts = f"{call.kind}{name}, ", (status, STATUS_STYLES.get(status, ""))
    yield line(*facts, (f"  {call.tool_call_id}", "dim"), indent=INDENT)
    for decided in _decisions(call, session):
        yield line(f"permission: {one_line(decided, limits.title)}", indent=INDENT)
    for location in call.locations:
        yield line(f"at {_place(location)}", indent=INDENT)
    yield from _raw("input", call.raw_input, limits)
    for content in call.content:
        yield from _show_content(content, session, limits)
    if not any(_is_known(content, session) for content in call.content):
        yield from _raw("output", call.raw_output, limits)


def show_terminal(terminal: Terminal, limits: Limits) -> Iterator[Line]:
    """How the command ended, and what it printed."""
    facts = [f"terminal {terminal.terminal_id}: {_end(terminal)}"]
    facts += ["released"] if terminal.released else []
    facts += ["its first output is lost"] if terminal.truncated else []
    yield line(", ".join(facts), indent=INDENT)
    if terminal.output:
        yield from lines(terminal.output, limits.output, indent=INDENT + 2, style="dim")


def _decisions(call: ToolCall, session: Session) -> Iterator[str]:
    """What became of the permission requests about the call."""
    for permission in session.permissions:
        if permission.tool_call.tool_call_id == call.tool_call_id and permission.outcome:
            chosen = permission.selected
            yield permission.outcome if chosen is None else f"{chosen.name} ({chosen.kind})"


def _show_content(content: ToolCallContent, session: Session, limits: Limits) -> Iterator[Line]:
    if isinstance(content, Diff):
        yield from show_diff(content, limits, indent=INDENT)
    elif isinstance(content, Content):
        yield from show_blocks([content.content], limits.output, indent=INDENT + 2, style="dim")
    elif content.terminal_id in session.terminals:
        yield from show_terminal(session.terminals[content.terminal_id], limits)
    else:
        text = f"terminal {content.terminal_id}: the agent's own, its output is not known"
        yield line(text, indent=INDENT)


def _is_known(content: ToolCallContent, session: Session) -> bool:
    """Whether there is something to show of it: of an agent's own terminals there is not."""
    return isinstance(content, (Content, Diff)) or content.terminal_id in session.terminals


def _end(terminal: Terminal) -> str:
    if not terminal.exited:
        return "no end reported"
    if terminal.signal is not None:
        return f"ended by {terminal.signal}"
    return "ended" if terminal.exit_code is None else f"exit code {terminal.exit_code}"


def _place(location: ToolCallLocation) -> str:
    has_line = isinstance(location.line, int)
    return f"{location.path}:{location.line}" if has_line else location.path


def _raw(name: str, value: JsonValue, limits: Limits) -> Iterator[Line]:
    """Raw input or output, as one line of JSON; text as text."""
    if value in (None, {}, [], ""):
        return
    if isinstance(value, str):
        yield line(name, indent=INDENT)
        yield from lines(value, limits.output, indent=INDENT + 2, style="dim")
        return
    text = dumps(thaw(value)).decode().strip()
    limit = None if limits.title is None else Limit(1, columns=limits.title)
    margin = f"{'':{INDENT}}{name} "
    for each in lines(text, limit, indent=len(margin), style="dim"):
        yield Line(each.text, each.indent, margin)
