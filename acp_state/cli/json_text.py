"""JSON text to values and back, with orjson where it is installed.

orjson refuses what the standard library accepts: halves of surrogate pairs, bytes that are no
UTF-8, integers beyond 64 bits. Recorded traffic holds them, so the standard library has the last
word, in both directions.
"""

from __future__ import annotations

import json
from typing import Any, NoReturn, TypeAlias

from acp_state.cli.safe_text import whole

try:
    import orjson
except ImportError:  # the extra `fast` is not installed
    orjson = None  # type: ignore[assignment] # pyright: ignore[reportAssignmentType]

Json: TypeAlias = Any


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


DECODER = json.JSONDecoder(parse_constant=_no_number)


def decode_text(data: bytes) -> str:
    """The text of a file, whatever its bytes are: those that are no UTF-8 become halves."""
    return data.decode("utf-8", "surrogateescape")


def loads(data: bytes) -> Json:
    """The JSON value that the bytes spell.

    Raises:
        ValueError: they spell none, or one that is nested too deeply.
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


def dumps(value: Json, *, indent: bool = False) -> bytes:
    """The JSON text of a value in UTF-8, with a line end; halves that are alone become U+FFFD."""
    if orjson is not None:
        try:
            return orjson.dumps(value, option=orjson.OPT_INDENT_2 if indent else None) + b"\n"
        except TypeError:
            pass
    separators = (",", ": " if indent else ":")
    text = json.dumps(
        _mended(value), ensure_ascii=False, indent=2 if indent else None, separators=separators
    )
    return text.encode() + b"\n"


def _mended(value: Json) -> Json:
    if isinstance(value, str):
        return whole(value)
    if isinstance(value, dict):
        return {whole(key): _mended(item) for key, item in value.items()}
    return [_mended(item) for item in value] if isinstance(value, (list, tuple)) else value
