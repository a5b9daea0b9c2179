"""Whole messages of every method, made from the published schema, on a connection in use.

What the schema allows is no breach when the right side sends it. From the other side a request is
refused and a notification ignored. What is mutated costs what the oracle says: a repair is told, a
spoiled request is refused, a spoiled update dropped, a spoiled result is a bad response; and
whatever comes, nothing raises.
"""

from __future__ import annotations

from itertools import cycle

import pytest
from judges.messages import mutated
from judges.oracle import Oracle, SpoiledError
from judges.traffic import (
    CONNECTIONS,
    OTHER,
    SPOILED,
    asked,
    breaches,
    errors,
    message,
    mutations,
    notifications,
    repairs,
    requests,
    responses,
    values,
)
from observing import SEATS, see
from published import published
from shared import needs_shared

from acp_state import Connection
from acp_state.methods import METHODS
from acp_state.schema import AuthStatusResponse, ContentBlock, InitializeRequest, SessionUpdate

pytestmark = needs_shared

VALID, MUTATED = 10, 40
"""Examples of each kind of message, for each seat."""

HOSTS_OWN = {"mcp/message"}
"""Methods that are known once the host has offered such a server (EXT-02)."""

each_seat = pytest.mark.parametrize("seat", SEATS)
each_request = pytest.mark.parametrize("kind", requests, ids=str)
each_response = pytest.mark.parametrize("kind", responses, ids=str)
each_notification = pytest.mark.parametrize("kind", notifications, ids=str)


def is_refused(kind, value):
    """A question whose form is valid and that is refused all the same.

    ELIC-02: a mode that the schema leaves open cannot have been advertised. READ-04: what it
    belongs to is no request, since no request has such an id.
    """
    if kind.method != "elicitation/create":
        return False
    asker = value.get("requestId")
    is_long = type(asker) is int and not -(2**63) <= asker < 2**63
    is_lost = is_long and not isinstance(value.get("sessionId"), str)
    return is_lost or value.get("mode") not in {"form", "url"}


def answers_its_question(connection, method, result):
    """PERM-04, ELIC-03: one of the offered options, or none of them; one of three actions."""
    answer = result if isinstance(result, dict) else {}
    if method == "elicitation/create":
        return answer.get("action") in ["accept", "decline", "cancel"]
    if method != "session/request_permission":
        return True
    outcome = answer.get("outcome") if isinstance(answer.get("outcome"), dict) else {}
    if outcome.get("outcome") != "selected":
        return outcome.get("outcome") == "cancelled"
    offered = [
        option.option_id
        for session in connection.sessions.values()
        for permission in session.pending_permissions
        for option in permission.options
    ]
    return outcome.get("optionId") in offered


# What is valid


@each_seat
@each_request
def test_a_valid_request_is_no_breach(seat, kind):
    """RPC-05: what the receiver knows is not refused for its form."""
    for _, params in values(kind, "valid", VALID):
        _, intents = see(CONNECTIONS[seat], kind.sender, message(kind, params))
        if is_refused(kind, params):
            assert breaches(intents) == [("invalid-message", "")]
        elif kind.sender == "agent" and kind.method in HOSTS_OWN:
            assert errors(intents) == ([-32601] if seat == "client" else [])
        else:
            assert breaches(intents) == errors(intents) == []


@each_seat
@each_notification
def test_a_valid_notification_is_no_breach(seat, kind):
    """RPC-06: what the receiver knows is not ignored."""
    expected = [("unknown-notification", "")] if kind.method in HOSTS_OWN else []
    for _, params in values(kind, "valid", VALID * 4):
        _, intents = see(CONNECTIONS[seat], kind.sender, message(kind, params))
        assert breaches(intents) == expected
        assert errors(intents) == []


@each_seat
@each_request
def test_a_second_request_with_one_id(seat, kind):
    """RPC-11: the first is kept, the second is not answered and changes nothing."""
    for connection in asked(seat, kind, 3):
        for params in mutations(kind, 2):
            after, intents = see(connection, kind.sender, message(kind, params))
            assert breaches(intents) == [("duplicate-request-id", "")]
            assert errors(intents) == []
            assert after is connection


@each_seat
@each_response
def test_a_valid_response_is_no_breach(seat, kind):
    """RPC-01, RPC-13: the result of a request that waits."""
    waiting = asked(seat, kind, VALID)
    for connection, (_, result) in zip(waiting, values(kind, "valid", VALID), strict=False):
        _, intents = see(connection, kind.sender, message(kind, result))
        fits = answers_its_question(connection, kind.method, result)
        assert breaches(intents) == ([] if fits else [("bad-response", "")])
        assert errors(intents) == []


# From the wrong side


@each_seat
@each_request
def test_a_request_from_the_wrong_side_is_refused_by_its_receiver(seat, kind):
    """RPC-05: -32601 where the receiver does not know it, whatever it holds."""
    receiver, sender = kind.sender, OTHER[kind.sender]
    for params in mutations(kind, VALID):
        _, intents = see(CONNECTIONS[seat], sender, message(kind, params))
        assert errors(intents) == ([-32601] if seat == receiver else [])
        assert breaches(intents) == []


@each_seat
@each_notification
def test_a_notification_from_the_wrong_side_is_ignored(seat, kind):
    """RPC-06: and told; those of the protocol itself have no wrong side."""
    before = CONNECTIONS[seat]
    for params in mutations(kind, VALID):
        after, intents = see(before, OTHER[kind.sender], message(kind, params))
        if not kind.method.startswith("$/"):
            assert breaches(intents) == [("unknown-notification", "")]
            assert after is before
        assert errors(intents) == []


@each_seat
@each_response
def test_a_response_from_the_side_that_asked_is_unknown(seat, kind):
    """RPC-02: a response is matched against the requests of the other side only."""
    waiting = asked(seat, kind, VALID)
    for connection, result in zip(waiting, mutations(kind, VALID), strict=False):
        after, intents = see(connection, OTHER[kind.sender], message(kind, result))
        assert ("unknown-response", "") in breaches(intents)
        assert after is connection


# What is mutated


@each_seat
@each_request
def test_a_mutated_request(seat, kind):
    """RPC-05: malformed parameters are refused with -32602, repairs are told, the rest is taken."""
    row = METHODS.get(kind.method)
    for params in mutations(kind, MUTATED):
        _, intents = see(CONNECTIONS[seat], kind.sender, message(kind, params))
        held = params if isinstance(params, dict) else {}
        if row is not None and row.params is not None:
            expected = repairs(row.params, held)
        elif kind.method == "elicitation/create":
            expected = SPOILED if is_bad_question(kind, held) else []
        elif kind.method == "session/prompt":
            expected = unread_blocks(held)
        else:
            continue
        spoiled = expected == SPOILED
        assert breaches(intents) == ([("invalid-message", "")] if spoiled else expected), params
        assert errors(intents) == ([-32602] if spoiled and seat == "client" else [])


def is_bad_question(kind, params):
    """By the schema's letter, the form that it asks for included (ELIC-02, LENIENT-05)."""
    try:
        Oracle(published()).read(published().named(kind.name), params)
    except SpoiledError:
        return True
    return is_refused(kind, params)


def unread_blocks(params):
    """TURN-04: the prompt's entry holds what can be read; the agent judges the request."""
    blocks = params.get("prompt") if isinstance(params.get("sessionId"), str) else None
    told = []
    for index, block in enumerate(blocks if isinstance(blocks, list) else []):
        found, path = repairs(ContentBlock, block), f"prompt[{index}]"
        lost = found == SPOILED
        told += [("item-dropped", path)] if lost else [(c, f"{path}.{at}") for c, at in found]
    return sorted(told)


@each_seat
@each_response
def test_a_mutated_response(seat, kind):
    """RPC-13, LENIENT-05: a result that cannot be read is a bad response, null is ``{}``."""
    row = METHODS.get(kind.method)
    cls = row.result if row is not None else None
    waiting = cycle(list(asked(seat, kind, VALID)))
    for connection, result in zip(waiting, mutations(kind, MUTATED), strict=False):
        _, intents = see(connection, kind.sender, message(kind, result))
        expected = [] if cls is None else repairs(cls, {} if result is None else result)
        if not answers_its_question(connection, kind.method, result):
            expected = SPOILED
        assert breaches(intents) == ([("bad-response", "")] if expected == SPOILED else expected)
        assert errors(intents) == []


@each_seat
def test_a_mutated_update(seat):
    """RPC-07, RPC-12: it is dropped and changes nothing, or read as the update alone is."""
    [kind] = [each for each in notifications if each.method == "session/update"]
    before = CONNECTIONS[seat]
    for params in mutations(kind, MUTATED * 20):
        after, intents = see(before, kind.sender, message(kind, params))
        held = params if isinstance(params, dict) else {}
        known = isinstance(held.get("sessionId"), str)
        expected = repairs(SessionUpdate, held.get("update")) if known else SPOILED
        if expected == SPOILED:
            assert [code for code, _ in breaches(intents)] == ["update-dropped"]
            assert after is before
        else:
            odd = not isinstance(held.get("_meta"), dict | None)
            envelope = [("field-defaulted", "_meta")] if odd else []
            assert sorted(breaches(intents)) == sorted(envelope + expected)
        assert errors(intents) == []


@each_seat
def test_a_mutated_auth_status_update(seat):
    """AUTH-03, RPC-07: likewise."""
    [kind] = [each for each in notifications if each.method == "auth/status_update"]
    before = CONNECTIONS[seat]
    for params in mutations(kind, MUTATED):
        after, intents = see(before, kind.sender, message(kind, params))
        expected = repairs(AuthStatusResponse, params if isinstance(params, dict) else {})
        if expected == SPOILED:
            assert [code for code, _ in breaches(intents)] == ["update-dropped"]
            assert after is before
        else:
            assert breaches(intents) == expected


@each_seat
def test_a_mutated_initialize(seat):
    """INIT-04: members of the capabilities fall back one by one, and that is told."""
    [kind] = [each for each in requests if each.method == "initialize"]
    for params in mutations(kind, MUTATED):
        _, intents = see(Connection(side=seat), kind.sender, message(kind, params))
        held = params if isinstance(params, dict) else {}
        expected = repairs(InitializeRequest, {"protocolVersion": 0, **held})
        assert breaches(intents) == ([("invalid-message", "")] if expected == SPOILED else expected)
        assert errors(intents) == []


@each_seat
@pytest.mark.parametrize("kind", [*requests, *responses, *notifications], ids=str)
def test_whatever_is_left_of_a_message_does_not_raise(seat, kind):
    """Contract 2: also where the envelope is mutated; what is no message changes nothing."""
    before = CONNECTIONS[seat]
    for random, value in values(kind, "envelope", VALID):
        left = mutated(random, message(kind, value), random.choice((1, 2, 3)))
        for sender in OTHER:
            after, intents = see(before, sender, left)
            if any(code in {"batch", "unknown-response"} for code, _ in breaches(intents)):
                assert after is before
