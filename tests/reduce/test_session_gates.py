"""What may be asked of a session now (sections 19, 20): a breach changes nothing."""

from __future__ import annotations

import pytest
from reduce.gating import HI, equipped, name, path_id, refusal_of, without
from reduce.talk import (
    CLIENT_CAN,
    Noticed,
    Talk,
    ask_form,
    ask_permission,
    call,
    cancel,
    child,
    connected,
    error,
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
    ArchiveSession,
    Cancel,
    CloseSession,
    Connection,
    DeleteSession,
    ForkSession,
    GetSessionStatus,
    LoadSession,
    NewSession,
    Prompt,
    RequestPermission,
    ResumeSession,
    Send,
    SendUpdate,
    SetConfigOption,
    SetMode,
    SetTitle,
    UnarchiveSession,
)
from acp_state.codec import encode
from acp_state.reduce.capabilities import NEEDS
from acp_state.schema import (
    CompactionSummaryChunk,
    CompactionUpdate,
    ConfigOptionUpdate,
    Notice,
    PlanRemoved,
    PlanUpdate,
    SessionConfigBoolean,
    SessionMessage,
    SessionMessageChunk,
    SessionUpdate,
    SubagentUpdate,
    TextContent,
    ToolCallUpdate,
)

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


TEXT = {"type": "text", "text": "x"}


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
