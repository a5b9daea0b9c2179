"""Every form in which a recording is found."""

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_state.recording.forms import FORMS, SAMPLE, read_any
from acp_state.recording.splitting import DIRECTIONS, JSON_RPC, WRAPPERS
from acp_state.recording.times import KEYS as TIMES

ASK = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 1}}
ANSWER = {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 1}}
ERROR = {"jsonrpc": "2.0", "id": 1, "error": {"code": -32603, "message": "no"}}
UPDATE = {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s", "update": {}}}
SAID = [("client", ASK), ("agent", ANSWER), ("agent", UPDATE), ("agent", ERROR)]
OUT = {"client": "outgoing", "agent": "incoming"}
OTHER = {"client": "agent", "agent": "client"}


def kind(message):
    return (
        "response" if "method" not in message else "request" if "id" in message else "notification"
    )


def zed(sender, message):
    content = message.get("result", message.get("error", message.get("params")))
    return {
        "_direction": OUT[sender],
        "_type": kind(message),
        "id": message.get("id"),
        "method": "any",
        **({"method": message["method"]} if "method" in message else {}),
        "params": content,
    }


def conductor(sender, message):
    payload = {"payload": message.get("result", message.get("error"))}
    rest = {
        key: value for key, value in message.items() if key not in ("jsonrpc", "result", "error")
    }
    ends = {"is_error": "error" in message, **payload} if "method" not in message else {}
    head = {"ts": 1.5, "type": kind(message), "protocol": "acp"}
    return {**head, "from": sender, "to": OTHER[sender], **rest, **ends}


EXAMPLES = {
    "recording": lambda sender, message: {"t": 1.5, "from": sender, "message": message},
    "zed": zed,
    "conductor": conductor,
    "inspector": lambda sender, message: {
        "ts": "1970-01-01T00:00:01.500Z",
        "direction": f"from{sender.title()}",
        "json": json.dumps(message),
    },
    "inline": lambda sender, message: {"time": 1.5, "dir": OUT[sender], **message},
    "wrapped": lambda sender, message: {"time": 1.5, "direction": OUT[sender], "msg": message},
}
TIMED = {*EXAMPLES} - {"zed"}
KEYS = {*DIRECTIONS, *JSON_RPC, *WRAPPERS, *TIMES, "to", "_type", "is_error"}


def lines(*values):
    return [value if isinstance(value, str) else json.dumps(value) for value in values]


def told(reading):
    return [(record.sender, record.message) for record in reading.records]


@pytest.mark.parametrize("form", EXAMPLES)
@pytest.mark.parametrize("layout", ["lines", "list", "pretty"])
def test_a_form(form, layout):
    values = [EXAMPLES[form](sender, message) for sender, message in SAID]
    text = json.dumps(values, indent=2 if layout == "pretty" else None)
    whole = lines(*values) if layout == "lines" else text.splitlines(keepends=True)
    reading = read_any(whole)
    assert reading.form == form
    records = list(reading.records)
    assert [(record.sender, record.message) for record in records] == SAID
    assert [record.time for record in records] == [1.5 if form in TIMED else None] * 4


def test_bare_messages():
    reading = read_any(lines(ASK, ANSWER))
    assert (reading.form, reading.seen_from) == ("json-rpc", None)
    assert told(reading) == [(None, ASK), (None, ANSWER)]


@pytest.mark.parametrize(
    ("to_agent", "to_client"),
    [
        ("-->", "<--"),
        (">>", "<<"),
        ("→", "←"),
        ("[send]", "[recv]"),
        ("2026-01-01T00:00:00Z TRACE acp: send:", "2026-01-01T00:00:00Z TRACE acp: recv:"),
        ("client -> agent", "agent -> client"),
    ],
)
def test_a_log(to_agent, to_client):
    marks = {"client": to_agent, "agent": to_client}
    said = [f"{marks[sender]} {json.dumps(message)}" for sender, message in SAID]
    reading = read_any(["starting {up}\n", *said, "done {\n"])
    assert reading.form == "log"
    assert told(reading) == SAID


@pytest.mark.parametrize("seen_from", ["client", "agent"])
@pytest.mark.parametrize("asked", [False, True])
def test_either_side_may_have_written_it(seen_from, asked):
    values = [
        {"direction": "send" if sender == seen_from else "recv", "message": message}
        for sender, message in SAID
    ]
    reading = read_any(lines(*values), seen_from=seen_from if asked else None)
    assert reading.seen_from == seen_from
    assert told(reading) == SAID


@pytest.mark.parametrize(
    "value",
    [
        {"from": "client", "raw": json.dumps(ASK)},
        {"sender": "client", "payload": ASK},
        {"direction": "c2a", "object": ASK},
        {"level": "debug", "msg": f"--> {json.dumps(ASK)}"},
        {"msg": "send", "data": ASK},
        {"from": "client", "message": "send", "data": ASK},
        {"type": "send", "frame": ASK},
        {"stream": "stdin", "line": json.dumps(ASK)},
    ],
)
def test_a_message_under_some_key(value):
    reading = read_any(lines(value))
    assert (reading.form, told(reading)) == ("wrapped", [("client", ASK)])


def test_a_message_under_a_key_without_a_direction():
    assert told(read_any(lines({"level": 3, "message": ASK}))) == [(None, ASK)]


def test_a_result_that_hides_in_params():
    value = {"direction": "in", "type": "response", "id": 0, "method": "initialize"}
    good = {**value, "params": ANSWER["result"]}
    bad = {**value, "id": 1, "params": ERROR["error"]}
    assert told(read_any(lines(good, bad))) == [("agent", ANSWER), ("agent", ERROR)]


def test_a_request_without_params():
    ask = {"jsonrpc": "2.0", "id": None, "method": "initialize"}
    assert told(read_any(lines({**zed("client", ask), "params": None}))) == [("client", ask)]


def test_zed_tells_what_the_agent_printed():
    noise = {"_direction": "stderr", "_type": "stderr", "id": None, "method": "x", "params": "x"}
    assert told(read_any(lines(noise, zed("client", ASK)))) == [("client", ASK)]


def test_a_conductor_tells_what_proxies_and_components_say():
    noise = [
        {"ts": 0, "type": "trace", "component": "agent", "level": "info", "message": "x"},
        {**conductor("client", ASK), "from": "proxy:0"},
        {**conductor("client", ASK), "protocol": "mcp"},
    ]
    assert told(read_any(lines(*noise, conductor("client", ASK)))) == [("client", ASK)]


class TestWhatDoesNotFit:
    def test_other_values_are_read_as_our_own(self):
        odd = {"t": 2, "from": "agent", "message": UPDATE}
        records = list(
            read_any(lines(ASK, ASK, odd, "no JSON", {"from": "x", "message": 1})).records
        )
        assert [(r.sender, r.time, r.fault) for r in records] == [
            (None, None, None),
            (None, None, None),
            ("agent", 2.0, None),
            (None, None, "no JSON; the line is skipped"),
            (None, None, "'from' must be client or agent; the line is skipped"),
        ]

    def test_a_form_may_be_asked_for(self):
        value = EXAMPLES["wrapped"]("client", ASK)
        assert read_any(lines(value), form="inline").form == "inline"
        [record] = read_any(lines(value), form="json-rpc").records
        assert record.message == value or record.fault

    def test_nothing_at_all(self):
        assert read_any([]).form == read_any(["x", "5", "{}"]).form == "recording"

    @pytest.mark.parametrize("form", FORMS)
    @pytest.mark.parametrize(
        "value",
        [
            *(5, None, [], {}, "x", {"message": 1}, {"_direction": 1, "_type": 2}, {"json": "{"}),
            *({"type": "request", "to": []}, {"msg": "{" * 9}),
            {"from": [], "id": {}, "raw": "-> {{"},
        ],
    )
    def test_no_value_breaks_it(self, form, value):
        assert len(list(read_any(lines(value), form=form).records)) <= 1


def test_a_form_is_told_by_the_first_values():
    """And by no more of them, so that a long recording is not held in memory."""
    taken = []

    def endless():
        while True:
            taken.append(None)
            yield json.dumps(EXAMPLES["inline"]("client", ASK))

    records = read_any(endless()).records
    assert len(taken) <= SAMPLE + 1
    assert all(a.line + 1 == b.line for a, b in pairwise(next(records) for _ in range(300)))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(sorted(KEYS)) | st.text(max_size=4), inner, max_size=4)
    ),
)
"""Values whose keys are those that the forms look at."""


@given(st.lists(st.text(max_size=30) | JSON.map(json.dumps), max_size=4))
def test_whatever_stands_in_a_file(text):
    for record in read_any(text).records:
        assert record.sender in (None, "client", "agent")
        assert record.time is None or 0 <= record.time < 1e11
