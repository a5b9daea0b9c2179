"""Who sent a bare message."""

import pytest

from acp_state.methods import METHODS
from acp_state.model.connection import Connection
from acp_state.recording.folding import each_folded
from acp_state.recording.senders import Senders
from acp_state.recording.trace import Record


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
        def remember(self, sender, message):
            seen.append(sender)
            super().remember(sender, message)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("acp_state.recording.folding.Senders", Seen)
        list(each_folded(Record(line=n, message=m) for n, m in enumerate((*OPENING, *messages), 1)))
    return seen[len(OPENING) :]


@pytest.mark.parametrize("method", sorted(METHODS))
def test_the_table_says_who(method):
    sender = Senders().sender(Connection(), {"method": method})
    assert sender in METHODS[method].senders


@pytest.mark.parametrize("message", [{"method": "_vendor/x"}, {"method": 5}, {}, [], None, 5])
def test_what_is_not_known_is_the_agents(message):
    assert Senders().sender(Connection(), message) == "agent"


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
