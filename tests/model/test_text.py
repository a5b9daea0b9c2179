"""Text that people see: whole characters, and short."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_state.model.text import SHOWN, is_high_surrogate, is_low_surrogate, mend, shorten

ROCKET, HIGH, LOW = "\U0001f680", "\ud83d", "\ude80"
LOST = "\ufffd"


@pytest.mark.parametrize(
    ("text", "mended"),
    [
        ("", ""),
        ("plain", "plain"),
        ("caf\u00e9 \u4e2d", "caf\u00e9 \u4e2d"),
        (ROCKET, ROCKET),
        (HIGH + LOW, ROCKET),
        (f"a{HIGH}{LOW}b{HIGH}{LOW}", f"a{ROCKET}b{ROCKET}"),
        (HIGH, LOST),
        (LOW, LOST),
        (f"a{HIGH}b", f"a{LOST}b"),
        (LOW + HIGH, LOST * 2),
        (HIGH + HIGH + LOW, LOST + ROCKET),
        (HIGH + LOW + LOW, ROCKET + LOST),
    ],
)
def test_mending(text, mended):
    """Design: a character that was cut in two is whole, a half that is alone is U+FFFD."""
    assert mend(text) == mended


@given(st.text(st.sampled_from(["a", "\u4e2d", HIGH, LOW, ROCKET])))
def test_what_is_mended_can_be_encoded(text):
    """Design: a half that stays alone never breaks encoding; mending twice is mending once."""
    mended = mend(text)
    mended.encode("utf-8")
    assert mend(mended) == mended


@given(st.text())
def test_whole_text_stays_as_it_is(text):
    """Nothing but surrogates is touched."""
    assert mend(text) == text


@pytest.mark.parametrize(
    ("code_point", "high", "low"),
    [
        (0x61, False, False),
        (0xD7FF, False, False),
        (0xD800, True, False),
        (0xDBFF, True, False),
        (0xDC00, False, True),
        (0xDFFF, False, True),
        (0xE000, False, False),
        (0x1F680, False, False),
    ],
)
def test_halves(code_point, high, low):
    """The first and the second half of a pair."""
    character = chr(code_point)
    assert (is_high_surrogate(character), is_low_surrogate(character)) == (high, low)


def test_no_character_is_no_half():
    assert not is_high_surrogate("")
    assert not is_low_surrogate("")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("", "''"),
        ("it's\n", '"it\'s\\n"'),
        ("a" * SHOWN, repr("a" * SHOWN)),
        ("a" * (SHOWN + 1), f"{'a' * SHOWN!r}... {SHOWN + 1} characters"),
    ],
)
def test_shortening(text, shown):
    """A `repr` that a person can read: on one line, and not too long."""
    assert shorten(text) == shown


def test_shortening_to_a_width():
    assert shorten("abcdef", 3) == "'abc'... 6 characters"
