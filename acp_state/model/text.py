"""Text that people see: surrogate pairs made whole, long content cut short."""

from __future__ import annotations

import re
from typing import Final

_SURROGATES: Final = re.compile("[\ud800-\udfff]")

SHOWN: Final = 60
"""How many characters a `repr` shows of a text."""


def mend(text: str) -> str:
    r"""The text with surrogate pairs joined; a half that is alone becomes U+FFFD.

    Senders that cut text by UTF-16 units leave half a character in each of two chunks, which
    Python keeps apart when it joins them and cannot encode as UTF-8.

    >>> mend("Done \ud83d" + "\ude80!") == "Done \U0001f680!"
    True
    """
    if text.isascii() or not _SURROGATES.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def is_high_surrogate(character: str) -> bool:
    """Whether it is the first half of a pair."""
    return "\ud800" <= character <= "\udbff"


def is_low_surrogate(character: str) -> bool:
    """Whether it is the second half of a pair."""
    return "\udc00" <= character <= "\udfff"


def shorten(text: str, width: int = SHOWN) -> str:
    """The `repr` of a text, with its end cut off when it is longer than `width` characters."""
    return repr(text) if len(text) <= width else f"{text[:width]!r}... {len(text)} characters"
