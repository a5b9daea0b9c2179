"""Updates find their session, and children their parent (RPC-12, SUB-02 to SUB-04, 15.5)."""

from __future__ import annotations

import attrs
import pytest
from reduce.history import (
    IDLE,
    MAY_CANCEL,
    READY,
    RUNNING,
    after,
    agent_answers,
    agent_message,
    agent_tells,
    child,
    client_asks,
    folded,
    load,
    made,
    mapped,
    noticed,
    notices,
    ready,
    said,
    timeline,
    update,
)

from acp_state import Received, Session, Subagent, fold, reduce
from acp_state.json_values import JsonObject
from acp_state.model.connection import PendingRequest
from acp_state.persistent import Map
from acp_state.schema import ClientCapabilities, RunningStateUpdate, SessionModeState

CHUNK = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "A"}}


def codes(intents):
    """Code and rule of the diagnostics."""
    return [(each.diagnostic.code, each.diagnostic.rule) for each in intents]


# RPC-12


@pytest.mark.parametrize("session_id", [{}, {"sessionId": None}, {"sessionId": 5}])
def test_an_update_without_a_session_is_dropped(session_id):
    """RPC-12: `params.sessionId` is required non-null."""
    connection, told = folded(agent_tells("session/update", update=CHUNK, **session_id))
    assert (connection, codes(told)) == (READY, [("update-dropped", "RPC-12")])


@pytest.mark.parametrize("fields", [{}, {"update": None}, {"update": 5}, {"update": []}])
@pytest.mark.parametrize("session_id", ["s", "unknown"])
def test_a_session_without_an_update_stays_as_it_is(fields, session_id):
    """RPC-12: so is `params.update`; a dropped one makes no provisional session (LENIENT-03)."""
    before = after(*made())
    connection, told = folded(
        agent_tells("session/update", sessionId=session_id, **fields), onto=before
    )
    assert connection == before
    assert notices(told) == [("update-dropped", "warning", session_id)]


@pytest.mark.parametrize("params", [None, [], "x", 5])
def test_parameters_that_are_no_object_are_none(params):
    """RPC-12, contract 2."""
    line = ("agent", {"jsonrpc": "2.0", "method": "session/update", "params": params})
    assert folded(line)[0] == READY


def test_metadata_of_the_envelope_is_of_no_entity():
    """RPC-12: omit, null and malformed are none; never merged into entity metadata."""
    for meta in ({"k": 1}, None, 5):
        line = agent_tells("session/update", sessionId="s", update=CHUNK, _meta=meta)
        session = after(*made(), line).sessions["s"]
        assert session.meta is None
        assert [each.meta for each in session.messages[0].chunks] == [None]


@pytest.mark.parametrize("take", [reduce, lambda held, event: fold(held, [event])])
@pytest.mark.parametrize("count", [1, 3])
def test_an_empty_session_id_is_one_and_is_told_each_time(take, count):
    """LENIENT-13: a plain text is no exception."""
    connection, codes = after(*made("")), []
    _, message = agent_tells("session/update", sessionId="", update=CHUNK)
    for _ in range(count):
        connection, told = take(connection, Received(message))
        codes += noticed(told)
    assert codes == ["empty-id"] * count
    assert connection.sessions[""].messages[0].text == CHUNK["content"]["text"] * count


# 15.5


def test_a_provisional_session_knows_what_the_client_advertised():
    """LENIENT-16: early traffic is held against the same capabilities."""
    connection = attrs.evolve(READY, client_capabilities=ClientCapabilities())
    connection, told = folded(child(), onto=connection)
    assert noticed(told) == ["unannounced-session", "capability-violation"]
    assert {each.client_capabilities for each in connection.sessions.values()} == {
        ClientCapabilities()
    }


@pytest.mark.parametrize("readiness", ["closed", "deleted"])
def test_a_dropped_update_after_the_end_is_dropped_and_no_more(readiness):
    """LENIENT-03: `update-dropped` alone."""
    before = attrs.evolve(READY, sessions=mapped(ready(readiness=readiness)))
    connection, told = folded(update("odd"), onto=before)
    assert (connection, noticed(told)) == (before, ["update-dropped"])


# SUB-02, SUB-03: announcing


def test_the_first_update_announces_the_child():
    """SUB-02: registers an empty child session, and the association in the immediate parent."""
    connection, told = folded(child(state=RUNNING, title="K"), onto=after(*made()))
    association = Subagent(session_id="k", title="K", state=RunningStateUpdate())
    assert connection.sessions == mapped(
        ready(timeline=timeline(association)), Session("k", parent_id="s")
    )
    assert told == ()


def test_later_updates_patch_the_association_only():
    """SUB-02."""
    before = after(*made(), child(), said("A", "a", "k"))
    connection = after(child(title="K"), onto=before)
    assert connection.sessions["s"].timeline == timeline(Subagent(session_id="k", title="K"))
    assert connection.sessions["k"] is before.sessions["k"]


@pytest.mark.parametrize("line", [child(cwd=5), child(None), child(5)])
def test_a_malformed_update_announces_nobody(line):
    """SUB-14, RPC-07."""
    before = after(*made())
    connection, told = folded(line, onto=before)
    assert (connection, noticed(told)) == (before, ["update-dropped"])


def test_a_child_of_an_unknown_parent_is_a_child_of_a_provisional_one():
    """SUB-03, 15.5."""
    connection, told = folded(child("k", "p"))
    parent = Session("p", readiness="provisional", timeline=timeline(Subagent(session_id="k")))
    assert connection.sessions == mapped(parent, Session("k", parent_id="p"))
    assert notices(told) == [("unannounced-session", "error", "p")]


def test_traffic_before_the_announcement_is_kept_without_a_parent():
    """SUB-03: provisional and parentless, `diag:unannounced-session`; attached when announced."""
    connection, told = folded(said("A", "a", "k"), onto=after(*made()))
    assert notices(told) == [("unannounced-session", "error", "k")]
    assert connection.sessions["k"].parent_id is None
    child_session = after(child(), onto=connection).sessions["k"]
    assert child_session == Session(
        "k",
        parent_id="s",
        timeline=timeline(agent_message("A", message_id="a")),
        id_style="with_id",
    )


# SUB-04: one parent

NESTED = (*made(), *made("o", 9), child("k"), child("g", "k"))


@pytest.mark.parametrize(
    ("line", "parent"),
    [
        (child("k", "o"), "o"),
        (child("k", "g"), "g"),
        (child("s", "s"), "s"),
        (child("s", "k"), "k"),
        (child("s", "g"), "g"),
        (child("k", "k"), "k"),
        (child("k", "unknown"), "unknown"),
    ],
    ids=["second parent", "own child", "itself", "cycle", "long cycle", "child itself", "unknown"],
)
def test_a_second_parent_and_cycles_are_ignored(line, parent):
    """SUB-04: one parent per child, for good: ignore that update, `diag:reparent`."""
    before = after(*NESTED)
    connection, told = folded(line, onto=before)
    assert connection == before
    assert notices(told) == [("reparent", "error", parent)]


def test_nesting_goes_to_any_depth():
    """SUB-04."""
    depth = 200
    lines = [child(str(level + 1), str(level)) for level in range(depth)]
    connection, told = folded(*made("0"), *lines)
    assert notices(told) == []
    assert [each.session_id for each in connection.descendants_of("0")] == [
        str(level + 1) for level in range(depth)
    ]
    assert notices(folded(child("0", str(depth)), onto=connection)[1]) == [
        ("reparent", "error", str(depth))
    ]


def test_an_ordinary_session_that_is_announced_becomes_a_child():
    """SUB-02, SUB-04: it had no parent yet."""
    connection = after(*made(), *made("o", 9), said("A", "a"), child("s", "o"))
    assert connection.sessions["s"] == ready(
        parent_id="o", timeline=timeline(agent_message("A", message_id="a")), id_style="with_id"
    )


def test_only_a_subagent_update_announces():
    """SUB-02: other updates carry a `sessionId` for nothing (LENIENT-07)."""
    line = agent_tells("session/update", sessionId="s", update={**CHUNK, "sessionId": "k"})
    assert list(after(*made(), line).sessions) == ["s"]


def test_a_late_update_does_not_attach_the_child_of_a_closed_parent():
    """15.5: the descendants of a closed session are unattached; SUB-02."""
    closed = after(
        *made(), child(), client_asks(5, "session/close", sessionId="s"), agent_answers(5)
    )
    connection = after(child(title="late"), onto=closed)
    assert connection.sessions["k"].readiness == "unattached"


# MODE-03


def test_a_reported_mode_overtakes_the_requests_of_its_session():
    """MODE-03: "unless a `current_mode_update` arrived after the request was sent"."""
    asked = (
        client_asks(5, "session/set_mode", sessionId="s", modeId="m"),
        client_asks(6, "session/set_mode", sessionId="o", modeId="m"),
        client_asks(7, "session/set_title", sessionId="s", title="T"),
    )
    before = after(*made(), *asked)
    connection = after(update("current_mode_update", currentModeId="x"), onto=before)
    assert connection == attrs.evolve(
        before,
        sessions=mapped(ready(modes=SessionModeState(current_mode_id="x", available_modes=()))),
        client_requests=before.client_requests.set(
            ("int", 5),
            PendingRequest(
                request_id=5,
                method="session/set_mode",
                params=JsonObject({"sessionId": "s", "modeId": "m"}),
                session_id="s",
                overtaken=True,
            ),
        ),
    )


def test_a_dropped_report_of_a_mode_overtakes_nothing():
    """RPC-07: it costs only itself."""
    before = after(*made(), client_asks(5, "session/set_mode", sessionId="s", modeId="m"))
    assert after(update("current_mode_update", currentModeId=None), onto=before) == before


def test_an_unused_right_is_in_no_other_session():
    """SUB-05: nothing of the association is the child's own, or another parent's."""
    connection = after(*made(), *made("o", 9), child(capabilities=MAY_CANCEL, state=IDLE))
    assert connection.sessions["o"] == ready("o")
    assert connection.sessions["k"] == Session("k", parent_id="s")
    assert connection.client_requests == Map()


def test_a_report_that_overtakes_nothing_changes_its_session_alone():
    """MODE-03."""
    before = after(*made(), client_asks(5, "session/set_title", sessionId="s", title="T"))
    connection = after(update("current_mode_update", currentModeId="x"), onto=before)
    modes = SessionModeState(current_mode_id="x", available_modes=())
    assert connection == attrs.evolve(before, sessions=mapped(ready(modes=modes)))


# TL-07


@pytest.mark.parametrize("turns", ["sssooo", "ososos", "ossoso", "ooosss"])
def test_no_order_is_implied_between_sessions(turns):
    """TL-07: however their updates take turns, each session becomes the same."""
    sessions = (*made(), *made("o", 2))
    words = {each: iter(("one ", "two ", "three")) for each in "os"}
    told = [said(next(words[each]), "a", each) for each in turns]
    whole = ready(timeline=timeline(agent_message("one ", "two ", "three", message_id="a")))
    assert after(*sessions, *told).sessions == mapped(
        *(attrs.evolve(whole, session_id=each, id_style="with_id") for each in "so")
    )


def test_a_right_that_is_told_in_a_load_of_an_ancestor_changes_nothing():
    """SUB-17, contract 5: a child at work hears of a child of its own; what stays, is identical."""
    running = child("k", state={"state": "running"})
    known = agent_tells(
        "session/update",
        sessionId="k",
        update={"sessionUpdate": "subagent_update", "sessionId": "g"},
    )
    right = agent_tells(
        "session/update",
        sessionId="k",
        update={"sessionUpdate": "subagent_update", "sessionId": "g", "capabilities": {}},
    )
    before = after(*made(), running, known, load(), right)
    assert after(right, onto=before).sessions["k"] is before.sessions["k"]
