"""A progress bar on standard error, for long recordings on a terminal."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from itertools import chain, islice
from typing import BinaryIO, Final

from rich.console import Console
from rich.progress import Progress

LONG: Final = 5_000
"""Lines that are read before a bar is shown."""

STEP: Final = 500
"""Lines between two looks at how far it is."""


def with_progress(stream: BinaryIO, file: BinaryIO | None = None) -> Iterator[bytes]:
    """The lines of a stream, with a bar where there is somebody to look at it.

    The bar shows how much is read of `file`, where the stream unpacks one.
    """
    file = file or stream
    lines = iter(stream)
    if not sys.stderr.isatty():
        yield from lines
        return
    yield from islice(lines, LONG)
    following = list(islice(lines, 1))
    if not following:
        return
    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("reading", total=_size(file))
        for number, line in enumerate(chain(following, lines)):
            if number % STEP == 0:
                bar.update(task, completed=file.tell() if file.seekable() else number)
            yield line


def _size(stream: BinaryIO) -> int | None:
    """The size of a file in bytes; None: it is a pipe."""
    return os.fstat(stream.fileno()).st_size if stream.seekable() else None
