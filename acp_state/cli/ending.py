"""How the command ends where what it prints cannot be written, or nobody reads it."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import click

from acp_state.cli.failure import UNREAD, Failure


@contextmanager
def while_read() -> Generator[None, None, None]:
    """All that is printed in it is written, or the command ends there, and not with a traceback.

    Raises:
        SystemExit: with `UNREAD` where nobody reads any more, with 2 where the disk is full.
    """
    try:
        try:
            yield
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        _let_go()
        raise SystemExit(UNREAD) from None
    except OSError as error:
        _let_go()
        click.echo(f"Error: cannot write: {error.strerror}", err=True)
        raise SystemExit(Failure.exit_code) from None


def _let_go() -> None:
    """Drop what cannot be written: Python would try once more at its end, and complain."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            with Path(os.devnull).open("wb") as nowhere:
                os.dup2(nowhere.fileno(), stream.fileno())


class Commands(click.Group):
    """Subcommands that run while somebody reads; click itself would end with 1."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Take the arguments, some of which print something at once."""
        with while_read():
            return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> object:
        """Run the subcommand."""
        with while_read():
            return super().invoke(ctx)
