"""Few words for what tests of reducers need: JSON of updates and messages, and folds of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import attrs
from observing import observe

from acp_state import Chunks, Diagnose, Message, Session, Timeline
from acp_state.diagnostics import diagnostic
from acp_state.model import Entry
from acp_state.model.connection import Connection
from acp_state.persistent import Index
from acp_state.reduce.loading import begin_replay, finish_replay
from acp_state.reduce.turns import end_turn, open_turn
from acp_state.reduce.updates import apply_update
from acp_state.schema import ContentBlock, PromptResponse, TextContent

SESSION = Session("s")
"""A session of which nothing is known."""

# Updates


def update(tag, **fields):
    """The JSON of a session update; `meta` is its ``_meta``."""
    return {"sessionUpdate": tag, **_meta(fields)}


def text(value, **fields):
    """The JSON of a text block."""
    return {"type": "text", "text": value, **_meta(fields)}


def user(content, message_id=None, **fields):
    """A ``user_message_chunk``; a string is a text block."""
    return _chunk("user_message_chunk", content, "messageId", message_id, fields)


def agent(content, message_id=None, **fields):
    """An ``agent_message_chunk``."""
    return _chunk("agent_message_chunk", content, "messageId", message_id, fields)


def thought(content, message_id=None, **fields):
    """An ``agent_thought_chunk``."""
    return _chunk("agent_thought_chunk", content, "messageId", message_id, fields)


def call(tool_call_id="t", title="T", **fields):
    """A ``tool_call``."""
    return update("tool_call", toolCallId=tool_call_id, title=title, **fields)


def call_update(tool_call_id="t", **fields):
    """A ``tool_call_update``."""
    return update("tool_call_update", toolCallId=tool_call_id, **fields)


def compaction(compaction_id="c", status="in_progress", **fields):
    """A ``compaction_update``."""
    return update("compaction_update", compactionId=compaction_id, status=status, **fields)


def summary(content, compaction_id="c", **fields):
    """A ``compaction_summary_chunk``."""
    return _chunk("compaction_summary_chunk", content, "compactionId", compaction_id, fields)


def letter(message_id="l", **fields):
    """A ``session_message``."""
    return update("session_message", messageId=message_id, **fields)


def letter_chunk(content, message_id="l", **fields):
    """A ``session_message_chunk``."""
    return _chunk("session_message_chunk", content, "messageId", message_id, fields)


def subagent(session_id="child", **fields):
    """A ``subagent_update``."""
    return update("subagent_update", sessionId=session_id, **fields)


def _chunk(tag, content, key, entity_id, fields):
    block = text(content) if isinstance(content, str) else content
    named = {} if entity_id is None else {key: entity_id}
    return update(tag, content=block, **named, **fields)


def _meta(fields):
    return {"_meta" if key == "meta" else key: value for key, value in fields.items()}


# Folds of one session


def fold(*updates, onto=SESSION):
    """The session after all updates, and the intents of all of them."""
    intents = ()
    for each in updates:
        onto, more = apply_update(onto, each)
        intents += more
    return onto, intents


def after(*updates, onto=SESSION):
    """The session after updates of which nothing comes out but the session."""
    session, intents = fold(*updates, onto=onto)
    assert intents == ()
    return session


def prompted(*prompt, request_id=1, onto=SESSION):
    """The session in which a turn runs; strings are text blocks."""
    return open_turn(onto, request_id, tuple(map(block, prompt or ("Hi",))))


def answered(session, stop_reason="end_turn", *, index=0):
    """The session after the response to a turn's prompt, and the intents."""
    return end_turn(session, index, PromptResponse(stop_reason=stop_reason))


def replaying(*updates, onto=SESSION):
    """The timeline that a replay of these updates builds, and the intents of all of them."""
    session, intents = fold(*updates, onto=begin_replay(onto))
    return session.replay.built, intents


def replayed(*updates, onto=SESSION):
    """The session after a load in which these updates were replayed, and the intents."""
    session, intents = fold(*updates, onto=begin_replay(onto))
    session, more = finish_replay(session)
    return session, intents + more


# What is expected


def block(content: str | ContentBlock) -> ContentBlock:
    """A text block of a string."""
    return TextContent(text=content) if isinstance(content, str) else content


def chunks(*blocks):
    """The chunks of blocks, of texts, or of pairs of one of these and the chunk's own meta."""
    made = Chunks()
    for each in blocks:
        content, meta = each if isinstance(each, tuple) else (each, None)
        made = made.append(block(content), meta)
    return made


def said(role, *blocks, message_id=None, **fields):
    """A message of these chunks."""
    return Message(role=role, message_id=message_id, chunks=chunks(*blocks), **fields)


def prompt_entry(*blocks, turn=0, message_id=None):
    """The user's message that a prompt puts on the timeline."""
    return said("user", *blocks, message_id=message_id, origin="local", turn=turn)


def timeline(*entries: Entry, run_open=False):
    """The timeline of these entries."""
    return Timeline.of(entries, run_open=run_open)


def noticed(code, text, *, session_id="s", **fields):
    """The intent that tells a diagnostic."""
    return Diagnose(diagnostic(code, text, session_id=session_id, **fields))


def codes(intents):
    """The codes of all diagnostics; what is none of them stands by its class."""
    return tuple(
        intent.diagnostic.code if isinstance(intent, Diagnose) else type(intent)
        for intent in intents
    )


def snapshot(value):
    """All that a value holds, down to the leaves, as a text that cannot change with it."""
    return repr(_leaves(value))


def _leaves(value):
    if isinstance(value, Index):
        return "shared by all versions, part of none"
    if isinstance(value, Mapping):
        return [(key, _leaves(each)) for key, each in value.items()]
    if isinstance(value, Sequence) and not isinstance(value, (str, bytes)):
        return [type(value).__name__, *map(_leaves, value)]
    if attrs.has(type(value)):
        fields = attrs.fields(type(value))
        return [type(value).__name__, *[_leaves(getattr(value, f.name)) for f in fields]]
    return value


# Messages of a connection, each with the side that sends it


def to_agent(method, request_id=None, **params):
    """A request of the client, or a notification where there is no id."""
    return "client", _message(method, request_id, params)


def to_client(method, request_id=None, **params):
    """A request of the agent, or a notification where there is no id."""
    return "agent", _message(method, request_id, params)


def agent_answers(request_id, result):
    """The agent's result."""
    return "agent", {"jsonrpc": "2.0", "id": request_id, "result": result}


def client_answers(request_id, result):
    """The client's result."""
    return "client", {"jsonrpc": "2.0", "id": request_id, "result": result}


def agent_refuses(request_id, code=-32603, message="no"):
    """The agent's error."""
    return "agent", _refusal(request_id, code, message)


def client_refuses(request_id, code=-32603, message="no"):
    """The client's error."""
    return "client", _refusal(request_id, code, message)


def reported(change, session_id="s"):
    """A ``session/update``."""
    return to_client("session/update", sessionId=session_id, update=change)


def prompt(request_id, *blocks, session_id="s"):
    """A ``session/prompt``; strings are text blocks."""
    content = [text(each) if isinstance(each, str) else each for each in blocks]
    return to_agent("session/prompt", request_id, sessionId=session_id, prompt=content)


def permission(request_id, tool_call, *options, session_id="s"):
    """A ``session/request_permission``."""
    params = {"toolCall": tool_call, "options": list(options)}
    return to_client("session/request_permission", request_id, sessionId=session_id, **params)


def _message(method, request_id, params):
    named = {} if request_id is None else {"id": request_id}
    return {"jsonrpc": "2.0", **named, "method": method, "params": params}


def _refusal(request_id, code, message):
    return {"jsonrpc": "2.0", "id": request_id, "error": {"code": code, "message": message}}


def watch(*messages, onto=None):
    """The connection after all messages, and the intents of all of them, as an observer sees it."""
    connection = Connection(side="observer") if onto is None else onto
    intents = ()
    for sender, message in messages:
        connection, more = observe(connection, sender, message)
        intents += more
    return connection, intents


def connected(*sessions, **fields):
    """An observed connection that knows these sessions."""
    connection = Connection(side="observer", **fields)
    for session in sessions:
        connection = connection.with_session(session)
    return connection
