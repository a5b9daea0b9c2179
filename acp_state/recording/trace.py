"""What a file of recorded traffic holds, message by message, with the line of each.

A file is JSON lines, read as they come, or one document: a list of messages, or an object with a
list `messages`. Which of the two is told by its first line that is not blank: a line that is a JSON
value by itself begins JSON lines, unless it is such an object, or a list and all that there is.
Where values are spread over several lines each, all of the file must be such values.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from itertools import chain, islice, starmap
from typing import Final, TypeAlias

from acp_state.methods import Sender
from acp_state.recording.json_text import DECODER, Json, decode_text, loads
from acp_state.records import frozen

_BOM: Final = "\ufeff"
_BLANKS: Final = frozenset(" \t\n\r")


@frozen
class NoJson:
    """Stands for the value of a line that spells none."""

    text: str


Numbered: TypeAlias = tuple[int, Json]
"""A JSON value, or `NoJson`, and the line that it begins on, from 1."""


@frozen(kw_only=True)
class Record:
    """A message of the file, or why a line is none."""

    line: int
    """The line that it begins on, from 1."""
    message: Json = None
    """As it stands in the file; `NoJson` where the line spells no JSON."""
    sender: Sender | None = None
    """Who sent it, as recorded; None: the message is bare."""
    time: float | None = None
    """When, in seconds: since 1970, or since some moment; None: not recorded."""
    fault: str | None = None
    """Why there is no message to read."""


def read(lines: Iterable[bytes | str]) -> Iterator[Record]:
    """The messages of a file, from its lines."""
    return starmap(record, values(lines))


def values(lines: Iterable[bytes | str]) -> Iterator[Numbered]:
    """The JSON values of a file that are messages, or hold one, each with its line.

    Raises:
        TypeError: these are no lines.
    """
    if isinstance(lines, (str, bytes, bytearray)) or hasattr(lines, "__fspath__"):
        text = f"{lines!r:.60} is one {type(lines).__name__}: pass its lines, such as an open file"
        raise TypeError(text)
    numbered = enumerate(lines, start=1)
    for number, line in numbered:
        text = decode_text(line)
        text = text.removeprefix(_BOM) if number == 1 else text
        if text.strip():
            yield from _begun(number, text, numbered)
            return


def record(line: int, value: Json) -> Record:
    """What one value is: a message with its sender, a bare message, or nothing to read."""
    sender, message, fault = parts(value)
    return Record(line=line, message=message, sender=sender, fault=fault)


def parts(value: Json) -> tuple[Sender | None, Json, str | None]:
    """Sender, message and fault of a value, as `Record` has them."""
    if not isinstance(value, dict):
        return None, value, "no JSON; the line is skipped" if isinstance(value, NoJson) else None
    if "message" not in value or "jsonrpc" in value:
        return None, value, None
    sender = value.get("from")
    if sender not in ("client", "agent"):
        return None, None, "'from' must be client or agent; the line is skipped"
    return sender, value["message"], None


def _begun(number: int, first: str, rest: Iterator[tuple[int, bytes | str]]) -> Iterator[Numbered]:
    """The values from the first line that is not blank."""
    try:
        value = loads(first)
    except ValueError:
        if not first.lstrip().startswith(("{", "[")):
            return chain([(number, NoJson(first))], _lines(rest))
        return _document_or_lines(number, first, list(rest))
    if isinstance(value, dict) and isinstance(value.get("messages"), list):
        return chain(_documented(first, number, value["messages"]), _lines(rest))
    lines = _lines(rest)
    if not isinstance(value, list):
        return chain([(number, value)], lines)
    following = list(islice(lines, 1))
    items = [value] if following else value
    return chain(((number, item) for item in items), following, lines)


def _documented(text: str, number: int, messages: list[Json]) -> list[Numbered]:
    """The messages of a document that was read as a whole, each with its own line.

    What only the quicker parser reads, such as deeper nesting, is all put on the first line.
    """
    try:
        return list(_document(text, number))
    except (ValueError, RecursionError):
        return [(number, message) for message in messages]


def _document_or_lines(
    number: int, first: str, rest: list[tuple[int, bytes | str]]
) -> Iterator[Numbered]:
    """The first line is no JSON: it begins a document or a value of many lines, or is broken."""
    text = first + "".join(decode_text(line) for _, line in rest)
    for reading in (_document, _sequence):
        try:
            return iter(list(reading(text, number)))
        except (ValueError, IndexError, RecursionError):
            continue
    return chain([(number, NoJson(first))], _lines(rest))


def _lines(numbered: Iterable[tuple[int, bytes | str]]) -> Iterator[Numbered]:
    for number, line in numbered:
        try:
            yield number, loads(line)
        except ValueError:
            if line.strip():
                yield number, NoJson(decode_text(line))


def _document(text: str, number: int) -> Iterator[Numbered]:
    """The messages of the one document that the text is, each with its own line.

    The standard library's decoder reads key by key and item by item, since it alone tells where
    in the text a value began.

    Raises:
        ValueError: the text is no JSON list, and no object with a list `messages`.
        IndexError: it ends too early.
    """
    start = _past_blanks(text, 0)
    if text[start] == "[":
        end = yield from _items(text, start, number + text.count("\n", 0, start))
        _nothing_after(text, end)
    else:
        yield from _object(text, number)


def _sequence(text: str, number: int) -> Iterator[Numbered]:
    """Values one after the other, each begun on a line of its own.

    Raises:
        ValueError: something else stands between them.
    """
    at, line = 0, number
    while at < len(text):
        start = _past_blanks(text, at)
        line += text.count("\n", at, start)
        value, end = DECODER.raw_decode(text, start)
        yield line, value
        line += text.count("\n", start, end)
        at = _past_blanks(text, end)
        if at < len(text) and "\n" not in text[end:at]:
            raise ValueError("two values on one line")
        line += text.count("\n", end, at)


def _object(text: str, number: int) -> Iterator[Numbered]:
    """The messages of a document that is an object."""
    found, end = False, _past("{", text, 0)
    while text[end] != "}":
        key, end = DECODER.raw_decode(text, end)
        end = _past(":", text, end)
        if key == "messages" and text[end] == "[":
            found = True
            end = yield from _items(text, end, number)
        else:
            end = DECODER.raw_decode(text, end)[1]
        end = _past(",", text, end, optional=True)
    _nothing_after(text, end + 1)
    if not found:
        raise ValueError("no document of messages")


def _nothing_after(text: str, end: int) -> None:
    if text[end:].strip():
        raise ValueError("something comes after the document")


def _items(text: str, end: int, number: int) -> Generator[Numbered, None, int]:
    """The messages of the array at `end`; returns where it ends."""
    line, counted = number, 0
    end = _past("[", text, end)
    while text[end] != "]":
        line, counted = line + text.count("\n", counted, end), end
        value, end = DECODER.raw_decode(text, end)
        yield line, value
        end = _past(",", text, end, optional=True)
    return end + 1


def _past(character: str, text: str, at: int, *, optional: bool = False) -> int:
    """The position of what comes after the character, and after the blanks around it."""
    at = _past_blanks(text, at)
    if text[at] == character:
        return _past_blanks(text, at + 1)
    if optional:
        return at
    raise ValueError(f"{character!r} expected")


def _past_blanks(text: str, at: int) -> int:
    while text[at : at + 1] in _BLANKS:
        at += 1
    return at
