"""Recordings of real agents: each ends in its golden state, and no state changes afterwards.

The golden files in ``tests/golden`` were read against the recordings; `golden_form` says what
stands in them and how they are rewritten.
"""

from __future__ import annotations

from typing import Any

import pytest
from golden_form import GOLDEN, form, messages_of, recordings
from observing import SEATS, seatless, see
from shared import needs_shared

from acp_state.codec import encode
from acp_state.intents import Diagnose, Intent, Send
from acp_state.leniency import decode
from acp_state.model.connection import Connection
from acp_state.schema import RequestPermissionRequest, SessionUpdate

pytestmark = needs_shared

NAMES = sorted(path.stem for path in GOLDEN.glob("*.txt"))
"""The recordings, also where they are not at hand, so that what is skipped has a name."""


"""Recordings in which an agent refuses a method that it does not know."""

STEPWISE = [
    "claude-history-load",
    "claude-rich",
    "codex-double-prompt",
    "codex-rich",
    "fast-double-prompt",
    "gemini-tool-reject",
    "kimi-two-sessions",
    "opencode-fork",
    "qwen-cancel-tool",
    "vibe-attach",
]
"""Recordings short enough to be replayed from the start to each of their messages."""


START = Connection(side="observer")


def replay(messages: list[tuple[str, Any]], start: Connection = START) -> list[tuple[Any, Any]]:
    """State and intents after each message, from the seat of the start."""
    steps: list[tuple[Connection, tuple[Intent, ...]]] = []
    connection = start
    for sender, message in messages:
        connection, intents = see(connection, sender, message)
        steps.append((connection, intents))
    return steps


def from_every_seat(name: str) -> dict[str, list[tuple[Any, Any]]]:
    """A recording, replayed from each seat."""
    messages = messages_of(name)
    return {seat: replay(messages, Connection(side=seat)) for seat in SEATS}


def of_kind(kind: type, steps: list[tuple[Any, Any]]) -> list[tuple[int, Any]]:
    """The intents of a kind, with the index of the message they came with."""
    return [
        (index, intent)
        for index, (_, intents) in enumerate(steps)
        for intent in intents
        if isinstance(intent, kind)
    ]


def test_each_recording_has_its_golden_file():
    assert recordings() == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_recording_ends_in_its_golden_state(name):
    expected = (GOLDEN / f"{name}.txt").read_text(encoding="utf-8")
    assert form(name).splitlines() == expected.splitlines()


@pytest.mark.parametrize("name", NAMES)
def test_a_recording_replays_twice_alike_and_its_messages_stay_as_they_are(name):
    """INV-01: the same messages give the same states and intents; what goes in is not changed."""
    messages = messages_of(name)
    assert replay(messages)[-1] == replay(messages)[-1]
    assert messages == messages_of(name)


@pytest.mark.parametrize("name", NAMES)
def test_each_update_decodes_without_faults_and_encodes_to_the_same_json(name):
    for sender, message in messages_of(name):
        if (sender, message.get("method")) == ("agent", "session/update"):
            update = message["params"]["update"]
            decoded = decode(update, SessionUpdate)
            assert decoded.faults == ()
            assert encode(decoded.value, SessionUpdate) == update


@pytest.mark.parametrize("name", NAMES)
def test_each_permission_request_decodes_without_faults_and_encodes_to_the_same_json(name):
    for sender, message in messages_of(name):
        if (sender, message.get("method")) == ("agent", "session/request_permission"):
            decoded = decode(message["params"], RequestPermissionRequest)
            assert decoded.faults == ()
            assert encode(decoded.value) == message["params"]


@pytest.mark.parametrize("name", STEPWISE)
def test_a_state_stays_what_it_was_when_its_message_came(name):
    """Contract 1: the states along the way equal those of replays that went no further."""
    messages = messages_of(name)
    kept = replay(messages)
    for count in range(1, len(messages) + 1):
        assert kept[count - 1] == replay(messages[:count])[-1]


@pytest.mark.parametrize("name", STEPWISE)
def test_a_state_can_be_continued_again_whatever_was_made_of_it(name):
    """Contract 3: an older version shares its structure with the newest and still comes out right.

    The branch that first takes one message more than once is thrown away.
    """
    messages = messages_of(name)
    kept = replay(messages)
    for count in range(1, len(messages), 3):
        connection = kept[count - 1][0]
        replay(messages[count - 1 : count] * 2, connection)
        assert replay(messages[count:], connection)[-1] == kept[-1]


def test_the_longest_answer_stays_what_it_was_at_some_of_its_chunks():
    """Contract 1, where 2,400 chunks share one buffer."""
    messages = messages_of("codex-long")
    kept = replay(messages)
    for count in (9, 10, 100, 1_000, 2_000, 2_408):
        assert kept[count - 1] == replay(messages[:count])[-1]


# Whoever looks


@pytest.mark.parametrize("name", NAMES)
def test_a_recording_ends_in_the_same_state_from_every_seat(name):
    client, observer, agent = (seatless(steps[-1][0]) for steps in from_every_seat(name).values())
    assert client == observer == agent


@pytest.mark.parametrize("name", STEPWISE)
def test_the_state_after_each_message_is_the_same_from_every_seat(name):
    for client, observer, agent in zip(*from_every_seat(name).values(), strict=True):
        assert seatless(client[0]) == seatless(observer[0]) == seatless(agent[0])


@pytest.mark.parametrize("name", NAMES)
def test_the_diagnostics_are_the_same_from_every_seat(name):
    client, observer, agent = (of_kind(Diagnose, steps) for steps in from_every_seat(name).values())
    assert client == observer == agent


@pytest.mark.parametrize("name", NAMES)
def test_an_observer_is_never_to_send_anything(name):
    assert of_kind(Send, replay(messages_of(name))) == []


@pytest.mark.parametrize("name", NAMES)
def test_the_client_is_to_send_only_what_the_client_of_the_recording_sent_next(name):
    """RPC-04, CANCEL-03: each answer of the reducer's own is one that the recording then holds."""
    messages = messages_of(name)
    for index, intent in of_kind(Send, replay(messages, Connection(side="client"))):
        sent = told(intent.message)
        later = [told(message) for sender, message in messages[index:] if sender == "client"]
        assert later.count(sent) == 1


def told(message: dict[str, Any]) -> tuple[object, ...]:
    """What counts of an answer: its request, and the result or the code of the error."""
    return message.get("id"), message.get("result"), message.get("error", {}).get("code")
