"""Recordings of real agents: each ends in its golden state, and no state changes afterwards.

The golden files in ``tests/golden`` were read against the recordings; `golden_form` says what
stands in them and how they are rewritten.
"""

from __future__ import annotations

from typing import Any

import pytest
from golden_form import GOLDEN, form, messages_of, recordings
from shared import needs_shared

from acp_state.codec import encode
from acp_state.intents import Intent
from acp_state.leniency import decode
from acp_state.model.connection import Connection
from observing import observe
from acp_state.schema import RequestPermissionRequest, SessionUpdate

pytestmark = needs_shared

NAMES = sorted(path.stem for path in GOLDEN.glob("*.txt"))
"""The recordings, also where they are not at hand, so that what is skipped has a name."""

FAULTS = {
    "codex-rich-load": "SUB-17: a child's state in a replay is the last known one, unconfirmed",
    **{
        f"{agent}-bad-requests": "INFO-02: a load that failed gives the session no cwd and no roots"
        for agent in ("claude", "codex", "fast", "gemini", "kimi", "opencode", "qwen")
    },
}
"""Where the package does not do yet what a rule asks; the golden file holds what it asks."""

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


def replay(messages: list[tuple[str, Any]], start: Connection) -> list[tuple[Connection, Any]]:
    """State and intents after each message."""
    steps: list[tuple[Connection, tuple[Intent, ...]]] = []
    connection = start
    for sender, message in messages:
        connection, intents = observe(connection, sender, message)
        steps.append((connection, intents))
    return steps


def golden(name: str):
    fault = FAULTS.get(name)
    marks = [] if fault is None else [pytest.mark.xfail(raises=AssertionError, reason=fault)]
    return pytest.param(name, marks=marks)


def test_each_recording_has_its_golden_file():
    assert recordings() == NAMES


@pytest.mark.parametrize("name", [golden(name) for name in NAMES])
def test_a_recording_ends_in_its_golden_state(name):
    expected = (GOLDEN / f"{name}.txt").read_text(encoding="utf-8")
    assert form(name).splitlines() == expected.splitlines()


@pytest.mark.parametrize("name", NAMES)
def test_a_recording_replays_twice_alike_and_its_messages_stay_as_they_are(name):
    """INV-01: the same messages give the same states and intents; what goes in is not changed."""
    messages = messages_of(name)
    assert replay(messages, Connection())[-1] == replay(messages, Connection())[-1]
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
    kept = replay(messages, Connection())
    for count in range(1, len(messages) + 1):
        assert kept[count - 1] == replay(messages[:count], Connection())[-1]


@pytest.mark.parametrize("name", STEPWISE)
def test_a_state_can_be_continued_again_whatever_was_made_of_it(name):
    """Contract 3: an older version shares its structure with the newest and still comes out right.

    The branch that first takes one message more than once is thrown away.
    """
    messages = messages_of(name)
    kept = replay(messages, Connection())
    for count in range(1, len(messages), 3):
        connection = kept[count - 1][0]
        replay(messages[count - 1 : count] * 2, connection)
        assert replay(messages[count:], connection)[-1] == kept[-1]


def test_the_longest_answer_stays_what_it_was_at_some_of_its_chunks():
    """Contract 1, where 2,400 chunks share one buffer."""
    messages = messages_of("codex-long")
    kept = replay(messages, Connection())
    for count in (9, 10, 100, 1_000, 2_000, 2_408):
        assert kept[count - 1] == replay(messages[:count], Connection())[-1]
