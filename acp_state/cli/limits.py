"""How much is shown of what."""

from __future__ import annotations

from typing import Final

from acp_state.cli.safe_text import Limit
from acp_state.records import frozen


@frozen(kw_only=True)
class Limits:
    """A limit for each kind of text; None: all of it."""

    message: Limit | None = None
    thought: Limit | None = None
    output: Limit | None = None
    diff: Limit | None = None
    title: int | None = None
    """Characters of what stands on one line."""


FULL: Final = Limits()

SHORT: Final = Limits(
    message=Limit(40, columns=2_000),
    thought=Limit(8, columns=600),
    output=Limit(8, 4, columns=320),
    diff=Limit(20, 4, columns=200),
    title=240,
)
