"""What our own side may send now (sections 19, 20): a breach is refused, and changes nothing."""

from __future__ import annotations

import pytest
from reduce.talk import (
    AGENT_CAN,
    CLIENT_CAN,
    SEATS,
    Noticed,
    Talk,
    ask_form,
    ask_permission,
    ask_url,
    call,
    cancel,
    child,
    connected,
    error,
    initialize,
    new_session,
    notification,
    prompt,
    request,
    result,
    running,
    stop,
    talk,
    update,
    with_child,
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
)
from acp_state.codec import encode
from acp_state.methods import METHODS
from acp_state.reduce.capabilities import NEEDS
from acp_state.reduce.session_gates import PROMPT_NEEDS
from acp_state.schema import (
    AgentMessageChunk,
    AudioContent,
    CompactionSummaryChunk,
    CompactionUpdate,
    ConfigOptionUpdate,
    EmbeddedResource,
    ImageContent,
    Notice,
    PlanRemoved,
    PlanUpdate,
    ResourceLink,
    SessionConfigBoolean,
    SessionMessage,
    SessionMessageChunk,
    SessionUpdate,
    SubagentUpdate,
    TextContent,
    TextResourceContents,
    ToolCallUpdate,
)

HI = (TextContent(text="Hi"),)
TEXT = {"type": "text", "text": "x"}

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


def name(command):
    return type(command).__name__


def refusal_of(there, command):
    """Rule, code and session of the refusal."""
    refusal = there.refused(command)
    return refusal.rule, refusal.code, refusal.session_id


def without(can, path):
    """The capabilities less one, which `path` names by its keys."""
    head, *tail = path
    if not tail:
        return {key: value for key, value in can.items() if key != head}
    return {**can, head: without(can[head], tail)}


# Sides


@pytest.mark.parametrize("command", CLIENTS, ids=name)
def test_a_command_of_the_clients_on_the_agents_side(command):
    """Design: the client's commands are the client's."""
    refusal = running("agent").refused(command)
    assert "client" in str(refusal)
    assert "agent" in str(refusal)


@pytest.mark.parametrize("command", AGENTS, ids=name)
def test_a_command_of_the_agents_on_the_clients_side(command):
    """Section 19: the agent's commands are the agent's."""
    refusal = running().refused(command)
    assert "client" in str(refusal)
    assert "agent" in str(refusal)


@pytest.mark.parametrize("command", [*CLIENTS, *AGENTS, *BOTHS], ids=name)
def test_an_observer_has_no_commands(command):
    """Design: an observer owes nobody a message, and has none to send."""
    refusal = running("observer").refused(command)
    assert "observer" in str(refusal)


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


def path_id(value):
    return ".".join(value) if isinstance(value, list) else name(value)


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


# SESS-01: paths


@pytest.mark.parametrize("path", ["w", "", "./w", "../w", "C:w", "~"])
@pytest.mark.parametrize("make", [NewSession, LoadSession, ResumeSession, ForkSession])
def test_paths_are_absolute(make, path):
    """SESS-01, SESS-02: `cwd` absolute, and the further roots."""
    more = {} if make is NewSession else {"session_id": "t"}
    there = talk()
    assert there.refused(make(cwd=path, **more)).rule == "SESS-01"
    refusal = there.refused(make(cwd="/w", additional_directories=("/a", path), **more))
    assert refusal.rule in ("SESS-01", "SESS-02")


@pytest.mark.parametrize("path", ["/", "/w", "C:\\w", "c:/w", "\\\\host\\share"])
def test_absolute_paths(path):
    """SESS-01: on POSIX and on Windows."""
    told = talk().do(NewSession(cwd=path, additional_directories=(path,)))
    assert told[0].message["params"]["cwd"] == path


# Loading and resuming: LOAD-15, LOAD-16


TAKE_UP = [LoadSession, ResumeSession]


@pytest.mark.parametrize("make", TAKE_UP)
def test_not_while_a_turn_runs(make):
    """LOAD-15: do not load/resume while a turn runs in that session."""
    told = refusal_of(running(), make(session_id="s", cwd="/w"))
    assert told == ("LOAD-15", "refused", "s")


@pytest.mark.parametrize("make", TAKE_UP)
@pytest.mark.parametrize(
    ("message", "answer"),
    [
        (request(3, "session/load", sessionId="s", cwd="/w", mcpServers=[]), None),
        (request(3, "session/resume", sessionId="s", cwd="/w"), None),
        (request(3, "session/close", sessionId="s"), None),
        (request(3, "session/delete", sessionId="s"), result(3)),
    ],
)
def test_not_while_it_is_on_its_way(make, message, answer):
    """15.5: known/unattached, closed, ready."""
    there = talk()
    there.client(message)
    if answer:
        there.agent(answer)
    assert there.refused(make(session_id="s", cwd="/w")).session_id == "s"


@pytest.mark.parametrize("make", TAKE_UP)
def test_the_working_directory_is_the_sessions(make):
    """LOAD-16: `cwd` in load/resume must equal the session's."""
    refusal = talk().refused(make(session_id="s", cwd="/other"))
    assert (refusal.rule, "'/w'" in str(refusal)) == ("LOAD-16", True)


@pytest.mark.parametrize("make", TAKE_UP)
def test_only_with_the_working_directory_that_the_list_tells(make):
    """LOAD-16, INFO-03: where the session is not held, what is known of it is the agent's list."""
    there = connected()
    there.client(request(1, "session/list"))
    there.agent(result(1, {"sessions": [{"sessionId": "t", "cwd": "/w"}]}))
    refusal = there.refused(make(session_id="t", cwd="/other"))
    assert (refusal.rule, "'/w'" in str(refusal)) == ("LOAD-16", True)
    assert isinstance(there.do(make(session_id="t", cwd="/w"))[0], Send)


@pytest.mark.parametrize("make", TAKE_UP)
def test_a_closed_session_is_taken_up(make):
    """15.5: closed."""
    there = talk()
    there.client(request(3, "session/close", sessionId="s"))
    there.agent(result(3))
    assert isinstance(there.do(make(session_id="s", cwd="/w"))[0], Send)


@pytest.mark.parametrize("make", TAKE_UP)
def test_a_session_whose_directory_is_not_known(make):
    """LOAD-16: nothing to equal."""
    there = connected()
    there.agent(call("t", "x"))
    assert isinstance(there.do(make(session_id="x", cwd="/any"))[0], Send)


# Children: SUB-08


MUTATIONS = [
    Prompt("child", HI),
    LoadSession(session_id="child", cwd="/w"),
    ResumeSession(session_id="child", cwd="/w"),
    ForkSession(session_id="child", cwd="/w"),
    CloseSession("child"),
    DeleteSession("child"),
    ArchiveSession("child"),
    UnarchiveSession("child"),
    SetTitle("child", "T"),
    SetMode("child", "m"),
    SetConfigOption("child", "o", "v"),
]


@pytest.mark.parametrize("command", MUTATIONS, ids=name)
def test_a_child_is_not_changed(command):
    """SUB-08, section 20: not grantable; `diag:child-mutation-refused`."""
    told = refusal_of(with_child(), command)
    assert told == ("SUB-08", "child-mutation-refused", "child")


@pytest.mark.parametrize("may", [True, False])
def test_a_child_is_cancelled_with_the_right_to(may):
    """SUB-08, CANCEL-01: `session/cancel` iff `cancel` is a non-null object."""
    there = with_child(may_cancel=may)
    if may:
        assert there.do(Cancel("child"))[0] == Send(cancel("child"))
    else:
        told = refusal_of(there, Cancel("child"))
        assert told == ("SUB-08", "child-mutation-refused", "child")


@pytest.mark.parametrize("rights", [None, {}, {"cancel": None}])
def test_a_right_that_was_taken_back(rights):
    """SUB-08: the last word of the agent's."""
    there = with_child()
    there.agent(child(capabilities=rights))
    assert there.refused(Cancel("child")).rule == "SUB-08"


@pytest.mark.parametrize(
    "message",
    [
        request(9, "session/load", sessionId="s", cwd="/w", mcpServers=[]),
        request(9, "session/resume", sessionId="s", cwd="/w"),
    ],
)
def test_no_right_while_the_parent_is_taken_up(message):
    """SUB-18, INV-08: mutations stay disabled until success."""
    there = with_child()
    there.agent(stop())
    there.client(message)
    assert there.refused(Cancel("child")).rule == "SUB-08"
    there.agent(child(capabilities={"cancel": {}}))
    assert there.refused(Cancel("child")).rule == "SUB-08"


def test_read_only_methods_keep_their_rules():
    """SUB-08: `session/status` of a child."""
    assert isinstance(with_child().do(GetSessionStatus("child"))[0], Send)


def test_a_child_of_an_unknown_parent():
    """SUB-08: no association, no right."""
    there = with_child()
    there.client(request(9, "session/load", sessionId="s", cwd="/w", mcpServers=[]))
    there.agent(error(9))
    assert there.refused(Cancel("child")).rule == "SUB-08"


# Modes and options


SETUP = {
    "sessionId": "s",
    "modes": {"currentModeId": "ask", "availableModes": [{"id": "ask", "name": "Ask"}]},
    "configOptions": [
        {
            "id": "model",
            "name": "Model",
            "type": "select",
            "currentValue": "big",
            "options": [{"value": "big", "name": "Big"}],
        },
        {"id": "web", "name": "Web", "type": "boolean", "currentValue": False},
    ],
}


def equipped():
    there = connected()
    there.client(new_session())
    there.agent(result(1, SETUP))
    return there


def test_a_mode_that_was_not_reported():
    """Section 19, MODE-02: modes reported; the text says which there are."""
    refusal = equipped().refused(SetMode("s", "code"))
    assert (refusal.rule, refusal.session_id, "'ask'" in str(refusal)) == ("MODE-02", "s", True)
    assert talk().refused(SetMode("s", "ask")).rule == "MODE-02"


@pytest.mark.parametrize(
    ("command", "text"),
    [
        (
            SetConfigOption("s", "unknown", "x"),
            "option 'unknown' was not reported; there are: 'model', 'web'",
        ),
        (
            SetConfigOption("s", "model", "small"),
            "'small' is no value of option 'model': there are: 'big'",
        ),
        (
            SetConfigOption("s", "model", value=True),
            "True is no value of option 'model': there are: 'big'",
        ),
        (
            SetConfigOption("s", "model", ["big"]),
            "['big'] is no value of option 'model': there are: 'big'",
        ),
        (
            SetConfigOption("s", "web", "true"),
            "'true' is no value of option 'web': it is True or False",
        ),
    ],
)
def test_an_option_or_value_that_was_not_reported(command, text):
    """Section 19, CFG-02, style 6: option reported, and one of its values; say which there are."""
    refusal = equipped().refused(command)
    assert str(refusal) == f"{text} [CFG-02]"
    assert (refusal.code, refusal.session_id) == ("refused", "s")


def test_options_of_a_session_without_any():
    """CFG-02."""
    refusal = talk().refused(SetConfigOption("s", "model", "big"))
    assert str(refusal) == "option 'model' was not reported; there are: none [CFG-02]"


def test_an_option_without_values():
    """CFG-02, LENIENT-04: it takes none."""
    there = talk()
    option = {"id": "o", "name": "O", "type": "select", "currentValue": "x", "options": []}
    there.agent(update("config_option_update", configOptions=[option]))
    refusal = there.refused(SetConfigOption("s", "o", "x"))
    assert str(refusal) == "'x' is no value of option 'o': there are: none [CFG-02]"


@pytest.mark.parametrize(
    "command", [SetMode("x", "ask"), SetConfigOption("x", "model", "big"), Cancel("x")], ids=name
)
def test_an_unknown_session(command):
    """TURN-01: say that it is not known."""
    told = refusal_of(equipped(), command)
    assert told == ("TURN-01", "refused", "x")


@pytest.mark.parametrize("command", [SetMode("s", "ask"), SetConfigOption("s", "model", "big")])
def test_a_session_that_is_not_ready(command):
    """TURN-01: session not ready."""
    there = equipped()
    there.client(request(3, "session/close", sessionId="s"))
    assert refusal_of(there, command) == ("TURN-01", "refused", "s")


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


# Requests of the peer's


def test_a_permission_request_is_answered_as_one():
    """PERM-04, RPC-04."""
    there = talk()
    there.agent(
        ask_permission(1), ask_form(2), request(3, "fs/read_text_file", sessionId="s", path="/f")
    )
    assert there.refused(AnswerPermission(2)).rule == "PERM-04"
    assert there.refused(AnswerPermission(3)).rule == "PERM-04"
    assert there.refused(AnswerElicitation(1, "cancel")).rule == "ELIC-03"
    assert there.refused(Respond(1)).rule == "PERM-04"
    assert there.refused(Respond(2)).rule in ("PERM-04", "ELIC-03")


def test_a_permission_request_of_a_session_that_has_gone():
    """PERM-04: nothing is known of what it offers."""
    there = talk()
    there.client(request(8, "session/load", sessionId="x", cwd="/w", mcpServers=[]))
    there.agent(ask_permission(1, session_id="x"), error(8))
    assert there.refused(AnswerPermission(1, "yes")).rule == "PERM-04"
    assert there.do(RespondError(1, -32603, "gone"))[0] == Send(error(1, -32603, "gone"))


def test_the_client_answers_the_agents_requests():
    """RPC-04: not its own."""
    there = running()
    assert there.refused(Respond(2)).rule == "RPC-04"
    agents = running("agent")
    agents.agent(request(7, "fs/read_text_file", sessionId="s", path="/f"))
    assert agents.refused(Respond(7)).rule == "RPC-04"
    assert agents.do(Respond(2, {"stopReason": "end_turn"}))[0] == Send(stop(2))


@pytest.mark.parametrize("request_id", [7, "2", None, True, 1.5])
def test_a_turn_that_does_not_run(request_id):
    """TURN-05: a prompt that waits for its answer."""
    there = running("agent")
    command = EndTurn(request_id=request_id, stop_reason="end_turn")
    assert there.refused(command).rule == "TURN-05"


def test_a_request_that_is_no_prompt():
    """TURN-05."""
    there = talk("agent")
    there.client(request(7, "session/list"))
    assert there.refused(EndTurn(request_id=7, stop_reason="end_turn")).rule == "TURN-05"


def test_a_turn_ends_once():
    """RPC-04."""
    there = running("agent")
    there.do(EndTurn(request_id=2, stop_reason="end_turn"))
    assert there.refused(EndTurn(request_id=2, stop_reason="end_turn")).rule == "TURN-05"


def test_an_agent_asks_in_a_session_that_it_has():
    """PERM-01."""
    command = RequestPermission(
        session_id="x", tool_call=ToolCallUpdate(tool_call_id="t"), options=()
    )
    assert refusal_of(talk("agent"), command)[0::2] == ("TURN-01", "x")


# Capabilities of the client, which gate what an agent reports


UPDATES = [
    (PlanRemoved(plan_id="p"), ["plan"]),
    (Notice(severity="info", title="T"), ["session", "notices"]),
    (CompactionUpdate(compaction_id="c", status="in_progress"), ["session", "compaction"]),
    (
        CompactionSummaryChunk(compaction_id="c", content=TextContent(text="x")),
        ["session", "compaction"],
    ),
    (SubagentUpdate(session_id="c"), ["subagents"]),
    (SessionMessage(message_id="m"), ["subagents"]),
    (SessionMessageChunk(message_id="m", content=TextContent(text="x")), ["subagents"]),
]


@pytest.mark.parametrize(("change", "path"), UPDATES, ids=path_id)
def test_an_update_without_its_capability(change, path):
    """Section 20, LENIENT-16: our own side does not send it."""
    there = talk("agent", client=without(CLIENT_CAN, path))
    rule, code, session_id = refusal_of(there, SendUpdate("s", change))
    assert (rule, code, session_id) == (NEEDS[type(change)][1], "capability-missing", "s")


@pytest.mark.parametrize(("change", "path"), UPDATES, ids=path_id)
def test_an_update_with_its_capability(change, path):
    """Section 20."""
    assert path
    assert isinstance(talk("agent").do(SendUpdate("s", change))[0], Send)


@pytest.mark.parametrize(("change", "path"), UPDATES, ids=path_id)
def test_the_json_of_an_update_is_held_to_the_same(change, path):
    """LOAD-14: what `materialize` tells is sent with the same check."""
    command = SendUpdate("s", encode(change, SessionUpdate))
    assert command == SendUpdate("s", change)
    assert isinstance(talk("agent").do(command)[0], Send)
    rule, code, _ = refusal_of(talk("agent", client=without(CLIENT_CAN, path)), command)
    assert (rule, code) == (NEEDS[type(change)][1], "capability-missing")


def test_every_update_that_needs_a_capability_is_tested():
    """Section 20: every row of the agent's updates."""
    assert {type(change) for change, _ in UPDATES} | {PlanUpdate} == set(NEEDS)


def test_a_boolean_option_without_its_capability():
    """Section 20: boolean config options."""
    there = talk("agent", client=without(CLIENT_CAN, ["session", "configOptions"]))
    option = SessionConfigBoolean(id="web", name="Web", current_value=True)
    command = SendUpdate("s", ConfigOptionUpdate(config_options=(option,)))
    assert refusal_of(there, command) == ("CFG-05", "capability-missing", None)
    assert isinstance(talk("agent").do(command)[0], Send)


# Prompts and cancels beside others


def test_a_prompt_after_the_session_closed():
    """TURN-01: say what the session is."""
    there = talk()
    there.client(request(3, "session/close", sessionId="s"))
    assert "closing" in str(there.refused(Prompt("s", HI)))


def test_a_session_that_is_not_ready_can_be_cancelled():
    """CANCEL-01: at any time during a turn; the turn of an observed prompt, too."""
    there = connected()
    there.client(prompt(2, session_id="x"))
    assert there.do(Cancel("x"))[0] == Send(cancel("x"))


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


@pytest.mark.parametrize(
    ("command", "text"),
    [
        (Prompt([], "Go"), "Prompt.session_id is []: pass a string"),
        (Cancel({}), "Cancel.session_id is {}: pass a string"),
        (Authenticate(None), "Authenticate.method_id is None: pass a string"),
        (SetMode("s", 5), "SetMode.mode_id is 5: pass a string"),
        (NewSession(cwd=b"/w"), "NewSession.cwd is b'/w': pass a string"),
        (ListSessions(cursor=5), "ListSessions.cursor is 5: pass a string or None"),
        (SendRequest(5), "SendRequest.method is 5: pass a string"),
        (SendNotification(None), "SendNotification.method is None: pass a string"),
        (AnswerPermission(1, []), "AnswerPermission.option_id is []: pass a string or None"),
        (RespondError(1, -32603, None), "RespondError.message is None: pass a string"),
    ],
)
def test_what_should_be_a_string_is_one(command, text):
    """RPC-01: the message would be none that the protocol has."""
    assert str(asking().refused(command)) == f"{text} [RPC-01]"


def test_additional_directories_are_strings():
    """SESS-02."""
    command = NewSession(cwd="/w", additional_directories=(5,))
    assert str(talk().refused(command)) == "5 is relative: paths are absolute [SESS-01]"


def test_questions_are_something_to_cancel():
    """CANCEL-01: nothing is pending in the session: permission requests and elicitations."""
    for ask in (ask_permission(), ask_form()):
        there = talk()
        there.agent(ask)
        assert there.do(Cancel("s"))[0] == Send(cancel())
    there = with_child()
    there.agent(stop())
    assert there.do(Cancel("s"))[0] == Send(cancel())


# The peer's updates: not refused, applied and told (LENIENT-16)


@pytest.mark.parametrize(
    ("message", "path", "rule"),
    [
        (("plan_removed", {"planId": "p"}), ["plan"], "PLAN-02"),
        (("notice", {"severity": "info", "title": "T"}), ["session", "notices"], "NOTICE-01"),
        (
            ("compaction_update", {"compactionId": "c", "status": "in_progress"}),
            ["session", "compaction"],
            "CMP-01",
        ),
        (
            ("compaction_summary_chunk", {"compactionId": "c", "content": TEXT}),
            ["session", "compaction"],
            "CMP-01",
        ),
        (("subagent_update", {"sessionId": "c"}), ["subagents"], "SUB-01"),
        (("session_message", {"messageId": "m"}), ["subagents"], "SMSG-01"),
        (
            ("session_message_chunk", {"messageId": "m", "content": TEXT}),
            ["subagents"],
            "SMSG-01",
        ),
    ],
)
def test_a_peers_update_without_its_capability(message, path, rule):
    """LENIENT-16, section 20: still applied, `diag:capability-violation`."""
    tag, fields = message
    held, there = talk(), talk(client=without(CLIENT_CAN, path))
    plain = held.agent(update(tag, **fields))
    told = there.agent(update(tag, **fields))
    violation = Noticed("capability-violation", "s", rule=rule)
    assert violation in told
    assert violation not in plain
    assert len(told) == len(plain) + 1
    assert tuple(there.session.timeline) == tuple(held.session.timeline)


def test_other_updates_are_the_baseline():
    """Section 20: all other updates: none."""
    there = talk(client={})
    assert there.agent(call("t"), update("plan", entries=[])) == ()


def test_a_log_that_begins_later_violates_nothing():
    """INIT-05: what was not told is held against nobody."""
    there = Talk(Connection())
    there.agent(call("t"))
    told = there.agent(update("plan_removed", planId="p"))
    assert told == (Noticed("unknown-plan", "s"),)


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
