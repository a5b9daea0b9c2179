"""The forms in which recordings are found, and how one is told from another.

A form is a row of `FORMS`. Of the first values of a recording, each row says which are of its
form; the row with the most has it, the upper one of two alike. A value that the form does not
know is read as `acp_state.replay` would read it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, islice
from typing import Final, TypeAlias

from attrs import field

from acp_state.methods import Sender
from acp_state.recording import splitting
from acp_state.recording.directions import sender_of, side_of
from acp_state.recording.json_text import Json
from acp_state.recording.splitting import Split
from acp_state.recording.trace import NoJson, Numbered, Record, record, values
from acp_state.records import frozen

SAMPLE: Final = 200
"""Values that are looked at to tell the form."""

Splitter: TypeAlias = Callable[[Json], Split | None]


@frozen
class Form:
    """A way to write a recording."""

    meaning: str
    """What it looks like."""
    split: Splitter
    passes_text: bool = field(default=False, kw_only=True)
    """Whether lines that are no JSON belong to it; else they are told as faults."""


FORMS: Final[Mapping[str, Form]] = {
    "recording": Form(
        'JSON lines {"t": seconds, "from": "client" or "agent", "message": …}', splitting.recording
    ),
    "zed": Form("what Zed's ACP logs copy: a list with `_direction` and `_type`", splitting.zed),
    "conductor": Form(
        "traces of sacp-conductor, for its trace viewer", splitting.conductor, passes_text=True
    ),
    "inspector": Form(
        'traces of ACP Inspector: {"ts": …, "direction": "fromClient", "json": text}',
        splitting.inspector,
    ),
    "inline": Form("messages with the direction among their own keys", splitting.inline),
    "wrapped": Form(
        "objects with a message under message, msg, object, json, raw, …, and perhaps a direction"
        " under from, direction, dir, …",
        splitting.wrapped,
    ),
    "log": Form(
        "lines of text with a message in them: 12:00:01 --> {…}", splitting.log, passes_text=True
    ),
    "json-rpc": Form("bare messages, one a line or in a list", splitting.json_rpc),
}


@frozen(kw_only=True)
class Reading:
    """A recording, about to be read."""

    form: str
    """A key of `FORMS`."""
    seen_from: Sender | None
    """The side it was written on; None: it names the senders, or says nothing of them."""
    records: Iterator[Record]


def read_any(
    lines: Iterable[bytes | str], *, form: str | None = None, seen_from: Sender | None = None
) -> Reading:
    """Read a recording in whatever form it is.

    Args:
        lines: the recording, line by line.
        form: its form, a key of `FORMS`; None: it is told from its first values.
        seen_from: the side it was written on; None: it is told likewise.

    >>> reading = read_any(['[recv] {"jsonrpc": "2.0", "id": 0, "method": "initialize"}'])
    >>> reading.form, reading.seen_from, [record.sender for record in reading.records]
    ('log', 'agent', ['client'])
    """
    numbered = values(lines)
    sample = list(islice(numbered, SAMPLE))
    form = form or _form([value for _, value in sample])
    split = FORMS[form].split
    if seen_from is None:
        found = filter(None, (split(value) for _, value in sample))
        seen_from = side_of((each.way, each.message) for each in found)
    records = _records(chain(sample, numbered), FORMS[form], seen_from or "client")
    return Reading(form=form, seen_from=seen_from, records=records)


def _form(sample: list[Json]) -> str:
    """The form that most of the values have."""
    counts = {name: sum(map(_knows(form), sample)) for name, form in FORMS.items()}
    return max(counts, key=lambda name: counts[name])


def _knows(form: Form) -> Callable[[Json], bool]:
    return lambda value: form.split(value) is not None


def _records(numbered: Iterable[Numbered], form: Form, seen_from: Sender) -> Iterator[Record]:
    for line, value in numbered:
        found = form.split(value) or splitting.recording(value)
        if found is None:
            if not (form.passes_text and isinstance(value, NoJson)):
                yield record(line, value)
        elif found.is_message:
            sender = sender_of(found.way, seen_from)
            yield Record(line=line, message=found.message, sender=sender, time=found.time)
