"""Times, in whatever unit and spelling."""

import pytest

from acp_state.recording.times import seconds, time_in, time_in_text


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0, 0.0),
        (1.5, 1.5),
        ("12.25", 12.25),
        (1_700_000_000, 1_700_000_000.0),
        (1_700_000_000_250, 1_700_000_000.25),
        (1_700_000_000_250_000, 1_700_000_000.25),
        (1_700_000_000_250_000_000, 1_700_000_000.25),
        ("2023-11-14T22:13:20Z", 1_700_000_000.0),
        ("2023-11-14T22:13:20.25Z", 1_700_000_000.25),
        ("2023-11-14 22:13:20,250", 1_700_000_000.25),
        ("2023-11-14T23:13:20+01:00", 1_700_000_000.0),
        ("2023-11-14T20:13:20.123456789-0200", 1_700_000_000.123456789),
        ("2023-14-99T22:13:20Z", None),
        ("soon", None),
        ("", None),
        ("٣", None),
        (-1, None),
        (1e300, None),
        (float("nan"), None),
        (True, None),
        (None, None),
        ([], None),
    ],
)
def test_seconds(value, expected):
    assert seconds(value) == (None if expected is None else pytest.approx(expected))


def test_the_key_tells_the_unit():
    assert time_in({"elapsed_ms": 1e19}) is None
    assert time_in({"elapsed_ms": 1500}) == 1.5
    assert time_in({"tMs": 1500}) == 1.5
    assert time_in({"ts": 1500}) == 1500


def test_the_first_key_that_holds_a_time():
    assert time_in({"time": "never", "timestamp": 3}) == 3
    assert time_in({"when": 3}) is None


def test_in_a_line_of_text():
    assert time_in_text("[01:02:03.5] <-- ") == 3723.5
    assert time_in_text("at 01:02:03 x") == 3723
    assert time_in_text("1970-01-01T00:00:01Z 05:00:00") == 1
    assert time_in_text("none") is None
