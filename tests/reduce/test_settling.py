"""Requests of the agent that are answered here (section 14): once, and remembered."""

from __future__ import annotations

import attrs
import pytest
from reduce.talk import (
    CANCELLED,
    SEATS,
    AnyError,
    Noticed,
    Refuses,
    ask_form,
    ask_permission,
    ask_url,
    cancel,
    cancel_request,
    error,
    request,
    result,
    running,
    selected,
    talk,
    with_child,
)

from acp_state import (
    CancelRequested,
    Connection,
    ElicitationWithdrawn,
    PermissionWithdrawn,
    RequestAnswered,
    RequestFailed,
    Send,
    WorkWithdrawn,
)
from acp_state.reduce.answers import PERMISSION
from acp_state.reduce.links import Answer, request_key
from acp_state.reduce.settling import (
    CANCELLED_ANSWERS,
    find_permission,
    is_moot,
    questions_of,
    refuse_params,
    settle,
    tell_agent,
    tell_asker,
)
from acp_state.schema import Error

NO = Error(code=-32603, message="no")


def work(request_id=7, session_id="s"):
    return request(request_id, "fs/read_text_file", sessionId=session_id, path="/f")


def pending(there, request_id):
    return there.connection.agent_requests[request_key(request_id)]


def test_how_questions_are_cancelled():
    """CANCEL-03, CANCEL-04, CANCEL-10: a result, no error."""
    answers = dict(CANCELLED_ANSWERS)
    assert answers == {
        "session/request_permission": Answer(result={"outcome": {"outcome": "cancelled"}}),
        "elicitation/create": Answer(result={"action": "cancel"}),
    }


@pytest.mark.parametrize(
    ("ask", "answer", "withdrawn"),
    [
        (ask_permission(7), result(7, CANCELLED), PermissionWithdrawn),
        (ask_form(7), result(7, {"action": "cancel"}), ElicitationWithdrawn),
        (ask_url(7), result(7, {"action": "cancel"}), ElicitationWithdrawn),
        (work(7), error(7, -32800, "Request cancelled"), WorkWithdrawn),
    ],
)
def test_a_request_that_is_withdrawn_is_answered_once(ask, answer, withdrawn):
    """CANCEL-10: exactly once; the client's host hears of it before the answer goes out."""
    for side in SEATS:
        there = talk(side)
        there.agent(ask)
        told = there.agent(cancel_request(7))
        if side == "client":
            assert [type(each) for each in told] == [withdrawn, Send]
            assert told[1] == Send(answer)
        elif side == "observer":
            assert told == ()
        assert there.agent(cancel_request(7)) == ()


@pytest.mark.parametrize("side", ["agent", "observer"])
def test_a_request_that_was_taken_back_is_withdrawn_by_a_cancel(side):
    """CANCEL-10, 15.4: as on the client's side, which answered before; either answer fits."""
    there = running(side)
    there.agent(ask_permission(7), cancel_request(7))
    there.client(cancel())
    assert [each.outcome for each in there.session.permissions] == ["withdrawn"]
    [settled] = there.connection.settled_by_client.values()
    assert (settled.result, settled.error_code, settled.cancelled) == (CANCELLED, None, True)


def test_the_agent_is_told_how_its_question_was_settled():
    """Design: what happened and hosts await; the agent's host awaits the answer."""
    there = running("agent")
    there.agent(ask_permission(7))
    assert there.client(cancel()) == (
        RequestAnswered(request_id=7, method=PERMISSION, result=CANCELLED, session_id="s"),
        CancelRequested("s"),
    )


def test_work_names_its_method():
    """CANCEL-10: the host knows what to stop."""
    there = talk()
    there.agent(work(7))
    assert there.agent(cancel_request(7)) == (
        WorkWithdrawn(request_id=7, method="fs/read_text_file"),
        Refuses(7, -32800),
    )


# What settles, and what is remembered


def test_settling_takes_the_request_out_of_the_table():
    """RPC-04, INV-02: each incoming id ends in exactly one of answered, withdrawn, dropped."""
    there = talk()
    there.agent(work(7))
    key = request_key(7)
    connection, intents = settle(there.connection, key, pending(there, 7), Answer(error=NO))
    assert connection.agent_requests == {}
    [(settled_key, settled)] = connection.settled_by_client.items()
    assert (settled_key, settled.result, settled.error_code) == (key, None, -32603)
    assert intents == (Send(error(7)),)


def test_settling_twice_remembers_the_last_answer():
    """RPC-03: what is not pending any more changes no session."""
    there = talk()
    there.agent(ask_permission(7))
    key, request_ = request_key(7), pending(there, 7)
    once, _ = settle(there.connection, key, request_, CANCELLED_ANSWERS[PERMISSION], "cancelled")
    twice, _ = settle(once, key, request_, Answer(error=NO))
    assert twice.sessions is once.sessions
    assert twice.settled_by_client[key].error_code == -32603


def test_malformed_parameters_are_told_with_their_request():
    """RPC-05: -32602, and what was sent."""
    there = talk()
    there.agent(work(7))
    request_ = pending(there, 7)
    connection, intents = refuse_params(there.connection, request_key(7), request_, "no 'path'")
    assert connection.agent_requests == {}
    assert intents == (Noticed("invalid-message", "s", rule="RPC-05"), Refuses(7, -32602))
    assert intents[0].diagnostic.raw == {"sessionId": "s", "path": "/f"}


@pytest.mark.parametrize("side", ["agent", "observer"])
@pytest.mark.parametrize(
    ("ask", "code"),
    [
        (request(7, "fs/read_text_file", sessionId="s"), -32602),
        (work(7, "unknown"), -32002),
        (request(7, "what"), -32601),
    ],
)
def test_who_is_not_the_client_waits_for_its_refusal(side, ask, code):
    """Design, RPC-04: the client owes the answer; the others see it come."""
    there = talk(side)
    told = there.agent(ask)
    assert [each for each in told if isinstance(each, Send)] == []
    assert list(there.connection.agent_requests) == [("int", 7)]
    told = there.client(error(7, code))
    failed = RequestFailed(
        request_id=7,
        method=ask["method"],
        error=AnyError(code),
        session_id=ask["params"].get("sessionId"),
    )
    assert told == ((failed,) if side == "agent" else ())
    assert there.connection.agent_requests == {}


def test_the_asker_is_told_of_a_result_or_an_error():
    """Design: hosts await what became of their requests."""
    there = talk()
    there.agent(work(7))
    request_ = pending(there, 7)
    answer, refusal = Answer(result={"content": "x"}), Answer(error=NO)
    for side, session_id in (("agent", "s"), ("client", "t"), ("client", None)):
        asker = Connection(side=side)
        common = {"request_id": 7, "method": "fs/read_text_file", "session_id": session_id}
        assert tell_asker(asker, side, request_, answer, session_id) == (
            RequestAnswered(**common, result={"content": "x"}),
        )
        assert tell_asker(asker, side, request_, refusal, session_id) == (
            RequestFailed(**common, error=NO),
        )
    agent = Connection(side="agent")
    assert tell_agent(agent, request_, answer) == tell_asker(agent, "agent", request_, answer, "s")
    assert tell_agent(there.connection, request_, answer) == ()


# Which questions


def test_the_questions_of_a_session():
    """CANCEL-03, CANCEL-04, REQ-05: permission requests and elicitations; work is none."""
    there = with_child()
    there.agent(
        ask_permission(1),
        ask_form(2),
        work(3),
        ask_permission(4, session_id="child"),
        ask_form(5, requestId=2),
    )
    assert questions_of(there.connection, "s") == [("int", 1), ("int", 2)]
    assert questions_of(there.connection, "child") == [("int", 4)]
    assert questions_of(there.connection, "unknown") == []


def test_a_permission_is_found_by_its_request():
    """PERM-01, RPC-02: by type and value, among those that wait."""
    there = talk()
    there.agent(ask_permission(1), ask_permission("1", "u"), work(3))
    first, second, other = (pending(there, each) for each in (1, "1", 3))
    assert find_permission(there.connection, first) == (0, there.session.permissions[0])
    assert find_permission(there.connection, second) == (1, there.session.permissions[1])
    assert find_permission(there.connection, other) is None
    there.client(selected(1))
    assert find_permission(there.connection, first) is None
    stray = attrs.evolve(first, session_id="unknown")
    assert find_permission(there.connection, stray) is None


def test_which_questions_need_not_be_asked():
    """CANCEL-05, PERM-07: the turn is cancelled, an ancestor's is, or the session is not there."""
    there = with_child()
    sessions = there.connection.sessions
    assert not is_moot(there.connection, sessions["s"])
    assert not is_moot(there.connection, sessions["child"])
    there.client(cancel())
    sessions = there.connection.sessions
    assert is_moot(there.connection, sessions["s"])
    assert is_moot(there.connection, sessions["child"])
    for readiness in ("closing", "closed", "deleted"):
        assert is_moot(there.connection, attrs.evolve(talk().session, readiness=readiness))
    for readiness in ("provisional", "ready", "loading", "resuming", "unattached"):
        quiet = talk()
        held = attrs.evolve(quiet.session, readiness=readiness)
        assert not is_moot(quiet.connection, held)


# Answers over the wire


@pytest.mark.parametrize(
    ("answer", "outcome", "option_id"),
    [
        (selected(1, "no"), "selected", "no"),
        (result(1, CANCELLED), "cancelled", None),
        (result(1, {"outcome": {"outcome": "selected"}}), "cancelled", None),
        (result(1, [1]), "cancelled", None),
        (error(1), "failed", None),
    ],
)
def test_what_an_answer_makes_of_a_permission(answer, outcome, option_id):
    """15.4: pending -> answered, by what the answer says."""
    there = talk("observer")
    there.agent(ask_permission())
    there.client(answer)
    [permission] = there.session.permissions
    assert (permission.outcome, permission.option_id) == (outcome, option_id)
    assert there.session.open_permissions == {}


@pytest.mark.parametrize(
    ("answer", "awaited"),
    [
        ({"action": "accept"}, ["e"]),
        ({"action": "decline"}, []),
        ({"action": "cancel"}, []),
        ({}, []),
        ([], []),
        (None, []),
    ],
)
def test_what_an_answer_makes_of_a_url(answer, awaited):
    """ELIC-04: `accept` = consent; remembered as awaiting completion."""
    there = talk("observer")
    there.agent(ask_url())
    there.client({"jsonrpc": "2.0", "id": 1, "result": answer})
    assert list(there.connection.awaited_urls) == awaited
    assert there.connection.elicitations == {}


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        (result(1, CANCELLED), "withdrawn"),
        (error(1, -32800), "withdrawn"),
        (error(1), "failed"),
        (selected(1, "no"), "selected"),
    ],
)
def test_what_an_answer_makes_of_a_permission_that_was_taken_back(answer, outcome):
    """15.4, CANCEL-09, CANCEL-10: pending -> withdrawn, unless another answer wins."""
    there = talk("observer")
    there.agent(ask_permission(), cancel_request(1))
    assert there.session.permissions[0].outcome is None
    there.client(answer)
    assert there.session.permissions[0].outcome == outcome


def test_a_form_that_is_accepted_awaits_nothing():
    """ELIC-04: URL mode."""
    there = talk("observer")
    there.agent(ask_form())
    there.client(result(1, {"action": "accept", "content": {}}))
    assert there.connection.awaited_urls == {}


def test_an_error_to_a_url_awaits_nothing():
    """ELIC-04: consent alone is awaited."""
    there = talk("observer")
    there.agent(ask_url())
    there.client(error(1))
    assert (there.connection.awaited_urls, there.connection.elicitations) == ({}, {})


def test_answers_to_questions_of_a_session_that_has_gone():
    """PERM-04: the answer is one still."""
    there = talk()
    there.agent(ask_permission(1))
    there.drops("s")
    before = there.connection.sessions
    assert there.client(selected()) == ()
    assert there.connection.sessions is before
    assert there.connection.agent_requests == {}


def test_taking_back_a_question_of_a_session_that_has_gone():
    """CANCEL-10: it is answered, with nobody to be told which question it was."""
    there = talk()
    there.agent(ask_permission(1))
    there.drops("s")
    assert there.agent(cancel_request(1)) == (
        WorkWithdrawn(request_id=1, method=PERMISSION),
        Send(result(1, CANCELLED)),
    )


def test_an_elicitation_that_is_refused_is_never_pending():
    """ELIC-02: it is settled before it is kept."""
    there = talk(client={})
    assert there.agent(ask_form(1))[-1] == Refuses(1, -32602)
    assert there.connection.elicitations == {}
    assert there.connection.agent_requests == {}
