"""Three turns of a hundred messages, in the proportions of recorded traffic.

Of a hundred recorded messages about 55 are chunks of an answer, 5 of a thought and 1 of the user,
9 are responses, 5 patch a tool call and 2 announce one, 5 tell the usage, 3 are prompts, 3 name
the session, 2 list commands, 1 asks for permission; the rest is files, terminals, plans, settings.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from benchmarks.traffic import Message, Spoken
from benchmarks.wire import (
    chunk,
    ended,
    patch,
    prompt,
    request,
    response,
    text_block,
    tool_call,
    update,
)

COMMANDS: Final[list[Message]] = [
    {"name": name, "description": f"Have the agent {name}.", "input": {"hint": "what exactly"}}
    for name in ("compact", "review", "plan", "init", "test", "explain", "status", "login")
]
OPTIONS: Final[list[Message]] = [
    {
        "id": "model",
        "name": "Model",
        "type": "select",
        "currentValue": "small",
        "options": [{"value": "small", "name": "Small"}, {"value": "large", "name": "Large"}],
    }
]
MODES: Final[Message] = {
    "currentModeId": "ask",
    "availableModes": [{"id": "ask", "name": "Ask first"}, {"id": "edit", "name": "Edit freely"}],
}
CHOICES: Final[list[Message]] = [
    {"optionId": "yes", "name": "Allow", "kind": "allow_once"},
    {"optionId": "no", "name": "Reject", "kind": "reject_once"},
]
OUTPUT: Final = "A line of output of some length, as tools print it.\n" * 6


def three_turns(session_id: str, cycle: int) -> Iterator[Spoken]:
    """A hundred messages: an answer, an edit that is permitted, a command that is run."""
    first = 2 + 3 * cycle
    yield from _answer(session_id, first)
    yield from _edit(session_id, first + 1)
    yield from _run(session_id, first + 2)


def _answer(session_id: str, turn: int) -> Iterator[Spoken]:
    """A turn of words alone: 32 messages."""
    text = f"Question {turn}: how does it work?"
    yield prompt(session_id, turn, text)
    yield update(session_id, chunk(f"user_{turn}", text, "user_message"))
    yield from _words(session_id, f"thought_{turn}", 3, "agent_thought")
    yield from _words(session_id, f"msg_{turn}", 23)
    yield _usage(session_id, turn, 0)
    yield _usage(session_id, turn, 1)
    yield _info(session_id, turn)
    yield ended(turn)


def _edit(session_id: str, turn: int) -> Iterator[Spoken]:
    """A turn that reads a file and changes it, when it is permitted: 37 messages."""
    call_id = f"call_{turn}"
    yield prompt(session_id, turn)
    yield from _words(session_id, f"thought_{turn}", 2, "agent_thought")
    yield from _words(session_id, f"before_{turn}", 10)
    path = f"/work/part_{turn % 50}.py"
    fields: Message = {"kind": "edit", "status": "pending", "locations": [{"path": path}]}
    yield update(session_id, tool_call(call_id, f"Edit {path}", **fields))
    yield from _permission(session_id, turn, call_id)
    yield update(session_id, patch(call_id, status="in_progress"))
    yield from _rewritten(session_id, turn, path)
    diff = {"type": "diff", "path": path, "oldText": OUTPUT[:60], "newText": OUTPUT[:90]}
    yield update(session_id, patch(call_id, content=[diff]))
    yield update(session_id, patch(call_id, status="completed", rawOutput={"written": 90}))
    yield from _words(session_id, f"after_{turn}", 9)
    yield update(session_id, {"sessionUpdate": "config_option_update", "configOptions": OPTIONS})
    yield update(session_id, {"sessionUpdate": "current_mode_update", "currentModeId": "edit"})
    yield _usage(session_id, turn, 0)
    yield _info(session_id, turn)
    yield ended(turn)


def _permission(session_id: str, turn: int, call_id: str) -> Iterator[Spoken]:
    """The question, and the client's yes."""
    asked: Message = {"toolCall": {"toolCallId": call_id}, "options": CHOICES}
    method, params = "session/request_permission", {"sessionId": session_id, **asked}
    yield request("agent", f"permission_{turn}", method, params)
    outcome = {"outcome": "selected", "optionId": "yes"}
    yield response("client", f"permission_{turn}", {"outcome": outcome})


def _rewritten(session_id: str, turn: int, path: str) -> Iterator[Spoken]:
    """The file is read and written: four messages."""
    params = {"sessionId": session_id, "path": path}
    yield request("agent", f"read_{turn}", "fs/read_text_file", params)
    yield response("client", f"read_{turn}", {"content": OUTPUT})
    yield request("agent", f"write_{turn}", "fs/write_text_file", {**params, "content": OUTPUT})
    yield response("client", f"write_{turn}", {})


def _run(session_id: str, turn: int) -> Iterator[Spoken]:
    """A turn that runs a command in a terminal: 31 messages."""
    call_id, terminal = f"call_{turn}", f"term_{turn}"
    yield prompt(session_id, turn)
    yield _commands(session_id)
    yield _plan(session_id, turn, "in_progress")
    yield update(session_id, tool_call(call_id, "Run the tests", kind="execute", status="pending"))
    params = {"sessionId": session_id, "command": "python", "args": ["-m", "pytest"]}
    yield request("agent", f"create_{turn}", "terminal/create", params)
    yield response("client", f"create_{turn}", {"terminalId": terminal})
    shown: Message = {"type": "terminal", "terminalId": terminal}
    yield update(session_id, patch(call_id, status="in_progress", content=[shown]))
    yield from _output(session_id, turn, terminal)
    printed: Message = {"type": "content", "content": text_block(OUTPUT)}
    yield update(session_id, patch(call_id, status="completed", content=[shown, printed]))
    yield from _words(session_id, f"msg_{turn}", 13)
    yield _plan(session_id, turn, "completed")
    yield _commands(session_id)
    yield _usage(session_id, turn, 0)
    yield _usage(session_id, turn, 1)
    yield _info(session_id, turn)
    yield ended(turn)


def _output(session_id: str, turn: int, terminal: str) -> Iterator[Spoken]:
    """The terminal is read and given up: four messages."""
    params = {"sessionId": session_id, "terminalId": terminal}
    yield request("agent", f"output_{turn}", "terminal/output", params)
    result = {"output": OUTPUT, "truncated": False, "exitStatus": {"exitCode": 0}}
    yield response("client", f"output_{turn}", result)
    yield request("agent", f"release_{turn}", "terminal/release", params)
    yield response("client", f"release_{turn}", {})


def _words(
    session_id: str, message_id: str, words: int, role: str = "agent_message"
) -> Iterator[Spoken]:
    """A message, word by word."""
    for number in range(words):
        yield update(session_id, chunk(message_id, f"word {number} ", role))


def _usage(session_id: str, turn: int, step: int) -> Spoken:
    used = 1000 + (2 * turn + step) % 90_000
    return update(session_id, {"sessionUpdate": "usage_update", "used": used, "size": 100_000})


def _info(session_id: str, turn: int) -> Spoken:
    return update(session_id, {"sessionUpdate": "session_info_update", "title": f"Part {turn}"})


def _commands(session_id: str) -> Spoken:
    listed = {"sessionUpdate": "available_commands_update", "availableCommands": COMMANDS}
    return update(session_id, listed)


def _plan(session_id: str, turn: int, status: str) -> Spoken:
    entries = [
        {"content": f"Step {step} of {turn}", "priority": "medium", "status": status}
        for step in range(3)
    ]
    return update(session_id, {"sessionUpdate": "plan", "entries": entries})
