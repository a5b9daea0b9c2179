"""When a message was recorded, however that was written down."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime, timedelta, timezone
from typing import Any, Final

KEYS: Final[Mapping[str, float | None]] = {
    **dict.fromkeys(("t", "ts", "time", "timestamp", "at", "date", "elapsed", "occurredAt")),
    **dict.fromkeys(("t_ms", "ts_ms", "time_ms", "timestamp_ms", "elapsed_ms"), 1e-3),
    **dict.fromkeys(("tMs", "tsMs", "timeMs", "timestampMs", "elapsedMs"), 1e-3),
}
"""The keys that hold a time, and their unit in seconds; None: told by the size of the number."""

_UNITS: Final = ((1e17, 1e-9), (1e14, 1e-6), (1e11, 1e-3))
"""From what size on a number is no number of seconds: it would be after the year 5138."""

_MOST: Final = 1e20
_LAST: Final = 1e11

_DATE: Final = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9})\d*)?"
    r"\s?(Z|[+-]\d\d:?\d\d)?"
)
_CLOCK: Final = re.compile(r"\b(\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))?")


def time_in(value: Mapping[str, Any]) -> float | None:
    """The time that an object holds under one of `KEYS`, in seconds.

    >>> time_in({"ts": 1_700_000_000_500}), time_in({"timestamp": "2023-11-14T22:13:20.5Z"})
    (1700000000.5, 1700000000.5)
    """
    for key, unit in KEYS.items():
        found = seconds(value[key], unit) if key in value else None
        if found is not None:
            return found
    return None


def seconds(value: object, unit: float | None = None) -> float | None:
    """A number or an ISO 8601 date as seconds; None: it is neither.

    A number so large that it can be no number of seconds is one of ms, µs or ns.
    """
    if isinstance(value, str):
        return time_in_text(value) if not _is_number(value) else seconds(float(value), unit)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < _MOST:
        return None
    found = float(value) * (unit or _unit(value))
    return found if found < _LAST else None


def time_in_text(text: str) -> float | None:
    """The first date in a text, or else the first time of day."""
    date = _DATE.search(text)
    if date is not None:
        return _of_date(date)
    clock = _CLOCK.search(text)
    if clock is None:
        return None
    hours, minutes, whole, part = clock.groups()
    return int(hours) * 3600 + int(minutes) * 60 + int(whole) + float(f"0.{part or 0}")


def _of_date(found: re.Match[str]) -> float | None:
    *numbers, part, zone = found.groups()
    try:
        year, month, day, hour, minute, second = map(int, numbers)
        date = datetime(year, month, day, hour, minute, second, tzinfo=_zone(zone))
        return date.timestamp() + float(f"0.{part or 0}")
    except (ValueError, OverflowError):
        return None


def _zone(text: str | None) -> timezone:
    """The time zone; UTC where none is written."""
    if text is None or text == "Z":
        return timezone.utc
    offset = timedelta(hours=int(text[1:3]), minutes=int(text[-2:]))
    return timezone(-offset if text[0] == "-" else offset)


def _is_number(text: str) -> bool:
    return text.replace(".", "", 1).isdecimal() and text.isascii()


def _unit(number: float) -> float:
    return next((unit for least, unit in _UNITS if number >= least), 1.0)
