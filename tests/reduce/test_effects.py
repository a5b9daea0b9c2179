"""The table of messages that change the model."""

from __future__ import annotations

import pytest

from acp_state.methods import METHODS
from acp_state.reduce.effects import NOTIFICATIONS, REQUESTS, RESPONSES

OTHER_SIDE = {"client": "agent", "agent": "client"}


@pytest.mark.parametrize(("sender", "method"), NOTIFICATIONS)
def test_every_notification_is_one_of_the_protocol(sender, method):
    """Sections 18, 19: the method table knows it, from that sender."""
    assert METHODS[method].kind == "notification"
    assert sender in METHODS[method].senders


@pytest.mark.parametrize(("sender", "method"), REQUESTS)
def test_every_request_is_one_of_the_protocol(sender, method):
    """Sections 18, 19."""
    assert METHODS[method].kind == "request"
    assert sender in METHODS[method].senders


@pytest.mark.parametrize(("sender", "method"), RESPONSES)
def test_every_response_is_to_a_request_of_the_other_side(sender, method):
    """Sections 18, 19: a row is by who answers."""
    assert METHODS[method].kind == "request"
    assert OTHER_SIDE[sender] in METHODS[method].senders


def test_what_has_an_effect():
    """Sections 18, 19: no row, no effect on the model."""
    assert sorted(NOTIFICATIONS) == [("agent", "session/update"), ("client", "session/cancel")]
    assert sorted(REQUESTS) == [
        ("agent", "session/request_permission"),
        ("client", "initialize"),
        ("client", "session/load"),
        ("client", "session/prompt"),
        ("client", "session/resume"),
    ]
    assert sorted(RESPONSES) == [
        ("agent", "session/fork"),
        ("agent", "session/load"),
        ("agent", "session/new"),
        ("agent", "session/prompt"),
        ("agent", "session/resume"),
        ("agent", "session/set_config_option"),
        ("agent", "session/set_mode"),
        ("client", "terminal/create"),
        ("client", "terminal/output"),
        ("client", "terminal/release"),
        ("client", "terminal/wait_for_exit"),
    ]
