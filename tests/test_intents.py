"""What comes out beside the new state: things for the host to do or to know."""

from __future__ import annotations

from typing import get_args

import attrs
import pytest

from acp_state import JsonObject
from acp_state.diagnostics import diagnostic
from acp_state.intents import (
    AskElicitation,
    AskPermission,
    AwaitTerminal,
    CancelRequested,
    CreateTerminal,
    Diagnose,
    ElicitationCompleted,
    ElicitationWithdrawn,
    HandleExtension,
    HandleRequest,
    Intent,
    KillTerminal,
    PermissionWithdrawn,
    ReadTerminal,
    ReadTextFile,
    ReleaseTerminal,
    RequestAnswered,
    RequestFailed,
    Send,
    SessionReady,
    ShowNotice,
    TurnEnded,
    WorkWithdrawn,
    WriteTextFile,
)
from acp_state.model import Elicitation, Permission, ToolCall, Turn
from acp_state.schema import (
    CreateTerminalRequest,
    Error,
    KillTerminalRequest,
    Notice,
    ReadTextFileRequest,
    ReleaseTerminalRequest,
    TerminalOutputRequest,
    ToolCallUpdate,
    WaitForTerminalExitRequest,
    WriteTextFileRequest,
)

PERMISSION = Permission(request_id=1, tool_call=ToolCallUpdate(tool_call_id="t"), options=())
ELICITATION = Elicitation(request_id=1, mode="form", message="Who?", session_id="s")
TERMINAL = {"session_id": "s", "terminal_id": "term"}

EXAMPLES = (
    Send({"jsonrpc": "2.0", "method": "m", "params": {"a": [1]}}),
    AskPermission(session_id="s", permission=PERMISSION, tool_call=ToolCall(tool_call_id="t")),
    PermissionWithdrawn(session_id="s", permission=PERMISSION),
    AskElicitation(ELICITATION),
    ElicitationWithdrawn(ELICITATION),
    ElicitationCompleted(ELICITATION),
    ReadTextFile(1, ReadTextFileRequest(session_id="s", path="/f")),
    WriteTextFile(1, WriteTextFileRequest(session_id="s", path="/f", content="")),
    CreateTerminal(1, CreateTerminalRequest(session_id="s", command="ls")),
    ReadTerminal(1, TerminalOutputRequest(**TERMINAL)),
    AwaitTerminal(1, WaitForTerminalExitRequest(**TERMINAL)),
    KillTerminal(1, KillTerminalRequest(**TERMINAL)),
    ReleaseTerminal(1, ReleaseTerminalRequest(**TERMINAL)),
    HandleExtension(method="_v/x", params=JsonObject({"a": 1})),
    HandleRequest(request_id=1, method="session/list", params=JsonObject({})),
    WorkWithdrawn(request_id=1, method="fs/read_text_file"),
    CancelRequested("s"),
    ShowNotice(session_id="s", notice=Notice(severity="info", title="T"), position=3),
    TurnEnded(session_id="s", turn=Turn(request_id=1, start=0)),
    SessionReady("s", 1),
    RequestAnswered(request_id=1, method="session/list", result=JsonObject({})),
    RequestFailed(request_id=1, method="m", error=Error(code=1, message="m"), session_id="s"),
    Diagnose(diagnostic("unknown-plan", "no plan 'p'")),
)

EACH = pytest.mark.parametrize("intent", EXAMPLES, ids=lambda each: type(each).__name__)


def test_the_union_is_of_all_of_them():
    """Design: hosts `match` on them."""
    assert get_args(Intent) == tuple(map(type, EXAMPLES))


@EACH
def test_intents_are_values(intent):
    """Design: frozen, compared by value, and they can be hashed."""
    again = eval_copy(intent)
    assert again == intent
    assert again is not intent
    assert hash(again) == hash(intent)
    [field, *_] = attrs.fields(type(intent))
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        setattr(intent, field.name, None)


def eval_copy(intent):
    given = {each.alias: getattr(intent, each.name) for each in attrs.fields(type(intent))}
    return type(intent)(**given)


@EACH
def test_intents_have_slots(intent):
    """Style 8: frozen, slotted."""
    assert not hasattr(intent, "__dict__")


@EACH
def test_intents_say_what_they_hold(intent):
    """Hosts log them."""
    assert type(intent).__name__ in repr(intent)


def test_a_message_is_new_each_time():
    """Contract 1: nothing that was handed out ever changes afterwards."""
    given = {"jsonrpc": "2.0", "method": "m", "params": {"a": [1]}}
    intent = Send(given)
    given["params"]["a"].append(2)
    first = intent.message
    assert first == {"jsonrpc": "2.0", "method": "m", "params": {"a": [1]}}
    first["params"]["a"].append(3)
    assert intent.message == {"jsonrpc": "2.0", "method": "m", "params": {"a": [1]}}
    assert type(intent.message["params"]["a"]) is list


@pytest.mark.parametrize(
    ("message", "request_id"),
    [
        ({"id": 0, "method": "m"}, 0),
        ({"id": "a", "method": "m", "params": {}}, "a"),
        ({"method": "m"}, None),
        ({"id": 3, "result": {}}, None),
        ({"id": 3, "error": {"code": 1, "message": "m"}}, None),
    ],
)
def test_a_message_names_the_request_that_it_makes(message, request_id):
    """Design: hosts await the answer by it; an answer to the peer makes no request."""
    told = Send({"jsonrpc": "2.0", **message}).request_id
    assert (told, type(told)) == (request_id, type(request_id))


NAMED = (
    AskPermission,
    PermissionWithdrawn,
    AskElicitation,
    ElicitationWithdrawn,
    TurnEnded,
    SessionReady,
    RequestAnswered,
    RequestFailed,
    WorkWithdrawn,
)


@pytest.mark.parametrize("kind", NAMED)
def test_what_is_told_of_a_request_names_it(kind):
    """Design: which question, which turn, which request."""
    [intent] = [each for each in EXAMPLES if type(each) is kind]
    assert intent.request_id == 1


def test_an_extension_is_a_notification_unless_it_says_otherwise():
    """EXT-02: a notification is never answered; null is an id of requests (RPC-02)."""
    told = HandleExtension(method="_v/x", params=JsonObject({}))
    assert (told.request_id, told.is_request) == (None, False)
    asked = HandleExtension(method="_v/x", params=JsonObject({}), request_id=None, is_request=True)
    assert told != asked


def test_hosts_match_on_them():
    """Design: by position where that is plain, by name where there are more fields."""
    matched = []
    for intent in EXAMPLES:
        match intent:
            case Send():
                matched.append(intent.message["method"])
            case AskPermission(session_id=session_id, permission=Permission(options=())):
                matched.append(session_id)
            case ReadTextFile(request_id, ReadTextFileRequest(path=path)):
                matched.append((request_id, path))
            case RequestFailed(error=Error(code=code)):
                matched.append(code)
            case SessionReady(session_id, _):
                matched.append(session_id)
            case Diagnose(found):
                matched.append(found.code)
    assert matched == ["m", "s", (1, "/f"), "s", 1, "unknown-plan"]


@pytest.mark.parametrize(
    ("message", "request_id"),
    [
        ({"jsonrpc": "2.0", "id": 3, "method": "m"}, 3),
        ({"jsonrpc": "2.0", "id": "a", "method": "m"}, "a"),
        ({"jsonrpc": "2.0", "method": "m"}, None),
        ({"jsonrpc": "2.0", "id": 3, "result": {}}, None),
        ({"jsonrpc": "2.0", "id": 3, "error": {"code": 1, "message": "m"}}, None),
    ],
)
def test_the_id_to_await_an_answer_by(message, request_id):
    """Design: of a request that goes out; a notification or an answer makes none."""
    assert Send(message).request_id == request_id


def test_questions_and_turns_name_their_request():
    """Design: what to answer, and whose prompt it was."""
    named = (
        AskPermission(session_id="s", permission=PERMISSION, tool_call=ToolCall(tool_call_id="t")),
        PermissionWithdrawn(session_id="s", permission=PERMISSION),
        AskElicitation(ELICITATION),
        ElicitationWithdrawn(ELICITATION),
        TurnEnded(session_id="s", turn=Turn(request_id=1, start=0)),
    )
    assert [each.request_id for each in named] == [1] * 5
