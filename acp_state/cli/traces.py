"""The recordings that a command was given: opened, unpacked, told apart, and folded as one."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Callable, Iterator, Sequence
from itertools import tee
from typing import BinaryIO, Final, TypeVar, cast

import click
from attrs import define, field

from acp_state.cli.failure import Failure
from acp_state.cli.output import note
from acp_state.cli.progress import with_progress
from acp_state.cli.safe_text import count, one_line
from acp_state.diagnostics import Diagnostic
from acp_state.intents import Diagnose
from acp_state.methods import Sender
from acp_state.recording.folding import Replayed, with_states
from acp_state.recording.forms import FORMS, Reading, read_any
from acp_state.recording.trace import Record
from acp_state.records import frozen

F = TypeVar("F", bound=Callable[..., object])

_GZIP: Final = b"\x1f\x8b"

TRACES: Final = click.argument(
    "traces", type=click.File("rb"), nargs=-1, required=True, metavar="TRACE..."
)
"""The recordings to read, as one."""

_FORM: Final = click.option(
    "--form",
    type=click.Choice(list(FORMS)),
    metavar="FORM",
    help=f"The form that it is in: {', '.join(FORMS)}. Else it is told from the first messages.",
)
_SEEN_FROM: Final = click.option(
    "--seen-from",
    type=click.Choice(["client", "agent"]),
    metavar="SIDE",
    help="Which side wrote it, client or agent, where it says only out and in. Else likewise.",
)


def reading_options(command: F) -> F:
    """Give a command the options ``--form`` and ``--seen-from``."""
    return _FORM(_SEEN_FROM(command))


@frozen(kw_only=True)
class Traces:
    """Recordings, read as one that goes on from file to file."""

    files: Sequence[BinaryIO]
    form: str | None = None
    """A key of `FORMS`; None: each file's own is told."""
    seen_from: Sender | None = None
    announced: bool = field(default=True)
    """Whether a form that is not our own is told on standard error."""

    @property
    def name(self) -> str:
        """What to call them."""
        return " ".join(one_line(name_of(file)) for file in self.files)

    def records(self) -> Iterator[tuple[str, Record]]:
        """The messages of all files, each with the name of its file."""
        for file in self.files:
            reading = read_any(_lines(file), form=self.form, seen_from=self.seen_from)
            if self.announced and reading.form != "recording":
                click.echo(_told(name_of(file), reading), err=True)
            for record in reading.records:
                yield name_of(file), record

    def steps(self) -> Iterator[Step]:
        """What each message leads to.

        Raises:
            Failure: there is none.
        """
        named, records = tee(self.records())
        states, number = with_states(record for _, record in records), 0
        for (file, _), (record, after) in zip(named, states, strict=True):
            number = after.number
            yield Step(file=file, record=record, after=after)
        if number == 0:
            raise Failure(f"{self.name} holds no message")


@frozen(kw_only=True)
class Step:
    """A record and what it led to."""

    file: str
    record: Record
    """With its sender."""
    after: Replayed

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """What is wrong with it."""
        return [each.diagnostic for each in self.after.intents if isinstance(each, Diagnose)]


@define
class Messages:
    """The steps that are messages, and how many lines hold none."""

    traces: Traces
    left_out: int = 0

    def __iter__(self) -> Iterator[Step]:
        """The messages; what is none is counted."""
        for step in self.traces.steps():
            if step.after.is_message:
                yield step
            else:
                self.left_out += 1

    def tell_left_out(self) -> None:
        """Say how many lines hold no message, if there are any."""
        if self.left_out:
            hold = "holds" if self.left_out == 1 else "hold"
            told = f"{count(self.left_out, 'line')} {hold} no message"
            note(f"{told}: see acp-state check {self.traces.name}")


def until(steps: Iterator[Step], at: int | None, name: str) -> Iterator[Step]:
    """The steps up to message `at`; all, if it is None.

    Raises:
        Failure: there are fewer messages.
    """
    number = 0
    for step in steps:
        number = step.after.number
        yield step
        if number == at:
            return
    if at is not None:
        held = count(number, "message")
        raise Failure(f"there is no message {at}: {name} holds {held}")


def name_of(file: BinaryIO) -> str:
    """What a file is called."""
    name = getattr(file, "name", None)
    return name if isinstance(name, str) else "<stdin>"


def _told(name: str, reading: Reading) -> str:
    side = f", seen from the {reading.seen_from}'s side" if reading.seen_from else ""
    return f"{one_line(name)}: read as {reading.form}{side} (--form and --seen-from change it)"


def _lines(file: BinaryIO) -> Iterator[bytes]:
    """The lines of a file, unpacked if it is packed."""
    try:
        yield from with_progress(_unpacked(file), file)
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or error
        raise Failure(f"cannot read {one_line(name_of(file))}: {reason}") from error


def _unpacked(file: BinaryIO) -> BinaryIO:
    """The file, through gzip where its first bytes say so."""
    if not isinstance(file, io.BufferedReader):
        return _unpacked(io.BufferedReader(cast("io.RawIOBase", file)))
    if not file.peek(2).startswith(_GZIP):
        return file
    return cast("BinaryIO", gzip.GzipFile(fileobj=file, mode="rb"))
