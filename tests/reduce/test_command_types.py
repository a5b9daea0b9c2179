"""What a command holds fits the types of its fields, at any depth (RPC-01)."""

from __future__ import annotations

import pytest
from reduce.talk import running, talk

from acp_state import (
    AnswerPermission,
    Authenticate,
    Cancel,
    Connection,
    EndTurn,
    Initialize,
    ListSessions,
    LocalProtocolError,
    NewSession,
    Prompt,
    RequestPermission,
    RespondError,
    Send,
    SendNotification,
    SendRequest,
    SendUpdate,
    SetMode,
    reduce,
)
from acp_state.schema import (
    AgentMessageChunk,
    Annotations,
    ClientCapabilities,
    FileSystemCapabilities,
    ImageContent,
    Implementation,
    PermissionOption,
    Plan,
    PlanEntry,
    TextContent,
    ToolCallUpdate,
    Usage,
    UsageUpdate,
)

CALL = ToolCallUpdate(tool_call_id="t")
YES = PermissionOption(option_id="yes", name="Yes", kind="allow_once")


def ends(**usage):
    return EndTurn(request_id=2, stop_reason="end_turn", **usage)


def asks(*options, tool_call=CALL):
    return RequestPermission(session_id="s", tool_call=tool_call, options=options)


def can(**capabilities):
    return Initialize(client_capabilities=ClientCapabilities(**capabilities))


def says(block):
    return SendUpdate("s", AgentMessageChunk(content=block))


@pytest.mark.parametrize(
    ("command", "text"),
    [
        (Prompt([], "Go"), "Prompt.session_id is []: pass a string"),
        (Cancel({}), "Cancel.session_id is {}: pass a string"),
        (Authenticate(None), "Authenticate.method_id is None: pass a string"),
        (SetMode("s", 5), "SetMode.mode_id is 5: pass a string"),
        (NewSession(cwd=b"/w"), "NewSession.cwd is b'/w': pass a string"),
        (
            NewSession(cwd="/w", additional_directories=("/a", 5)),
            "NewSession.additional_directories[1] is 5: pass a string",
        ),
        (ListSessions(cursor=5), "ListSessions.cursor is 5: pass a string or None"),
        (SendRequest(5), "SendRequest.method is 5: pass a string"),
        (SendNotification(None), "SendNotification.method is None: pass a string"),
        (AnswerPermission(1, []), "AnswerPermission.option_id is []: pass a string or None"),
        (RespondError(1, -32603, None), "RespondError.message is None: pass a string"),
        (RespondError(1, "1", "m"), "RespondError.code is '1': pass an integer"),
        (RespondError(1, code=True, message="m"), "RespondError.code is True: pass an integer"),
        (Prompt("s", "Go", while_running=1), "Prompt.while_running is 1: pass True or False"),
        (
            Initialize(client_capabilities={}),
            "Initialize.client_capabilities is {}: pass ClientCapabilities",
        ),
        (
            Initialize(client_info="me"),
            "Initialize.client_info is 'me': pass Implementation or None",
        ),
    ],
)
def test_a_field_is_of_its_type(command, text):
    """RPC-01: the message would be none that the protocol has."""
    assert str(talk().refused(command)) == f"{text} [RPC-01]"


@pytest.mark.parametrize(
    ("command", "text"),
    [
        (ends(usage={}), "EndTurn.usage is {}: pass Usage or None"),
        (asks(tool_call="t"), "RequestPermission.tool_call is 't': pass ToolCallUpdate"),
        (asks(YES, "no"), "RequestPermission.options[1] is 'no': pass PermissionOption"),
        (
            RequestPermission(session_id="s", tool_call=CALL, options=5),
            "RequestPermission.options is 5: pass a tuple of which each is PermissionOption",
        ),
    ],
)
def test_a_field_of_an_agents_command_is_of_its_type(command, text):
    """RPC-01: likewise."""
    assert str(running("agent").refused(command)) == f"{text} [RPC-01]"


CAN = "Initialize.client_capabilities"


@pytest.mark.parametrize(
    ("command", "text"),
    [
        (
            can(fs={"readTextFile": True}),
            f"{CAN}.fs is {{'readTextFile': True}}: pass FileSystemCapabilities",
        ),
        (can(terminal="yes"), f"{CAN}.terminal is 'yes': pass True or False"),
        (
            can(fs=FileSystemCapabilities(read_text_file=1)),
            f"{CAN}.fs.read_text_file is 1: pass True or False",
        ),
        (
            Initialize(client_info=Implementation(name=1, version="1")),
            "Initialize.client_info.name is 1: pass a string",
        ),
    ],
)
def test_a_part_of_what_the_client_can_do_is_of_its_type(command, text):
    """RPC-01: at any depth."""
    with pytest.raises(LocalProtocolError) as refused:
        reduce(Connection(), command)
    assert str(refused.value) == f"{text} [RPC-01]"


@pytest.mark.parametrize(
    ("command", "text"),
    [
        (Prompt("s", [TextContent(text=5)]), "Prompt.content[0].text is 5: pass a string"),
        (
            Prompt("s", [TextContent(text="a", annotations="b")]),
            "Prompt.content[0].annotations is 'b': pass Annotations or None",
        ),
        (
            Prompt("s", [TextContent(text="a", annotations=Annotations(priority="high"))]),
            "Prompt.content[0].annotations.priority is 'high': pass a number or None",
        ),
    ],
)
def test_a_part_of_a_prompt_is_of_its_type(command, text):
    """RPC-01: at any depth."""
    assert str(talk().refused(command)) == f"{text} [RPC-01]"


@pytest.mark.parametrize(
    ("command", "text"),
    [
        (says("Hi"), "SendUpdate.update.content is 'Hi'"),
        (says(TextContent(text=None)), "SendUpdate.update.content.text is None: pass a string"),
        (
            SendUpdate("s", Plan(entries=(PlanEntry(content="a", priority=1, status="pending"),))),
            "SendUpdate.update.entries[0].priority is 1: pass one of 'high', 'medium', 'low'",
        ),
        (
            SendUpdate("s", Plan(entries=(PlanEntry(content="a", priority="x", status="done"),))),
            "SendUpdate.update: entries[0]: priority: must be one of high, medium, low, not 'x'",
        ),
        (
            SendUpdate("s", UsageUpdate(used=-1, size=5)),
            "SendUpdate.update: used: must be at least 0, not -1",
        ),
        (
            ends(usage=Usage(total_tokens=-1, input_tokens=0, output_tokens=0)),
            "EndTurn.usage: totalTokens: must be at least 0, not -1",
        ),
    ],
)
def test_what_an_agent_reports_is_what_its_client_will_read(command, text):
    """RPC-01, LENIENT-05: of our own nothing is put right, and nothing left out."""
    refusal = running("agent").refused(command)
    assert refusal.rule == "RPC-01"
    assert str(refusal).startswith(text)


@pytest.mark.parametrize(
    "command",
    [
        says(ImageContent(data="aa", mime_type="image/png")),
        says(TextContent(text="a", annotations=Annotations(priority=1))),
        asks(YES, PermissionOption(option_id="o", name="O", kind="allow_for_a_week")),
    ],
)
def test_what_fits_is_sent(command):
    """PERM-03: so is a word that is not known, which a proxy passes on."""
    assert isinstance(running("agent").do(command)[0], Send)
