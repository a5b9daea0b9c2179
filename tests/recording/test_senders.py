"""Who sent a bare message."""

import json

import pytest

from acp_state import replay
from acp_state.methods import METHODS
from acp_state.model.connection import Connection
from acp_state.recording.folding import each_folded
from acp_state.recording.senders import Senders
from acp_state.recording.trace import Record
from acp_state.reduce.json_rpc import fold_message


def request(request_id, method, **params):
    return {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}


def result(request_id, result=None):
    return {"jsonrpc": "2.0", "id": request_id, "result": {} if result is None else result}


READ = {"sessionId": "s", "path": "/x"}

OPENING = (
    request(
        "init",
        "initialize",
        protocolVersion=1,
        clientCapabilities={"fs": {"readTextFile": True}},
    ),
    result("init", {"protocolVersion": 1}),
    request("new", "session/new", cwd="/w"),
    result("new", {"sessionId": "s"}),
)
"""A session of which files may be read."""


def senders_of(*messages):
    """Fold the messages after the opening, and tell who was taken for the sender of each."""
    seen = []

    class Seen(Senders):
        def of(self, connection, message, *, recorded=None):
            seen.append(super().of(connection, message, recorded=recorded))
            return seen[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("acp_state.recording.folding.Senders", Seen)
        list(each_folded(Record(line=n, message=m) for n, m in enumerate((*OPENING, *messages), 1)))
    return seen[len(OPENING) :]


@pytest.mark.parametrize("method", sorted(METHODS))
def test_the_table_says_who(method):
    sender = Senders().of(Connection(), {"method": method})
    assert sender in METHODS[method].senders


@pytest.mark.parametrize("message", [{"method": "_vendor/x"}, {"method": 5}, {}, [], None, 5])
def test_what_is_not_known_is_the_agents(message):
    assert Senders().of(Connection(), message) == "agent"


def test_a_response_comes_from_the_side_that_was_asked():
    ask = request(1, "session/prompt", sessionId="s")
    read = request(2, "fs/read_text_file", **READ)
    assert senders_of(ask, read, result(2), result(1)) == ["client", "agent", "client", "agent"]


def test_a_vendors_request_is_answered_by_the_client():
    assert senders_of(request(1, "_vendor/x"), result(1)) == ["agent", "client"]


@pytest.mark.parametrize("swapped", [False, True])
def test_one_id_both_ways_the_last_asked_is_answered(swapped):
    """RPC-02: each direction has its own ids."""
    asked = [request(1, "session/prompt", sessionId="s"), request(1, "fs/read_text_file", **READ)]
    answers = result(1), result(1)
    if swapped:
        assert senders_of(*asked[::-1], *answers)[2:] == ["agent", "client"]
    else:
        assert senders_of(*asked, *answers)[2:] == ["client", "agent"]


def test_ids_differ_by_type():
    asked = [request(1, "session/prompt", sessionId="s"), request("1", "fs/read_text_file", **READ)]
    assert senders_of(*asked, result("1"))[2] == "client"


def test_a_withdrawal_comes_from_the_side_that_asked():
    asked = [request(1, "session/prompt", sessionId="s"), request(2, "fs/read_text_file")]

    def withdraw(request_id):
        return {"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": request_id}}

    seen = senders_of(*asked, withdraw(1), withdraw(2), withdraw(3), {**withdraw(1), "params": 5})
    assert seen[2:] == ["client", "agent", "client", "client"]


def test_a_request_with_an_odd_id():
    assert senders_of(request(1.5, "session/prompt"), request([], "x")) == ["client", "agent"]


def test_a_sender_that_was_recorded_is_believed():
    assert Senders().of(Connection(), {"method": "session/update"}, recorded="client") == "client"
    assert Senders().of(Connection(), [], recorded="client") == "client"


def test_what_was_answered_is_remembered_no_longer():
    """Memory is bounded by what waits for a response."""
    senders = Senders()
    for number in range(3):
        senders.of(Connection(), request(number, "session/prompt"))
        senders.of(Connection(), result(number), recorded="agent")
    assert senders == Senders()


def test_a_stray_response_before_two_of_one_id():
    """Who asked last is not known any more; any answer is as good."""
    senders, connection = Senders(), replay([json.dumps(line) for line in OPENING])
    for message, sender in (
        (request(7, "session/prompt", sessionId="s", prompt=[]), "client"),
        (request(7, "fs/read_text_file", **READ), "agent"),
    ):
        assert senders.of(connection, message) == sender
        connection, _ = fold_message(connection, sender, message)
    senders.of(connection, result(7), recorded="client")
    assert senders.of(connection, result(7)) in ("client", "agent")
