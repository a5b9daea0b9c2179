"""The cursor that follows an echo through its prompt (TURN-04)."""

from __future__ import annotations

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reduce.builders import block, chunks
from strategies import typed

from acp_state.json_values import JsonObject
from acp_state.model import Chunks, Echo
from acp_state.model.echo import bare
from acp_state.omitted import OMITTED
from acp_state.schema import (
    Annotations,
    BlobResourceContents,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
    TextResourceContents,
)

LINK = ResourceLink(name="n", uri="u")
IMAGE = ImageContent(data="d", mime_type="m")


def utf16(text):
    return text.encode("utf-16-le", "surrogatepass")


def follow(prompt, *echoed):
    """The cursor after these blocks, or None where the prompt does not go on like that."""
    echo = Echo.of(chunks(*prompt))
    for each in echoed:
        echo = echo.advance(block(each))
        if echo is None:
            return None
    return echo


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        (("a", "b"), (utf16("ab"),)),
        (("a", LINK, "", "b"), (utf16("a"), LINK, utf16("b"))),
        (("", LINK, ""), (LINK,)),
        ((LINK, IMAGE), (LINK, IMAGE)),
        (("\ud83d", "\ude80"), (utf16("\U0001f680"),)),
    ],
)
def test_what_is_expected(prompt, expected):
    """TURN-04: adjacent text is joined, in UTF-16 units; other blocks stand for themselves."""
    assert Echo.of(chunks(*prompt)) == Echo(expected=expected)


@pytest.mark.parametrize("prompt", [(), ("",), ("", "")])
def test_nothing_is_expected_of_an_empty_prompt(prompt):
    """TURN-04: there is nothing of which anything could be an echo."""
    assert Echo.of(chunks(*prompt)) is None


@pytest.mark.parametrize(
    ("prompt", "echoed", "segment", "offset", "complete"),
    [
        (("Hello",), (), 0, 0, False),
        (("Hello",), ("Hel",), 0, 6, False),
        (("Hello",), ("Hel", "lo"), 1, 0, True),
        (("Hello",), ("", "Hello", ""), 1, 0, True),
        (("a", LINK, "b"), ("a",), 1, 0, False),
        (("a", LINK, "b"), ("a", LINK), 2, 0, False),
        (("a", LINK, "b"), ("a", LINK, "b"), 3, 0, True),
        (("\U0001f680",), ("\ud83d",), 0, 2, False),
        (("\U0001f680",), ("\ud83d", "\ude80"), 1, 0, True),
    ],
)
def test_an_echo_advances(prompt, echoed, segment, offset, complete):
    """TURN-04: the accumulated content is a prefix of the prompt."""
    echo = follow(prompt, *echoed)
    assert (echo.segment, echo.offset, echo.is_complete) == (segment, offset, complete)


@pytest.mark.parametrize(
    ("prompt", "echoed"),
    [
        (("Hello",), ("hello",)),
        (("Hello",), ("Hel", "p")),
        (("Hello",), ("Hello", "!")),
        (("Hello",), ("Hello!",)),
        (("Hello",), (LINK,)),
        (("Hello",), ("Hello", LINK)),
        ((LINK,), ("n",)),
        ((LINK,), (attrs.evolve(LINK, uri="v"),)),
        ((LINK,), (IMAGE,)),
        (("a", LINK, "b"), ("ab",)),
        (("\U0001f680",), ("\ude80",)),
    ],
)
def test_what_is_no_echo(prompt, echoed):
    """TURN-04: the prompt does not go on like that."""
    assert follow(prompt, *echoed) is None


def test_an_echo_is_under_way_when_a_part_of_it_has_come():
    """`chunks`: what came so far, to be given back if it turns out to be none."""
    echo = Echo.of(chunks("Hello"))
    assert not echo.is_under_way
    assert attrs.evolve(echo, chunks=chunks("Hel")).is_under_way


@pytest.mark.parametrize(
    ("full", "expected"),
    [
        (
            TextContent(text="a", annotations=Annotations(priority=1), meta={"k": 1}),
            TextContent(text="a"),
        ),
        (
            ImageContent(data="d", mime_type="m", uri=None, annotations=None),
            ImageContent(data="d", mime_type="m"),
        ),
        (
            EmbeddedResource(
                resource=TextResourceContents(uri="u", text="t", mime_type=None, meta={"k": 1}),
                meta={"k": 1},
            ),
            EmbeddedResource(resource=TextResourceContents(uri="u", text="t")),
        ),
        (
            EmbeddedResource(resource=BlobResourceContents(uri="u", blob="b", mime_type="m")),
            EmbeddedResource(resource=BlobResourceContents(uri="u", blob="b", mime_type="m")),
        ),
        (
            ResourceLink(name="n", uri="u", size=5, title=None, description="d"),
            ResourceLink(name="n", uri="u", size=5, description="d"),
        ),
    ],
)
def test_a_bare_block(full, expected):
    """TURN-04: without annotations and metadata, at any depth; null and absent are one."""
    assert bare(full) == expected
    assert bare(expected) == expected


def _decorated(content):
    """The block with annotations and metadata."""
    return attrs.evolve(content, annotations=Annotations(priority=2), meta=JsonObject({"x": 1}))


@given(st.lists(typed(ContentBlock), max_size=4))
def test_every_prompt_is_its_own_echo(prompt):
    """TURN-04: block by block, whatever annotations and metadata the echo has."""
    echo = Echo.of(Chunks.of(prompt))
    for each in prompt if echo else ():
        echo = echo.advance(_decorated(each))
        assert echo is not None
    assert echo is None or echo.is_complete


@given(st.text(min_size=1, max_size=8), st.data())
def test_every_split_of_a_text_is_an_echo(text, data):
    """TURN-04: cut anywhere, also between the halves of a character."""
    rest, echo = utf16(text), Echo.of(chunks(text))
    while rest:
        cut = data.draw(st.integers(1, len(rest) // 2)) * 2
        echo = echo.advance(TextContent(text=rest[:cut].decode("utf-16-le", "surrogatepass")))
        rest = rest[cut:]
    assert echo.is_complete


def test_it_is_a_value():
    """Frozen, compared by value, and it can be hashed."""
    echo = Echo.of(chunks("a", LINK))
    assert hash(echo) == hash(Echo.of(chunks("a", LINK)))
    assert bare(LINK).title is OMITTED
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        echo.segment = 1
