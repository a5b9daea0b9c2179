"""Messages between sessions as the model holds them."""

from __future__ import annotations

import attrs
import pytest
from reduce.builders import chunks

from acp_state import SessionMessage
from acp_state.schema import ImageContent, TextContent

IMAGE = ImageContent(data="d", mime_type="m")


def test_a_message_of_which_only_the_id_is_known():
    """PATCH-05."""
    assert SessionMessage(message_id="l") == SessionMessage(
        message_id="l",
        sender_session_id=None,
        recipient_session_id=None,
        sender_message_id=None,
        recipient_message_id=None,
        chunks=chunks(),
        meta=None,
        turn=None,
    )
    assert SessionMessage(message_id="l").key == ("session_message", "l")


def test_content_and_text():
    """MSG-01, as for other messages; from chunks or from a list."""
    made = SessionMessage(message_id="l", chunks=chunks("a", "b", IMAGE))
    assert made.content == (TextContent(text="ab"), IMAGE)
    assert made.text == "ab"
    assert SessionMessage(message_id="l", chunks=[IMAGE]).chunks == chunks(IMAGE)


@pytest.mark.parametrize(
    ("sender", "recipient", "direction"),
    [
        ("s", "c", "outgoing"),
        ("p", "s", "incoming"),
        ("s", None, "outgoing"),
        (None, "s", "incoming"),
        ("p", "c", None),
        ("s", "s", None),
        (None, None, None),
    ],
)
def test_direction(sender, recipient, direction):
    """SMSG-05: seen from the session whose transcript holds it."""
    made = SessionMessage(message_id="l", sender_session_id=sender, recipient_session_id=recipient)
    assert made.direction("s") == direction


def test_what_it_looks_like():
    made = SessionMessage(message_id="l", sender_session_id="p", chunks=chunks("a"))
    assert repr(made) == "<session message 'l' from 'p' to None: 'a'>"


def test_it_is_a_value():
    """Frozen, compared by value, and it can be hashed."""
    made = SessionMessage(message_id="l", chunks=chunks("a"))
    assert made == attrs.evolve(made)
    assert hash(made) == hash(SessionMessage(message_id="l", chunks=chunks("a")))
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        made.message_id = "m"
