"""Nothing that a stranger sends reaches the terminal as a command."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_state.cli.safe_text import Limit, clean, clip, count, one_line


@given(st.text(st.characters(codec=None)))
def test_nothing_is_left_that_a_terminal_obeys(text):
    shown = clean(text)
    assert not [
        c
        for c in shown
        if unicodedata.category(c) in {"Cc", "Cs", "Zl", "Zp"} - {"\n"} and c != "\n"
    ]
    shown.encode()
    assert clean(shown) == shown
    assert len(one_line(text).splitlines()) <= 1


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31;1mred\x1b[0m", "red"),
        ("\x1b[2J", "\\x1b[2J"),
        ("\x1b]0;title\x07", "\\x1b]0;title\\x07"),
        ("\x9b31m", "\\x9b31m"),
        ("a\r\nb\rc", "a\nb\\x0dc"),
        ("\u202eevil", "\\u202eevil"),
        ("a\u2028b\x85", "a\\u2028b\\x85"),
        ("a\tb", "a   b"),
        ("\ud83d\ude80 \ud83d", "\U0001f680 \ufffd"),
        ("[bold]x[/]", "[bold]x[/]"),
    ],
)
def test_clean(text, shown):
    assert clean(text) == shown


def test_one_line():
    assert one_line("a\nb") == "a\\nb"
    assert one_line("abcdef", 2) == "ab... (4 more characters)"


def test_clip():
    limit = Limit(2, 1, columns=5)
    assert clip("\n1\n2\n3\n4\n5\n\n", limit) == ["1", "2", "... 2 lines left out ...", "5"]
    assert clip("1\n2\n3\n4", limit) == ["1", "2", "3", "4"]
    assert clip("1234567", limit) == ["12345... (2 more characters)"]
    assert clip("1234567\n" * 9, None) == ["1234567"] * 9
    assert clip("\n", limit) == []


def test_count():
    assert [count(n, "line") for n in (0, 1, 2_000)] == ["0 lines", "1 line", "2,000 lines"]
