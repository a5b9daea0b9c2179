"""Snapshots: all of a connection or session as JSON, and back (contract 6)."""

from __future__ import annotations

import copy
import json

import orjson
import pytest
from conversations import conversations, end_of, wild
from golden_form import messages_of
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from model_values import model_classes, values
from observing import SEATS, see
from reduce.history import (
    MAY_CANCEL,
    READY,
    RUNNING,
    agent_answers,
    asks_form,
    asks_permission,
    call,
    child,
    chunk,
    client_asks,
    compaction,
    folded,
    letter,
    load,
    made,
    prompt,
    text_blocks,
    update,
)
from shared import needs_shared
from strategies import json_like
from test_recordings import NAMES

from acp_state import (
    OMITTED,
    Chunk,
    Chunks,
    Compaction,
    Connection,
    ContextUsage,
    JsonObject,
    Message,
    Permission,
    Session,
    SnapshotError,
    Subagent,
    Terminal,
    Timeline,
    ToolCall,
    Turn,
    restore,
    snapshot,
)
from acp_state.json_values import MAX_DEPTH, freeze
from acp_state.model import Echo, PendingRequest, Replay, SettledRequest
from acp_state.persistent import Map, Vector
from acp_state.schema import (
    Annotations,
    AuthMethodAgent,
    BlobResourceContents,
    EmbeddedResource,
    ImageContent,
    OtherStateUpdate,
    OtherStopReason,
    PermissionOption,
    SessionConfigSelect,
    SessionConfigSelectGroup,
    SessionConfigSelectOption,
    TextContent,
    ToolCallUpdate,
)
from acp_state.snapshot.reading import read
from acp_state.snapshot.writing import write


def text_of(state):
    """The JSON text of a snapshot, by the standard library as it is."""
    return json.dumps(snapshot(state))


def kept(state):
    """The state after it was written and read."""
    return restore(json.loads(text_of(state)))


def session(**fields):
    return Session("s", **fields)


def saying(*held):
    """A session in which the agent said these chunks."""
    entry = Message(role="agent", chunks=Chunks.holding(held))
    return session(timeline=Timeline.of([entry]))


# What is written


def test_a_snapshot_says_what_it_is():
    assert snapshot(Connection()) == {"format": "acp_state", "version": 1, "connection": {}}
    assert snapshot(session()) == {
        "format": "acp_state",
        "version": 1,
        "session": {"sessionId": "s"},
    }


def test_all_of_a_session_is_written_and_what_equals_its_default_is_not():
    image = Chunk(ImageContent(data="d", mime_type="m"), JsonObject({"k": 1}))
    state = session(
        title="T",
        running=(0,),
        turns=Vector.of([Turn(request_id=1, start=0, echo=Echo(expected=(b"G\0o\0",)))]),
        timeline=Timeline.of(
            [
                Message(role="user", chunks=Chunks.holding(["Go"]), origin="local", turn=0),
                ToolCall(tool_call_id="t", title="T", kind="read", raw_input=freeze({"a": [1]})),
                Message(role="agent", chunks=Chunks.holding(["H", "i", image])),
            ],
            run_open=True,
        ),
        terminals=Map.of({"x": Terminal(terminal_id="x", exited=True, exit_code=0)}),
    )
    assert snapshot(state)["session"] == {
        "sessionId": "s",
        "title": "T",
        "timeline": {
            "entries": [
                {
                    "entry": "message",
                    "role": "user",
                    "chunks": ["Go"],
                    "origin": "local",
                    "turn": 0,
                },
                {
                    "entry": "tool_call",
                    "toolCallId": "t",
                    "title": "T",
                    "kind": "read",
                    "rawInput": {"a": [1]},
                },
                {
                    "entry": "message",
                    "role": "agent",
                    "chunks": [
                        "H",
                        "i",
                        {
                            "content": {"type": "image", "data": "d", "mimeType": "m"},
                            "_meta": {"k": 1},
                        },
                    ],
                },
            ],
            "runOpen": True,
        },
        "turns": [{"requestId": 1, "start": 0, "echo": {"expected": ["Go"]}}],
        "running": [0],
        "terminals": {"x": {"terminalId": "x", "exitCode": 0, "exited": True}},
    }


def test_requests_are_pairs_of_their_id_and_what_they_are():
    pending = PendingRequest(request_id=1, method="m", params=JsonObject({}))
    settled = SettledRequest(result=True)
    state = Connection(
        client_requests=Map.of({("int", 1): pending}),
        settled_by_client=Map.of({("str", "1"): settled, ("NoneType", None): SettledRequest()}),
    )
    assert snapshot(state)["connection"] == {
        "clientRequests": [[1, {"requestId": 1, "method": "m", "params": {}}]],
        "settledByClient": [["1", {"result": True}], [None, {}]],
    }


def test_a_set_is_sorted():
    words = frozenset({"_b", "_c", "_a"})
    assert snapshot(Connection(extension_methods=words))["connection"] == {
        "extensionMethods": ["_a", "_b", "_c"]
    }


def test_a_snapshot_is_of_a_connection_or_a_session():
    with pytest.raises(TypeError, match="not of <timeline of 0 entries>"):
        snapshot(Timeline())


# What survives


def option(*values):
    return SessionConfigSelect(id="o", name="O", current_value="v", options=values)


def asked(kind):
    return Permission(
        request_id="p",
        tool_call=ToolCallUpdate(tool_call_id="t", title=None),
        options=(PermissionOption(option_id="y", name="Y", kind=kind),),
    )


def replaying(held=(), built=()):
    """A session with a replay of these timelines."""
    return session(
        replay=Replay(
            held=Timeline.of(held),
            built=Timeline.of(built),
            told=True,
            stale=Map.of({("session_message", "m"): True, ("session_message", "l"): True}),
        )
    )


def with_raw(value):
    return session(timeline=Timeline.of([ToolCall(tool_call_id="t", raw_output=freeze(value))]))


def with_state(state):
    return session(timeline=Timeline.of([Subagent(session_id="k", state=state)]))


SPECIAL = {
    "ids of two types": Connection(
        settled_by_agent=Map.of(
            {
                ("int", 1): SettledRequest(error_code=1),
                ("str", "1"): SettledRequest(error_code=2),
                ("NoneType", None): SettledRequest(error_code=3),
                ("int", 0): SettledRequest(cancelled=True, any_answer=True),
            }
        )
    ),
    "all extensions": Connection(extension_methods="*"),
    "no extension": Connection(extension_methods=frozenset()),
    "null, absent and a value": saying(
        *[
            Chunk(TextContent(text="x", annotations=annotations, meta=meta))
            for annotations in (OMITTED, None, Annotations(), Annotations(audience=None))
            for meta in (OMITTED, None, {})
        ],
        Chunk(TextContent(text="x"), JsonObject({})),
    ),
    "plain text": saying("", "a", "\n", "\u2028", "\U0001f680"),
    "halves of a character": saying("\ud83d", "\ude80", "\ude80\ud83d"),
    "a half in the prompt": session(
        running=(0,),
        turns=Vector.of(
            [
                Turn(
                    request_id=1,
                    start=None,
                    echo=Echo(
                        expected=(b"\x3d\xd8", ImageContent(data="d", mime_type="m"), b"a\0"),
                        segment=2,
                        offset=0,
                        chunks=Chunks.holding(["\ud83d"]),
                        message_id="m",
                    ),
                )
            ]
        ),
    ),
    "a half in a key": with_raw({"\ud83d": "\ude80"}),
    "one": with_raw(1),
    "one as a fraction": with_raw(1.0),
    "true": with_raw(True),  # noqa: FBT003 - a JSON value
    "false": with_raw(False),  # noqa: FBT003 - a JSON value
    "zero": with_raw(0),
    "minus zero": with_raw(-0.0),
    "a long integer": with_raw(10**400),
    "nothing in it": with_raw({"a": {}, "b": [], "c": None, "d": ""}),
    "an odd state": with_state(OtherStateUpdate(state="odd", rest=JsonObject({"x": [None]}))),
    "an odd end": with_state(OtherStopReason(stop_reason="odd", rest=JsonObject({"x": 1}))),
    "an odd option": session(
        permissions=Vector.of([asked("odd")]), open_permissions=Map.of({("str", "p"): 0})
    ),
    "an odd stop": session(turns=Vector.of([Turn(request_id="1", start=None, stop_reason="odd")])),
    "odd ways to authenticate": Connection(
        auth_methods=(
            AuthMethodAgent(id="a", name="A", type="odd"),
            AuthMethodAgent(id="b", name="B"),
        )
    ),
    "no roots": session(additional_directories=()),
    "values": session(config_options=(option(SessionConfigSelectOption(value="v", name="V")),)),
    "groups": session(
        config_options=(option(SessionConfigSelectGroup(group="g", name="G", options=())),)
    ),
    "no options": session(config_options=()),
    "a blob": saying(Chunk(EmbeddedResource(resource=BlobResourceContents(blob="b", uri="u")))),
    "a replay": replaying([Compaction(compaction_id="c")], [Message(role="agent", message_id="m")]),
    "an empty replay": replaying(),
    "usage": session(usage=ContextUsage(used=2, size=1)),
}


@pytest.mark.parametrize("name", SPECIAL)
def test_a_value_survives(name):
    state = SPECIAL[name]
    assert kept(state) == state
    assert text_of(kept(state)) == text_of(state)


def test_a_map_keeps_its_order():
    sessions = Map.of([("b", Session("b")), ("a", Session("a")), ("c", Session("c"))])
    sessions = sessions.remove("b").set("b", Session("b"))
    assert list(kept(Connection(sessions=sessions)).sessions) == ["a", "c", "b"]


def test_text_without_more_is_a_bare_string_again():
    """Chunks are equal only if they lie alike in the log."""
    told = json.loads(text_of(saying("x")))
    told["session"]["timeline"]["entries"][0]["chunks"] = [
        {"content": {"type": "text", "text": "x"}}
    ]
    assert restore(told) == saying("x")


def test_raw_json_may_be_as_deep_as_in_a_message():
    deep = "x"
    for _ in range(MAX_DEPTH):
        deep = [deep]
    assert kept(with_raw(deep)) == with_raw(deep)
    told = snapshot(with_raw(deep))
    told["session"]["timeline"]["entries"][0]["rawOutput"] = [deep]
    with pytest.raises(SnapshotError, match="nested deeper than 128 levels"):
        restore(told)


@pytest.mark.parametrize(
    "long",
    [
        saying(*["x"] * 20_000),
        session(timeline=Timeline.of(Message(role="user") for _ in range(20_000))),
        session(plans=Map(), turns=Vector.of([Turn(request_id=1, start=None)] * 20_000)),
    ],
    ids=["chunks", "entries", "turns"],
)
def test_what_is_long_is_not_deep(long):
    assert kept(long) == long


def test_orjson_writes_and_reads_it_as_well():
    state = saying("a", "\U0001f680", Chunk(ImageContent(data="d", mime_type="m")))
    assert restore(orjson.loads(orjson.dumps(snapshot(state)))) == state


# Every class of the model


@pytest.mark.parametrize("cls", model_classes(), ids=lambda cls: f"{cls.__module__}.{cls.__name__}")
@settings(
    max_examples=40,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(data=st.data())
def test_every_field_of_every_class_survives(cls, data):
    """Drawn from the annotations, so that no new field is forgotten."""
    value = data.draw(values(cls))
    told = json.dumps(write(value))
    assert json.loads(told) == write(value)
    back = read(json.loads(told), cls)
    assert back == value
    assert json.dumps(write(back)) == told


# On whole conversations


def entries_found(timeline):
    return [timeline.find(entry.key) for entry in timeline if entry.key is not None]


@settings(max_examples=40)
@given(lines=conversations() | wild(), side=st.sampled_from(SEATS))
def test_what_was_restored_after_each_event_goes_on_as_if_nothing_had_been(lines, side):
    """Contract 6: equal states, equal intents, the same text; entries are found where they were."""
    here = there = Connection(side=side)
    for sender, message in lines:
        here, told_here = see(here, sender, message)
        there, told_there = see(there, sender, message)
        assert (there, told_there) == (here, told_here)
        there = kept(there)
        assert there == here
        assert text_of(there) == text_of(here)
        assert [entries_found(each.timeline) for each in there.sessions.values()] == [
            entries_found(each.timeline) for each in here.sessions.values()
        ]


@settings(max_examples=40)
@given(conversations())
def test_each_session_of_a_conversation_survives_alone(lines):
    for each in end_of(lines).sessions.values():
        assert restore(json.loads(text_of(each)), Session) == each


# On recordings


@needs_shared
@pytest.mark.parametrize("name", NAMES)
def test_a_recording_can_be_put_away_and_taken_up_in_the_middle(name):
    messages = messages_of(name)
    stops = {len(messages) * part // 4 for part in range(1, 4)}
    here = there = Connection(side="observer")
    for number, (sender, message) in enumerate(messages):
        if number in stops:
            there = kept(there)
        here, told_here = see(here, sender, message)
        there, told_there = see(there, sender, message)
        assert told_there == told_here
    assert there == here == kept(here)
    assert text_of(kept(here)) == text_of(here)


# What is refused


CAPABILITIES = {"fs": {}, "elicitation": {"form": {}}}


def busy():
    """The snapshot of a connection in which there is something of everything."""
    modes = {"currentModeId": "m", "availableModes": [{"id": "m", "name": "M"}]}
    connection, _ = folded(
        client_asks(0, "initialize", protocolVersion=1, clientCapabilities=CAPABILITIES),
        agent_answers(0, {"protocolVersion": 1, "agentCapabilities": {"loadSession": True}}),
        *made("s", 1, modes=modes),
        *made("b", 2),
        load(4, "b"),
        prompt(3),
        chunk("agent", "Hi", meta={"k": 1}),
        call("t", rawInput={"a": 1}, locations=[{"path": "/f"}]),
        child("k", "s", state=RUNNING, capabilities=MAY_CANCEL),
        compaction("c"),
        letter("l", content=text_blocks("L")),
        asks_permission("p", toolCallId="t"),
        asks_form("e", sessionId="s"),
        update("plan", entries=[{"content": "P", "priority": "low", "status": "pending"}]),
        update("plan_update", plan={"type": "markdown", "planId": "p", "content": "P"}),
        onto=Connection(),
    )
    return json.loads(text_of(connection))


BUSY = busy()


def test_there_is_something_of_everything():
    state = restore(BUSY, Connection)
    assert [len(each.timeline) for each in state.sessions.values()] == [6, 0, 0]
    assert tuple(state.sessions["s"].open_permissions.values()) == (0,)
    assert len(state.elicitations) == 1


SESSION = ("connection", "sessions", "s")
ENTRIES = (*SESSION, "timeline", "entries")
IN_SESSION = "connection.sessions['s']"
IN_ENTRIES = f"{IN_SESSION}.timeline.entries"


def at(path, json):
    for step in path:
        json = json[step]
    return json


def edited(*path, to=OMITTED):
    """The busy snapshot with something else in one place, or nothing."""
    told = copy.deepcopy(BUSY)
    holder = at(path[:-1], told)
    if to is OMITTED:
        del holder[path[-1]]
    else:
        holder[path[-1]] = to
    return told


def verdict(json):
    """What is said of it."""
    with pytest.raises(SnapshotError) as caught:
        restore(json)
    return caught.value.path, caught.value.text


@pytest.mark.parametrize(
    ("told", "path", "text"),
    [
        (None, "", "must be an object, not null"),
        ([], "", "must be an object, not an array"),
        ({}, "format", "must be 'acp_state', not null"),
        (edited("format", to="x"), "format", "must be 'acp_state', not 'x'"),
        (edited("version"), "version", "must be 1, not null"),
        (edited("version", to="1"), "version", "must be 1, not '1'"),
        (edited("version", to=True), "version", "must be 1, not True"),
        (edited("version", to=1.0), "version", "must be 1, not 1.0"),
        (edited("version", to=0), "version", "must be 1, not 0"),
        (edited("version", to=2), "version", "must be 1, not 2, which a newer acp_state writes"),
        (edited("connection"), "", "must hold 'connection' or 'session', not nothing"),
        (
            edited("future", to=1),
            "",
            "must hold 'connection' or 'session', not 'connection', 'future'",
        ),
        (edited("connection", to=5), "connection", "must be an object, not 5"),
    ],
)
def test_the_head_must_be_right(told, path, text):
    assert verdict(told) == (path, text)


def test_the_other_kind_is_refused_where_one_is_asked_for():
    with pytest.raises(SnapshotError, match="holds a connection, not a session"):
        restore(BUSY, Session)
    with pytest.raises(SnapshotError, match="holds a session, not a connection"):
        restore(snapshot(session()), Connection)


def test_the_kind_may_be_asked_for():
    assert restore(snapshot(session()), Session) == session()
    assert restore(snapshot(READY), Connection) == READY


OBJECTS = [
    ("connection",),
    ("connection", "clientCapabilities"),
    ("connection", "clientCapabilities", "fs"),
    ("connection", "agentCapabilities"),
    ("connection", "elicitations", 0, 1),
    ("connection", "clientRequests", 0, 1),
    SESSION,
    (*SESSION, "timeline"),
    (*SESSION, "turns", 0),
    (*SESSION, "turns", 0, "echo"),
    (*SESSION, "permissions", 0),
    (*SESSION, "permissions", 0, "toolCall"),
    (*SESSION, "permissions", 0, "before"),
    (*SESSION, "permissions", 0, "options", 0),
    (*SESSION, "plan"),
    (*SESSION, "plan", "entries", 0),
    (*SESSION, "plans", "p"),
    (*SESSION, "modes"),
    (*SESSION, "modes", "availableModes", 0),
    (*ENTRIES, 0),
    (*ENTRIES, 1, "chunks", 0),
    (*ENTRIES, 1, "chunks", 0, "content"),
    (*ENTRIES, 2),
    (*ENTRIES, 2, "locations", 0),
    (*ENTRIES, 3),
    (*ENTRIES, 3, "capabilities", "cancel"),
    (*ENTRIES, 3, "state"),
    (*ENTRIES, 4),
    (*ENTRIES, 5),
    ("connection", "sessions", "b", "replay"),
    ("connection", "sessions", "b", "replay", "held"),
]


def shown(path):
    """A path as an error spells it."""
    maps = {"sessions", "plans"}
    steps = zip(path, ("", *path), strict=False)
    return "".join(
        f"[{step!r}]" if before in maps or isinstance(step, int) else f".{step}"
        for step, before in steps
    ).removeprefix(".")


@pytest.mark.parametrize("path", OBJECTS, ids=shown)
def test_a_field_of_the_future_is_refused_wherever_it_is(path):
    """What is dropped in silence would be lost with the next snapshot."""
    where, text = verdict(edited(*path, "future", to=1))
    assert where == shown(path)
    assert text.startswith("unknown field 'future'; known are ")


@pytest.mark.parametrize(
    ("path", "to", "where", "text"),
    [
        (
            ("connection", "phase"),
            "odd",
            "connection.phase",
            "must be one of 'new', 'initializing', 'ready', 'failed', 'closed', not 'odd'",
        ),
        (
            ("connection", "nextRequestId"),
            1.0,
            "connection.nextRequestId",
            "must be an integer, not 1.0",
        ),
        (
            ("connection", "nextRequestId"),
            True,
            "connection.nextRequestId",
            "must be an integer, not True",
        ),
        (("connection", "mcpOverAcp"), 1, "connection.mcpOverAcp", "must be true or false, not 1"),
        (
            ("connection", "extensionMethods"),
            "a",
            "connection.extensionMethods",
            "must be one of '*', not 'a'",
        ),
        (
            ("connection", "extensionMethods"),
            5,
            "connection.extensionMethods",
            "must be an array or a string, not 5",
        ),
        (
            ("connection", "extensionMethods"),
            [5],
            "connection.extensionMethods[0]",
            "must be a string, not 5",
        ),
        (("connection", "sessions"), [], "connection.sessions", "must be an object, not an array"),
        (("connection", "sessions", "s"), {}, f"{IN_SESSION}", "'sessionId' is missing"),
        (
            ("connection", "clientRequests"),
            {},
            "connection.clientRequests",
            "must be an array, not an object",
        ),
        (
            ("connection", "clientRequests", 0),
            [1],
            "connection.clientRequests[0]",
            "must be a pair of id and value, not an array",
        ),
        (
            ("connection", "clientRequests", 0, 0),
            1.5,
            "connection.clientRequests[0][0]",
            "must be an integer or a string, not 1.5",
        ),
        (
            ("connection", "clientRequests", 0, 1),
            None,
            "connection.clientRequests[0][1]",
            "must be an object, not null",
        ),
        ((*SESSION, "title"), 5, f"{IN_SESSION}.title", "must be a string, not 5"),
        ((*ENTRIES, 0, "entry"), "odd", f"{IN_ENTRIES}[0]", "unknown entry 'odd'"),
        ((*ENTRIES, 0, "entry"), OMITTED, f"{IN_ENTRIES}[0]", "'entry' is missing"),
        ((*ENTRIES, 0, "role"), OMITTED, f"{IN_ENTRIES}[0]", "'role' is missing"),
        (
            (*ENTRIES, 1, "chunks"),
            [None],
            f"{IN_ENTRIES}[1].chunks[0]",
            "must be an object, not null",
        ),
        (
            (*ENTRIES, 1, "chunks", 0, "content", "type"),
            "odd",
            f"{IN_ENTRIES}[1].chunks[0].content",
            "unknown type 'odd'",
        ),
        (
            (*ENTRIES, 2, "locations", 0, "line"),
            -1,
            f"{IN_ENTRIES}[2].locations[0].line",
            "must be at least 0, not -1",
        ),
        ((*ENTRIES, 2, "_meta"), 5, f"{IN_ENTRIES}[2]._meta", "must be an object, not 5"),
        (
            (*SESSION, "permissions", 0, "options", 0, "kind"),
            5,
            f"{IN_SESSION}.permissions[0].options[0].kind",
            "must be a string, not 5",
        ),
        (
            (*SESSION, "turns", 0, "echo", "expected"),
            [5],
            f"{IN_SESSION}.turns[0].echo.expected[0]",
            "must be a string or an object, not 5",
        ),
        (
            ("connection", "sessions", "b", "replay", "stale"),
            [[["a"], True]],
            "connection.sessions['b'].replay.stale[0][0]",
            "must be an array of 2 items, not of 1",
        ),
    ],
)
def test_a_part_must_be_right(path, to, where, text):
    assert verdict(edited(*path, to=to)) == (where, text)


def test_an_id_may_not_be_there_twice():
    twice = BUSY["connection"]["clientRequests"] * 2
    path, text = verdict(edited("connection", "clientRequests", to=twice))
    assert (path, text) == ("connection.clientRequests[2]", "the id 4 is there twice")


def test_an_id_that_is_too_long_is_none():
    """RPC-02."""
    path, text = verdict(edited("connection", "clientRequests", 0, 0, to=2**63))
    assert path == "connection.clientRequests[0][0]"
    assert text == f"must be an integer of 64 bits, not {2**63}"


# What one part says of another


@pytest.mark.parametrize(
    ("path", "to", "where", "text"),
    [
        ((*SESSION, "running"), [1], f"{IN_SESSION}.running[0]", "must be an index below 1, not 1"),
        (
            (*SESSION, "running"),
            [-1],
            f"{IN_SESSION}.running[0]",
            "must be an index below 1, not -1",
        ),
        (
            (*SESSION, "openPermissions"),
            [[3, 5]],
            f"{IN_SESSION}.openPermissions[0][1]",
            "must be an index below 1, not 5",
        ),
        (
            (*SESSION, "openPermissions"),
            [["x", 0]],
            f"{IN_SESSION}.openPermissions[0][0]",
            "must be the id of the permission that it leads to, 'p'",
        ),
        (
            (*SESSION, "permissions", 0, "turn"),
            1,
            f"{IN_SESSION}.permissions[0].turn",
            "must be an index below 1, not 1",
        ),
        (
            (*SESSION, "turns", 0, "start"),
            6,
            f"{IN_SESSION}.turns[0].start",
            "must be an index below 6, not 6",
        ),
        (
            (*SESSION, "turns", 0, "echo", "segment"),
            1,
            f"{IN_SESSION}.turns[0].echo.segment",
            "must be an index below 1, not 1",
        ),
        ((*ENTRIES, 2, "turn"), 1, f"{IN_ENTRIES}[2].turn", "must be an index below 1, not 1"),
        (
            ("connection", "sessions", "b", "replay", "built"),
            {"entries": [{"entry": "compaction", "compactionId": "c", "turn": 0}]},
            "connection.sessions['b'].replay.built.entries[0].turn",
            "must be an index below 0, not 0",
        ),
        (
            (*SESSION, "timeline", "runOpen"),
            True,
            f"{IN_SESSION}.timeline.runOpen",
            "must not be true where no message without an id is the last entry",
        ),
        (
            (*SESSION, "sessionId"),
            "x",
            f"{IN_SESSION}.sessionId",
            "must have the id that it stands under, not 'x'",
        ),
        (
            (*SESSION, "plans", "p", "planId"),
            "x",
            f"{IN_SESSION}.plans['p'].planId",
            "must have the id that it stands under, not 'x'",
        ),
        (
            ("connection", "clientRequests", 0, 0),
            "4",
            "connection.clientRequests[0][1].requestId",
            "must have the id that it stands under, not 4",
        ),
    ],
)
def test_the_parts_must_agree(path, to, where, text):
    assert verdict(edited(*path, to=to)) == (where, text)


def test_the_parts_of_a_session_alone_must_agree():
    told = snapshot(session(running=(0,)))
    assert verdict(told) == ("session.running[0]", "must be an index below 0, not 0")


# Whatever comes


def places(value):
    """All places in a JSON value: what holds, and the key or index."""
    if not isinstance(value, dict | list):
        return []
    items = list(value.items() if isinstance(value, dict) else enumerate(value))
    return [(value, key) for key, _ in items] + [
        place for _, each in items for place in places(each)
    ]


SIMILAR = {
    bool: st.booleans(),
    int: st.integers(-1, 4),
    str: st.sampled_from(["s", "b", "k", "t", "c", "l", "m", "p", "user", "agent", "pending"]),
}


@st.composite
def spoiled(draw, told, others):
    """The snapshot with something else in one to three places."""
    told = copy.deepcopy(told)
    for _ in range(draw(st.integers(1, 3))):
        holder, key = draw(st.sampled_from(places(told["connection"]) or [(told, "connection")]))
        if draw(st.booleans()):
            del holder[key]
        else:
            holder[key] = draw(SIMILAR.get(type(holder[key]), st.none()) | others)
    return told


def restored_or_not(told):
    """The state, or None where it is refused."""
    try:
        return restore(told)
    except SnapshotError:
        return None


@given(json_like)
def test_what_is_no_snapshot_is_refused(told):
    with pytest.raises(SnapshotError):
        restore(told)


@settings(max_examples=300)
@given(told=spoiled(BUSY, json_like))
def test_a_spoiled_snapshot_is_refused_or_is_another(told):
    state = restored_or_not(told)
    assert state is None or restore(snapshot(state)) == state


@settings(max_examples=60)
@given(told=spoiled(BUSY, st.nothing()), lines=conversations(families=(("s", "k"), ("b",))))
def test_what_is_taken_for_a_snapshot_can_be_folded_on(told, lines):
    state = restored_or_not(told)
    if state is not None:
        end_of(lines, state)


def test_nothing_is_shared_with_what_was_read():
    """Contract 1: the host may go on using the JSON."""
    told = snapshot(with_raw({"a": [1]}))
    state = restore(told)
    told["session"]["timeline"]["entries"][0]["rawOutput"]["a"].append(2)
    assert state == with_raw({"a": [1]})


def test_nothing_is_shared_with_what_was_written():
    state = with_raw({"a": [1]})
    snapshot(state)["session"]["timeline"]["entries"][0]["rawOutput"]["a"].append(2)
    assert state == with_raw({"a": [1]})
