"""Recordings are written in any form, and read again from it."""

import json

import pytest

from acp_state.cli.writing import WRITERS, Said, methods_of, written
from acp_state.recording.forms import FORMS, read_any

ASK = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 1}}
ANSWER = {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 1}}
ERROR = {"jsonrpc": "2.0", "id": 1, "error": {"code": -32603, "message": "no"}}
NOTE = {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s", "update": {}}}
SAID = [
    Said(message=ASK, sender="client", time=1.5, method="initialize"),
    Said(message=ANSWER, sender="agent", time=2.5, method="initialize"),
    Said(message=NOTE, sender="agent", time=3.5, method="session/update"),
    Said(message=ERROR, sender="agent", time=4.5),
]
TIMELESS = {"zed", "json-rpc"}


def test_every_form_is_written():
    assert list(WRITERS) == list(FORMS)


@pytest.mark.parametrize("form", FORMS)
def test_what_is_written_is_read_again(form):
    reading = read_any(list(written(form, SAID, json.dumps)))
    assert reading.form == form
    records = list(reading.records)
    senders = [None] * 4 if form == "json-rpc" else [said.sender for said in SAID]
    assert [(r.sender, r.message) for r in records] == [
        (sender, said.message) for sender, said in zip(senders, SAID, strict=True)
    ]
    times = [None] * 4 if form in TIMELESS else [1.5, 2.5, 3.5, 4.5]
    assert [record.time for record in records] == times


@pytest.mark.parametrize("form", FORMS)
def test_nothing(form):
    assert list(read_any(list(written(form, [], json.dumps))).records) == []


@pytest.mark.parametrize("form", ["recording", "inline", "wrapped", "log"])
def test_a_time_that_is_not_known_is_left_out(form):
    said = [Said(message=ASK, sender="client")]
    [record] = read_any(list(written(form, said, json.dumps))).records
    assert (record.sender, record.message, record.time) == ("client", ASK, None)


def test_the_method_of_a_response_is_that_of_its_request():
    said = [
        ("client", {"id": 1, "method": "a"}),
        ("agent", {"id": 1, "method": "b"}),
        ("client", {"id": 1, "result": None}),
        ("agent", {"id": 1.0, "result": None}),
        ("agent", {"id": 1, "result": None}),
        ("agent", {"method": "c"}),
        ("agent", {"method": "d", "id": []}),
        ("client", {"id": None, "result": 1}),
        ("agent", 5),
    ]
    assert list(methods_of(said)) == ["a", "b", "b", "a", None, "c", "d", None, None]
