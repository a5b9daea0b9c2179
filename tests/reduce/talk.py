"""A conversation on one connection in few words: what each side says, and what comes out of it."""

from __future__ import annotations

import attrs
import pytest
from attrs import frozen

from acp_state import (
    OMITTED,
    Chunks,
    Connection,
    Diagnose,
    LocalProtocolError,
    Message,
    Received,
    Send,
    Sent,
    SessionReady,
    TurnEnded,
    reduce,
)
from acp_state.diagnostics import DIAGNOSTIC_CODES
from acp_state.schema import ContentBlock, Error, TextContent

SEATS = ("client", "agent", "observer")

MARKER: dict[str, object] = {}

CLIENT_CAN = {
    "fs": {"readTextFile": True, "writeTextFile": True},
    "terminal": True,
    "session": {
        "compaction": MARKER,
        "notices": MARKER,
        "configOptions": {"boolean": MARKER},
    },
    "subagents": MARKER,
    "plan": MARKER,
    "auth": {"terminal": True},
    "elicitation": {"form": MARKER, "url": MARKER},
}
"""All that a client can advertise (section 20)."""

AGENT_CAN = {
    "loadSession": True,
    "promptCapabilities": {"image": True, "audio": True, "embeddedContext": True},
    "mcpCapabilities": {"http": True, "sse": True, "acp": True},
    "sessionCapabilities": {
        "list": MARKER,
        "delete": MARKER,
        "additionalDirectories": MARKER,
        "systemPrompt": {"mode": {"override": MARKER}},
        "fork": MARKER,
        "archive": MARKER,
        "status": MARKER,
        "title": MARKER,
        "resume": MARKER,
        "close": MARKER,
    },
    "auth": {"status": MARKER, "logout": MARKER},
    "providers": MARKER,
}
"""All that an agent can advertise (section 20)."""

ALLOW = {"optionId": "yes", "name": "Allow", "kind": "allow_once"}
REJECT = {"optionId": "no", "name": "Reject", "kind": "reject_once"}

CANCELLED = {"outcome": {"outcome": "cancelled"}}
"""The answer to a permission request whose turn was cancelled (CANCEL-03)."""


# Messages


def request(request_id, method, /, **params):
    """A JSON-RPC request."""
    return {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}


def notification(method, /, **params):
    """A JSON-RPC notification."""
    return {"jsonrpc": "2.0", "method": method, "params": params}


def result(request_id, value=None):
    """A JSON-RPC response with a result; without one it is ``{}``."""
    return {"jsonrpc": "2.0", "id": request_id, "result": {} if value is None else value}


def error(request_id, code=-32603, message="no", **more):
    """A JSON-RPC response with an error."""
    return {
        "jsonrpc": "2.0",
        "id": request_id,
        "error": {"code": code, "message": message, **more},
    }


def initialize(request_id=0, can=CLIENT_CAN, **more):
    """The client's ``initialize``."""
    params = {"protocolVersion": 1, "clientCapabilities": can, **more}
    return request(request_id, "initialize", **params)


def initialized(request_id=0, can=AGENT_CAN, **more):
    """The agent's answer to ``initialize``."""
    return result(request_id, {"protocolVersion": 1, "agentCapabilities": can, **more})


def new_session(request_id=1, **more):
    """The client's ``session/new``."""
    return request(request_id, "session/new", **{"cwd": "/w", "mcpServers": [], **more})


def text(value):
    """The JSON of a text block."""
    return {"type": "text", "text": value}


def prompt(request_id=2, *blocks, session_id="s"):
    """The client's ``session/prompt``; strings are text blocks, and without any it says Hi."""
    content = [text(each) if isinstance(each, str) else each for each in blocks or ("Hi",)]
    return request(request_id, "session/prompt", sessionId=session_id, prompt=content)


def stop(request_id=2, reason="end_turn", **more):
    """The agent's answer to ``session/prompt``."""
    return result(request_id, {"stopReason": reason, **more})


def cancel(session_id="s"):
    """The client's ``session/cancel``."""
    return notification("session/cancel", sessionId=session_id)


def cancel_request(request_id):
    """Either side's ``$/cancel_request``."""
    return notification("$/cancel_request", requestId=request_id)


def update(tag, session_id="s", **fields):
    """The agent's ``session/update``."""
    change = {"sessionUpdate": tag, **fields}
    return notification("session/update", sessionId=session_id, update=change)


def call(tool_call_id="t", session_id="s", **fields):
    """A ``tool_call``."""
    fields = {"toolCallId": tool_call_id, "title": "T", **fields}
    return update("tool_call", session_id, **fields)


def call_update(tool_call_id="t", session_id="s", **fields):
    """A ``tool_call_update``."""
    return update("tool_call_update", session_id, toolCallId=tool_call_id, **fields)


def says(value, session_id="s", **fields):
    """An ``agent_message_chunk``."""
    return update("agent_message_chunk", session_id, content=text(value), **fields)


def child(child_id="child", session_id="s", **fields):
    """A ``subagent_update``."""
    return update("subagent_update", session_id, **{"sessionId": child_id, **fields})


def ask_permission(request_id=1, tool_call_id="t", *, session_id="s", options=None, **fields):
    """The agent's ``session/request_permission``."""
    return request(
        request_id,
        "session/request_permission",
        sessionId=session_id,
        toolCall={"toolCallId": tool_call_id, **fields},
        options=[ALLOW, REJECT] if options is None else options,
    )


def selected(request_id=1, option_id="yes"):
    """The client's answer to a permission request."""
    return result(request_id, {"outcome": {"outcome": "selected", "optionId": option_id}})


FORM = {"type": "object", "properties": {"name": {"type": "string"}}}
"""The schema of a form with one field, which may be left empty."""


def ask_form(request_id=1, **scope):
    """The agent's ``elicitation/create`` of a form."""
    asked = {"mode": "form", "message": "Who?", "requestedSchema": FORM}
    return request(request_id, "elicitation/create", **asked, **scope or {"sessionId": "s"})


def ask_url(request_id=1, elicitation_id="e", **scope):
    """The agent's ``elicitation/create`` of a URL."""
    asked = {"mode": "url", "message": "Go", "url": "https://x.example"}
    scope = scope or {"sessionId": "s"}
    return request(request_id, "elicitation/create", **asked, elicitationId=elicitation_id, **scope)


# Expected values


@frozen(eq=False)
class Noticed:
    """Equal to the intent that tells such a diagnostic, whatever words it finds for it."""

    code: str
    session_id: str | None = None
    rule: str | None = None
    severity: str | None = None
    path: str = ""

    def __eq__(self, other):
        if not isinstance(other, Diagnose):
            return NotImplemented
        row, told = DIAGNOSTIC_CODES[self.code], other.diagnostic
        return bool(told.text) and (
            told.code,
            told.severity,
            told.rule,
            told.session_id,
            told.path,
        ) == (
            self.code,
            self.severity or row.severity,
            self.rule or told.rule,
            self.session_id,
            self.path,
        )

    __hash__ = None


@frozen(eq=False)
class Refuses:
    """Equal to the intent to send an error with that code, whatever words it finds for it."""

    request_id: object
    code: int
    data: object = OMITTED

    def __eq__(self, other):
        if not isinstance(other, Send):
            return NotImplemented
        message = other.message
        told = message.pop("error", {})
        words = told.pop("message", None)
        data = {} if self.data is OMITTED else {"data": self.data}
        rest = {"jsonrpc": "2.0", "id": self.request_id}
        whole = message == rest and type(message["id"]) is type(self.request_id)
        return whole and isinstance(words, str) and told == {"code": self.code, **data}

    __hash__ = None


@frozen(eq=False)
class AnyError:
    """Equal to an error with that code, whatever words it finds for it."""

    code: int
    data: object = OMITTED

    def __eq__(self, other):
        if not isinstance(other, Error):
            return NotImplemented
        return (other.code, other.data) == (self.code, self.data)

    __hash__ = None


def block(content: str | ContentBlock) -> ContentBlock:
    """A text block of a string."""
    return TextContent(text=content) if isinstance(content, str) else content


def chunks(*blocks):
    """The chunks of these blocks; strings are text blocks."""
    return Chunks.of(map(block, blocks))


def prompted(*blocks, turn=0, **fields):
    """The entry that a prompt puts on the timeline."""
    given = chunks(*blocks or ("Hi",))
    return Message(role="user", origin="local", chunks=given, turn=turn, **fields)


# Conversations


class Talk:
    """A connection, and each side's words to it."""

    def __init__(self, connection):
        self.connection = connection

    def do(self, *events):
        """Fold the events; the intents of all of them."""
        told = ()
        for event in events:
            self.connection, intents = reduce(self.connection, event)
            told += intents
        return told

    def client(self, *messages):
        """Fold messages that the client sent; the intents of all of them."""
        seen = Received if self.connection.side == "agent" else Sent
        return self.do(*map(seen, messages))

    def agent(self, *messages):
        """Fold messages that the agent sent; the intents of all of them."""
        seen = Sent if self.connection.side == "agent" else Received
        return self.do(*map(seen, messages))

    def by(self, sender, *messages):
        """Fold messages of that side."""
        return getattr(self, sender)(*messages)

    def drops(self, session_id):
        """The host keeps the session no longer, by its own decision."""
        sessions = self.connection.sessions.remove(session_id)
        self.connection = attrs.evolve(self.connection, sessions=sessions)

    def refused(self, command):
        """The error of a command that is not allowed now; nothing has changed."""
        before = self.connection
        frozen_before = repr(before), before
        with pytest.raises(LocalProtocolError) as raised:
            self.do(command)
        assert self.connection is before
        assert (repr(before), before) == frozen_before
        assert str(raised.value) not in {f" [{raised.value.rule}]", f"None [{raised.value.rule}]"}
        return raised.value

    @property
    def session(self):
        """The session ``s``."""
        return self.connection.sessions["s"]

    @property
    def turn(self):
        """The session's newest turn."""
        return self.session.turns[-1]


def connected(side="client", *, client=CLIENT_CAN, agent=AGENT_CAN, auth=(), **fields):
    """An initialised connection without sessions."""
    talk = Talk(Connection(side=side, **fields))
    talk.client(initialize(can=client))
    talk.agent(initialized(can=agent, authMethods=list(auth)))
    assert talk.connection.phase == "ready"
    return talk


def talk(side="client", **options):
    """An initialised connection on which the session ``s`` is ready; ids 0 and 1 are used."""
    there = connected(side, **options)
    there.client(new_session())
    told = there.agent(result(1, {"sessionId": "s"}))
    assert SessionReady("s", 1) in told
    return there


def running(side="client", **options):
    """Likewise, and the turn of request 2 runs."""
    there = talk(side, **options)
    there.client(prompt())
    return there


def with_child(side="client", *, may_cancel=True, **options):
    """Likewise, and the session has a child that works, with one call."""
    there = running(side, **options)
    rights = {"cancel": {}} if may_cancel else {}
    there.agent(child(state={"state": "running"}, capabilities=rights))
    there.agent(call("c", "child", status="in_progress"))
    return there


def ended(talk, index=-1):
    """The intent that tells of the end of a turn."""
    return TurnEnded(session_id="s", turn=talk.session.turns[index])


def forgotten_prompt():
    """A connection on which prompt 9 waits, and its session has gone and come without its turn."""
    there = talk()
    there.client(prompt(9, session_id="x"))
    there.drops("x")
    there.agent(update("session_info_update", "x", title="X"))
    assert list(there.connection.sessions["x"].turns) == []
    assert list(there.connection.client_requests) == [("int", 9)]
    return there
