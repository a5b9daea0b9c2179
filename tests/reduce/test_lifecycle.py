"""How sessions come to be, end, and are told of (15.5, SESS-01 to SESS-06, section 19)."""

from __future__ import annotations

import attrs
import pytest
from reduce.history import (
    ENDINGS,
    READY,
    after,
    agent_answers,
    agent_message,
    agent_refuses,
    asks_permission,
    call,
    child,
    client_asks,
    compaction,
    ends,
    folded,
    in_state,
    load,
    made,
    mapped,
    noticed,
    notices,
    prompt,
    prompted,
    ready,
    resume,
    said,
    session_after,
    timeline,
    tool_call,
    update,
)

from acp_state import (
    ArchiveSession,
    CloseSession,
    Compaction,
    DeleteSession,
    Diagnose,
    Disconnected,
    ForkSession,
    GetSessionStatus,
    ListSessions,
    LoadSession,
    LocalProtocolError,
    NewSession,
    PermissionWithdrawn,
    Prompt,
    RequestAnswered,
    RequestFailed,
    ResumeSession,
    Send,
    Session,
    SessionReady,
    SetTitle,
    TurnEnded,
    UnarchiveSession,
    reduce,
)
from acp_state.json_values import JsonObject
from acp_state.model.connection import Authentication
from acp_state.persistent import Map
from acp_state.schema import (
    AgentCapabilities,
    Error,
    McpCapabilities,
    SessionAdditionalDirectoriesCapabilities,
    SessionArchiveCapabilities,
    SessionCapabilities,
    SessionInfo,
    SessionMode,
    SessionModeState,
    TextContent,
)

NOT_FOUND = -32002

MODES = {"currentModeId": "m", "availableModes": [{"id": "m", "name": "M"}]}
KNOWN_MODES = SessionModeState(
    current_mode_id="m", available_modes=(SessionMode(id="m", name="M"),)
)


def forks(request_id=5, session_id="s", cwd="/w"):
    """``session/fork``."""
    return client_asks(request_id, "session/fork", sessionId=session_id, cwd=cwd)


def refusal(onto, command):
    """Rule and code of a refusal."""
    with pytest.raises(LocalProtocolError) as refused:
        reduce(onto, command)
    return refused.value.rule, refused.value.code


# SESS-01, SESS-02: what setup requests may hold

SETUPS = [
    NewSession,
    lambda **fields: LoadSession(session_id="s", **fields),
    lambda **fields: ResumeSession(session_id="s", **fields),
    lambda **fields: ForkSession(session_id="s", **fields),
]
each_setup = pytest.mark.parametrize("setup", SETUPS, ids=["new", "load", "resume", "fork"])


@each_setup
def test_paths_are_absolute(setup):
    """SESS-01: `cwd` absolute; SESS-02: additional directories, too."""
    for path in ("", "w", "./w", "~", "C:w"):
        assert refusal(READY, setup(cwd=path)) == ("SESS-01", "refused")
        roots = {"cwd": "/w", "additional_directories": ("/x", path)}
        assert refusal(READY, setup(**roots)) == ("SESS-01", "refused")
    for path in ("/w", "C:\\w", "c:/w", "\\\\share\\w"):
        assert reduce(READY, setup(cwd=path))[0].client_requests


@each_setup
def test_mcp_transports_need_their_capability(setup):
    """SESS-01: `http`, `sse` and `acp` need the matching capability, stdio none."""
    able = AgentCapabilities(mcp_capabilities=McpCapabilities(http=True), load_session=True)
    for capability in ("resume", "fork"):
        markers = attrs.evolve(
            able.session_capabilities or SessionCapabilities(), **{capability: marker(capability)}
        )
        able = attrs.evolve(able, session_capabilities=markers)
    connection = attrs.evolve(READY, agent_capabilities=able)
    for transport in ("sse", "acp"):
        command = setup(cwd="/w", mcp_servers=[{"type": transport, "name": "m"}])
        assert refusal(connection, command) == ("SESS-01", "capability-missing")
    for server in ({"type": "http", "name": "m"}, {"name": "m", "command": "c"}, {"type": 5}):
        assert reduce(connection, setup(cwd="/w", mcp_servers=[server]))[0].client_requests


def marker(name):
    """The object that advertises a capability."""
    [field] = [each for each in attrs.fields(SessionCapabilities) if each.name == name]
    return next(each for each in field.type.__args__ if attrs.has(each))()


@each_setup
def test_additional_directories_need_their_capability(setup):
    """SESS-02: only with its capability."""
    roots = {"cwd": "/w", "additional_directories": ("/x",)}
    attachable = {name: marker(name) for name in ("resume", "fork")}
    without = AgentCapabilities(
        load_session=True, session_capabilities=SessionCapabilities(**attachable)
    )
    connection = attrs.evolve(READY, agent_capabilities=without)
    assert refusal(connection, setup(**roots)) == ("SESS-02", "capability-missing")
    directories = SessionAdditionalDirectoriesCapabilities()
    able = attrs.evolve(
        without,
        session_capabilities=SessionCapabilities(**attachable, additional_directories=directories),
    )
    _, intents = reduce(attrs.evolve(READY, agent_capabilities=able), setup(**roots))
    assert intents[0].message["params"]["additionalDirectories"] == ["/x"]


@pytest.mark.parametrize(
    ("command", "method", "own"),
    [
        (NewSession(cwd="/w"), "session/new", {}),
        (LoadSession(session_id="s", cwd="/w"), "session/load", {"sessionId": "s"}),
        (ResumeSession(session_id="s", cwd="/w"), "session/resume", {"sessionId": "s"}),
        (ForkSession(session_id="s", cwd="/w"), "session/fork", {"sessionId": "s"}),
    ],
)
def test_setup_requests_name_roots_and_servers(command, method, own):
    """SESS-01: `mcpServers` required on new and load, may be `[]`; SESS-02: no roots, no list."""
    connection, [send] = reduce(READY, command)
    params = {**own, "cwd": "/w", "mcpServers": []}
    message = {"jsonrpc": "2.0", "id": 0, "method": method, "params": params}
    assert send == Send(message)
    assert connection == after(("client", message))


# 15.5: creating


def test_a_session_is_made_with_the_roots_of_its_request():
    """15.5: `session/new` sent changes no session; success: ready, modes and options set."""
    directories = {"additionalDirectories": ["/x", 5]}
    request = client_asks(1, "session/new", cwd="/w", mcpServers=[], **directories)
    asked = after(request)
    assert asked.sessions == {}
    result = {"sessionId": "s", "modes": MODES, "configOptions": []}
    connection, told = folded(agent_answers(1, result), onto=asked)
    assert connection == attrs.evolve(
        READY,
        next_request_id=2,
        sessions=mapped(
            ready(additional_directories=("/x",), modes=KNOWN_MODES, config_options=())
        ),
    )
    assert told == (
        SessionReady("s", 1),
        RequestAnswered(
            request_id=1, method="session/new", session_id="s", result=JsonObject(result)
        ),
    )


@pytest.mark.parametrize("request_", [made()[0], forks(1)], ids=["new", "fork"])
@pytest.mark.parametrize("code", [-32603, -32000])
def test_creating_a_session_fails(request_, code):
    """15.5: creating, error; -32000: auth required."""
    connection, [failed] = folded(request_, agent_refuses(1, code))
    assert connection == attrs.evolve(
        READY, next_request_id=2, authentication=Authentication(required=code == -32000)
    )
    assert failed.error == Error(code=code, message="no")


@pytest.mark.parametrize("request_", [made()[0], forks(1)], ids=["new", "fork"])
@pytest.mark.parametrize("result", [{}, {"sessionId": None}, {"sessionId": 5}, [], None])
def test_a_session_without_an_id_is_none(request_, result):
    """4.2: the request counts as failed, `diag:bad-response`."""
    connection, told = folded(request_, ("agent", {"jsonrpc": "2.0", "id": 1, "result": result}))
    assert connection == attrs.evolve(READY, next_request_id=2)
    assert noticed(told) == ["bad-response"]
    assert [type(each) for each in told] == [Diagnose, RequestFailed]


def test_a_fork_starts_with_an_empty_timeline():
    """15.5: fork, `forked_from` noted; the original stays as it is."""
    before = after(*made(), said("A", "a"))
    connection, told = folded(forks(cwd="/f"), agent_answers(5, {"sessionId": "f"}), onto=before)
    fork = Session("f", cwd="/f", additional_directories=(), forked_from="s")
    assert connection.sessions == {**before.sessions, "f": fork}
    assert connection.sessions["s"] is before.sessions["s"]
    assert told[0] == SessionReady("f", 5)


@pytest.mark.parametrize("before", ["closed", "deleted", "unattached", "provisional"])
def test_an_id_that_is_given_anew_is_a_session_that_is_ready(before):
    """15.5: creating, success: ready; whatever a session of that id was."""
    made_anew, told = folded(*made(request_id=9), onto=in_state(before))
    assert made_anew.sessions["s"].readiness == "ready"
    assert SessionReady(session_id="s", request_id=9) in told


def test_session_ids_are_opaque():
    """SESS-03: compared as they are, the empty string included."""
    connection = after(*made("S", 1), *made("s", 2), *made("s ", 3), *made("", 4))
    assert list(connection.sessions) == ["S", "s", "s ", ""]


# 15.5: traffic for unknown ids


@pytest.mark.parametrize(
    ("outstanding", "severity"),
    [
        ((), "error"),
        ((made()[0],), "info"),
        ((forks(1, "o"),), "info"),
        ((load(1, "o"),), "info"),
        ((resume(1, "o"),), "info"),
        ((client_asks(1, "session/list"),), "error"),
    ],
)
def test_an_update_for_an_unknown_id_makes_a_provisional_session(outstanding, severity):
    """15.5: fold, diagnosed once; info while a request is outstanding that may still claim it."""
    before = after(*outstanding)
    connection, told = folded(said("A", "a"), said("B", "a"), onto=before)
    provisional = Session(
        "s",
        readiness="provisional",
        timeline=timeline(agent_message("A", "B", message_id="a")),
        id_style="with_id",
    )
    assert connection.sessions == {**before.sessions, "s": provisional}
    assert notices(told) == [("unannounced-session", severity, "s")]


@pytest.mark.parametrize("outstanding", [made()[0], forks(1, "o")], ids=["new", "fork"])
def test_a_provisional_session_is_claimed_by_the_response(outstanding):
    """15.5: it keeps what came for it."""
    early = (said("A", "a"), update("session_info_update", title="T"))
    session = session_after(outstanding, *early, agent_answers(1, {"sessionId": "s"}))
    assert session == ready(
        timeline=timeline(agent_message("A", message_id="a")),
        title="T",
        id_style="with_id",
        forked_from="o" if outstanding == forks(1, "o") else None,
    )


def test_a_provisional_session_is_claimed_by_an_announcement():
    """SUB-03: attach when announced."""
    connection = after(*made("p"), said("A", "a"))
    assert connection.sessions["s"].parent_id is None
    session = after(child("s", "p"), onto=connection).sessions["s"]
    assert session == Session(
        "s",
        parent_id="p",
        timeline=timeline(agent_message("A", message_id="a")),
        id_style="with_id",
    )


def test_a_provisional_session_is_not_to_be_prompted():
    """TURN-01, 15.5: *unexpected:* prompt asked unless ready: refuse."""
    for readiness in (
        "provisional", "loading", "resuming", "closing", "closed", "deleted", "unattached",
    ):  # fmt: skip
        command = Prompt("s", [TextContent(text="Go")])
        assert refusal(in_state(readiness), command) == ("TURN-01", "refused")
    assert refusal(READY, Prompt("s", [TextContent(text="Go")])) == ("TURN-01", "refused")


def test_a_prompt_that_is_seen_for_an_unknown_id_keeps_turn_and_user_entry():
    """15.5: provisional; its error ends the turn as failed."""
    connection, told = folded(prompt())
    turn = connection.sessions["s"].turns[0]
    assert connection.sessions["s"] == Session(
        "s",
        readiness="provisional",
        timeline=timeline(prompted()),
        turns=connection.sessions["s"].turns,
        running=(0,),
    )
    assert notices(told) == [("unannounced-session", "error", "s")]
    connection, told = folded(agent_refuses(3, NOT_FOUND), onto=connection)
    failed = attrs.evolve(
        turn, outcome="failed", echo=None, error=Error(code=NOT_FOUND, message="no")
    )
    assert told == (TurnEnded(session_id="s", turn=failed),)


@pytest.mark.parametrize(
    "method",
    [
        "close", "archive", "unarchive", "delete", "status", "set_title", "set_mode",
        "set_config_option", "fork",
    ],
)  # fmt: skip
def test_other_requests_for_unknown_ids_make_no_session(method):
    """15.5: neither when they are sent nor when they fail."""
    asked = after(client_asks(5, f"session/{method}", sessionId="s"))
    assert asked.sessions == {}
    assert after(agent_refuses(5), onto=asked) == attrs.evolve(READY, next_request_id=6)


@pytest.mark.parametrize("method", ["close", "archive", "unarchive", "delete", "status"])
def test_their_success_makes_none_either(method):
    """15.5; SESS-05: `session/status` restores nothing."""
    asked = after(client_asks(5, f"session/{method}", sessionId="s"))
    assert after(agent_answers(5), onto=asked) == attrs.evolve(READY, next_request_id=6)


# Deleting


def texts(told):
    """What the diagnostics say."""
    return [each.diagnostic.text for each in told if isinstance(each, Diagnose)]


@pytest.mark.parametrize(
    "readiness",
    ["provisional", "unattached", "closed", "ready", "loading", "resuming", "closing", "deleted"],
)
@pytest.mark.parametrize("response", [agent_answers(5), agent_refuses(5, NOT_FOUND)])
def test_a_session_is_deleted(readiness, response):
    """15.5, SESS-04: any; success or -32002: deleted."""
    before = in_state(readiness)
    deleting = after(ends("delete"), onto=before)
    assert deleting.sessions == before.sessions
    assert after(response, onto=deleting).sessions == mapped(ready(readiness="deleted"))
    assert after(agent_refuses(5), onto=deleting).sessions == before.sessions


@pytest.mark.parametrize("method", [*ENDINGS, "delete"])
def test_who_awaits_the_end_of_a_session_that_is_gone_is_told_of_a_success(method):
    """SESS-04: -32002 counts as one, for the host as for the model; other errors do not."""
    ending = after(ends(method), onto=in_state("ready"))
    about = {"request_id": 5, "method": f"session/{method}", "session_id": "s"}
    _, told = folded(agent_refuses(5, NOT_FOUND), onto=ending)
    assert told == (RequestAnswered(result={}, **about),)
    _, told = folded(agent_refuses(5), onto=ending)
    assert [type(each) for each in told if type(each) is not Diagnose] == [RequestFailed]


def test_a_deleted_session_leaves_the_catalogue():
    """15.5; its history stays readable, and the agent's other entries stay."""
    listed = after(*made(), said("A", "a"), *lists({"sessionId": "s"}, {"sessionId": "t"}))
    deleting = after(ends("delete"), onto=listed)
    assert list(after(agent_refuses(5), onto=deleting).catalogue) == ["s", "t"]
    connection = after(agent_answers(5), onto=deleting)
    assert list(connection.catalogue) == ["t"]
    assert connection.sessions["s"].timeline == timeline(agent_message("A", message_id="a"))
    connection = after(ends("delete", 6, "t"), agent_answers(6), onto=connection)
    assert connection.catalogue == {}


def test_a_request_that_names_no_session_ends_none():
    """15.5."""
    for method in ("close", "archive", "delete", "unarchive"):
        asked = client_asks(5, f"session/{method}")
        for response in (agent_answers(5), agent_refuses(5)):
            connection = after(asked, response, onto=in_state("ready"))
            assert connection.sessions == mapped(ready())


@pytest.mark.parametrize("readiness", ["closed", "deleted"])
def test_an_update_after_the_end_is_folded(readiness):
    """15.5: *unexpected*; `diag:update-after-close`."""
    connection, told = folded(said("A", "a"), onto=in_state(readiness))
    assert connection.sessions == mapped(
        ready(
            readiness=readiness,
            timeline=timeline(agent_message("A", message_id="a")),
            id_style="with_id",
        )
    )
    assert notices(told) == [("update-after-close", "error", "s")]
    text = f"an update for a session that is {readiness}; folded"
    assert texts(told) == [text]


# Archive, unarchive


def test_unarchive_shows_the_session_again_and_loads_nothing():
    """SESS-06, section 19: flag off on success, nothing on error."""
    archived = in_state("closed", archived=True)
    asked = after(ends("unarchive"), onto=archived)
    assert asked.sessions == archived.sessions
    assert after(agent_refuses(5), onto=asked).sessions == archived.sessions
    assert after(agent_answers(5), onto=asked).sessions == mapped(ready(readiness="closed"))


# List, status, title


def lists(*entries, request_id=8, **page):
    """``session/list`` and a page; entries without ``cwd`` get one."""
    sessions = [{"cwd": "/w", **entry} for entry in entries]
    return client_asks(request_id, "session/list"), agent_answers(
        request_id, {"sessions": sessions, **page}
    )


def test_a_list_restores_and_attaches_nothing():
    """SESS-05, section 19: the catalogue, on success."""
    listed = after(*lists({"sessionId": "a", "title": "A"}, {"sessionId": "b"}, nextCursor="c"))
    catalogue = Map.of(
        {
            "a": SessionInfo(session_id="a", cwd="/w", title="A"),
            "b": SessionInfo(session_id="b", cwd="/w"),
        }
    )
    assert listed == attrs.evolve(READY, next_request_id=9, catalogue=catalogue)
    again = after(client_asks(10, "session/list", cursor="c"), agent_refuses(10), onto=listed)
    assert again == attrs.evolve(listed, next_request_id=11)


@pytest.mark.parametrize("status", ["open", "saved", "_odd"])
def test_a_status_changes_nothing(status):
    """SESS-05, section 19: `session/status` restores and attaches nothing."""
    asked = after(ends("status"), onto=in_state("unattached"))
    connection, told = folded(agent_answers(5, {"status": status}), onto=asked)
    assert connection.sessions == mapped(ready(readiness="unattached"))
    result = JsonObject({"status": status})
    assert told == (
        RequestAnswered(request_id=5, method="session/status", session_id="s", result=result),
    )


@pytest.mark.parametrize(
    ("command", "method"),
    [
        (CloseSession("s"), "session/close"),
        (DeleteSession("s"), "session/delete"),
        (ArchiveSession("s"), "session/archive"),
        (UnarchiveSession("s"), "session/unarchive"),
        (GetSessionStatus("s"), "session/status"),
        (SetTitle("s", "T"), "session/set_title"),
        (ListSessions(), "session/list"),
        (ForkSession(session_id="s", cwd="/w"), "session/fork"),
    ],
)
def test_what_the_agent_cannot_do_is_not_asked_of_it(command, method):
    """Section 19, section 20: refused locally, `diag:capability-missing`."""
    unable = attrs.evolve(in_state("ready"), agent_capabilities=AgentCapabilities())
    assert refusal(unable, command)[1] == "capability-missing"
    connection, [send] = reduce(in_state("ready"), command)
    assert send.message["method"] == method
    assert [each.method for each in connection.client_requests.values()] == [method]


def test_archived_sessions_are_listed_by_agents_that_archive():
    """Section 19: the `archived` filter needs `archive`."""
    capabilities = SessionCapabilities(list=marker("list"))
    unable = attrs.evolve(
        READY, agent_capabilities=AgentCapabilities(session_capabilities=capabilities)
    )
    command = ListSessions(cwd="/w", cursor="c", archived="only")
    assert refusal(unable, command)[1] == "capability-missing"
    assert reduce(unable, ListSessions())[1][0].message["params"] == {}
    capabilities = attrs.evolve(capabilities, archive=SessionArchiveCapabilities())
    able = attrs.evolve(
        READY, agent_capabilities=AgentCapabilities(session_capabilities=capabilities)
    )
    [send] = reduce(able, command)[1]
    assert send.message["params"] == {"cwd": "/w", "cursor": "c", "archived": "only"}


# Loss of the connection, and another one


@pytest.mark.parametrize(
    "readiness",
    [
        "provisional", "unattached", "closed", "ready", "loading", "resuming", "closing",
        "deleted",
    ],
)  # fmt: skip
def test_a_lost_connection_leaves_its_sessions_unattached(readiness):
    """15.5: any, connection lost: unattached."""
    connection, told = reduce(in_state(readiness), Disconnected())
    assert connection == attrs.evolve(
        READY, phase="closed", sessions=mapped(ready(readiness="unattached"))
    )
    assert told == ()


def test_a_lost_connection_leaves_unfinished_work_unconfirmed():
    """15.5: pending dropped, states unconfirmed; CMP-08, SUB-15."""
    before = after(*made(), compaction(), prompt(), call(), asks_permission(toolCallId="t"))
    connection, told = reduce(before, Disconnected())
    session = connection.sessions["s"]
    [turn] = session.turns
    assert turn.outcome == "interrupted"
    assert session.timeline == timeline(
        Compaction(compaction_id="c", confirmed=False), prompted(), tool_call(turn=0)
    )
    assert [each.outcome for each in session.permissions] == ["dropped"]
    assert session.pending_permissions == ()
    assert (connection.agent_requests, connection.client_requests) == ({}, {})
    withdrawn, ended = told
    assert (type(withdrawn), withdrawn.permission.request_id) == (PermissionWithdrawn, "p")
    assert ended == TurnEnded(session_id="s", turn=turn)


def test_sessions_are_known_on_a_reopened_connection_and_loaded_there():
    """15.5: known/unattached, `session/load` sent: loading."""
    lost, _ = reduce(after(*made(), said("A", "a"), child("k")), Disconnected())
    reopened = attrs.evolve(lost.reopened(), phase="ready")
    readiness = {name: each.readiness for name, each in reopened.sessions.items()}
    assert readiness == {"s": "unattached", "k": "unattached"}
    assert refusal(reopened, Prompt("s", [TextContent(text="Go")])) == ("TURN-01", "refused")
    attached, [send] = reduce(reopened, LoadSession(session_id="s", cwd="/w"))
    assert send.message["id"] == 0
    connection = after(said("A", "a"), child("k"), agent_answers(0), onto=attached)
    session = connection.sessions["s"]
    assert (session.readiness, [each.text for each in session.messages]) == ("ready", ["A"])
    assert connection.sessions["k"].readiness == "ready"


def test_nothing_is_asked_on_a_closed_connection():
    """CONN-01."""
    lost, _ = reduce(in_state("ready"), Disconnected())
    for command in (NewSession(cwd="/w"), LoadSession(session_id="s", cwd="/w"), CloseSession("s")):
        assert refusal(lost, command) == ("CONN-01", "refused")
