"""Files and terminals: what an agent asks of the client's host (14.5)."""

from __future__ import annotations

import attrs
import pytest
from reduce.talk import (
    CLIENT_CAN,
    SEATS,
    AnyError,
    Noticed,
    Refuses,
    Talk,
    call,
    connected,
    error,
    request,
    result,
    says,
    talk,
    with_child,
)

from acp_state import (
    AwaitTerminal,
    Connection,
    CreateTerminal,
    Disconnected,
    HandleExtension,
    KillTerminal,
    ReadTerminal,
    ReadTextFile,
    ReleaseTerminal,
    RequestAnswered,
    RequestFailed,
    Respond,
    RespondError,
    Send,
    Terminal,
    WorkWithdrawn,
    WriteTextFile,
)
from acp_state.model import PendingRequest
from acp_state.schema import (
    CreateTerminalRequest,
    EnvVariable,
    KillTerminalRequest,
    ReadTextFileRequest,
    ReleaseTerminalRequest,
    TerminalOutputRequest,
    WaitForTerminalExitRequest,
    WriteTextFileRequest,
)
from acp_state.schema import Terminal as TerminalContent

FROM_ALL_SEATS = pytest.mark.parametrize("side", SEATS)

FILE = {"sessionId": "s", "path": "/f"}
TERMINAL = {"sessionId": "s", "terminalId": "term"}

WORK = {
    "fs/read_text_file": (
        {**FILE, "line": 1, "limit": 10},
        ReadTextFile(7, ReadTextFileRequest(session_id="s", path="/f", line=1, limit=10)),
        {"content": "x"},
    ),
    "fs/write_text_file": (
        {**FILE, "content": "x"},
        WriteTextFile(7, WriteTextFileRequest(session_id="s", path="/f", content="x")),
        {},
    ),
    "terminal/create": (
        {
            "sessionId": "s",
            "command": "ls",
            "args": ["-l"],
            "env": [{"name": "A", "value": "1"}],
            "cwd": "/w",
            "outputByteLimit": 9,
        },
        CreateTerminal(
            7,
            CreateTerminalRequest(
                session_id="s",
                command="ls",
                args=("-l",),
                env=(EnvVariable(name="A", value="1"),),
                cwd="/w",
                output_byte_limit=9,
            ),
        ),
        {"terminalId": "term"},
    ),
    "terminal/output": (
        TERMINAL,
        ReadTerminal(7, TerminalOutputRequest(session_id="s", terminal_id="term")),
        {"output": "x", "truncated": False},
    ),
    "terminal/wait_for_exit": (
        TERMINAL,
        AwaitTerminal(7, WaitForTerminalExitRequest(session_id="s", terminal_id="term")),
        {"exitCode": 0, "signal": None},
    ),
    "terminal/kill": (
        TERMINAL,
        KillTerminal(7, KillTerminalRequest(session_id="s", terminal_id="term")),
        {},
    ),
    "terminal/release": (
        TERMINAL,
        ReleaseTerminal(7, ReleaseTerminalRequest(session_id="s", terminal_id="term")),
        {},
    ),
}
"""Each method, its parameters, what the host is told, and an answer."""

METHODS = pytest.mark.parametrize("method", WORK)
OF_TERMINALS = pytest.mark.parametrize(
    "method", [name for name in WORK if name.startswith("terminal/") and name != "terminal/create"]
)

CAPABILITIES = {
    "fs/read_text_file": {"fs": {"readTextFile": True}},
    "fs/write_text_file": {"fs": {"writeTextFile": True}},
    **{name: {"terminal": True} for name in WORK if name.startswith("terminal/")},
}


def with_terminal(side="client", **options):
    """A session in which the client made the terminal ``term``."""
    there = talk(side, **options)
    there.agent(request(6, "terminal/create", sessionId="s", command="ls"))
    there.client(result(6, {"terminalId": "term"}))
    return there


def ask(method, request_id=7, **params):
    return request(request_id, method, **{**WORK[method][0], **params})


def terminal(there, session_id="s"):
    return there.connection.sessions[session_id].terminals["term"]


# REQ-02: forwarded


@FROM_ALL_SEATS
@METHODS
def test_work_is_handed_to_the_clients_host(side, method):
    """REQ-02: tracked as pending host work (id, method, session, params), and forwarded."""
    there = with_terminal(side)
    before = there.connection
    params, told, _ = WORK[method]
    assert there.agent(ask(method)) == ((told,) if side == "client" else ())
    pending = PendingRequest(request_id=7, method=method, params=params, session_id="s")
    assert there.connection.agent_requests == {("int", 7): pending}
    assert there.connection.sessions is before.sessions


@METHODS
def test_what_is_malformed_and_optional_is_told(method):
    """LENIENT-02: it counts as absent, and that is diagnosed, also where the work is refused."""
    there = with_terminal()
    told = there.agent(ask(method, _meta=5))
    assert told == (Noticed("field-defaulted", "s", path="_meta"), WORK[method][1])
    told = there.agent(ask(method, 8, _meta=5, sessionId="gone"))
    assert told == (
        Noticed("field-defaulted", "gone", path="_meta"),
        Refuses(8, -32002, {"sessionId": "gone"}),
    )


@FROM_ALL_SEATS
@METHODS
def test_the_answer_is_told_to_the_agents_host(side, method):
    """REQ-02: results are supplied by the host and turned into response intents."""
    there = with_terminal(side)
    there.agent(ask(method))
    answer = WORK[method][2]
    told = there.client(result(7, answer))
    answered = RequestAnswered(request_id=7, method=method, result=answer, session_id="s")
    assert told == ((answered,) if side == "agent" else ())
    assert there.connection.agent_requests == {}


@METHODS
def test_the_command_sends_and_does_what_the_message_does(method):
    """REQ-02: one code path."""
    there, seen = with_terminal(), with_terminal()
    for each in (there, seen):
        each.agent(ask(method))
    message = result(7, WORK[method][2])
    assert there.do(Respond(7, WORK[method][2])) == (Send(message), *seen.client(message))
    assert there.connection == seen.connection


@METHODS
@pytest.mark.parametrize("code", [-32603, -32602, -32002, -32800])
def test_the_host_answers_with_an_error(method, code):
    """Section 18: -32602, -32002, -32800, -32603; nothing of it changes the session."""
    there = with_terminal()
    before = there.session
    there.agent(ask(method))
    told = there.do(RespondError(7, code, "no", {"a": 1}))
    assert told == (Send(error(7, code, "no", data={"a": 1})),)
    assert there.session == before
    assert there.connection.agent_requests == {}


@METHODS
@FROM_ALL_SEATS
def test_the_agents_host_is_told_of_an_error(method, side):
    """Section 18."""
    there = with_terminal(side)
    there.agent(ask(method))
    told = there.client(error(7))
    failed = RequestFailed(request_id=7, method=method, error=AnyError(-32603), session_id="s")
    assert told == ((failed,) if side == "agent" else ())


# REQ-01: capabilities


@METHODS
def test_without_its_capability(method):
    """REQ-01: -32601; each needs its own."""
    others = {
        key: value
        for key, value in {**CLIENT_CAN, "fs": {}}.items()
        if key not in CAPABILITIES[method]
    }
    there = talk(client=others)
    before = there.connection
    assert there.agent(ask(method)) == (Refuses(7, -32601),)
    assert there.connection.sessions is before.sessions
    assert there.connection.agent_requests == {}


@METHODS
def test_with_its_capability_alone(method):
    """REQ-01, section 20."""
    there = talk(client=CAPABILITIES[method])
    told = there.agent(ask(method))
    if "terminalId" in WORK[method][0]:
        assert told == (Refuses(7, -32002, {"terminalId": "term"}),)
    else:
        assert told == (WORK[method][1],)


@pytest.mark.parametrize("value", [False, None, 1, "true", {}])
@METHODS
def test_only_a_literal_true_is_a_capability(method, value):
    """INIT-02: only literal `true` for boolean ones."""
    can = {"fs": {"readTextFile": value, "writeTextFile": value}, "terminal": value}
    there = talk(client=can)
    assert there.agent(ask(method)) == (Refuses(7, -32601),)


@METHODS
def test_the_capability_is_asked_for_first(method):
    """REQ-01: whatever the parameters are, the method is not there."""
    there = talk(client={})
    assert there.agent(request(7, method)) == (Refuses(7, -32601),)


# REQ-04: unknown sessions and terminals


@METHODS
def test_an_unknown_session(method):
    """REQ-04: -32002 with `data.sessionId`; no session is made (15.5)."""
    there = with_terminal()
    before = there.connection
    told = there.agent(ask(method, sessionId="x"))
    assert told == (Refuses(7, -32002, {"sessionId": "x"}),)
    assert there.connection.sessions is before.sessions
    assert there.connection.agent_requests == {}


@METHODS
def test_a_child_is_known(method):
    """REQ-04: children count as known."""
    there = with_child()
    there.agent(request(6, "terminal/create", sessionId="child", command="ls"))
    there.client(result(6, {"terminalId": "term"}))
    [told] = there.agent(ask(method, sessionId="child"))
    assert told.request.session_id == "child"


@OF_TERMINALS
def test_an_unknown_terminal(method):
    """REQ-04, REQ-03: -32002."""
    there = talk()
    told = there.agent(ask(method))
    assert told == (Refuses(7, -32002, {"terminalId": "term"}),)


@OF_TERMINALS
def test_another_sessions_terminal(method):
    """REQ-03: the result registers the id in that session."""
    there = with_terminal()
    there.client(request(3, "session/new", cwd="/w", mcpServers=[]))
    there.agent(result(3, {"sessionId": "t"}))
    told = there.agent(ask(method, sessionId="t"))
    assert told == (Refuses(7, -32002, {"terminalId": "term"}),)


def test_a_provisional_session_is_known():
    """15.5: what comes for it is kept."""
    there = connected()
    there.agent(says("early", "x"))
    [told] = there.agent(ask("fs/read_text_file", sessionId="x"))
    assert isinstance(told, ReadTextFile)


# REQ-03: terminals


@FROM_ALL_SEATS
def test_a_terminal_is_made(side):
    """REQ-03: `terminal/create` result registers the id in that session."""
    there = with_terminal(side)
    assert there.session.terminals == {"term": Terminal(terminal_id="term")}


@pytest.mark.parametrize("answer", [error(6), result(6, {}), result(6, {"terminalId": 5})])
def test_a_terminal_that_is_not_made(answer):
    """REQ-03, LENIENT-05: an error, or a malformed result, which counts as one."""
    there = talk()
    there.agent(request(6, "terminal/create", sessionId="s", command="ls"))
    told = there.client(answer)
    assert there.session.terminals == {}
    assert told == (() if "error" in answer else (Noticed("bad-response", "s"),))


@pytest.mark.parametrize(
    ("answer", "facts"),
    [
        ({"output": "x", "truncated": False}, {"output": "x"}),
        ({"output": "", "truncated": True}, {"output": "", "truncated": True}),
        ({"output": "x", "truncated": False, "exitStatus": None}, {"output": "x"}),
        (
            {"output": "x", "truncated": False, "exitStatus": {"exitCode": 3}},
            {"output": "x", "exited": True, "exit_code": 3},
        ),
        (
            {"output": "x", "truncated": False, "exitStatus": {"signal": "SIGTERM"}},
            {"output": "x", "exited": True, "signal": "SIGTERM"},
        ),
        (
            {"output": "x", "truncated": False, "exitStatus": {}},
            {"output": "x", "exited": True},
        ),
    ],
)
def test_the_output_of_a_terminal(answer, facts):
    """REQ-03, TOOL-11: the last output, and the exit status if there is one."""
    there = with_terminal()
    there.agent(ask("terminal/output"))
    there.client(result(7, answer))
    assert terminal(there) == Terminal(terminal_id="term", **facts)


def test_later_output_replaces_earlier_output():
    """REQ-03: each time the output so far."""
    there = with_terminal()
    for output in ("a", "ab"):
        there.agent(ask("terminal/output"))
        there.client(result(7, {"output": output, "truncated": False}))
    assert terminal(there) == Terminal(terminal_id="term", output="ab")


@pytest.mark.parametrize(
    ("answer", "facts"),
    [
        ({"exitCode": 0}, {"exit_code": 0}),
        ({"exitCode": None, "signal": "SIGKILL"}, {"signal": "SIGKILL"}),
        ({}, {}),
        (None, {}),
        ({"exitCode": 2, "signal": None}, {"exit_code": 2}),
    ],
)
def test_the_end_of_a_command(answer, facts):
    """REQ-03: how it ended."""
    there = with_terminal()
    there.agent(ask("terminal/wait_for_exit"))
    there.client({"jsonrpc": "2.0", "id": 7, "result": answer})
    assert terminal(there) == Terminal(terminal_id="term", exited=True, **facts)


@OF_TERMINALS
def test_an_error_changes_no_terminal(method):
    """REQ-03."""
    there = with_terminal()
    before = there.session
    there.agent(ask(method))
    there.client(error(7))
    assert there.session == before


@OF_TERMINALS
def test_a_killed_terminal_is_valid(method):
    """REQ-03: `kill` leaves it valid."""
    there = with_terminal()
    there.agent(ask("terminal/kill", 8))
    there.client(result(8))
    assert terminal(there) == Terminal(terminal_id="term")
    assert there.agent(ask(method)) == (WORK[method][1],)


@OF_TERMINALS
def test_a_released_terminal_is_invalid(method):
    """REQ-03: after `release` the id is invalid for every `terminal/*` call (-32602 or -32002)."""
    there = with_terminal()
    there.agent(ask("terminal/output", 8))
    there.client(result(8, {"output": "x", "truncated": False}))
    there.agent(ask("terminal/release", 9))
    there.client({"jsonrpc": "2.0", "id": 9, "result": None})
    held = Terminal(terminal_id="term", output="x", released=True)
    assert terminal(there) == held
    assert there.agent(ask(method)) == (Refuses(7, -32002, {"terminalId": "term"}),)
    assert terminal(there) == held


def test_the_output_of_a_released_terminal_stays_displayable():
    """REQ-03, TOOL-11: in tool calls."""
    there = with_terminal()
    there.agent(call(content=[{"type": "terminal", "terminalId": "term"}]))
    there.agent(ask("terminal/output"))
    there.client(result(7, {"output": "x", "truncated": False}))
    there.agent(ask("terminal/release"))
    there.client(result(7))
    assert there.session.tool_calls["t"].content == (TerminalContent(terminal_id="term"),)
    assert terminal(there).output == "x"


@OF_TERMINALS
def test_an_answer_that_comes_after_the_release(method):
    """REQ-03: requests that were under way are answered; the id stays invalid."""
    there = with_terminal()
    there.agent(ask(method, 7), ask("terminal/release", 8))
    there.client(result(8), result(7, WORK[method][2]))
    assert terminal(there).released
    assert there.connection.agent_requests == {}


def test_two_terminals_are_two():
    """REQ-03: by their ids."""
    there = with_terminal()
    there.agent(request(8, "terminal/create", sessionId="s", command="ls"))
    there.client(result(8, {"terminalId": "other"}))
    there.agent(ask("terminal/release"))
    there.client(result(7))
    assert there.session.terminals == {
        "term": Terminal(terminal_id="term", released=True),
        "other": Terminal(terminal_id="other"),
    }


# Answers whose session or terminal is not known: logs that begin later, or lie


@METHODS
def test_an_answer_for_an_unknown_session(method):
    """REQ-04: whoever looks on sees that it is answered all the same; nothing is made of it."""
    there = talk("observer")
    before = there.connection
    there.agent(ask(method, sessionId="x"))
    assert there.client(result(7, WORK[method][2])) == ()
    assert there.connection.sessions is before.sessions
    assert there.connection.agent_requests == {}


@OF_TERMINALS
def test_an_answer_for_an_unknown_terminal(method):
    """REQ-04."""
    there = talk("observer")
    before = there.connection
    there.agent(ask(method))
    assert there.client(result(7, WORK[method][2])) == ()
    assert there.connection.sessions is before.sessions


@METHODS
def test_an_answer_for_what_names_no_session(method):
    """RPC-05: malformed, and answered all the same."""
    there = talk("observer")
    before = there.connection
    there.agent(request(7, method))
    there.client(result(7, WORK[method][2]))
    assert there.connection.sessions is before.sessions
    assert there.connection.agent_requests == {}


def test_a_log_that_begins_later():
    """INIT-05: what was not told is held against nobody."""
    there = Talk(Connection())
    there.agent(says("early"))
    assert there.agent(ask("fs/read_text_file")) == (WORK["fs/read_text_file"][1],)


# `Respond`


@pytest.mark.parametrize("request_id", [8, "7", None, True])
@pytest.mark.parametrize("command", [Respond, lambda each: RespondError(each, -32603, "no")])
def test_an_answer_to_what_was_not_asked_is_refused(request_id, command):
    """RPC-04: exactly one response per incoming request."""
    there = talk()
    there.agent(ask("fs/read_text_file"))
    assert there.refused(command(request_id)).rule == "RPC-04"


def test_a_second_answer_is_refused():
    """RPC-04."""
    there = talk()
    there.agent(ask("fs/read_text_file"))
    there.do(Respond(7, {"content": "x"}))
    assert there.refused(Respond(7, {"content": "x"})).rule == "RPC-04"


def test_an_extension_request_is_answered_likewise():
    """EXT-02, section 18: host result or an error."""
    there = talk(extension_methods=frozenset({"_v/x"}))
    asked = HandleExtension(method="_v/x", params={}, request_id=7, is_request=True)
    assert there.agent(request(7, "_v/x")) == (asked,)
    assert there.do(Respond(7, [1, None])) == (Send(result(7, [1, None])),)
    assert there.connection.agent_requests == {}


@pytest.mark.parametrize("value", [None, 0, "", [], False])
def test_any_json_value_is_a_result(value):
    """RPC-04: for extensions; null is one, too."""
    there = talk(extension_methods="*")
    there.agent(request(7, "_v/x"))
    [send] = there.do(Respond(7, value))
    assert send.message == {"jsonrpc": "2.0", "id": 7, "result": value}


def test_work_is_dropped_with_the_connection():
    """CONN-01: incoming ones are dropped unanswered."""
    there = with_terminal()
    there.agent(ask("terminal/output"))
    before = there.session
    assert there.do(Disconnected()) == (WorkWithdrawn(request_id=7, method="terminal/output"),)
    assert there.connection.agent_requests == {}
    assert there.session == attrs.evolve(before, readiness="unattached")
