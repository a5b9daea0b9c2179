"""JSON text to values, with orjson where it is installed.

orjson refuses what the standard library accepts: halves of surrogate pairs, bytes that are no
UTF-8, integers beyond 64 bits. Recorded traffic holds them, so the standard library has the last
word.
"""

from __future__ import annotations

import json
from typing import Any, NoReturn, TypeAlias

try:
    import orjson
except ImportError:  # the extra `fast` is not installed
    orjson = None  # type: ignore[assignment] # pyright: ignore[reportAssignmentType]

Json: TypeAlias = Any


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


DECODER = json.JSONDecoder(parse_constant=_no_number)


def decode_text(data: bytes | str) -> str:
    """The text of a line, whatever its bytes are: those that are no UTF-8 become halves.

    Raises:
        TypeError: the line is neither bytes nor text.
    """
    if isinstance(data, str):
        return data
    try:
        return data.decode("utf-8", "surrogateescape")
    except AttributeError:
        kind = type(data).__name__
        raise TypeError(f"a line is bytes or text, not {kind}: fold what is parsed") from None


def loads(data: bytes | str) -> Json:
    """The JSON value that the line spells.

    Raises:
        ValueError: it spells none, or one that is nested too deeply.
    """
    if orjson is not None:
        try:
            return orjson.loads(data)
        except ValueError:
            pass
    try:
        return DECODER.decode(decode_text(data))
    except RecursionError:
        raise ValueError("nested too deeply") from None
