"""What can be asked of a connection: roots, relatives, a new start."""

from __future__ import annotations

import attrs
import pytest
from reduce.history import (
    READY,
    after,
    agent_answers,
    child,
    client_asks,
    load,
    made,
    mapped,
    prompt,
    said,
)

from acp_state import (
    Connection,
    Disconnected,
    LocalProtocolError,
    Session,
    Subagent,
    Timeline,
    reduce,
)
from acp_state.json_values import JsonObject
from acp_state.model.connection import PendingRequest, SettledRequest
from acp_state.persistent import Map
from acp_state.schema import ClientCapabilities, SessionInfo

DEPTH = 2_000


def family(*fields):
    """A root with roots of its own, and under it a child of a child, each with these fields."""
    lines = [child(str(level + 1), str(level), **each) for level, each in enumerate(fields)]
    new = client_asks(1, "session/new", cwd="/w", additionalDirectories=["/x"])
    return after(new, agent_answers(1, {"sessionId": "0"}), *lines)


@pytest.fixture(scope="module")
def deep():
    """Two thousand sessions, each the child of the one before."""
    sessions = {}
    for level in range(DEPTH + 1):
        parent = str(level - 1) if level else None
        below = Timeline().append(Subagent(session_id=str(level + 1)))
        sessions[str(level)] = Session(
            str(level),
            parent_id=parent,
            timeline=below if level < DEPTH else Timeline(),
            cwd=None if level else "/w",
            additional_directories=None if level else ("/x",),
        )
    return Connection(sessions=Map.of(sessions))


# SUB-14: roots


@pytest.mark.parametrize(
    ("fields", "cwds"),
    [
        ([{}, {}], ["/w", "/w", "/w"]),
        ([{"cwd": "/a"}, {}], ["/w", "/a", "/a"]),
        ([{}, {"cwd": "/b"}], ["/w", "/w", "/b"]),
        ([{"cwd": "/a"}, {"cwd": "/b"}], ["/w", "/a", "/b"]),
        ([{"cwd": None}, {"cwd": None}], ["/w", "/w", "/w"]),
        ([{"cwd": ""}, {}], ["/w", "", ""]),
    ],
)
def test_a_child_inherits_the_effective_working_directory(fields, cwds):
    """SUB-14: unset inherits the parent's *effective* value."""
    connection = family(*fields)
    assert [connection.cwd_of(str(level)) for level in range(3)] == cwds
    assert {connection.additional_directories_of(str(level)) for level in range(3)} == {("/x",)}


@pytest.mark.parametrize(
    ("fields", "roots"),
    [
        ([{}, {}], [("/x",), ("/x",), ("/x",)]),
        ([{"additionalDirectories": []}, {}], [("/x",), (), ()]),
        ([{"additionalDirectories": ["/a", "/b"]}, {}], [("/x",), ("/a", "/b"), ("/a", "/b")]),
        ([{}, {"additionalDirectories": ["/b"]}], [("/x",), ("/x",), ("/b",)]),
        ([{"additionalDirectories": None}, {}], [("/x",), ("/x",), ("/x",)]),
    ],
)
def test_a_child_inherits_the_effective_further_roots(fields, roots):
    """SUB-14: independently of `cwd`; `[]` = none."""
    connection = family(*fields)
    assert [connection.additional_directories_of(str(level)) for level in range(3)] == roots
    assert {connection.cwd_of(str(level)) for level in range(3)} == {"/w"}


def test_clearing_a_childs_roots_inherits_again():
    """SUB-14, row 17: CLEAR = inherit."""
    connection = family({"cwd": "/a", "additionalDirectories": ["/b"]})
    connection = after(child("1", "0", cwd=None, additionalDirectories=None), onto=connection)
    assert connection.cwd_of("1") == "/w"
    assert connection.additional_directories_of("1") == ("/x",)


def test_roots_that_nobody_told_are_not_known():
    """SUB-14, 15.5: a provisional root has none."""
    connection = after(said("A", session_id="p"), child("k", "p"))
    assert [connection.cwd_of(name) for name in "pk"] == [None, None]
    assert [connection.additional_directories_of(name) for name in "pk"] == [None, None]


def test_a_child_whose_parent_is_gone_or_names_it_no_more_has_no_roots():
    """A session that a failed load took away leaves none to inherit from."""
    orphan = Connection(sessions=Map.of({"k": Session("k", parent_id="gone")}))
    assert (orphan.cwd_of("k"), orphan.additional_directories_of("k")) == (None, None)
    unnamed = orphan.with_session(Session("gone", cwd="/w", additional_directories=()))
    assert (unnamed.cwd_of("k"), unnamed.additional_directories_of("k")) == ("/w", ())


# Relatives


def ids(sessions):
    """The ids of sessions."""
    return [each.session_id for each in sessions]


def test_descendants_are_announced_children_and_theirs_and_parents_come_first():
    """SUB-04: nesting to any depth."""
    connection = after(
        *made("s"), *made("o", 9), child("k"), child("q"), child("g", "k"), child("h", "k")
    )
    found = ids(connection.descendants_of("s"))
    assert sorted(found) == ["g", "h", "k", "q"]
    assert found.index("k") < min(found.index("g"), found.index("h"))
    assert ids(connection.descendants_of("k")) == ["g", "h"]
    assert ids(connection.descendants_of("o")) == []
    assert ids(connection.descendants_of("unknown")) == []


def test_a_child_of_a_replay_is_a_descendant_before_the_replay_is_over():
    """LOAD-09, CANCEL-07: readers see the held timeline, but the child is there already."""
    connection = after(*made("s"), child("k"), load(2), child("q"))
    assert ids(connection.descendants_of("s")) == ["k", "q"]


def test_who_is_named_but_is_not_known_or_not_a_child_of_that_parent_is_no_descendant():
    """SUB-04: one parent for good; INV-08."""
    naming = Timeline().append(Subagent(session_id="k")).append(Subagent(session_id="unknown"))
    sessions = {
        "s": Session("s", timeline=naming),
        "k": Session("k", parent_id="o"),
        "o": Session("o", timeline=Timeline().append(Subagent(session_id="k"))),
    }
    connection = Connection(sessions=Map.of(sessions))
    assert ids(connection.descendants_of("s")) == []
    assert ids(connection.descendants_of("o")) == ["k"]


def test_ancestors_are_the_parent_and_its_own():
    """SUB-04."""
    connection = after(*made("s"), child("k"), child("g", "k"))
    assert ids(connection.ancestors_of("g")) == ["k", "s"]
    assert ids(connection.ancestors_of("s")) == []
    assert ids(connection.ancestors_of("unknown")) == []
    orphan = Connection(sessions=Map.of({"k": Session("k", parent_id="gone")}))
    assert ids(orphan.ancestors_of("k")) == []


def test_any_depth_is_walked(deep):
    """SUB-04: nesting to any depth is allowed."""
    leaf = str(DEPTH)
    assert ids(deep.descendants_of("0")) == [str(level) for level in range(1, DEPTH + 1)]
    assert ids(deep.ancestors_of(leaf)) == [str(level) for level in reversed(range(DEPTH))]
    assert deep.cwd_of(leaf) == "/w"
    assert deep.additional_directories_of(leaf) == ("/x",)


# The requests of both sides


def test_the_requests_of_a_side_are_replaced_alone():
    """RPC-02: an id is matched only against that side's own outstanding requests."""
    request = PendingRequest(request_id=1, method="m", params=JsonObject({}))
    requests = Map.of({("int", 1): request})
    client = READY.with_requests("client", requests)
    agent = READY.with_requests("agent", requests)
    assert client == attrs.evolve(READY, client_requests=requests)
    assert agent == attrs.evolve(READY, agent_requests=requests)
    assert (client.requests_of("client"), client.requests_of("agent")) == (requests, {})
    assert (agent.requests_of("client"), agent.requests_of("agent")) == ({}, requests)


def test_the_settled_requests_of_a_side_are_replaced_alone():
    """RPC-03."""
    settled = Map.of({("int", 1): SettledRequest(any_answer=True)})
    client = READY.with_settled("client", settled)
    agent = READY.with_settled("agent", settled)
    assert client == attrs.evolve(READY, settled_by_client=settled)
    assert agent == attrs.evolve(READY, settled_by_agent=settled)
    assert (client.settled_by("client"), client.settled_by("agent")) == (settled, {})
    assert (agent.settled_by("client"), agent.settled_by("agent")) == ({}, settled)


@pytest.mark.parametrize("side", ["agnet", None, []])
def test_there_are_three_sides(side):
    """Design: client, agent, observer; another word is the host's mistake."""
    with pytest.raises(LocalProtocolError) as refused:
        Connection(side=side)
    names = "'client', 'agent', 'observer'"
    assert str(refused.value) == f"{side!r} is no side: pass one of {names} [INIT-01]"


# A new start


def test_a_reopened_connection_knows_the_sessions_and_nothing_of_the_old_connection():
    """CONN-01, 15.5: sessions are unattached; phase, capabilities and ids start anew."""
    catalogue = Map.of({"s": SessionInfo(session_id="s", cwd="/w")})
    begun = Connection(
        side="agent", extension_methods=frozenset({"_x"}), catalogue=catalogue, phase="ready"
    )
    lost, _ = reduce(after(*made(), prompt(), said("A", "a"), onto=begun), Disconnected())
    assert lost.phase == "closed"
    assert lost.reopened() == Connection(
        side="agent",
        extension_methods=frozenset({"_x"}),
        catalogue=catalogue,
        sessions=lost.sessions,
    )
    assert lost.sessions["s"].readiness == "unattached"


@pytest.mark.parametrize("phase", ["new", "initializing", "ready", "failed"])
def test_a_connection_is_reopened_after_its_end(phase):
    """CONN-01: what is pending has to be settled before."""
    with pytest.raises(LocalProtocolError) as refused:
        Connection(phase=phase).reopened()
    what = f"the connection is {phase}: reduce Disconnected() first [CONN-01]"
    assert str(refused.value) == what


def test_what_the_client_can_do_is_told_anew():
    """INIT-05: capabilities are the connection's; what was not told is held against nobody."""
    session = Session("s", client_capabilities=ClientCapabilities(), readiness="unattached")
    closed = Connection(phase="closed", sessions=mapped(session, Session("t")))
    held = attrs.evolve(session, client_capabilities=None)
    assert closed.reopened().sessions == mapped(held, Session("t"))


@pytest.mark.parametrize(
    ("side", "seat"),
    [("client", "client's side"), ("agent", "agent's side"), ("observer", "observed")],
)
def test_repr_is_short(side, seat):
    """It names the seat, the phase, and how many sessions there are."""
    connection = after(*made(), onto=Connection(side=side, phase="ready"))
    assert repr(connection) == f"<connection, {seat}: ready, 1 sessions>"
