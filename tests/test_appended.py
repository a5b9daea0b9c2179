"""What was appended to a text, and where it was replaced instead."""

from __future__ import annotations

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reduce.builders import chunks, said

from acp_state import Appended, Chunks, Compaction, Message, SessionMessage, Terminal, ToolCall
from acp_state.appended import appended, differing_fields
from acp_state.json_values import JsonObject
from acp_state.schema import ImageContent, TextContent

ROCKET, HIGH, LOW, LOST = "\U0001f680", "\ud83d", "\ude80", "\ufffd"
IMAGE = ImageContent(data="d", mime_type="m")

HOLDERS = [
    Message(role="agent"),
    Compaction(compaction_id="c"),
    SessionMessage(message_id="m"),
]

parts = st.lists(
    st.sampled_from(["a", "bc", "", HIGH, LOW, f"a{HIGH}", f"{LOW}b", ROCKET])
    | st.just(IMAGE)
    | st.sampled_from([(LOW, JsonObject({"k": 1})), (HIGH, JsonObject({"k": 2}))]),
    max_size=8,
)


@pytest.mark.parametrize("holder", HOLDERS, ids=lambda holder: type(holder).__name__)
@given(parts=parts, count=st.integers(0, 8))
def test_what_stays_of_the_old_text_and_what_was_appended_is_the_new_text(holder, parts, count):
    old = attrs.evolve(holder, chunks=chunks(*parts[:count]))
    for new in (
        attrs.evolve(holder, chunks=old.chunks.extend(chunks(*parts[count:]))),
        attrs.evolve(holder, chunks=chunks(*parts)),
    ):
        found = appended(old, new)
        if count >= len(parts):
            assert found is None
        else:
            assert old.text[: found.kept] + found.text == new.text
            assert found.chunks == chunks(*parts[count:])


@pytest.mark.parametrize(
    ("old", "later", "expected"),
    [
        pytest.param(("a",), ("b", "c"), ("bc", None), id="text"),
        pytest.param(("a",), (IMAGE, "b"), ("b", None), id="an image"),
        pytest.param(("a",), ("",), ("", None), id="nothing to see"),
        pytest.param((f"a{HIGH}",), (f"{LOW}b",), (f"{ROCKET}b", -1), id="the other half"),
        pytest.param((f"a{HIGH}",), ("b",), ("b", None), id="a half that stays alone"),
        pytest.param(("a",), (HIGH,), (LOST, None), id="a half that waits"),
        pytest.param((HIGH,), (IMAGE, LOW), (LOST, None), id="halves around an image"),
    ],
)
def test_half_a_character_is_shown_until_the_other_comes(old, later, expected):
    before, after = said("agent", *old), said("agent", *old, *later)
    assert appended(before, after) == Appended(*expected, chunks(*later))


def test_it_reads_no_more_than_was_appended():
    """The texts of the two versions are not made, and the shared chunks not compared."""
    before = said("agent", *["a"] * 100)
    after = before.append(TextContent(text="b"))
    assert appended(before, after).text == "b"
    assert not was_read(before.chunks)
    assert not was_read(after.chunks)
    assert after.text.endswith("ab")
    assert was_read(after.chunks)


def was_read(made):
    """Whether the whole text has been put together, which is then remembered."""
    try:
        Chunks.__dict__["text"].__get__(made)
    except AttributeError:
        return False
    return True


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(said("agent", "a"), said("agent", "b"), id="other chunks"),
        pytest.param(said("agent", "a", "b"), said("agent", "a"), id="fewer chunks"),
        pytest.param(said("agent", "a"), said("agent", "ab"), id="another chunk"),
        pytest.param(said("agent", "a"), said("agent", "a"), id="nothing changed"),
        pytest.param(said("agent", "a"), said("thought", "a", "b"), id="another role"),
        pytest.param(said("agent", "a"), said("agent", "a", "b", message_id="m"), id="an id"),
        pytest.param(None, said("agent", "a"), id="new"),
        pytest.param(said("agent", "a"), None, id="gone"),
        pytest.param(
            Compaction(compaction_id="c"),
            Compaction(compaction_id="c", status="completed", chunks=chunks("a")),
            id="a status too",
        ),
        pytest.param(said("agent"), Compaction(compaction_id="c"), id="another kind of entry"),
        pytest.param(
            ToolCall(tool_call_id="t", title="a"),
            ToolCall(tool_call_id="t", title="ab"),
            id="title",
        ),
    ],
)
def test_all_else_is_drawn_anew(before, after):
    assert appended(before, after) is None


@pytest.mark.parametrize(
    ("before", "after", "text"),
    [
        ("a", "ab", "b"),
        ("", "a", "a"),
        (None, "a", None),
        (None, "", None),
        ("ab", "b", None),
        ("ab", "a", None),
        ("a", None, None),
        ("a", "a", None),
        (None, None, None),
    ],
)
def test_the_output_of_a_terminal_goes_on_or_is_replaced(before, after, text):
    """Its beginning is cut off where it is longer than the limit that the agent set (REQ-03)."""
    old, new = (Terminal(terminal_id="t", output=output) for output in (before, after))
    assert appended(old, new) == (None if text is None else Appended(text))
    assert appended(old, attrs.evolve(new, exited=True)) is None


def test_fields_are_told_that_differ_in_value():
    before = Compaction(compaction_id="c", chunks=chunks("a"))
    after = Compaction(compaction_id="c", chunks=chunks("a"), status="failed", error="E")
    assert differing_fields(before, after) == ("status", "error")
    assert differing_fields(before, before) == ()
    assert differing_fields(before, said("agent", "a")) == ()
    assert differing_fields(before, None) == differing_fields(None, after) == ()
    assert differing_fields("a", "b") == ()
