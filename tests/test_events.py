"""What goes into `reduce`: messages that were seen, and commands."""

from __future__ import annotations

from typing import get_args

import attrs
import pytest

from acp_state import OMITTED, events
from acp_state.events import (
    AnswerElicitation,
    AnswerPermission,
    ArchiveSession,
    Authenticate,
    Cancel,
    CancelRequest,
    CloseSession,
    Command,
    DeleteSession,
    Disconnected,
    EndTurn,
    Event,
    ForkSession,
    GetAuthStatus,
    GetSessionStatus,
    Initialize,
    ListSessions,
    LoadSession,
    Logout,
    NewSession,
    Prompt,
    Received,
    RequestPermission,
    Respond,
    RespondError,
    ResumeSession,
    SendNotification,
    SendRequest,
    SendUpdate,
    Sent,
    SetConfigOption,
    SetMode,
    SetTitle,
    UnarchiveSession,
)
from acp_state.schema import (
    AgentMessageChunk,
    ClientCapabilities,
    PermissionOption,
    TextContent,
    ToolCallUpdate,
)

TEXT = TextContent(text="Hi")

COMMANDS = (
    Initialize(),
    Authenticate("m"),
    Logout(),
    GetAuthStatus(),
    NewSession(cwd="/w", mcp_servers=({"name": "x"},)),
    LoadSession(session_id="s", cwd="/w"),
    ResumeSession(session_id="s", cwd="/w"),
    ForkSession(session_id="s", cwd="/w"),
    ListSessions(cursor="c"),
    CloseSession("s"),
    DeleteSession("s"),
    ArchiveSession("s"),
    UnarchiveSession("s"),
    GetSessionStatus("s"),
    SetTitle("s", "T"),
    SetMode("s", "m"),
    SetConfigOption("s", "o", value=True),
    Prompt("s", (TEXT,)),
    Cancel("s"),
    CancelRequest(1),
    AnswerPermission(1, "yes"),
    AnswerElicitation(1, "accept", {"a": 1}),
    Respond(1, {"a": [1]}),
    RespondError(1, -32603, "no"),
    SendRequest("_v/x", {"a": 1}),
    SendNotification("_v/x", {"a": 1}),
    SendUpdate("s", AgentMessageChunk(content=TEXT)),
    EndTurn(request_id=1, stop_reason="end_turn"),
    RequestPermission(
        session_id="s",
        tool_call=ToolCallUpdate(tool_call_id="t"),
        options=(PermissionOption(option_id="yes", name="Allow", kind="allow_once"),),
    ),
)

EACH = pytest.mark.parametrize("command", COMMANDS, ids=lambda each: type(each).__name__)


def test_the_union_of_commands_is_of_all_of_them():
    """Style 5: every union member."""
    assert get_args(Command) == tuple(map(type, COMMANDS))


def test_the_union_of_events():
    """Design: `event` is one of `Received`, `Sent`, `Disconnected`, or a command."""
    assert get_args(Event) == (Received, Sent, Disconnected, *get_args(Command))


def test_there_are_no_other_classes():
    """Design: hosts find all that goes in in one module."""
    here = {
        value
        for value in vars(events).values()
        if isinstance(value, type) and value.__module__ == events.__name__
    }
    assert here == set(get_args(Event))


@EACH
def test_commands_are_values(command):
    """Design: frozen, compared by value, and they can be hashed."""
    given = {each.alias: getattr(command, each.name) for each in attrs.fields(type(command))}
    again = type(command)(**given)
    assert again == command
    assert hash(again) == hash(command)
    assert not hasattr(command, "__dict__")
    for field in attrs.fields(type(command)):
        with pytest.raises(attrs.exceptions.FrozenInstanceError):
            setattr(command, field.name, None)


@EACH
def test_commands_say_what_they_hold(command):
    """Hosts log them."""
    assert repr(command).startswith(type(command).__name__)


@pytest.mark.parametrize("make", [Received, Sent])
@pytest.mark.parametrize("message", [{"jsonrpc": "2.0"}, [], None, "log line"])
def test_a_message_is_held_as_it_is(make, message):
    """Design: a JSON value as the parser gave it, whatever it is."""
    event = make(message)
    assert event.message is message
    assert event == make(message)


def test_what_was_received_was_not_sent():
    """Design: two directions."""
    assert Received({}) != Sent({})
    assert Disconnected() == Disconnected()


def test_defaults():
    """INIT-01, SESS-01, TURN-03, PERM-04, ELIC-03: what a command means without more."""
    assert Initialize() == Initialize(
        client_capabilities=ClientCapabilities(), client_info=None, protocol_version=1
    )
    session = NewSession(cwd="/w")
    assert (session.mcp_servers, session.additional_directories) == ((), ())
    assert ListSessions() == ListSessions(cwd=None, cursor=None, archived=None)
    assert not Prompt("s", ()).while_running
    assert AnswerPermission(1).option_id is None
    assert AnswerElicitation(1, "decline").content is None
    assert Respond(1).result == {}
    assert RespondError(1, 1, "m").data is OMITTED
    assert SendRequest("_v/x").params == SendNotification("_v/x").params == {}
    assert EndTurn(request_id=1, stop_reason="end_turn").usage is None
