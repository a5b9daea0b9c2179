"""Which message does what: every row of sections 18 and 19, and every gate of section 20."""

from __future__ import annotations

import pytest
from reduce.talk import (
    CANCELLED,
    CLIENT_CAN,
    SEATS,
    Noticed,
    Refuses,
    ask_form,
    ask_permission,
    ask_url,
    call,
    cancel,
    cancel_request,
    connected,
    error,
    initialize,
    initialized,
    new_session,
    notification,
    prompt,
    request,
    result,
    running,
    selected,
    stop,
    talk,
)

from acp_state import (
    AskElicitation,
    AskPermission,
    Diagnose,
    ElicitationCompleted,
    HandleExtension,
    HandleRequest,
    ReadTextFile,
    Respond,
    Send,
    Terminal,
)
from acp_state.methods import METHODS
from acp_state.reduce.client_work import WORK
from acp_state.reduce.effects import NOTIFICATIONS, REQUESTS, RESPONSES

OTHER = {"client": "agent", "agent": "client"}

TEXT = {"type": "text", "text": "x"}


# The tables


@pytest.mark.parametrize(("sender", "method"), NOTIFICATIONS)
def test_every_notification_is_one_of_the_protocol(sender, method):
    """Sections 18, 19: the method table knows it, from that sender."""
    assert METHODS[method].kind == "notification"
    assert sender in METHODS[method].senders


@pytest.mark.parametrize(("sender", "method"), REQUESTS)
def test_every_request_is_one_of_the_protocol(sender, method):
    """Sections 18, 19."""
    assert METHODS[method].kind == "request"
    assert sender in METHODS[method].senders


@pytest.mark.parametrize(("sender", "method"), RESPONSES)
def test_every_response_is_to_a_request_of_the_other_side(sender, method):
    """Sections 18, 19: a row is by who answers."""
    assert METHODS[method].kind == "request"
    assert OTHER[sender] in METHODS[method].senders


def test_every_notification_has_an_effect():
    """Sections 18, 19: no row, no effect; of the notifications each has one."""
    named = {
        (sender, name)
        for name, row in METHODS.items()
        if row.kind == "notification" and not name.startswith("mcp/")
        for sender in row.senders
    }
    assert set(NOTIFICATIONS) == named


def test_every_request_of_the_agent_has_an_effect():
    """Section 18."""
    named = {
        name
        for name, row in METHODS.items()
        if row.kind == "request" and "agent" in row.senders and not name.startswith("mcp/")
    }
    assert {name for sender, name in REQUESTS if sender == "agent"} == named
    assert set(WORK) == named - {"session/request_permission", "elicitation/create"}


def test_what_changes_the_model_when_the_client_asks():
    """Section 19, "On send"."""
    assert {name for sender, name in REQUESTS if sender == "client"} == {
        "initialize",
        "session/load",
        "session/resume",
        "session/close",
        "session/archive",
        "session/prompt",
    }


def test_what_changes_nothing_when_it_succeeds():
    """Section 19, "On success": none, a snapshot for the host, or forwarded."""
    asked = {name for name, row in METHODS.items() if row.kind == "request"}
    asked = {name for name in asked if "client" in METHODS[name].senders}
    quiet = asked - {name for sender, name in RESPONSES if sender == "agent"}
    assert {name for name in quiet if not name.startswith("mcp/")} == {
        "logout",
        "session/status",
        "providers/list",
        "providers/set",
        "providers/disable",
    }


# Section 18, row by row: agent to client


def with_terminal():
    there = talk(extension_methods=frozenset({"_v/x"}))
    there.agent(request(6, "terminal/create", sessionId="s", command="ls"))
    there.client(result(6, {"terminalId": "term"}))
    return there


TERMINAL = {"sessionId": "s", "terminalId": "term"}

AGENT_REQUESTS = {
    "session/request_permission": (ask_permission(7), AskPermission, selected(7)["result"]),
    "elicitation/create": (ask_form(7), AskElicitation, {"action": "decline"}),
    "fs/read_text_file": (
        request(7, "fs/read_text_file", sessionId="s", path="/f"),
        None,
        {"content": "x"},
    ),
    "fs/write_text_file": (
        request(7, "fs/write_text_file", sessionId="s", path="/f", content=""),
        None,
        {},
    ),
    "terminal/create": (
        request(7, "terminal/create", sessionId="s", command="ls"),
        None,
        {"terminalId": "new"},
    ),
    "terminal/output": (
        request(7, "terminal/output", **TERMINAL),
        None,
        {"output": "", "truncated": False},
    ),
    "terminal/wait_for_exit": (
        request(7, "terminal/wait_for_exit", **TERMINAL),
        None,
        {"exitCode": 0},
    ),
    "terminal/kill": (request(7, "terminal/kill", **TERMINAL), None, {}),
    "terminal/release": (request(7, "terminal/release", **TERMINAL), None, {}),
    "_v/x": (request(7, "_v/x"), HandleExtension, {"any": 1}),
}


@pytest.mark.parametrize("method", AGENT_REQUESTS)
def test_a_request_of_the_agents_is_told_once_and_answered_once(method):
    """Section 18, RPC-04: the host is asked, and its answer goes out; then it is over."""
    there = with_terminal()
    message, intent, answer = AGENT_REQUESTS[method]
    [told] = there.agent(message)
    assert isinstance(told, intent or WORK[method])
    assert list(there.connection.agent_requests) == [("int", 7)]
    assert there.client(result(7, answer)) == ()
    assert there.connection.agent_requests == {}


@pytest.mark.parametrize("method", AGENT_REQUESTS)
def test_an_error_answers_it_too(method):
    """Section 18: -32602, -32800 and others, as the host says."""
    there = with_terminal()
    there.agent(AGENT_REQUESTS[method][0])
    assert there.client(error(7, -32800)) == ()
    assert there.connection.agent_requests == {}


@pytest.mark.parametrize("method", AGENT_REQUESTS)
def test_it_is_answered_when_the_agent_takes_it_back(method):
    """Section 18, CANCEL-10."""
    there = with_terminal()
    there.agent(AGENT_REQUESTS[method][0])
    told = there.agent(cancel_request(7))
    answers = {
        "session/request_permission": Send(result(7, CANCELLED)),
        "elicitation/create": Send(result(7, {"action": "cancel"})),
    }
    assert told[-1] == answers.get(method, Refuses(7, -32800))
    assert len(told) == 2


@pytest.mark.parametrize("method", [each for each in AGENT_REQUESTS if each != "_v/x"])
def test_malformed_parameters(method):
    """Section 18: -32602."""
    there = with_terminal()
    assert there.agent(request(7, method))[-1] == Refuses(7, -32602)


def test_every_request_of_the_agent_is_tested():
    """Section 18."""
    named = {name for name, row in METHODS.items() if "agent" in row.senders}
    named = {name for name in named if METHODS[name].kind == "request"}
    assert set(AGENT_REQUESTS) - {"_v/x"} == {n for n in named if not n.startswith("mcp/")}


def test_session_update():
    """Section 18: sections 4 to 13; no reply."""
    there = talk()
    assert there.agent(call("t")) == ()
    assert list(there.session.tool_calls) == ["t"]


def test_elicitation_complete():
    """Section 18, ELIC-04: no reply."""
    there = talk()
    there.agent(ask_url(7))
    there.client(result(7, {"action": "accept"}))
    told = there.agent(notification("elicitation/complete", elicitationId="e"))
    assert [type(each) for each in told] == [ElicitationCompleted]


def test_auth_status_update():
    """Section 18, AUTH-03: no reply."""
    there = talk()
    assert there.agent(notification("auth/status_update", state="authenticated")) == ()
    assert there.connection.authentication.state == "authenticated"


def test_terminal_create_makes_a_terminal():
    """Section 18, REQ-03."""
    assert with_terminal().session.terminals == {"term": Terminal(terminal_id="term")}


@pytest.mark.parametrize("kind", ["request", "notification"])
def test_vendor_methods(kind):
    """Section 18: none (forward); host result or -32601 / none."""
    named, other = with_terminal(), talk()
    message = request(7, "_v/x", a=1) if kind == "request" else notification("_v/x", a=1)
    [told] = named.agent(message)
    assert (type(told), told.params) == (HandleExtension, {"a": 1})
    refusal = (Refuses(7, -32601),) if kind == "request" else (Noticed("unknown-notification"),)
    assert other.agent(message) == refusal


@pytest.mark.parametrize("kind", ["request", "notification"])
def test_anything_else(kind):
    """Section 18: -32601 / none."""
    there = talk()
    before = there.connection.sessions
    message = request(7, "what") if kind == "request" else notification("what")
    refusal = (Refuses(7, -32601),) if kind == "request" else (Noticed("unknown-notification"),)
    assert there.agent(message) == refusal
    assert there.connection.sessions is before


ACP_SERVER = {"type": "acp", "name": "mine", "serverId": "m"}
MCP = {"serverId": "m", "requestId": 1, "method": "tools/list"}


@pytest.mark.parametrize("servers", [[], [{"name": "x", "command": "/x", "args": [], "env": []}]])
def test_mcp_message_where_no_server_is_offered(servers):
    """Section 18: -32601 if no ACP-transport server is offered."""
    there = connected()
    there.client(new_session(1, mcpServers=servers))
    there.agent(result(1, {"sessionId": "s"}))
    assert there.agent(request(7, "mcp/message", **MCP)) == (Refuses(7, -32601),)


def test_mcp_message_to_a_server_that_is_offered():
    """Section 18: forward to the host, which answers."""
    there = connected()
    there.client(new_session(1, mcpServers=[ACP_SERVER]))
    there.agent(result(1, {"sessionId": "s"}))
    told = there.agent(request(7, "mcp/message", **MCP))
    assert told == (
        HandleExtension(request_id=7, method="mcp/message", params=MCP, is_request=True),
    )
    assert there.do(Respond(7, {"tools": []})) == (Send(result(7, {"tools": []})),)


def test_a_host_can_name_mcp_message_as_its_own():
    """Section 18, EXT-02: a host that handles it is asked to."""
    there = talk(extension_methods=frozenset({"mcp/message"}))
    told = there.agent(request(7, "mcp/message", **MCP))
    assert [each for each in told if isinstance(each, (Send, Diagnose))] == []
    assert len(told) == 1


# Section 20: the client's gates on what the agent asks


CLIENT_GATES = {
    "fs/read_text_file": ("fs", "readTextFile"),
    "fs/write_text_file": ("fs", "writeTextFile"),
    **{name: ("terminal",) for name in WORK if name.startswith("terminal/")},
}


def without(can, path):
    head, *tail = path
    if not tail:
        return {key: value for key, value in can.items() if key != head}
    return {**can, head: without(can[head], tail)}


@pytest.mark.parametrize("method", CLIENT_GATES)
def test_without_its_capability(method):
    """Section 20, REQ-01: -32601."""
    there = talk(client=without(CLIENT_CAN, CLIENT_GATES[method]))
    assert there.agent(AGENT_REQUESTS[method][0]) == (Refuses(7, -32601),)


@pytest.mark.parametrize(("ask", "mode"), [(ask_form(7), "form"), (ask_url(7), "url")])
def test_a_mode_of_elicitation_without_its_capability(ask, mode):
    """Section 20, ELIC-02: -32602; object each."""
    there = talk(client=without(CLIENT_CAN, ("elicitation", mode)))
    assert there.agent(ask)[-1] == Refuses(7, -32602)


def test_the_baseline_of_the_agent():
    """Section 20: other updates, `session/request_permission`, `$/cancel_request`: none."""
    there = talk(client={})
    assert there.agent(call("t")) == ()
    assert isinstance(there.agent(ask_permission(7))[-1], AskPermission)
    assert there.agent(cancel_request(7))[-1] == Send(result(7, CANCELLED))


def test_every_gate_of_the_method_table_is_tested():
    """Section 20: every row of the client's."""
    gated = {
        name
        for name, row in METHODS.items()
        if row.capability and "agent" in row.senders and not name.startswith("mcp/")
    }
    assert gated == {*CLIENT_GATES, "elicitation/create"}


# Section 19, row by row: the agent's host is asked, nobody else


CLIENT_REQUESTS = {
    "initialize": {"protocolVersion": 1},
    "authenticate": {"methodId": "m"},
    "logout": {},
    "auth/status": {},
    "session/new": {"cwd": "/w", "mcpServers": []},
    "session/load": {"sessionId": "s", "cwd": "/w", "mcpServers": []},
    "session/resume": {"sessionId": "s", "cwd": "/w"},
    "session/fork": {"sessionId": "s", "cwd": "/w"},
    "session/list": {},
    "session/delete": {"sessionId": "s"},
    "session/archive": {"sessionId": "s"},
    "session/unarchive": {"sessionId": "s"},
    "session/status": {"sessionId": "s"},
    "session/set_title": {"sessionId": "s", "title": "T"},
    "session/close": {"sessionId": "s"},
    "session/set_mode": {"sessionId": "s", "modeId": "m"},
    "session/set_config_option": {"sessionId": "s", "configId": "o", "value": "v"},
    "session/prompt": {"sessionId": "s", "prompt": [TEXT]},
    "providers/list": {},
    "providers/set": {},
    "providers/disable": {},
}


@pytest.mark.parametrize("method", CLIENT_REQUESTS)
@pytest.mark.parametrize("side", SEATS)
def test_a_request_of_the_clients_is_for_the_agents_host(side, method):
    """Section 19, design: our side decides which intents are ours."""
    there = talk(side)
    told = there.client(request(7, method, **CLIENT_REQUESTS[method]))
    asked = HandleRequest(request_id=7, method=method, params=CLIENT_REQUESTS[method])
    assert told == ((asked,) if side == "agent" else ())
    assert ("int", 7) in there.connection.client_requests


@pytest.mark.parametrize("method", CLIENT_REQUESTS)
@pytest.mark.parametrize("code", [-32603, -32002])
def test_an_error_settles_it(method, code):
    """Section 19, "On error": for every method; nothing stays outstanding."""
    for side in SEATS:
        there = talk(side)
        there.client(request(7, method, **CLIENT_REQUESTS[method]))
        there.agent(error(7, code))
        assert there.connection.client_requests == {}


def test_every_request_of_the_client_is_tested():
    """Section 19."""
    named = {name for name, row in METHODS.items() if "client" in row.senders}
    named = {name for name in named if METHODS[name].kind == "request"}
    assert set(CLIENT_REQUESTS) == {name for name in named if not name.startswith("mcp/")}


def test_the_notifications_of_the_client():
    """Section 19: `session/cancel`, `$/cancel_request`; the rest is forwarded or unknown."""
    there = running()
    there.client(cancel())
    assert there.session.is_cancelling
    there.client(cancel_request(2))
    assert there.connection.client_requests["int", 2].cancel_requested


def test_a_conversation_touches_every_kind():
    """Sections 18, 19: from the handshake to the end of a turn, nothing is diagnosed."""
    there = connected("observer")
    told = there.client(new_session())
    told += there.agent(result(1, {"sessionId": "s"}))
    told += there.client(prompt())
    told += there.agent(call("t"), ask_permission(7))
    told += there.client(selected(7))
    told += there.agent(request(8, "fs/read_text_file", sessionId="s", path="/f"))
    told += there.client(result(8, {"content": "x"}))
    told += there.agent(
        notification(
            "session/update",
            sessionId="s",
            update={"sessionUpdate": "tool_call_update", "toolCallId": "t", "status": "completed"},
        ),
        stop(),
    )
    assert [each for each in told if isinstance(each, Diagnose)] == []
    assert there.connection.client_requests == there.connection.agent_requests == {}
    assert ReadTextFile not in [type(each) for each in told]


def test_a_handshake_alone():
    """15.6."""
    there = connected("observer")
    assert there.client(initialize(9)) == ()
    assert [type(each) for each in there.agent(initialized(9))] == []
