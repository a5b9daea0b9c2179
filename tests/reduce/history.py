"""Builders for tests of whole connections: messages, what is folded from them, what is expected.

A message is a pair (sender, JSON); `folded` sees it from the client's seat, so that what comes out
is what the client's host is told.
"""

from __future__ import annotations

import attrs
from observing import see

from acp_state import Chunks, Connection, Diagnose, Message, Session, Timeline, ToolCall
from acp_state.json_values import JsonObject
from acp_state.persistent import Map
from acp_state.schema import TextContent

# Messages


def client_asks(request_id, method, **params):
    """A request of the client's."""
    return "client", {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}


def client_tells(method, **params):
    """A notification of the client's."""
    return "client", {"jsonrpc": "2.0", "method": method, "params": params}


def client_answers(request_id, result):
    """A result of the client's."""
    return "client", {"jsonrpc": "2.0", "id": request_id, "result": result}


def agent_asks(request_id, method, **params):
    """A request of the agent's."""
    return "agent", {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}


def agent_tells(method, **params):
    """A notification of the agent's."""
    return "agent", {"jsonrpc": "2.0", "method": method, "params": params}


def agent_answers(request_id, result=None):
    """A result of the agent's; none given: the empty one."""
    result = {} if result is None else result
    return "agent", {"jsonrpc": "2.0", "id": request_id, "result": result}


def agent_refuses(request_id, code=-32603, message="no"):
    """An error of the agent's."""
    error = {"code": code, "message": message}
    return "agent", {"jsonrpc": "2.0", "id": request_id, "error": error}


def made(session_id="s", request_id=1, cwd="/w", **result):
    """``session/new`` and its answer."""
    return (
        client_asks(request_id, "session/new", cwd=cwd, mcpServers=[]),
        agent_answers(request_id, {"sessionId": session_id, **result}),
    )


def load(request_id=2, session_id="s", cwd="/w", **params):
    """``session/load``."""
    return client_asks(
        request_id, "session/load", sessionId=session_id, cwd=cwd, mcpServers=[], **params
    )


def resume(request_id=2, session_id="s", cwd="/w", **params):
    """``session/resume``."""
    return client_asks(request_id, "session/resume", sessionId=session_id, cwd=cwd, **params)


ENDINGS = ["close", "archive"]
"""Of the methods that end a session's work (SESS-06)."""


def ends(method, request_id=5, session_id="s"):
    """``session/close`` and its like."""
    return client_asks(request_id, f"session/{method}", sessionId=session_id)


def prompt(request_id=3, text="Go", session_id="s"):
    """``session/prompt``."""
    blocks = [{"type": "text", "text": text}]
    return client_asks(request_id, "session/prompt", sessionId=session_id, prompt=blocks)


def asks_permission(request_id="p", session_id="s", **tool_call):
    """``session/request_permission`` with the options `yes` and `no`."""
    options = [
        {"optionId": "yes", "name": "Yes", "kind": "allow_once"},
        {"optionId": "no", "name": "No", "kind": "reject_once"},
    ]
    return agent_asks(
        request_id,
        "session/request_permission",
        sessionId=session_id,
        toolCall=_with_meta(tool_call),
        options=options,
    )


def asks_form(request_id="e", **scope):
    """``elicitation/create`` for a form."""
    return agent_asks(
        request_id,
        "elicitation/create",
        mode="form",
        message="?",
        requestedSchema={"type": "object"},
        **scope,
    )


# Updates


def update(kind, session_id="s", /, **fields):
    """``session/update``; `meta` stands for ``_meta``."""
    fields = _with_meta(fields)
    return agent_tells(
        "session/update", sessionId=session_id, update={"sessionUpdate": kind, **fields}
    )


def chunk(role, text, message_id=None, session_id="s", **fields):
    """A message chunk of `user`, `agent` or `thought`."""
    kind = "user_message_chunk" if role == "user" else f"agent_{role}_chunk"
    kind = kind.replace("agent_agent", "agent_message")
    named = {} if message_id is None else {"messageId": message_id}
    return update(kind, session_id, content={"type": "text", "text": text}, **named, **fields)


def said(text, message_id=None, session_id="s", **fields):
    """A chunk of the agent's message."""
    return chunk("agent", text, message_id, session_id, **fields)


def call(tool_call_id="t", session_id="s", *, title="T", **fields):
    """``tool_call``."""
    return update("tool_call", session_id, toolCallId=tool_call_id, title=title, **fields)


def call_update(tool_call_id="t", session_id="s", **fields):
    """``tool_call_update``."""
    return update("tool_call_update", session_id, toolCallId=tool_call_id, **fields)


def compaction(compaction_id="c", status="in_progress", session_id="s", **fields):
    """``compaction_update``."""
    return update(
        "compaction_update", session_id, compactionId=compaction_id, status=status, **fields
    )


def summary_chunk(text, compaction_id="c", session_id="s"):
    """``compaction_summary_chunk``."""
    block = {"type": "text", "text": text}
    return update("compaction_summary_chunk", session_id, compactionId=compaction_id, content=block)


def letter(message_id="l", session_id="s", **fields):
    """``session_message``."""
    return update("session_message", session_id, messageId=message_id, **fields)


def letter_chunk(text, message_id="l", session_id="s", **fields):
    """``session_message_chunk``."""
    block = {"type": "text", "text": text}
    return update(
        "session_message_chunk", session_id, messageId=message_id, content=block, **fields
    )


def child(child_id="k", parent="s", **fields):
    """``subagent_update``."""
    return agent_tells(
        "session/update",
        sessionId=parent,
        update={"sessionUpdate": "subagent_update", "sessionId": child_id, **_with_meta(fields)},
    )


def text_blocks(*texts):
    """The JSON of text blocks."""
    return [{"type": "text", "text": text} for text in texts]


def _with_meta(fields):
    return {"_meta" if name == "meta" else name: value for name, value in fields.items()}


RUNNING = {"state": "running"}
IDLE = {"state": "idle", "stopReason": "end_turn"}
MAY_CANCEL = {"cancel": {}}

# Folding

READY = Connection(phase="ready")
"""A connection that is initialised, with agent and client that can do everything."""


def folded(*messages, onto=READY):
    """The connection after all messages, and all that came out for the client's host."""
    told = ()
    for sender, message in messages:
        onto, intents = see(onto, sender, message)
        told += intents
    return onto, told


def after(*messages, onto=READY):
    """The connection after all messages."""
    return folded(*messages, onto=onto)[0]


def session_after(*messages, onto=READY, session_id="s"):
    """A session after all messages."""
    return after(*messages, onto=onto).sessions[session_id]


def told_by(message, onto):
    """What the last message gave out."""
    return folded(message, onto=onto)[1]


# What is expected


def noticed(intents):
    """The codes of the diagnostics, in order."""
    return [each.diagnostic.code for each in intents if isinstance(each, Diagnose)]


def notices(intents):
    """Code, severity and session of the diagnostics, in order."""
    found = [each.diagnostic for each in intents if isinstance(each, Diagnose)]
    return [(each.code, each.severity, each.session_id) for each in found]


def of_kind(kind, intents):
    """The intents of one kind."""
    return [each for each in intents if isinstance(each, kind)]


def ready(session_id="s", **fields):
    """A session that was made by `made`."""
    fields = {"cwd": "/w", "additional_directories": (), **fields}
    return Session(session_id, **fields)


def timeline(*entries, run_open=False):
    """A timeline of these entries."""
    return Timeline.of(entries, run_open=run_open)


def chunks(*texts):
    """Chunks of text."""
    return Chunks.of([TextContent(text=text) for text in texts])


def message(role, *texts, message_id=None, **fields):
    """A message of these chunks."""
    return Message(role=role, message_id=message_id, chunks=chunks(*texts), **fields)


def agent_message(*texts, message_id=None, **fields):
    """A message of the agent's."""
    return message("agent", *texts, message_id=message_id, **fields)


def prompted(text="Go", turn=0):
    """What a prompt puts on the timeline."""
    return message("user", text, origin="local", turn=turn)


def tool_call(tool_call_id="t", title="T", **fields):
    """A tool call."""
    return ToolCall(tool_call_id=tool_call_id, title=title, **fields)


def mapped(*sessions):
    """Sessions by their id."""
    return Map.of({session.session_id: session for session in sessions})


def in_state(readiness, **fields):
    """A connection with one session, in a state of its life."""
    return attrs.evolve(READY, sessions=mapped(ready(readiness=readiness, **fields)))


def params(**fields):
    """Parameters as a pending request holds them."""
    return JsonObject(fields)
