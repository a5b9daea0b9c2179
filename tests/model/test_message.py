"""User, agent and thought messages."""

from __future__ import annotations

import attrs
import pytest
from reduce.builders import chunks, prompt_entry, said

from acp_state import Message
from acp_state.schema import ImageContent, TextContent

IMAGE = ImageContent(data="d", mime_type="m")


def test_a_message_without_chunks():
    """The least that a message is."""
    assert Message(role="agent") == Message(
        role="agent", message_id=None, chunks=chunks(), origin="agent", turn=None
    )


def test_content_and_text():
    """MSG-01: blocks with adjacent text joined, and the text."""
    message = said("agent", "a", "b", IMAGE, "c")
    assert message.content == (TextContent(text="ab"), IMAGE, TextContent(text="c"))
    assert message.text == "abc"


@pytest.mark.parametrize(
    ("role", "message_id", "key"),
    [
        ("user", "m", ("user", "m")),
        ("agent", "m", ("agent", "m")),
        ("thought", "", ("thought", "")),
        ("agent", None, None),
    ],
)
def test_the_key_is_role_and_id(role, message_id, key):
    """MSG-03, TL-04: agents use one id for a thought and its answer; anonymous ones have none."""
    assert said(role, message_id=message_id).key == key


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        (said("agent", "Hello, ", "world", message_id="m"), "<agent message 'm': 'Hello, world'>"),
        (said("thought", "hm"), "<thought message: 'hm'>"),
        (prompt_entry("Hi"), "<user message: 'Hi'>"),
        (said("agent", "a" * 100), f"<agent message: {'a' * 60!r}... 100 characters>"),
    ],
)
def test_what_it_looks_like(message, shown):
    assert repr(message) == shown


def test_it_is_a_value():
    """Frozen, compared by value, and it can be hashed."""
    message = said("agent", "a", message_id="m")
    assert message == attrs.evolve(message)
    assert hash(message) == hash(said("agent", "a", message_id="m"))
    assert message != said("agent", "a", message_id="n")
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        message.role = "user"
