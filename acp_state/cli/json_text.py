"""JSON text of values, with orjson where it is installed.

orjson refuses what the standard library accepts: halves of surrogate pairs, integers beyond 64
bits. Recorded traffic holds them, so the standard library has the last word.
"""

from __future__ import annotations

import json

from acp_state.cli.safe_text import whole
from acp_state.recording.json_text import Json

try:
    import orjson
except ImportError:  # the extra `fast` is not installed
    orjson = None  # type: ignore[assignment] # pyright: ignore[reportAssignmentType]


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


def exact(value: Json) -> str:
    """The JSON text of a value on one line; halves of characters are escapes, and so not lost."""
    text = json.dumps(value, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value)
    return text


def _mended(value: Json) -> Json:
    if isinstance(value, str):
        return whole(value)
    if isinstance(value, dict):
        return {whole(key): _mended(item) for key, item in value.items()}
    return [_mended(item) for item in value] if isinstance(value, (list, tuple)) else value
