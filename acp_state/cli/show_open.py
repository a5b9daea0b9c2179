"""What is still open: running turns, unfinished tool calls, requests without a response."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final

from acp_state.cli.page import BLANK, Line, line
from acp_state.cli.safe_text import one_line
from acp_state.json_values import JsonArray, JsonObject
from acp_state.model import Session, ToolCall
from acp_state.model.connection import Connection, PendingRequest

TITLE: Final = 120


def show_open_in_session(session: Session, connection: Connection) -> Iterator[Line]:
    """What is open in a session."""
    turns = (f"turn {index + 1} is running" for index in session.running)
    calls = (
        _call(call, session)
        for call in session.tool_calls.values()
        if not call.is_finished and not call.cancelled
    )
    pending = _requests(connection, lambda name: name == session.session_id)
    yield from _list("Open", [*turns, *calls, *pending])


def show_open_requests(connection: Connection) -> Iterator[Line]:
    """The requests that are about no session, or about one that is not known."""
    pending = _requests(connection, lambda name: name not in connection.sessions)
    yield from _list("Open on the connection", pending)


def _list(heading: str, items: Iterable[str]) -> Iterator[Line]:
    rows = list(items)
    if rows:
        yield BLANK
        yield line((heading, "bold red"))
    for row in rows:
        yield line(row, indent=4, label="  -")


def _call(call: ToolCall, session: Session) -> str:
    ended = call.turn is not None and not session.turns[call.turn].is_running
    after = f", though turn {call.turn + 1} has ended" if ended and call.turn is not None else ""
    title = "" if call.title is None else f": {one_line(call.title, TITLE)}"
    return f"tool call {call.tool_call_id} is {call.status}{after}{title}"


def _requests(connection: Connection, belongs: Callable[[str | None], bool]) -> Iterator[str]:
    for asker, requests in (
        ("client", connection.client_requests),
        ("agent", connection.agent_requests),
    ):
        for request in requests.values():
            if belongs(request.session_id):
                yield f"the {asker} waits for an answer to {request.method}{_about(request)}"


def _about(request: PendingRequest) -> str:
    """The id of the request; for a permission also the tool call, and what can be chosen."""
    call, options = request.params.get("toolCall"), request.params.get("options")
    about = f" (id {request.request_id!r})"
    if request.method != "session/request_permission" or not isinstance(call, JsonObject):
        return about
    names = [
        str(option.get("name"))
        for option in (options if isinstance(options, JsonArray) else ())
        if isinstance(option, JsonObject)
    ]
    return f"{about} for tool call {call.get('toolCallId')}: {', '.join(names) or 'no options'}"
