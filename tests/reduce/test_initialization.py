"""Initialisation and authentication (section 16), and the connection's machine (15.6)."""

from __future__ import annotations

import attrs
import pytest
from reduce.talk import (
    AGENT_CAN,
    CLIENT_CAN,
    SEATS,
    AnyError,
    Noticed,
    Talk,
    connected,
    error,
    initialize,
    initialized,
    notification,
    prompt,
    request,
    result,
    running,
    talk,
)

from acp_state import (
    Authenticate,
    Connection,
    Diagnose,
    Disconnected,
    GetAuthStatus,
    HandleRequest,
    Initialize,
    JsonObject,
    Logout,
    NewSession,
    RequestAnswered,
    RequestFailed,
    Send,
    reduce,
)
from acp_state.diagnostics import diagnostic
from acp_state.leniency import decode
from acp_state.model import Authentication, PendingRequest
from acp_state.reduce.capabilities import advertises
from acp_state.reduce.initialization import move, require
from acp_state.schema import (
    AgentCapabilities,
    AuthAccount,
    AuthMethodAgent,
    AuthMethodTerminal,
    ClientCapabilities,
    Error,
    Implementation,
)
from acp_state.transitions import CONNECTION_PHASES

FROM_ALL_SEATS = pytest.mark.parametrize("side", SEATS)

CLIENT = decode(CLIENT_CAN, ClientCapabilities).value
AGENT = decode(AGENT_CAN, AgentCapabilities).value


def fresh(side="client"):
    return Talk(Connection(side=side))


def initializing(side="client"):
    there = fresh(side)
    there.client(initialize())
    return there


# INIT-01: first


def test_the_command_opens_the_connection():
    """INIT-01: `initialize` first, with protocol version and client capabilities."""
    there = fresh()
    told = there.do(Initialize(client_capabilities=CLIENT))
    assert told == (Send(initialize()),)
    seen = initializing()
    assert there.connection == seen.connection


def test_the_command_with_the_clients_info():
    """INIT-06: `clientInfo` with name, version."""
    there = fresh()
    info = Implementation(name="host", version="1.0", title="Host")
    told = there.do(Initialize(client_info=info))
    message = initialize(can={}, clientInfo={"name": "host", "version": "1.0", "title": "Host"})
    assert told == (Send(message),)
    assert there.connection.client_info == info


def test_it_asks_for_the_highest_supported_version():
    """INIT-01: with the highest supported protocol version."""
    [send] = fresh().do(Initialize())
    assert send.message["params"]["protocolVersion"] == 1


@pytest.mark.parametrize("version", [0, 2, True, 1.0, "1", None, []])
def test_a_version_that_is_not_supported_is_not_asked_for(version):
    """INIT-01 (MUST O): the version asked for is one that is supported."""
    refusal = fresh().refused(Initialize(protocol_version=version))
    assert (
        str(refusal) == f"protocol version {version!r} is not supported; there are: [1] [INIT-01]"
    )


EARLY = [
    NewSession(cwd="/w"),
    Authenticate("m"),
    Logout(),
    GetAuthStatus(),
]


@pytest.mark.parametrize("command", EARLY)
def test_nothing_else_before_its_response(command):
    """INIT-01: nothing else before its response, nor after a failure."""
    assert fresh().refused(command).rule == "INIT-01"
    there = initializing()
    assert there.refused(command).rule == "INIT-01"
    there.agent(error(0))
    assert there.refused(command).rule == "INIT-01"


# 15.6, row by row


@FROM_ALL_SEATS
def test_initialize_is_sent(side):
    """15.6: new -> initializing; remember advertised capabilities."""
    there = fresh(side)
    message = initialize(clientInfo={"name": "host", "version": "1"})
    told = there.client(message)
    asked = PendingRequest(request_id=0, method="initialize", params=message["params"])
    expected = Connection(
        side=side,
        phase="initializing",
        client_capabilities=CLIENT,
        client_info=Implementation(name="host", version="1"),
        next_request_id=0 if side == "agent" else 1,
    )
    assert there.connection == attrs.evolve(
        expected, client_requests=expected.client_requests.set(("int", 0), asked)
    )
    handle = HandleRequest(request_id=0, method="initialize", params=message["params"])
    assert told == ((handle,) if side == "agent" else ())


@FROM_ALL_SEATS
def test_initialize_is_answered(side):
    """15.6: initializing, success, supported version -> ready; capabilities and authMethods."""
    there = initializing(side)
    before = there.connection
    methods = [{"id": "m", "name": "M"}]
    info = {"name": "agent", "version": "2", "title": None}
    told = there.agent(initialized(authMethods=methods, agentInfo=info))
    assert there.connection == attrs.evolve(
        before,
        phase="ready",
        protocol_version=1,
        agent_capabilities=AGENT,
        agent_info=Implementation(name="agent", version="2", title=None),
        auth_methods=(AuthMethodAgent(id="m", name="M"),),
        client_requests=before.client_requests.remove(("int", 0)),
    )
    answered = RequestAnswered(
        request_id=0,
        method="initialize",
        result={
            "protocolVersion": 1,
            "agentCapabilities": AGENT_CAN,
            "authMethods": methods,
            "agentInfo": info,
        },
    )
    assert told == ((answered,) if side == "client" else ())


@FROM_ALL_SEATS
@pytest.mark.parametrize("version", [0, 2, 65535])
def test_an_unsupported_version(side, version):
    """15.6: initializing, success, unsupported version -> failed."""
    there = initializing(side)
    there.agent(result(0, {"protocolVersion": version}))
    assert (there.connection.phase, there.connection.protocol_version) == ("failed", version)


def test_an_unsupported_version_is_told():
    """INIT-03, 15.6: close and inform."""
    there = initializing()
    text = "the agent speaks protocol version 2, which is not supported: disconnect"
    refused = Error(code=-32600, message=text)
    assert there.agent(result(0, {"protocolVersion": 2})) == (
        RequestFailed(request_id=0, method="initialize", error=refused),
    )
    refusal = there.refused(NewSession(cwd="/w"))
    assert str(refusal) == f"the connection is failed: {text} [INIT-01]"
    assert there.do(Initialize())[0] == Send(initialize(1, can={}))


def test_an_error_after_an_unsupported_version_is_told_as_it_is():
    """15.6: failed: may retry; the second failure is another one."""
    there = initializing()
    there.agent(result(0, {"protocolVersion": 2}))
    there.client(initialize(1))
    failed = RequestFailed(request_id=1, method="initialize", error=AnyError(-32603))
    assert there.agent(error(1)) == (failed,)


@FROM_ALL_SEATS
def test_an_error(side):
    """15.6: initializing, error -> failed; may retry."""
    there = initializing(side)
    told = there.agent(error(0, -32603))
    failed = RequestFailed(request_id=0, method="initialize", error=AnyError(-32603))
    assert told == ((failed,) if side == "client" else ())
    assert there.connection.phase == "failed"
    there.client(initialize(1))
    assert there.connection.phase == "initializing"
    there.agent(initialized(1))
    assert there.connection.phase == "ready"


@pytest.mark.parametrize(
    "answer",
    [
        None,
        {},
        [],
        {"protocolVersion": None},
        {"protocolVersion": "1"},
        {"protocolVersion": 1.5},
        {"protocolVersion": True},
        {"protocolVersion": -1},
        {"protocolVersion": 65536},
    ],
)
def test_a_malformed_answer(answer):
    """15.6: initializing, malformed -> failed; may retry."""
    there = initializing()
    told = there.agent({"jsonrpc": "2.0", "id": 0, "result": answer})
    assert told == (
        Noticed("bad-response"),
        RequestFailed(request_id=0, method="initialize", error=AnyError(-32600)),
    )
    assert there.connection.phase == "failed"
    [send] = there.do(Initialize())
    assert send.message["id"] == 1


def test_a_whole_number_is_a_version():
    """LENIENT-12: JSON numbers with integral value."""
    there = initializing()
    there.agent(result(0, {"protocolVersion": 1.0}))
    assert there.connection.phase == "ready"


@FROM_ALL_SEATS
@pytest.mark.parametrize("phase", ["new", "initializing", "ready", "failed", "closed"])
def test_the_transport_ends(side, phase):
    """15.6: any, transport end -> closed; CONN-01."""
    there = fresh(side)
    if phase != "new":
        there.client(initialize())
    if phase in ("ready", "closed"):
        there.agent(initialized())
    if phase == "failed":
        there.agent(error(0))
    if phase == "closed":
        there.do(Disconnected())
    assert there.connection.phase == phase
    told = there.do(Disconnected())
    assert there.connection.phase == "closed"
    lost = RequestFailed(request_id=0, method="initialize", error=None)
    owed = side == "client" and phase == "initializing"
    assert told == ((lost,) if owed else ())


def test_a_second_initialize_is_refused():
    """15.6: ready, second `initialize` asked: refuse (D)."""
    assert connected().refused(Initialize()).rule == "INIT-01"
    assert initializing().refused(Initialize()).rule == "INIT-01"


@pytest.mark.parametrize("phase", ["ready", "initializing"])
def test_a_second_initialize_in_the_log_moves_nothing(phase):
    """15.6: ready -> same."""
    there = connected() if phase == "ready" else initializing()
    there.client(initialize(9))
    assert there.connection.phase == phase


def test_a_second_initialize_in_the_log_changes_no_capability():
    """INIT-05 (MUST C): fixed for the connection."""
    there = connected()
    before = there.connection
    there.client(initialize(9, can={}, clientInfo={"name": "other", "version": "2"}))
    told = there.agent(initialized(9, can={}, authMethods=[{"id": "m", "name": "M"}]))
    assert [type(each) for each in told] == [RequestAnswered]
    assert there.connection == attrs.evolve(before, next_request_id=10)


def test_a_second_initialize_that_fails_or_is_refused_changes_nothing():
    """INIT-05, 15.6: ready -> same."""
    for answer in (error(9), result(9, {"protocolVersion": 2}), result(9, {})):
        there = connected()
        before = there.connection
        there.client(initialize(9))
        there.agent(answer)
        assert there.connection == attrs.evolve(before, next_request_id=10)


def test_traffic_before_the_response_is_folded():
    """15.6: initializing -> same, fold, `diag:before-initialize`."""
    there = initializing()
    told = there.agent(notification("auth/status_update", state="authenticated"))
    assert told == (Noticed("before-initialize"),)
    assert there.connection.authentication.state == "authenticated"
    assert there.connection.phase == "initializing"


@pytest.mark.parametrize(("phase", "event"), CONNECTION_PHASES)
def test_the_table_of_phases(phase, event):
    """15.6: every row."""
    before = Connection(phase=phase)
    assert move(before, event) == Connection(phase=CONNECTION_PHASES[phase, event])


def test_what_has_no_row_moves_nothing():
    """Style 5: no row means not allowed."""
    before = Connection(phase="ready")
    assert move(before, "initialized") is before
    assert move(before, "initialize sent") is before


# INIT-02, INIT-04: what counts as a capability


OBJECTS = [
    ("session", "list"),
    ("session", "delete"),
    ("session", "additional_directories"),
    ("session", "system_prompt"),
    ("session", "fork"),
    ("session", "archive"),
    ("session", "status"),
    ("session", "title"),
    ("session", "resume"),
    ("session", "close"),
    ("auth", "status"),
    ("auth", "logout"),
    (None, "providers"),
]
NAMES = {"session": "sessionCapabilities", "auth": "auth"}
FIELDS = {"session": "session_capabilities", "auth": "auth"}


def camel(name):
    head, *tail = name.split("_")
    return head + "".join(map(str.title, tail))


def answered(can):
    there = initializing()
    told = there.agent(result(0, {"protocolVersion": 1, "agentCapabilities": can}))
    return there, [each.diagnostic for each in told if isinstance(each, Diagnose)]


@pytest.mark.parametrize(("group", "name"), OBJECTS)
@pytest.mark.parametrize(
    ("value", "supported", "odd"),
    [
        (..., False, False),
        (None, False, False),
        ({}, True, False),
        ({"_meta": {"k": 1}}, True, False),
        ({"future": 1}, True, False),
        (True, False, True),
        (False, False, True),
        (1, False, True),
        ("yes", False, True),
        ([], False, True),
    ],
)
def test_a_capability_that_is_an_object(group, name, value, supported, odd):
    """INIT-02, INIT-04, CONF-24: omitted, null, malformed = unsupported; `{}` = supported."""
    given = {} if value is ... else {camel(name): value}
    there, told = answered({NAMES[group]: given} if group else given)
    path = f"{FIELDS[group]}.{name}" if group else name
    assert advertises(there.connection.agent_capabilities, path) is supported
    assert [each.code for each in told] == (["field-defaulted"] if odd else [])
    assert there.connection.phase == "ready"


BOOLEANS = [
    (None, "load_session"),
    ("prompt", "image"),
    ("prompt", "audio"),
    ("prompt", "embedded_context"),
    ("mcp", "http"),
    ("mcp", "sse"),
    ("mcp", "acp"),
]


@pytest.mark.parametrize(("group", "name"), BOOLEANS)
@pytest.mark.parametrize(
    ("value", "supported", "odd"),
    [
        (..., False, False),
        (True, True, False),
        (False, False, False),
        (None, False, True),
        ({}, False, True),
        (1, False, True),
        ("true", False, True),
    ],
)
def test_a_capability_that_is_a_boolean(group, name, value, supported, odd):
    """INIT-02: only literal `true` for boolean ones."""
    given = {} if value is ... else {camel(name): value}
    there, told = answered({f"{group}Capabilities": given} if group else given)
    path = f"{group}_capabilities.{name}" if group else name
    assert advertises(there.connection.agent_capabilities, path) is supported
    assert [each.code for each in told] == (["field-defaulted"] if odd else [])


def test_malformed_members_fall_back_one_by_one():
    """INIT-04: each alone."""
    there, told = answered(
        {
            "loadSession": "yes",
            "promptCapabilities": {"image": 5, "audio": True},
            "sessionCapabilities": {"list": True, "fork": {}},
            "auth": 5,
        }
    )
    held = there.connection.agent_capabilities
    paths = {
        "load_session": False,
        "prompt_capabilities.image": False,
        "prompt_capabilities.audio": True,
        "session_capabilities.list": False,
        "session_capabilities.fork": True,
        "auth": False,
    }
    assert {path: advertises(held, path) for path in paths} == paths
    assert [each.path for each in told] == [
        "agentCapabilities.loadSession",
        "agentCapabilities.promptCapabilities.image",
        "agentCapabilities.sessionCapabilities.list",
        "agentCapabilities.auth",
    ]


@pytest.mark.parametrize("can", [..., None, 5, []])
def test_no_capabilities_at_all(can):
    """INIT-02, INIT-04: all are unsupported; that is another thing than not told."""
    params = {} if can is ... else {"agentCapabilities": can}
    there = initializing()
    there.agent(result(0, {"protocolVersion": 1, **params}))
    assert there.connection.agent_capabilities == AgentCapabilities()
    assert there.connection.phase == "ready"


@pytest.mark.parametrize("can", [..., None, 5, []])
@FROM_ALL_SEATS
def test_a_client_without_capabilities(side, can):
    """INIT-02, INIT-05: likewise on the other side."""
    there = fresh(side)
    message = initialize()
    message["params"]["clientCapabilities"] = can
    if can is ...:
        del message["params"]["clientCapabilities"]
    there.client(message)
    assert there.connection.client_capabilities == ClientCapabilities()


def test_a_clients_malformed_members_fall_back_one_by_one():
    """INIT-04."""
    there = fresh()
    there.client(initialize(can={"terminal": 1, "fs": {"readTextFile": True, "writeTextFile": 2}}))
    held = there.connection.client_capabilities
    paths = {"terminal": False, "fs.read_text_file": True, "fs.write_text_file": False}
    assert {path: advertises(held, path) for path in paths} == paths


@pytest.mark.parametrize("info", [None, 5, {}, {"name": "x"}, {"name": 5, "version": "1"}])
def test_malformed_info_is_none(info):
    """LENIENT-02."""
    there = fresh()
    there.client(initialize(clientInfo=info))
    assert there.connection.client_info is None
    there.agent(initialized(agentInfo=info))
    assert (there.connection.agent_info, there.connection.phase) == (None, "ready")


def test_the_clients_advertisement_gates_its_sessions():
    """INIT-05: the client's own advertisement is input to the reducer."""
    there = talk(client={})
    assert there.session.client_capabilities == ClientCapabilities()


def test_what_was_not_told_is_held_against_nobody():
    """INIT-05: a log that begins later."""
    assert advertises(None, "anything.at.all")
    assert not advertises(AgentCapabilities(), "providers")
    assert not advertises(AgentCapabilities(), "no.such.path")


# Auth methods


def test_auth_methods():
    """15.6, AUTH-01: in order; no type is `agent`."""
    offered = [
        {"id": "a", "name": "A"},
        {"id": "b", "name": "B", "type": "agent", "description": "d"},
        {"id": "c", "name": "C", "type": "terminal", "args": ["login"]},
    ]
    there = connected(auth=offered)
    assert there.connection.auth_methods == (
        AuthMethodAgent(id="a", name="A"),
        AuthMethodAgent(id="b", name="B", type="agent", description="d"),
        AuthMethodTerminal(id="c", name="C", args=("login",)),
    )


@pytest.mark.parametrize("methods", [None, 5, {}])
def test_malformed_auth_methods(methods):
    """LENIENT-02: none."""
    there = initializing()
    there.agent(initialized(authMethods=methods))
    assert there.connection.auth_methods == ()
    assert there.connection.phase == "ready"


def test_a_malformed_auth_method_is_left_out():
    """LENIENT-03."""
    there = initializing()
    told = there.agent(initialized(authMethods=[{"id": 5, "name": "A"}, {"id": "b", "name": "B"}]))
    assert told[0] == Noticed("item-dropped", path="authMethods[0]")
    assert there.connection.auth_methods == (AuthMethodAgent(id="b", name="B"),)


# AUTH-01


OFFERED = (
    {"id": "plain", "name": "P"},
    {"id": "agent", "name": "A", "type": "agent"},
    {"id": "term", "name": "T", "type": "terminal"},
    {"id": "other", "name": "O", "type": "_v/x"},
)


@pytest.mark.parametrize("method_id", ["plain", "agent"])
def test_authenticate(method_id):
    """AUTH-01: an advertised method of type `agent`, or no type; one code path."""
    there, seen = connected(auth=OFFERED), connected(auth=OFFERED)
    message = request(1, "authenticate", methodId=method_id)
    assert there.do(Authenticate(method_id)) == (Send(message), *seen.client(message))
    assert there.connection == seen.connection


@pytest.mark.parametrize("method_id", ["term", "unknown", ""])
def test_authenticate_with_another_method(method_id):
    """AUTH-01: only with an advertised method; never for `terminal` methods."""
    refusal = connected(auth=OFFERED).refused(Authenticate(method_id))
    assert refusal.rule == "AUTH-01"
    assert repr(method_id) in str(refusal)


def test_authenticate_where_none_is_offered():
    """AUTH-01."""
    assert connected().refused(Authenticate("m")).rule == "AUTH-01"


def test_authenticate_with_a_method_of_an_unknown_type():
    """AUTH-01 (MUST O): only with an advertised method of type `agent` (or no type)."""
    refusal = connected(auth=OFFERED).refused(Authenticate("other"))
    text = "auth method 'other' is of type '_v/x', which is not known"
    assert str(refusal) == f"{text} [AUTH-01]"


# AUTH-02


@pytest.mark.parametrize(
    "asked",
    [
        request(9, "session/new", cwd="/w", mcpServers=[]),
        request(9, "session/list"),
        request(9, "session/set_mode", sessionId="s", modeId="m"),
        request(9, "authenticate", methodId="m"),
        request(9, "_v/x"),
        prompt(9),
    ],
)
@FROM_ALL_SEATS
def test_an_error_of_authentication_on_any_request(side, asked):
    """AUTH-02: -32000: auth required."""
    there = talk(side, extension_methods="*")
    there.client(asked)
    assert there.connection.authentication == Authentication()
    there.agent(error(9, -32000))
    assert there.connection.authentication == Authentication(required=True)


def test_authentication_lifts_it():
    """AUTH-02: success of `authenticate` lifts it; an error does not (section 19)."""
    there = connected(auth=OFFERED)
    there.client(request(9, "session/new", cwd="/w", mcpServers=[]))
    there.agent(error(9, -32000))
    there.client(request(10, "authenticate", methodId="plain"))
    there.agent(error(10, -32603))
    assert there.connection.authentication.required
    there.client(request(11, "authenticate", methodId="plain"))
    there.agent(result(11))
    assert not there.connection.authentication.required


def test_logout():
    """AUTH-02: running sessions are not assumed dead; later operations may fail."""
    there = running()
    before = there.connection
    told = there.do(Logout())
    assert told == (Send(request(3, "logout")),)
    there.agent(result(3))
    assert there.connection == attrs.evolve(before, next_request_id=4)


def test_logout_needs_its_capability():
    """AUTH-02: `logout` (needs `auth.logout`)."""
    refusal = connected(agent={}).refused(Logout())
    assert refusal.code == "capability-missing"


# AUTH-03


ACCOUNTS = [{"label": "a", "active": True, "email": "a@x.example"}, {"label": "b"}]
HELD = (
    AuthAccount(label="a", active=True, email="a@x.example"),
    AuthAccount(label="b"),
)


@FROM_ALL_SEATS
@pytest.mark.parametrize("how", ["asked", "told"])
@pytest.mark.parametrize("state", ["authenticated", "unauthenticated", "not_required", "unknown"])
def test_the_state_of_authentication(side, how, state):
    """AUTH-03: result and notification replace state and accounts."""
    there = connected(side)
    told = status(there, how, state="authenticated", accounts=[{"label": "z"}])
    told += status(there, how, state=state, accounts=ACCOUNTS)
    assert there.connection.authentication == Authentication(state=state, accounts=HELD)
    assert [each for each in told if isinstance(each, Diagnose)] == []


def status(there, how, **params):
    """The intents of what is told of the authentication, asked for or not."""
    if how == "told":
        return there.agent(notification("auth/status_update", **params))
    used = there.connection.next_request_id + 100
    there.client(request(used, "auth/status"))
    return there.agent(result(used, params))


@pytest.mark.parametrize(
    ("params", "seen", "path"),
    [({}, "'state' is missing", ""), ({"state": 5}, "state: must be a string, not 5", "state")],
)
def test_a_malformed_status_that_is_told_is_dropped(params, seen, path):
    """AUTH-03, RPC-07: as any update that cannot be read."""
    there = connected()
    before = there.connection
    dropped = diagnostic(
        "update-dropped",
        f"auth/status_update: {seen}; the update is dropped",
        path=path,
        raw=JsonObject(params),
    )
    assert status(there, "told", **params) == (Diagnose(dropped),)
    assert there.connection is before


@pytest.mark.parametrize("how", ["asked", "told"])
@pytest.mark.parametrize("state", ["_v/x", "", "expired"])
def test_an_unknown_state_is_kept_verbatim(how, state):
    """AUTH-03, LENIENT-09: as sent, no behaviour inferred; it counts as `unknown`."""
    there = connected()
    status(there, how, state=state)
    assert there.connection.authentication == Authentication(state=state)
    assert not there.connection.authentication.required


@pytest.mark.parametrize("how", ["asked", "told"])
@pytest.mark.parametrize("accounts", [..., None, 5, {}, []])
def test_no_accounts(how, accounts):
    """AUTH-03: omit/null/bad = `[]`."""
    there = connected()
    status(there, how, state="authenticated", accounts=ACCOUNTS)
    more = {} if accounts is ... else {"accounts": accounts}
    status(there, how, state="authenticated", **more)
    assert there.connection.authentication == Authentication(state="authenticated")


@pytest.mark.parametrize("how", ["asked", "told"])
def test_a_malformed_account_is_left_out(how):
    """LENIENT-03."""
    there = connected()
    told = status(there, how, state="authenticated", accounts=[{"label": 5}, {"label": "b"}])
    assert told[0] == Noticed("item-dropped", path="accounts[0]")
    assert there.connection.authentication.accounts == (AuthAccount(label="b"),)


@pytest.mark.parametrize("how", ["asked", "told"])
@pytest.mark.parametrize("params", [{}, {"state": None}, {"state": 5}, {"accounts": []}])
def test_a_malformed_status_changes_nothing(how, params):
    """LENIENT-05."""
    there = connected()
    status(there, how, state="authenticated", accounts=ACCOUNTS)
    before = there.connection.authentication
    told = status(there, how, **params)
    assert isinstance(told[0], Diagnose)
    assert there.connection.authentication is before


def test_an_error_changes_nothing():
    """AUTH-03."""
    there = connected()
    before = there.connection.authentication
    there.client(request(9, "auth/status"))
    there.agent(error(9))
    assert there.connection.authentication is before


def test_the_state_is_kept_apart_from_what_is_required():
    """AUTH-02, AUTH-03: what failed, and what the agent says of it."""
    there = talk()
    there.client(request(9, "session/list"))
    there.agent(error(9, -32000))
    status(there, "told", state="unauthenticated")
    assert there.connection.authentication == Authentication(required=True, state="unauthenticated")


def test_what_is_required_already():
    """Contract 5: the very same connection."""
    connection = Connection()
    assert require(connection, needed=False) is connection
    needed = require(connection, needed=True)
    assert needed.authentication == Authentication(required=True)
    assert require(needed, needed=True) is needed


@pytest.mark.parametrize("version", ["1", None, 1.5, -1])
def test_an_initialize_that_is_malformed_advertises_nothing(version):
    """LENIENT-05: a required part of the wrong type makes the enclosing object malformed."""
    there = fresh()
    message = initialize()
    message["params"]["protocolVersion"] = version
    told = there.client(message)
    assert told[0] == Noticed("invalid-message", rule="RPC-05")
    assert there.connection.client_capabilities == ClientCapabilities()
    assert there.connection.phase == "initializing"


def test_sessions_that_were_there_before_are_gated_as_well():
    """INIT-05, LENIENT-16: capabilities are the connection's, and reconnecting tells them anew."""
    there = talk()
    reopened = attrs.evolve(there.connection, phase="new")
    connection, _ = reduce(reopened, Initialize())
    assert connection.sessions["s"].client_capabilities == ClientCapabilities()
