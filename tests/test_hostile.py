"""What a hostile peer sends: nothing raises, and cost stays in proportion to what was sent.

No clock is read. Work is counted in lines of Python that were executed, and in the memory of all
states together, each of which is kept: whatever is copied for every event shows there.
"""

import gc
import json
import sys
import tracemalloc
from math import inf, nan

import pytest
from conversations import end_of, seated
from observing import SEATS, see
from reduce.builders import agent as agent_says
from reduce.builders import call as tool_call
from reduce.builders import letter, subagent, update, user
from reduce.history import (
    agent_answers,
    agent_asks,
    agent_refuses,
    agent_tells,
    asks_permission,
    client_answers,
    client_asks,
    client_tells,
    load,
    made,
    prompt,
)

from acp_state import (
    Connection,
    Diagnose,
    Disconnected,
    LocalProtocolError,
    Received,
    Send,
    Session,
    apply_update,
    fold,
    reduce,
    replay,
    replay_each,
    restore,
    snapshot,
)
from acp_state.json_values import MAX_DEPTH
from acp_state.recording import json_text
from acp_state.schema import TextContent

FEW, MANY = 30, 300
KEPT_FEW, KEPT_MANY = 70, 700
LINEAR = 12
"""Ten times as much may cost so many times as much; what is quadratic costs a hundred times."""


def nested(depth, brackets="[]"):
    """The text of arrays in arrays, or of objects in objects."""
    opening = "[" if brackets == "[]" else '{"_meta":'
    return opening * depth + ("" if brackets == "[]" else "0") + brackets[1] * depth


def deep(depth):
    """A value that no parser would give, but a careless host might."""
    value = {}
    for _ in range(depth):
        value = {"_meta": [value]}
    return value


# What a text can hold


@pytest.fixture(params=["orjson", "json"])
def either_parser(request, monkeypatch):
    """Recordings are read with orjson, or where it is missing with the standard library."""
    if request.param == "json":
        monkeypatch.setattr(json_text, "orjson", None)


UPDATE = '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":%s}}'
CALL = '{"sessionUpdate":"tool_call","toolCallId":"t","title":"T","rawInput":%s}'
DOCUMENT = '{"messages":[%s]}'
TEXTS = {
    "brackets": nested(100_000),
    "open brackets": "[" * 100_000,
    "objects": nested(100_000, "{}"),
    "brackets in a message": UPDATE % (CALL % nested(100_000)),
    "nested _meta": UPDATE % (CALL % nested(900, "{}")),
    "deep in a document": DOCUMENT % nested(1010),
    "too deep in a document": DOCUMENT % nested(100_000),
    "a document that never ends": '{"messages":[' * 10_000,
    "a long string": UPDATE % (CALL % json.dumps("x" * 10_000_000)),
    "a long id": '{"jsonrpc":"2.0","id":"%s","result":null}' % ("x" * 10_000_000),
    "many items": UPDATE % (CALL % json.dumps([0] * 100_000)),
    "many bad items": UPDATE
    % '{"sessionUpdate":"available_commands_update","availableCommands":[%s]}'
    % ",".join(["5"] * 10_000),
    "a number without end": UPDATE % (CALL % "1e400"),
    "minus that": UPDATE % (CALL % "-1e400"),
    "NaN": UPDATE % (CALL % "NaN"),
    "Infinity": UPDATE % (CALL % "Infinity"),
    "minus zero": UPDATE % (CALL % "-0"),
    "2**70": UPDATE % (CALL % 2**70),
    "an integer of many digits": UPDATE % (CALL % ("9" * 100_000)),
    "keys twice": UPDATE % '{"sessionUpdate":"plan","sessionUpdate":"tool_call","sessionUpdate":5}',
    "half a character": UPDATE % (CALL % '"\\ud800"'),
    "NUL": UPDATE % (CALL % '"\\u0000"'),
    "a raw NUL": "\0",
    "names of Python": UPDATE
    % (CALL % '{"__class__":{"__init__":1},"__proto__":{},"__dict__":[]}'),
    "blanks": " " * 1_000_000,
}


@pytest.mark.usefixtures("either_parser")
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
@pytest.mark.parametrize("encoded", [False, True], ids=["text", "bytes"])
def test_no_line_of_a_recording_raises(text, encoded):
    """Contract 2."""
    lines = [text.encode() if encoded else text, '{"jsonrpc":"2.0","method":"session/odd"}']
    *_, last = replay_each(lines)
    assert replay(lines) == last.connection


@pytest.mark.parametrize(
    "line", [b"\xff\xfe", b"\xef\xbb\xbf{", b'{"a":"\xed\xa0\x80"}', b"\x80" * 9]
)
def test_bytes_that_are_no_text(line):
    """Contract 2."""
    assert [each.is_message for each in replay_each([line])] in ([False], [True])


def test_names_of_python_are_keys_like_any_other():
    """A key is a key: it reaches no attribute of an object."""
    raw = {"__class__": {"__init__": 1}, "__proto__": {}, "__dict__": []}
    session, intents = apply_update(Session("s"), tool_call(rawInput=raw, **raw))
    assert (session.timeline[0].raw_input, intents) == (raw, ())
    assert apply_update(Session("s"), {"sessionUpdate": "__class__"})[0] == Session("s")


# What a value can be

ODD = {
    "deep": deep(900),
    "NaN": nan,
    "infinity": inf,
    "minus zero": -0.0,
    "2**70": 2**70,
    "10**5000": 10**5000,
    "half a character": "\ud800",
    "NUL": "\0",
    "bytes": b"x",
    "a set": {1},
    "keys that are no strings": {1: 2, None: 3, (): 4},
    "unhashable": [[]],
    "an object": object(),
}


NO_JSON = [
    value for value in ODD.values() if isinstance(value, (bytes, set)) or type(value) is object
]


def is_json(value):
    """Whether a parser could give it."""
    return not any(value is each for each in NO_JSON)


def lines_with(value):
    """Messages with the value in every place that the protocol gives a meaning to."""
    request = {"jsonrpc": "2.0", "method": "session/request_permission"}
    for name in ("client", "agent"):
        if is_json(value):
            yield name, value
        yield from (
            (name, {"jsonrpc": value, "id": 1}),
            (name, {"jsonrpc": "2.0", "method": value}),
        )
        yield name, {"jsonrpc": "2.0", "id": value, "method": "_odd"}
        yield name, {"jsonrpc": "2.0", "id": value, "method": "_odd"}
        yield name, {"jsonrpc": "2.0", "id": value, "result": value}
        yield name, {"jsonrpc": "2.0", "id": 5, "error": {"code": value, "message": value}}
        yield name, {"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": value}}
    yield "agent", {**request, "id": 5, "params": value}
    yield "agent", {**request, "id": 6, "params": {"sessionId": value, "toolCall": value}}
    if is_json(value):
        yield agent_tells("session/update", sessionId="s", update=value)
    yield agent_tells("session/update", sessionId="s", update={"sessionUpdate": value})
    for kind, key in [("tool_call", "toolCallId"), ("agent_message_chunk", "content")]:
        yield agent_tells("session/update", sessionId="s", update=update(kind, **{key: value}))
    yield agent_tells("session/update", sessionId="s", update=tool_call("t", rawInput=value))
    yield agent_tells("session/update", sessionId="s", update=tool_call("t", meta=value))
    yield prompt(7, "Go")
    yield asks_permission(8, toolCallId="t")
    yield client_tells("session/cancel", sessionId="s")
    yield client_answers(8, value)
    yield agent_refuses(7, value)
    yield client_asks(9, "session/close", sessionId="s")
    yield agent_refuses(9, value)


@pytest.mark.parametrize("side", SEATS)
@pytest.mark.parametrize("value", ODD.values(), ids=ODD)
def test_no_value_raises_wherever_it_stands(value, side):
    """Contract 2, in `reduce` and in `fold`."""
    connection, told = seated(side), []
    lines = [*made(), *lines_with(value)]
    for line in lines:
        connection, intents = see(connection, *line)
        told += intents
    seat = "agent" if side == "agent" else "client"
    of_agent = [Received(m) for sender, m in lines if sender != seat]
    assert isinstance(fold(seated(side), of_agent)[0], Connection)
    assert restore(snapshot(connection)) == connection
    assert value == 10**5000 or isinstance(repr((connection, told)), str)


@pytest.mark.parametrize("side", SEATS)
@pytest.mark.parametrize("value", [*NO_JSON, TextContent(text="a"), range(3)])
def test_what_no_parser_gives_is_the_hosts_mistake(value, side):
    """Contract 2: no peer can send it; as a whole message or a whole update it is refused."""
    connection = end_of(made(), seated(side))
    sender, update_of_it = agent_tells("session/update", sessionId="s", update=value)
    for line in [("client", value), ("agent", value), (sender, update_of_it)]:
        with pytest.raises(LocalProtocolError, match="pass the JSON value, as the parser gave it"):
            see(connection, *line)
    with pytest.raises(LocalProtocolError, match=r"is no session update of acp_state\.schema"):
        apply_update(Session("s"), value)


class Model:
    """As an object of the official SDK is."""

    def model_dump(self):
        """Its JSON."""


def test_who_passes_a_model_of_another_library_is_told_how_to_get_its_json():
    """Contract 2: the most likely mistake."""
    hint = r"^Model is no JSON-RPC message: pass the JSON value, such as its model_dump\("
    with pytest.raises(LocalProtocolError, match=hint):
        reduce(Connection(), Received(Model()))


def test_raw_json_is_held_to_a_depth_and_no_further():
    """What is deeper is malformed; the update that holds it is still folded."""
    value = 0
    for _ in range(MAX_DEPTH):
        value = [value]
    fits, _ = apply_update(Session("s"), tool_call(rawInput=value))
    assert fits.timeline[0].raw_input == value
    deeper, [told] = apply_update(Session("s"), tool_call(rawInput=[value]))
    assert deeper.timeline[0].raw_input is not None or told.diagnostic.raw is None


@pytest.mark.parametrize("side", SEATS)
def test_ids_cannot_be_chosen_to_have_one_hash(side):
    """RPC-02: beyond 64 bits, multiples of a prime that Python reduces integers by."""
    prime = sys.hash_info.modulus
    connection = seated(side)
    for factor in range(100):
        connection, _ = see(connection, *agent_asks(factor * prime, "session/update_odd"))
    held = {*connection.agent_requests, *connection.settled_by_client}
    assert len(held) <= 2**63 // prime + 1


def test_children_in_children_of_a_load_that_fails_are_forgotten_however_deep():
    """Contract 2, LOAD-09."""
    depth = 3000
    lines = [*made(), load(2), says("s", subagent("k0"))]
    lines += [says(f"k{level}", subagent(f"k{level + 1}")) for level in range(depth)]
    connection = after(lines)
    assert len(connection.sessions) == depth + 2
    assert [*after([agent_refuses(2)], connection).sessions] == ["s"]


# How much it costs


def says(session_id, payload):
    return agent_tells("session/update", sessionId=session_id, update=payload)


def after(lines, connection=None):
    for line in lines:
        connection = see(connection or seated("client"), *line)[0]
    return connection


LOST = ("client", Disconnected())


def asked(count):
    return [*made(), *(asks_permission(each, toolCallId=f"t{each}") for each in range(2, count))]


def elicits(count):
    fields = {"sessionId": "s", "mode": "form", "message": "?", "requestedSchema": {}}
    return [*made(), *(agent_asks(each, "elicitation/create", **fields) for each in range(count))]


def chain(count):
    links = ((f"k{each}", subagent(f"k{each + 1}")) for each in range(count))
    return [*made(), says("s", subagent("k0")), *(says(name, link) for name, link in links)]


def in_load(updates):
    return [*made(), load(2), *(says("s", each) for each in updates)]


def options(count, **fields):
    option = {"id": "o", "name": "O", "type": "select", "currentValue": "v", "options": []}
    listed = [{**option, **fields} for _ in range(count)]
    return [*made(), says("s", update("config_option_update", configOptions=listed))]


FLOODS = {
    "chunks of one message": lambda n: [*made(), *[says("s", agent_says("x", "m"))] * n],
    "messages": lambda n: [*made(), *(says("s", agent_says("x", f"m{i}")) for i in range(n))],
    "tool calls": lambda n: [*made(), *(says("s", tool_call(f"t{i}")) for i in range(n))],
    "one tool call": lambda n: [*made(), *(says("s", tool_call(title=f"{i}")) for i in range(n))],
    "open permission requests": asked,
    "answered ones": lambda n: [
        *asked(n),
        *(client_answers(i, {"outcome": {"outcome": "cancelled"}}) for i in range(2, n)),
    ],
    "withdrawn ones": lambda n: [
        *asked(n),
        *(agent_tells("$/cancel_request", requestId=i) for i in range(2, n)),
    ],
    "cancelled ones": lambda n: [
        *asked(n),
        prompt(5000, "Go"),
        client_tells("session/cancel", sessionId="s"),
    ],
    "lost ones": lambda n: [*asked(n), LOST],
    "open questions": elicits,
    "lost questions": lambda n: [*elicits(n), LOST],
    "unknown requests": lambda n: [agent_asks(i, "_odd") for i in range(n)],
    "unknown responses": lambda n: [agent_answers(i) for i in range(n)],
    "unknown notifications": lambda n: [agent_tells(f"_odd{i}") for i in range(n)],
    "no messages": lambda n: [("agent", {"n": i}) for i in range(n)],
    "one big batch": lambda n: [("agent", [{"n": i} for i in range(n)])],
    "sessions": lambda n: [says(f"s{i}", agent_says("x")) for i in range(n)],
    "lost sessions": lambda n: [*(says(f"s{i}", agent_says("x")) for i in range(n)), LOST],
    "children": lambda n: [*made(), *(says("s", subagent(f"k{i}")) for i in range(n))],
    "children in children": chain,
    "parents of parents": lambda n: [says(f"k{i + 1}", subagent(f"k{i}")) for i in range(n)],
    "children in a load": lambda n: in_load(subagent(f"k{i}") for i in range(n)),
    "and the load fails": lambda n: [
        *in_load(subagent(f"k{i}") for i in range(n)),
        agent_refuses(2),
    ],
    "letters in a load": lambda n: in_load(letter(f"l{i}") for i in range(n)),
    "messages in a load": lambda n: [
        *in_load(agent_says("x", f"m{i}") for i in range(n)),
        agent_answers(2),
    ],
    "turns": lambda n: [
        *made(),
        *(
            line
            for i in range(2, n)
            for line in (prompt(i, "Go"), agent_answers(i, {"stopReason": "end_turn"}))
        ),
    ],
    "user messages that are no echo": lambda n: [
        *made(),
        prompt(2, "Go"),
        *(says("s", user(f"{i}", f"u{i}")) for i in range(n)),
    ],
    "calls that a turn leaves open": lambda n: [
        *made(),
        prompt(2, "Go"),
        *(says("s", tool_call(f"t{i}")) for i in range(n)),
        agent_answers(2, {"stopReason": "end_turn"}),
    ],
    "blocks of a prompt": lambda n: [
        *made(),
        client_asks(2, "session/prompt", sessionId="s", prompt=[{"type": "text", "text": "x"}] * n),
    ],
    "odd blocks of a prompt": lambda n: [
        *made(),
        client_asks(2, "session/prompt", sessionId="s", prompt=[5] * n),
    ],
    "options with one id": options,
    "options that do not fit": lambda n: options(n, type=5),
    "plans": lambda n: [
        *made(),
        *(
            says("s", {"sessionUpdate": "plan_update", "plan": plan(i)})
            for each in range(n)
            for i in (each,)
        ),
        *(says("s", update("plan_removed", planId=f"p{i}")) for i in range(n)),
    ],
    "a catalogue": lambda n: [
        client_asks(1, "session/list"),
        agent_answers(1, {"sessions": [{"sessionId": f"s{i}", "cwd": "/w"} for i in range(n)]}),
    ],
    "terminals": lambda n: [
        *made(),
        *(
            line
            for i in range(n)
            for line in (
                agent_asks(i, "terminal/create", sessionId="s", command="c"),
                client_answers(i, {"terminalId": f"x{i}"}),
            )
        ),
    ],
}


def plan(number):
    return {"type": "markdown", "planId": f"p{number}", "content": "P"}


def folded(lines):
    """All connections and intents, one after the other."""
    connection, kept = seated("client"), []
    for sender, message in lines:
        if isinstance(message, Disconnected):
            connection, intents = reduce(connection, message)
        else:
            connection, intents = see(connection, sender, message)
        kept.append((connection, intents))
    return kept


def executed(lines):
    """How many lines of Python it takes to fold these."""
    count = 0

    def trace(*_):
        nonlocal count
        count += 1
        return trace

    tracer = sys.gettrace()
    sys.settrace(trace)
    try:
        folded(lines)
    finally:
        sys.settrace(tracer)
    return count


def held(lines):
    """How much memory all the states take together."""
    gc.collect()
    tracemalloc.start()
    kept = folded(lines)
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert kept
    return size


@pytest.mark.parametrize("flood", FLOODS.values(), ids=FLOODS)
def test_work_is_in_proportion_to_what_was_sent(flood):
    """Contract 3."""
    folded(flood(FEW))
    assert executed(flood(MANY)) < LINEAR * executed(flood(FEW))


@pytest.mark.parametrize("flood", FLOODS.values(), ids=FLOODS)
def test_memory_is_in_proportion_to_what_was_sent(flood):
    """Contract 3: every state of them is kept."""
    folded(flood(FEW))
    few, many = flood(KEPT_FEW), flood(KEPT_MANY)
    assert held(many) < LINEAR * held(few)


def test_many_requests_are_open():
    """Contract 3: each is found and answered at once."""
    count = 10_000
    asks = [Received(asks_permission(each, toolCallId="t")[1]) for each in range(count)]
    connection, _ = fold(after(made()), asks)
    assert len(connection.sessions["s"].open_permissions) == count
    lost, intents = reduce(connection, Disconnected())
    assert (len(lost.agent_requests), len(intents)) == (0, count)


def test_many_sessions():
    """Contract 3."""
    count = 10_000
    said = [Received(says(f"s{each}", agent_says("x"))[1]) for each in range(count)]
    connection, intents = fold(seated("client"), said)
    assert len(connection.sessions) == len(intents) == count
    assert all(isinstance(each, Diagnose) for each in intents)


def test_an_unknown_request_is_answered_and_leaves_little():
    """RPC-05."""
    connection, intents = reduce(
        seated("client"), Received(agent_asks(1, "_odd", x="y" * 10**6)[1])
    )
    assert [type(each) for each in intents] == [Send]
    assert len(json.dumps(snapshot(connection))) < 1000
