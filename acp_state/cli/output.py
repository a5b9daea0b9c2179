"""Where a command puts what it has to say: in a file, which gets all or nothing, or in a stream."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from secrets import token_hex
from shutil import copymode
from typing import BinaryIO, Final

import click

from acp_state.cli.failure import Failure
from acp_state.cli.safe_text import one_line

OUTPUT: Final = click.Path(dir_okay=False, allow_dash=True)
"""A file to write, for `output`; it may be one of those that are read."""


def write(data: bytes) -> None:
    """Put bytes on standard output, after what was printed before."""
    sys.stdout.flush()
    sys.stdout.buffer.write(data)


def note(text: str) -> None:
    """Say something on standard error, after what was printed before."""
    sys.stdout.flush()
    click.echo(text, err=True)


@contextmanager
def output(name: str | None) -> Generator[Callable[[bytes], object], None, None]:
    """What puts bytes into a file; on standard output for the name ``-``, or where there is none.

    The file is touched when all is written: where the command fails, it stays as it was.

    Raises:
        Failure: it cannot be written.
    """
    if name is None or name == "-":
        yield write
        return
    try:
        with _opened(Path(name)) as file:
            yield file.write
    except OSError as error:
        raise Failure(f"cannot write {one_line(name)}: {error.strerror or error}") from error


def _opened(path: Path) -> AbstractContextManager[BinaryIO]:
    """The file; a pipe or a device is no file that could be replaced."""
    is_file = path.is_file() or not path.exists()
    return _replacing(path.resolve()) if is_file else path.open("wb")


@contextmanager
def _replacing(path: Path) -> Generator[BinaryIO, None, None]:
    """A file beside the one that is there, whose place it takes in the end."""
    new = path.with_name(f".acp-state-{token_hex(8)}")
    try:
        with new.open("xb") as file:
            yield file
        if path.exists():
            copymode(path, new)
        new.replace(path)
    finally:
        new.unlink(missing_ok=True)
