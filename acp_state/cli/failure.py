"""How the command ends: 0, 1 where it found what it looks for, 2 where it could not look."""

from __future__ import annotations

from typing import Final

import click

FOUND: Final = 1


class Failure(click.ClickException):
    """Something that the command cannot do; it ends with 2."""

    exit_code = 2
