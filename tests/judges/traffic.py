"""Whole messages of every method, made from the published schema, and what comes out of them."""

from __future__ import annotations

import os
from typing import NamedTuple

from judges.messages import Maker, chance, mutated
from judges.verdicts import methods
from observing import SEATS, see
from published import published
from reduce import talk
from shared import SHARED

from acp_state import Connection, Diagnose, Send
from acp_state.leniency import decode
from acp_state.reading import Malformed

TIMES = int(os.environ.get("ACP_ADVERSARY", "1"))
"""How many times the usual number of examples; from 2 on, others than the usual ones."""

OTHER = {"client": "agent", "agent": "client"}
ASKED_BY = {"agent": ("client",), "client": ("agent",), "protocol": ("agent", "client")}
"""Who sends the requests and notifications that the schema says this side handles."""


class Kind(NamedTuple):
    """A kind of message: who sends it, and the definition of its parameters or its result."""

    method: str
    sender: str
    what: str
    name: str

    def __str__(self):
        return f"{self.sender}-{self.method}-{self.what}"


def kinds(what):
    """The kinds of requests, responses or notifications."""
    file = published()
    return [
        Kind(node["x-method"], sender, what, name)
        for name, node in (methods(file) if SHARED.is_dir() else {}).items()
        if name.endswith(what.capitalize())
        for sender in senders(node["x-side"], what)
    ]


def senders(side, what):
    """Who sends such a message of a method that this side handles; nobody but proxies of theirs."""
    if what == "response":
        return [side] if side in OTHER else []
    return ASKED_BY.get(side, ())


BREACHES = {
    "invalid-message", "bad-response", "update-dropped", "batch", "duplicate-request-id",
    "unknown-notification", "unknown-response", "field-defaulted", "item-dropped",
}  # fmt: skip
"""What is told of messages that are not valid."""

NO_BREACH = {"CFG-06"}
"""Rules that leave valid things out: of options with one id, the first counts."""

SPOILED = "spoiled"

requests, responses, notifications = map(kinds, ("request", "response", "notification"))


# Messages


def in_use(seat):
    """A connection on which everything is advertised, with a session `s` and its terminal `t`."""
    connection = Connection(side=seat)
    for sender, message in (
        ("client", talk.initialize()),
        ("agent", talk.initialized()),
        ("client", talk.new_session()),
        ("agent", talk.result(1, {"sessionId": "s"})),
        ("agent", talk.request(1, "terminal/create", sessionId="s", command="c")),
        ("client", talk.result(1, {"terminalId": "t"})),
    ):
        connection, _ = see(connection, sender, message)
    return connection


CONNECTIONS = {seat: in_use(seat) for seat in SEATS}


def values(kind, what, count):
    """Valid parameters or results, with a source of chance for each."""
    for index in range(count * TIMES):
        random = chance(kind, what, index, TIMES)
        yield random, known_ids(Maker(published(), random).message(kind.name))


def mutations(kind, count):
    """Parameters or results that are mostly not valid any more."""
    for random, value in values(kind, "mutated", count):
        yield known_ids(mutated(random, value, random.choice((1, 1, 2))))


def known_ids(value):
    """The value about the session and the terminal that are there, where it is about any."""
    ids = {"sessionId": "s", "terminalId": "t"}
    if not isinstance(value, dict):
        return value
    return {**value, **{key: ids[key] for key in ids if isinstance(value.get(key), str)}}


def message(kind, value, request_id=9):
    """The message with these parameters, or this result."""
    if kind.what == "response":
        return {**talk.result(request_id), "result": value}
    made = {"jsonrpc": "2.0", "method": kind.method, "params": value}
    return {**made, "id": request_id} if kind.what == "request" else made


def asked(seat, kind, count):
    """Connections on each of which a valid request of that method waits."""
    [request] = [each for each in requests if each.method == kind.method]
    for _, params in values(request, "asked", count):
        connection, _ = see(CONNECTIONS[seat], request.sender, message(request, params))
        if connection.requests_of(request.sender):
            yield connection


# What comes out


def breaches(intents):
    """The codes of the diagnostics about invalid messages, and the paths that they name."""
    return sorted(
        (each.diagnostic.code, each.diagnostic.path)
        for each in intents
        if isinstance(each, Diagnose)
        and each.diagnostic.code in BREACHES
        and each.diagnostic.rule not in NO_BREACH
    )


def errors(intents):
    """The codes of the errors that our side is to send."""
    return [
        each.message["error"]["code"]
        for each in intents
        if isinstance(each, Send) and "error" in each.message
    ]


def repairs(cls, value):
    """The repairs that reading the value takes; the judges of the other test confirm them."""
    try:
        faults = decode(value, cls).faults
    except Malformed:
        return SPOILED
    return sorted((fault.code, fault.path) for fault in faults if fault.code in BREACHES)
