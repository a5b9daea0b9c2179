"""A connection as the model holds it."""

from __future__ import annotations

import attrs
import pytest
from reduce.builders import connected, timeline

from acp_state import Session, Subagent
from acp_state.json_values import JsonObject
from acp_state.model.connection import Connection, PendingRequest
from acp_state.persistent import Map

PARENT = Session(
    "s",
    cwd="/work",
    additional_directories=("/more",),
    timeline=timeline(Subagent(session_id="child")),
)
CHILD = Session("child", parent_id="s")


def parent_of(child):
    """The parent that says this of its child."""
    return attrs.evolve(PARENT, timeline=timeline(child))


def test_a_connection_of_which_nothing_is_known():
    assert Connection() == Connection(
        client_capabilities=None, sessions=Map(), client_requests=Map(), agent_requests=Map()
    )


def test_a_request_that_was_sent():
    """RPC-02: its id as sent; what else is known of it."""
    assert PendingRequest(request_id=1, method="m", params=JsonObject({})) == PendingRequest(
        request_id=1,
        method="m",
        params=JsonObject({}),
        session_id=None,
        made_session=False,
        overtaken=False,
    )


def test_the_roots_of_an_ordinary_session():
    """INFO-02: its own."""
    connection = connected(PARENT, Session("bare"))
    assert connection.cwd_of("s") == "/work"
    assert connection.additional_directories_of("s") == ("/more",)
    assert connection.cwd_of("bare") is None
    assert connection.additional_directories_of("bare") is None


@pytest.mark.parametrize(
    ("own", "cwd", "directories"),
    [
        ({}, "/work", ("/more",)),
        ({"cwd": "/own"}, "/own", ("/more",)),
        ({"additional_directories": ("/x",)}, "/work", ("/x",)),
        ({"additional_directories": ()}, "/work", ()),
        ({"cwd": "", "additional_directories": ()}, "", ()),
    ],
)
def test_the_roots_of_a_child(own, cwd, directories):
    """SUB-14: what the parent reports; each while unset the parent's; ``[]`` is none."""
    connection = connected(parent_of(Subagent(session_id="child", **own)), CHILD)
    assert connection.cwd_of("child") == cwd
    assert connection.additional_directories_of("child") == directories


def test_the_roots_of_a_childs_child():
    """SUB-14: the *effective* value of the parent."""
    child = attrs.evolve(CHILD, timeline=timeline(Subagent(session_id="grandchild")))
    grandchild = Session("grandchild", parent_id="child")
    known = connected(parent_of(Subagent(session_id="child", cwd="/own")), child, grandchild)
    assert known.cwd_of("grandchild") == "/own"
    assert known.additional_directories_of("grandchild") == ("/more",)


def test_an_unknown_session_is_the_hosts_mistake():
    with pytest.raises(KeyError):
        Connection().cwd_of("s")
    with pytest.raises(KeyError):
        Connection().additional_directories_of("s")


def test_it_is_a_value():
    """Frozen, compared by value, and it can be hashed."""
    assert connected(PARENT, CHILD) == connected(PARENT, CHILD)
    assert hash(connected(PARENT, CHILD)) == hash(connected(PARENT, CHILD))
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        connected(PARENT).sessions = Map()
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        PendingRequest(request_id=1, method="m", params=JsonObject({})).method = "n"
