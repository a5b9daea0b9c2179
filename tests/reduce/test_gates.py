"""What holds for every command, and for a connection's own (sections 19, 20)."""

from __future__ import annotations

import attrs
import pytest
from reduce.gating import HI, equipped, name, path_id, refusal_of, without
from reduce.talk import (
    AGENT_CAN,
    CLIENT_CAN,
    SEATS,
    Talk,
    ask_form,
    ask_permission,
    ask_url,
    connected,
    error,
    initialize,
    notification,
    request,
    result,
    running,
    talk,
)

from acp_state import (
    AnswerElicitation,
    AnswerPermission,
    ArchiveSession,
    Authenticate,
    Cancel,
    CancelRequest,
    CloseSession,
    Connection,
    DeleteSession,
    Disconnected,
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
    RequestPermission,
    Respond,
    RespondError,
    ResumeSession,
    Send,
    SendNotification,
    SendRequest,
    SendUpdate,
    SetConfigOption,
    SetMode,
    SetTitle,
    UnarchiveSession,
    reduce,
)
from acp_state.methods import METHODS
from acp_state.reduce.session_gates import PROMPT_NEEDS
from acp_state.schema import (
    AgentMessageChunk,
    AudioContent,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
    TextResourceContents,
    ToolCallUpdate,
)

CLIENTS = [
    Initialize(),
    Authenticate("m"),
    Logout(),
    GetAuthStatus(),
    NewSession(cwd="/w"),
    LoadSession(session_id="s", cwd="/w"),
    ResumeSession(session_id="s", cwd="/w"),
    ForkSession(session_id="s", cwd="/w"),
    ListSessions(),
    CloseSession("s"),
    DeleteSession("s"),
    ArchiveSession("s"),
    UnarchiveSession("s"),
    GetSessionStatus("s"),
    SetTitle("s", "T"),
    SetMode("s", "m"),
    SetConfigOption("s", "o", "v"),
    Prompt("s", HI),
    Cancel("s"),
    AnswerPermission(1),
    AnswerElicitation(1, "cancel"),
]
AGENTS = [
    SendUpdate("s", AgentMessageChunk(content=TextContent(text="x"))),
    EndTurn(request_id=2, stop_reason="end_turn"),
    RequestPermission(session_id="s", tool_call=ToolCallUpdate(tool_call_id="t"), options=()),
]
BOTHS = [
    CancelRequest(2),
    Respond(1),
    RespondError(1, 1, "m"),
    SendRequest("_v/x"),
    SendNotification("_v/x"),
]


# Sides


@pytest.mark.parametrize("command", CLIENTS, ids=name)
def test_a_command_of_the_clients_on_the_agents_side(command):
    """Design: the client's commands are the client's."""
    seat = f"{name(command)} is a command of the client's side, and this is the agent's"
    assert str(running("agent").refused(command)) == f"{seat} [INIT-01]"


@pytest.mark.parametrize("command", AGENTS, ids=name)
def test_a_command_of_the_agents_on_the_clients_side(command):
    """Section 19: the agent's commands are the agent's."""
    seat = f"{name(command)} is a command of the agent's side, and this is the client's"
    assert str(running().refused(command)) == f"{seat} [INIT-01]"


@pytest.mark.parametrize("command", [*CLIENTS, *AGENTS, *BOTHS], ids=name)
def test_an_observer_has_no_commands(command):
    """Design: an observer owes nobody a message, and has none to send."""
    refusal = str(running("observer").refused(command))
    assert refusal.startswith(f"{name(command)} is a command of ")
    assert refusal.endswith(" side, and this is the observer's [INIT-01]")


@pytest.mark.parametrize("command", [*CLIENTS, *BOTHS], ids=name)
def test_nothing_is_sent_on_a_closed_connection(command):
    """CONN-01, 15.6: say what would be right: connect again."""
    there = running()
    there.do(Disconnected())
    refusal = there.refused(command)
    assert (refusal.rule, "reopened" in str(refusal)) == ("CONN-01", True)


@pytest.mark.parametrize("command", [*AGENTS, *BOTHS], ids=name)
def test_nothing_is_sent_by_an_agent_on_a_closed_connection(command):
    """CONN-01, 15.6."""
    there = running("agent")
    there.do(Disconnected())
    assert there.refused(command).rule == "CONN-01"


# INIT-01


@pytest.mark.parametrize("phase", ["new", "initializing", "failed"])
@pytest.mark.parametrize("command", [*CLIENTS[1:-2], BOTHS[3], BOTHS[4]], ids=name)
def test_nothing_before_initialize_was_answered(phase, command):
    """INIT-01, 15.6: `initialize` first; nothing else before its response."""
    there = Talk(Connection())
    if phase != "new":
        there.client(initialize())
    if phase == "failed":
        there.agent(error(0))
    assert there.connection.phase == phase
    assert refusal_of(there, command) == ("INIT-01", "refused", None)


@pytest.mark.parametrize("command", [AGENTS[0], AGENTS[2], BOTHS[3], BOTHS[4]], ids=name)
def test_an_agent_waits_for_initialize_too(command):
    """INIT-01, 15.6: traffic before the response is unexpected."""
    there = Talk(Connection(side="agent"))
    assert there.refused(command).rule == "INIT-01"
    there.client(initialize())
    assert there.refused(command).rule == "INIT-01"


def test_an_agent_answers_initialize():
    """INIT-01: a response is no request before the response."""
    there = Talk(Connection(side="agent"))
    there.client(initialize())
    [send] = there.do(Respond(0, {"protocolVersion": 1}))
    assert send == Send(result(0, {"protocolVersion": 1}))
    assert there.connection.phase == "ready"


# Capabilities of the agent (section 20)


NEEDED = [
    (LoadSession(session_id="t", cwd="/w"), ["loadSession"]),
    (ListSessions(), ["sessionCapabilities", "list"]),
    (DeleteSession("s"), ["sessionCapabilities", "delete"]),
    (ResumeSession(session_id="t", cwd="/w"), ["sessionCapabilities", "resume"]),
    (CloseSession("s"), ["sessionCapabilities", "close"]),
    (ForkSession(session_id="s", cwd="/w"), ["sessionCapabilities", "fork"]),
    (GetSessionStatus("s"), ["sessionCapabilities", "status"]),
    (ArchiveSession("s"), ["sessionCapabilities", "archive"]),
    (UnarchiveSession("s"), ["sessionCapabilities", "archive"]),
    (ListSessions(archived="only"), ["sessionCapabilities", "archive"]),
    (SetTitle("s", "T"), ["sessionCapabilities", "title"]),
    (
        NewSession(cwd="/w", additional_directories=("/a",)),
        ["sessionCapabilities", "additionalDirectories"],
    ),
    (
        LoadSession(session_id="t", cwd="/w", additional_directories=("/a",)),
        ["sessionCapabilities", "additionalDirectories"],
    ),
    (
        ResumeSession(session_id="t", cwd="/w", additional_directories=("/a",)),
        ["sessionCapabilities", "additionalDirectories"],
    ),
    (
        ForkSession(session_id="t", cwd="/w", additional_directories=("/a",)),
        ["sessionCapabilities", "additionalDirectories"],
    ),
    *(
        (
            make(cwd="/w", mcp_servers=({"type": kind, "name": "x"},), **more),
            ["mcpCapabilities", kind],
        )
        for kind in ("http", "sse", "acp")
        for make, more in (
            (NewSession, {}),
            (LoadSession, {"session_id": "t"}),
            (ResumeSession, {"session_id": "t"}),
            (ForkSession, {"session_id": "t"}),
        )
    ),
    (Logout(), ["auth", "logout"]),
    (GetAuthStatus(), ["auth", "status"]),
    (SendRequest("providers/list"), ["providers"]),
    (SendRequest("providers/set"), ["providers"]),
    (SendRequest("providers/disable"), ["providers"]),
    (
        Prompt("s", (ImageContent(mime_type="image/png", data=""),)),
        ["promptCapabilities", "image"],
    ),
    (
        Prompt("s", (*HI, AudioContent(mime_type="audio/wav", data=""))),
        ["promptCapabilities", "audio"],
    ),
    (
        Prompt("s", (EmbeddedResource(resource=TextResourceContents(uri="u", text="x")), *HI)),
        ["promptCapabilities", "embeddedContext"],
    ),
]


@pytest.mark.parametrize(("command", "path"), NEEDED, ids=path_id)
def test_without_its_capability(command, path):
    """Sections 19, 20: refused locally, `diag:capability-missing`; the text says which it is."""
    refusal = talk(agent=without(AGENT_CAN, path)).refused(command)
    assert refusal.code == "capability-missing"
    assert path[-1].lower() in str(refusal).replace("_", "").lower()


@pytest.mark.parametrize(("command", "path"), NEEDED, ids=path_id)
def test_with_its_capability(command, path):
    """Sections 19, 20: the same command, with all that there is."""
    assert path
    assert isinstance(talk().do(command)[0], Send)


@pytest.mark.parametrize(("command", "path"), NEEDED, ids=path_id)
def test_where_it_was_not_told_what_the_agent_can_do(command, path):
    """INIT-05, section 19: an empty answer to `initialize` advertises nothing."""
    assert path
    assert talk(agent={}).refused(command).code == "capability-missing"


@pytest.mark.parametrize(
    "command",
    [
        NewSession(cwd="/w"),
        NewSession(cwd="/w", mcp_servers=({"name": "x", "command": "/x", "args": [], "env": []},)),
        NewSession(cwd="/w", mcp_servers=({"type": "stdio", "name": "x"},)),
        Prompt("s", (*HI, ResourceLink(uri="u", name="n"))),
        SendRequest("_v/x"),
        SendNotification("_v/x"),
    ],
    ids=name,
)
def test_the_baseline_needs_no_capability(command):
    """Section 20, TURN-02, SESS-01: none; text and links always; stdio none."""
    assert isinstance(talk(agent={}).do(command)[0], Send)


def test_cancel_needs_no_capability():
    """Section 20: cancel (ordinary): baseline."""
    assert isinstance(running(agent={}).do(Cancel("s"))[0], Send)


def test_every_capability_of_the_method_table_is_tested():
    """Section 20: every row of the client's."""
    named = {
        row.capability for row in METHODS.values() if row.capability and "client" in row.senders
    }
    tested = {snake(path) for _, path in NEEDED}
    assert named <= tested
    assert set(PROMPT_NEEDS.values()) <= tested


def snake(path):
    joined = ".".join(path)
    return "".join(f"_{char.lower()}" if char.isupper() else char for char in joined)


def test_mcp_messages_need_their_capability():
    """Section 19: `providers/*`, `mcp/message` (notif.): `providers` / ACP MCP."""
    there = talk(agent=without(AGENT_CAN, ["mcpCapabilities", "acp"]))
    command = SendNotification("mcp/message", {"serverId": "x", "method": "ping"})
    assert refusal_of(there, command) == ("SESS-01", "capability-missing", None)
    agents = talk("agent", agent=without(AGENT_CAN, ["mcpCapabilities", "acp"]))
    message = notification("mcp/message", serverId="x", method="ping")
    assert agents.do(command)[0] == Send(message)


def test_mcp_messages_are_forwarded():
    """Section 19: forward."""
    told = talk().do(SendNotification("mcp/message", {"serverId": "x", "method": "ping"}))
    assert told[0].message["method"] == "mcp/message"


# SendRequest, SendNotification


@pytest.mark.parametrize("make", [SendRequest, SendNotification])
@pytest.mark.parametrize(
    "method", [each for each in METHODS if not each.startswith(("providers/", "mcp/"))]
)
def test_a_method_with_a_command_of_its_own(make, method):
    """EXT-02: what no command sends."""
    refusal = talk().refused(make(method))
    assert refusal.rule in ("EXT-02", "INIT-02")


OF_AGENTS = [
    ("fs/read_text_file", ["fs", "readTextFile"], {"sessionId": "s", "path": "/f"}),
    (
        "fs/write_text_file",
        ["fs", "writeTextFile"],
        {"sessionId": "s", "path": "/f", "content": ""},
    ),
    ("terminal/create", ["terminal"], {"sessionId": "s", "command": "ls"}),
    ("terminal/output", ["terminal"], {"sessionId": "s", "terminalId": "term"}),
    ("terminal/wait_for_exit", ["terminal"], {"sessionId": "s", "terminalId": "term"}),
    ("terminal/kill", ["terminal"], {"sessionId": "s", "terminalId": "term"}),
    ("terminal/release", ["terminal"], {"sessionId": "s", "terminalId": "term"}),
    ("elicitation/create", ["elicitation"], ask_form()["params"]),
]
"""What an agent asks for, for want of a command of its own, and what the client needs for it."""


@pytest.mark.parametrize(("method", "path", "params"), OF_AGENTS)
def test_what_an_agent_has_no_command_for(method, path, params):
    """EXT-02, section 20: it is sent as it is, if the client can do it."""
    there = talk("agent")
    assert there.do(SendRequest(method, params)) == (Send(request(0, method, **params)),)
    assert list(there.connection.agent_requests) == [("int", 0)]
    unable = talk("agent", client=without(CLIENT_CAN, path))
    assert refusal_of(unable, SendRequest(method, params)) == (
        "INIT-02",
        "capability-missing",
        None,
    )


@pytest.mark.parametrize("method", [method for method, _, _ in OF_AGENTS])
def test_what_an_agent_asks_is_not_asked_by_a_client(method):
    """EXT-02: sent by the other side."""
    refusal = talk().refused(SendRequest(method))
    assert (str(refusal), refusal.code) == (
        f"{method!r} is sent by the other side [EXT-02]",
        "refused",
    )


@pytest.mark.parametrize("can", [{}, {"url": {}}])
def test_a_form_needs_its_own_capability(can):
    """Section 20, ELIC-02: `elicitation: {}` advertises nothing."""
    there = talk("agent", client={**CLIENT_CAN, "elicitation": can})
    command = SendRequest("elicitation/create", ask_form()["params"])
    assert there.refused(command).code == "capability-missing"


def test_every_request_of_the_agents_can_be_sent():
    """Sections 18, 20: with `RequestPermission`, or by its name."""
    named = {name for name, row in METHODS.items() if row.kind == "request"}
    asked = {name for name in named if "agent" in METHODS[name].senders}
    assert {method for method, _, _ in OF_AGENTS} == asked - {"session/request_permission"}
    refusal = talk("agent").refused(SendRequest("session/request_permission"))
    assert str(refusal) == "'session/request_permission' has a command of its own [EXT-02]"


@pytest.mark.parametrize(
    ("method", "params"),
    [("elicitation/complete", {"elicitationId": "e"}), ("auth/status_update", {"state": "x"})],
)
def test_notifications_of_the_agents_that_have_no_command_are_sent(method, params):
    """Section 18, EXT-02: with `SendNotification`, and not with `SendRequest`."""
    there = talk("agent")
    assert there.do(SendNotification(method, params))[0] == Send(notification(method, **params))
    refusal = there.refused(SendRequest(method, params))
    what = f"{method!r} is a notification: pass SendNotification"
    assert str(refusal) == f"{what} [EXT-02]"


def test_a_request_is_no_notification():
    """RPC-01: it would have no id, and nobody would answer it."""
    refusal = talk("agent").refused(SendNotification("terminal/kill", {}))
    assert str(refusal) == "'terminal/kill' is a request: pass SendRequest [EXT-02]"


@pytest.mark.parametrize("side", SEATS)
def test_a_refusal_leaves_the_connection_as_it_is(side):
    """Contract 2: nothing has changed: the identical connection."""
    there = running(side)
    before, held = there.connection, repr(there.session)
    there.refused(Prompt("s", HI))
    there.refused(Cancel("x"))
    assert there.connection is before
    assert repr(there.session) == held


# One of each, in a word: the rule, the code, and what would be right


def authenticating():
    return connected(
        auth=[
            {"id": "a", "name": "A"},
            {"id": "t", "name": "T", "type": "terminal"},
            {"id": "o", "name": "O", "type": "_v/x"},
        ]
    )


def unspoken():
    return Talk(Connection())


def unsupported():
    there = unspoken()
    there.client(initialize())
    there.agent(result(0, {"protocolVersion": 2}))
    return there


def asking_url():
    there = talk()
    there.agent(ask_url(2))
    return there


def agents_running():
    return running("agent")


def asking():
    there = talk()
    there.agent(ask_permission(1), ask_form(2))
    return there


MISTAKES = [
    (connected, Initialize(), "INIT-01", "refused", "once"),
    (authenticating, Authenticate("x"), "AUTH-01", "refused", "there are: 'a', 't', 'o'"),
    (authenticating, Authenticate("t"), "AUTH-01", "refused", "terminal"),
    (connected, Authenticate("x"), "AUTH-01", "refused", "none"),
    (running, Prompt("s", HI), "TURN-03", "prompt-while-running", "while_running=True"),
    (talk, Prompt("x", HI), "TURN-01", "refused", "not known"),
    (talk, Cancel("s"), "CANCEL-01", "cancel-idle", "no turn runs"),
    (running, CancelRequest(9), "CANCEL-09", "refused", "outstanding"),
    (running, CancelRequest(1.5), "CANCEL-09", "refused", "outstanding"),
    (asking, AnswerPermission(1, "maybe"), "PERM-04", "refused", "['yes', 'no']"),
    (asking, AnswerPermission(9), "PERM-04", "refused", "waits"),
    (asking, AnswerElicitation(2, "decline", {"name": "Ada"}), "ELIC-03", "refused", "accept"),
    (asking, AnswerElicitation(9, "accept"), "ELIC-03", "refused", "waits"),
    (asking, Respond(9), "RPC-04", "refused", "waits"),
    (asking, RespondError(1.5, 1, "m"), "RPC-04", "refused", "waits"),
    (talk, SendRequest("session/list"), "EXT-02", "refused", "command of its own"),
    (talk, SendNotification("session/update"), "EXT-02", "refused", "sent by the other side"),
    (unspoken, Initialize(protocol_version=2), "INIT-01", "refused", "there are: [1]"),
    (unsupported, NewSession(cwd="/w"), "INIT-01", "refused", "version 2, which is not supported"),
    (authenticating, Authenticate("o"), "AUTH-01", "refused", "of type '_v/x', which is not known"),
    (asking, AnswerElicitation(2, "maybe"), "ELIC-03", "refused", "accept, decline, cancel"),
    (
        asking,
        AnswerElicitation(2, "accept", {"name": 5}),
        "ELIC-03",
        "refused",
        "5 does not fit 'name'",
    ),
    (asking_url, AnswerElicitation(2, "accept", {}), "ELIC-03", "refused", "a form alone"),
    (
        agents_running,
        EndTurn(request_id=2, stop_reason="tired"),
        "TURN-05",
        "refused",
        "there are: ('end_turn',",
    ),
]


@pytest.mark.parametrize(("where", "command", "rule", "code", "hint"), MISTAKES)
def test_a_mistake_is_told_with_what_would_be_right(where, command, rule, code, hint):
    """Style 6: what was seen, in which state, and what would have been legal."""
    refusal = where().refused(command)
    assert (refusal.rule, refusal.code) == (rule, code)
    assert hint in str(refusal)
    assert str(refusal).endswith(f"[{rule}]")


GIVEN = {type(command): command for command in (*CLIENTS, *AGENTS, *BOTHS)} | {
    AnswerElicitation: AnswerElicitation(2, "cancel"),
    SetConfigOption: SetConfigOption("s", "model", "big"),
}
FIELDS = [(cls, field.name) for cls in GIVEN for field in attrs.fields(cls)]


def where_it_is_allowed(cls):
    """A connection on which the command of that class in `GIVEN` can be sent, or nearly."""
    if cls in map(type, AGENTS):
        return agents_running()
    if cls is Initialize:
        return unspoken()
    return equipped() if cls is SetConfigOption else asking()


@pytest.mark.parametrize(("cls", "name"), FIELDS, ids=lambda each: getattr(each, "__name__", each))
def test_no_field_takes_anything(cls, name):
    """Design: a host's own mistake raises, where it is made or where it is folded."""
    there = where_it_is_allowed(cls)
    with pytest.raises(LocalProtocolError, match="object object at"):
        reduce(there.connection, attrs.evolve(GIVEN[cls], **{name: object()}))


ALLOWED = [
    (lambda: Talk(Connection()), Initialize()),
    (authenticating, Authenticate("a")),
    (equipped, SetMode("s", "ask")),
    (equipped, SetConfigOption("s", "model", "big")),
    (equipped, SetConfigOption("s", "web", value=True)),
    (talk, Prompt("s", HI)),
    (running, Prompt("s", HI, while_running=True)),
    (running, CancelRequest(2)),
    (asking, AnswerPermission(1, "yes")),
    (asking, AnswerElicitation(2, "accept", {"name": "Ada"})),
    (asking, AnswerElicitation(2, "accept")),
    (asking, AnswerElicitation(2, "decline")),
    (asking_url, AnswerElicitation(2, "accept")),
]


@pytest.mark.parametrize(("where", "command"), ALLOWED)
def test_what_is_right_is_sent(where, command):
    """Section 19: the same commands, where they are allowed."""
    assert isinstance(where().do(command)[0], Send)
