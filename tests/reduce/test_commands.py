"""Commands become messages (sections 18, 19): a command does what its message does."""

from __future__ import annotations

from typing import get_args

import attrs
import pytest
from jsonschema import Draft202012Validator
from published import published
from reduce.talk import (
    ALLOW,
    CANCELLED,
    SEATS,
    Talk,
    ask_form,
    ask_permission,
    cancel,
    cancel_request,
    connected,
    error,
    initialize,
    new_session,
    notification,
    prompt,
    request,
    result,
    stop,
    talk,
    text,
)
from shared import needs_shared

from acp_state import (
    OMITTED,
    AnswerElicitation,
    AnswerPermission,
    ArchiveSession,
    Authenticate,
    Cancel,
    CancelRequest,
    CloseSession,
    Command,
    Connection,
    DeleteSession,
    EndTurn,
    ForkSession,
    GetAuthStatus,
    GetSessionStatus,
    Initialize,
    ListSessions,
    LoadSession,
    LocalProtocolError,
    Logout,
    NewSession,
    Prompt,
    Received,
    RequestPermission,
    Respond,
    RespondError,
    ResumeSession,
    Send,
    SendNotification,
    SendRequest,
    SendUpdate,
    Sent,
    SetConfigOption,
    SetMode,
    SetTitle,
    UnarchiveSession,
    reduce,
)
from acp_state.methods import METHODS
from acp_state.reduce.commands import ANSWERS, COMMANDS, command_message
from acp_state.schema import (
    AgentMessageChunk,
    ClientCapabilities,
    Implementation,
    Notice,
    PermissionOption,
    ResourceLink,
    TextContent,
    ToolCallUpdate,
    Usage,
)

AUTH = ({"id": "m", "name": "M"},)
STDIO = {"name": "fs", "command": "/bin/fs", "args": [], "env": []}
HTTP = {"type": "http", "name": "web", "url": "https://x.example", "headers": []}

SETUP = {
    "sessionId": "s",
    "modes": {
        "currentModeId": "ask",
        "availableModes": [{"id": "ask", "name": "Ask"}, {"id": "code", "name": "Code"}],
    },
    "configOptions": [
        {
            "id": "model",
            "name": "Model",
            "type": "select",
            "currentValue": "big",
            "options": [{"value": "big", "name": "Big"}, {"value": "small", "name": "Small"}],
        },
        {"id": "web", "name": "Web", "type": "boolean", "currentValue": False},
    ],
}


def equipped(side="client"):
    """A ready session with modes and options, in which nothing runs; ids 0 and 1 are used."""
    there = connected(side, auth=AUTH, extension_methods="*")
    there.client(new_session())
    there.agent(result(1, SETUP))
    return there


def prompted(side="client"):
    there = equipped(side)
    there.client(prompt(2))
    return there


def asked(side="client"):
    """A session in which three requests of the agent wait."""
    there = equipped(side)
    there.agent(
        ask_permission(1), ask_form(2), request(3, "fs/read_text_file", sessionId="s", path="/f")
    )
    return there


def fresh(side="client"):
    return Talk(Connection(side=side))


INFO = Implementation(name="host", version="1")

BEGIN = {
    "initialize": (fresh, Initialize(), initialize(can={})),
    "initialize, with info": (
        fresh,
        Initialize(client_capabilities=ClientCapabilities(terminal=True), client_info=INFO),
        initialize(can={"terminal": True}, clientInfo={"name": "host", "version": "1"}),
    ),
    "authenticate": (equipped, Authenticate("m"), request(2, "authenticate", methodId="m")),
    "logout": (equipped, Logout(), request(2, "logout")),
    "auth/status": (equipped, GetAuthStatus(), request(2, "auth/status")),
    "session/new": (
        equipped,
        NewSession(cwd="/w"),
        request(2, "session/new", cwd="/w", mcpServers=[]),
    ),
    "session/new, whole": (
        equipped,
        NewSession(cwd="/w", mcp_servers=(STDIO, HTTP), additional_directories=("/a", "C:\\b")),
        request(
            2,
            "session/new",
            cwd="/w",
            mcpServers=[STDIO, HTTP],
            additionalDirectories=["/a", "C:\\b"],
        ),
    ),
    "session/load": (
        equipped,
        LoadSession(session_id="s", cwd="/w", mcp_servers=(STDIO,)),
        request(2, "session/load", sessionId="s", cwd="/w", mcpServers=[STDIO]),
    ),
    "session/load, another": (
        equipped,
        LoadSession(session_id="t", cwd="/w", additional_directories=("/a",)),
        request(
            2,
            "session/load",
            sessionId="t",
            cwd="/w",
            mcpServers=[],
            additionalDirectories=["/a"],
        ),
    ),
    "session/resume": (
        equipped,
        ResumeSession(session_id="s", cwd="/w"),
        request(2, "session/resume", sessionId="s", cwd="/w", mcpServers=[]),
    ),
    "session/fork": (
        equipped,
        ForkSession(session_id="s", cwd="/other", mcp_servers=(STDIO,)),
        request(2, "session/fork", sessionId="s", cwd="/other", mcpServers=[STDIO]),
    ),
    "session/list": (equipped, ListSessions(), request(2, "session/list")),
    "session/list, a page": (
        equipped,
        ListSessions(cwd="/w", cursor="c", archived="only"),
        request(2, "session/list", cwd="/w", cursor="c", archived="only"),
    ),
    "session/close": (equipped, CloseSession("s"), request(2, "session/close", sessionId="s")),
    "session/delete": (equipped, DeleteSession("s"), request(2, "session/delete", sessionId="s")),
    "session/archive": (
        equipped,
        ArchiveSession("s"),
        request(2, "session/archive", sessionId="s"),
    ),
    "session/unarchive": (
        equipped,
        UnarchiveSession("t"),
        request(2, "session/unarchive", sessionId="t"),
    ),
    "session/status": (
        equipped,
        GetSessionStatus("t"),
        request(2, "session/status", sessionId="t"),
    ),
    "session/set_title": (
        equipped,
        SetTitle("s", "T"),
        request(2, "session/set_title", sessionId="s", title="T"),
    ),
    "session/set_mode": (
        equipped,
        SetMode("s", "code"),
        request(2, "session/set_mode", sessionId="s", modeId="code"),
    ),
    "session/set_config_option": (
        equipped,
        SetConfigOption("s", "model", "small"),
        request(2, "session/set_config_option", sessionId="s", configId="model", value="small"),
    ),
    "session/set_config_option, boolean": (
        equipped,
        SetConfigOption("s", "web", value=True),
        request(
            2,
            "session/set_config_option",
            sessionId="s",
            configId="web",
            type="boolean",
            value=True,
        ),
    ),
    "session/prompt": (
        equipped,
        Prompt("s", [TextContent(text="Hi"), ResourceLink(uri="u", name="n")]),
        prompt(2, "Hi", {"type": "resource_link", "uri": "u", "name": "n"}),
    ),
    "session/prompt, while one runs": (
        prompted,
        Prompt("s", (TextContent(text="And"),), while_running=True),
        prompt(3, "And"),
    ),
    "session/cancel": (prompted, Cancel("s"), cancel()),
    "$/cancel_request": (prompted, CancelRequest(2), cancel_request(2)),
    "providers": (equipped, SendRequest("providers/list"), request(2, "providers/list")),
    "vendor request": (
        equipped,
        SendRequest("_v/x", {"a": [1, {"b": None}]}),
        request(2, "_v/x", a=[1, {"b": None}]),
    ),
    "vendor notification": (
        equipped,
        SendNotification("_v/x", {"a": 1}),
        notification("_v/x", a=1),
    ),
    "answer: selected": (
        asked,
        AnswerPermission(1, "yes"),
        result(1, {"outcome": {"outcome": "selected", "optionId": "yes"}}),
    ),
    "answer: dismissed": (asked, AnswerPermission(1), result(1, CANCELLED)),
    "answer: accept": (
        asked,
        AnswerElicitation(2, "accept", {"name": "Ada"}),
        result(2, {"action": "accept", "content": {"name": "Ada"}}),
    ),
    "answer: decline": (asked, AnswerElicitation(2, "decline"), result(2, {"action": "decline"})),
    "answer: decline, with nothing": (
        asked,
        AnswerElicitation(2, "decline", OMITTED),
        result(2, {"action": "decline"}),
    ),
    "answer: cancel": (asked, AnswerElicitation(2, "cancel"), result(2, {"action": "cancel"})),
    "answer: result": (asked, Respond(3, {"content": "x"}), result(3, {"content": "x"})),
    "answer: error": (asked, RespondError(3, -32002, "gone"), error(3, -32002, "gone")),
    "answer: error with data": (
        asked,
        RespondError(3, 1, "m", {"a": [1]}),
        error(3, 1, "m", data={"a": [1]}),
    ),
    "answer: error with null": (asked, RespondError(3, 1, "m", None), error(3, 1, "m", data=None)),
}
"""Commands of the client: where, the command, and the message that it makes."""


def agents_prompted():
    return prompted("agent")


def agents():
    return equipped("agent")


def agent_asked():
    return asked("agent")


OPTIONS = (PermissionOption(option_id="yes", name="Allow", kind="allow_once"),)

BY_AGENT = {
    "session/update": (
        agents,
        SendUpdate("s", AgentMessageChunk(content=TextContent(text="Hello"), message_id="m")),
        notification(
            "session/update",
            sessionId="s",
            update={
                "sessionUpdate": "agent_message_chunk",
                "content": text("Hello"),
                "messageId": "m",
            },
        ),
    ),
    "session/update, with a capability": (
        agents,
        SendUpdate("s", Notice(severity="info", title="T")),
        notification(
            "session/update",
            sessionId="s",
            update={"sessionUpdate": "notice", "severity": "info", "title": "T"},
        ),
    ),
    "session/request_permission": (
        agents,
        RequestPermission(
            session_id="s",
            tool_call=ToolCallUpdate(tool_call_id="t", title="May I?"),
            options=OPTIONS,
        ),
        request(
            0,
            "session/request_permission",
            sessionId="s",
            toolCall={"toolCallId": "t", "title": "May I?"},
            options=[ALLOW],
        ),
    ),
    "the end of a turn": (
        agents_prompted,
        EndTurn(request_id=2, stop_reason="end_turn"),
        stop(2),
    ),
    "the end of a turn, with usage": (
        agents_prompted,
        EndTurn(
            request_id=2,
            stop_reason="max_tokens",
            usage=Usage(total_tokens=3, input_tokens=1, output_tokens=2),
        ),
        stop(2, "max_tokens", usage={"totalTokens": 3, "inputTokens": 1, "outputTokens": 2}),
    ),
    "an answer": (agents_prompted, Respond(2, {"stopReason": "refusal"}), stop(2, "refusal")),
    "an error": (agents_prompted, RespondError(2, -32603, "no"), error(2)),
    "$/cancel_request": (agent_asked, CancelRequest(3), cancel_request(3)),
    "vendor request": (agents, SendRequest("_v/x", {"a": 1}), request(0, "_v/x", a=1)),
    "vendor notification": (agents, SendNotification("_v/x"), notification("_v/x")),
}
"""Likewise of the agent."""

EVERY = [
    pytest.param(*row, id=f"{side}: {name}")
    for side, rows in (("client", BEGIN), ("agent", BY_AGENT))
    for name, row in rows.items()
]


@pytest.mark.parametrize(("where", "command", "message"), EVERY)
def test_a_command_makes_its_message(where, command, message):
    """Sections 18, 19, design: the message, and the intent to send it before all else."""
    there = where()
    told = there.do(command)
    assert told[0] == Send(message)
    assert sum(isinstance(each, Send) for each in told) == 1


@pytest.mark.parametrize(("where", "command", "message"), EVERY)
def test_a_command_does_what_its_message_does(where, command, message):
    """Design: the same state change that `Sent(message)` makes: one code path."""
    before = where().connection
    held = repr(before)
    after, told = reduce(before, command)
    seen, also_told = reduce(before, Sent(message))
    assert after == seen
    assert told[1:] == also_told
    assert repr(before) == held
    assert reduce(before, command) == (after, told)


@pytest.mark.parametrize(("where", "command", "message"), EVERY)
def test_the_peer_can_take_it(where, command, message):
    """Sections 18, 19: its receiver finds nothing wrong with it, and folds it to the same state."""
    there = where()
    side = there.connection.side
    other = attrs.evolve(
        there.connection, side="agent" if side == "client" else "client", next_request_id=0
    )
    theirs, told = reduce(other, Received(message))
    there.do(command)
    for answer in [each.message for each in told if isinstance(each, Send)]:
        theirs, _ = reduce(theirs, Sent(answer))
        there.do(Received(answer))
    assert attrs.evolve(theirs, side=side, next_request_id=0) == attrs.evolve(
        there.connection, next_request_id=0
    )
    assert [each for each in told if "Diagnos" in repr(each)] == []


def asks_as_published():
    """The parameters of the protocol's own requests and notifications, and what defines them."""
    named = {
        (row.get("x-method"), name)
        for name, row in published().defs.items()
        if name.endswith(("Request", "Notification"))
    }
    definitions = dict(named)
    return [
        (message["params"], definitions[message["method"]])
        for _, _, message in (*BEGIN.values(), *BY_AGENT.values())
        if message.get("method") in METHODS and not message["method"].startswith("$/")
    ]


@needs_shared
def test_a_command_says_nothing_that_the_schema_does_not_know():
    """EXT-03: no key of our own stands at the root of a standard type."""
    file = published()
    for params, name in asks_as_published():
        known = [each.properties.keys() for each in file.alternatives(file.named(name))]
        assert any(params.keys() <= keys for keys in known), (name, params)
        judge = Draft202012Validator({"$defs": file.defs, **file.named(name)})
        assert judge.is_valid(params), (name, params)


def test_every_command_has_a_row():
    """Style 5: every union member has a row."""
    assert {*COMMANDS, *ANSWERS} == set(get_args(Command))
    assert {*COMMANDS} & {*ANSWERS} == set()


def test_every_command_is_tested():
    """Section 19: every command."""
    tested = {type(row[1]) for rows in (BEGIN, BY_AGENT) for row in rows.values()}
    assert tested == set(get_args(Command))


def test_every_method_of_a_row_is_one_of_the_protocol():
    """Section 19: by the right sender, as the right kind."""
    for row in COMMANDS.values():
        if row.method is not None:
            assert METHODS[row.method].kind == row.kind
            assert row.side is None or row.side in METHODS[row.method].senders


def test_every_method_of_the_client_has_a_command():
    """Section 19: but `providers/*`, which `SendRequest` sends."""
    by_command = {row.method for row in COMMANDS.values()}
    wanted = {name for name, row in METHODS.items() if "client" in row.senders}
    left = wanted - by_command
    assert {name for name in left if not name.startswith(("providers/", "mcp/"))} == set()


def test_a_message_is_made_without_being_sent():
    """Design: pure; the connection stays as it is."""
    there = equipped()
    before = there.connection
    assert command_message(before, ListSessions()) == Send(request(2, "session/list"))
    assert there.connection is before


def test_the_message_of_an_intent_is_the_hosts_own():
    """Contract 1: a new dict each time; changing it changes nothing."""
    [send] = equipped().do(NewSession(cwd="/w", mcp_servers=(STDIO,)))
    message = send.message
    message["params"]["mcpServers"].append(1)
    assert send.message == request(2, "session/new", cwd="/w", mcpServers=[STDIO])


@pytest.mark.parametrize("event", ["x", None, 5, {"jsonrpc": "2.0"}, Send({}), object])
@pytest.mark.parametrize("side", SEATS)
def test_what_is_no_event_is_refused(event, side):
    """Design: only a host's own mistake raises, and then nothing has changed."""
    there = talk(side)
    refusal = there.refused(event)
    assert (refusal.rule, refusal.code) == ("RPC-01", "refused")
    what = f"{type(event).__name__} is no event: pass one of the classes in acp_state.events"
    assert str(refusal) == f"{what} [RPC-01]"


@pytest.mark.parametrize(
    "content", [("Hi",), ({"type": "text", "text": "Hi"},), (None,), [5], 5, None]
)
def test_content_that_is_no_block_is_refused(content):
    """TURN-02, design: a host's mistake, told where it is made; it never becomes an event."""
    with pytest.raises(LocalProtocolError) as raised:
        Prompt("s", content)
    assert raised.value.rule == "TURN-02"


def test_a_string_is_one_text_block():
    """TURN-02: text always."""
    assert Prompt("s", "Hi") == Prompt("s", (TextContent(text="Hi"),))
    assert equipped().do(Prompt("s", "Hi"))[0] == Send(prompt(2, "Hi"))


def test_an_unknown_stop_reason_is_refused():
    """TURN-05: end_turn, max_tokens, max_turn_requests, refusal, cancelled."""
    refusal = agents_prompted().refused(EndTurn(request_id=2, stop_reason="tired"))
    assert (refusal.rule, refusal.code) == ("TURN-05", "refused")
    assert "'tired' is no stop reason; there are: ('end_turn', " in str(refusal)


def test_an_error_of_the_hosts_names_what_it_is():
    """Style 6: it carries the rule id, the session and what would have been legal."""
    with pytest.raises(LocalProtocolError, match=r"no turn runs.*\[CANCEL-01\]") as raised:
        talk().do(Cancel("s"))
    assert (raised.value.rule, raised.value.session_id) == ("CANCEL-01", "s")
