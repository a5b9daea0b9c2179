"""How the command ends: 0, 1 where it found what it looks for, 2 where it could not look.

Where nobody reads what it prints, it ends as a tool that the signal SIGPIPE ends.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import click

FOUND: Final = 1
UNREAD: Final = 128 + 13
"""128 and the number of SIGPIPE."""

EXIT_CODES: Final[Mapping[int, str]] = {
    0: "it did what it was asked for",
    FOUND: "`check` found an error, or `diff` a difference",
    2: "something cannot be read or written, holds no message, or was asked for wrongly",
    UNREAD: "its output was closed before its end, as by `head`",
}


class Failure(click.ClickException):
    """Something that the command cannot do; it ends with 2."""

    exit_code = 2
