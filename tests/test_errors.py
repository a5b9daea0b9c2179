"""The errors that a host can cause."""

from __future__ import annotations

import pytest

from acp_state.errors import LocalProtocolError, SnapshotError


def test_it_names_the_rule():
    """Style, section 6: it carries the rule id, and shows it."""
    error = LocalProtocolError("not now", rule="TURN-03")
    assert str(error) == "not now [TURN-03]"
    assert (error.rule, error.code, error.session_id) == ("TURN-03", "refused", None)


def test_it_can_name_a_code_and_a_session():
    """Section 23: the codes of local refusals."""
    error = LocalProtocolError("no", rule="TURN-03", code="prompt-while-running", session_id="s")
    assert str(error) == "no [TURN-03]"
    assert (error.code, error.session_id) == ("prompt-while-running", "s")


def test_it_is_a_value_error():
    """Hosts that know no better can catch it."""
    with pytest.raises(ValueError, match="not now"):
        raise LocalProtocolError("not now", rule="TURN-03")


def test_that_of_a_snapshot_names_the_part():
    error = SnapshotError("must be an integer, not 'x'", "session.turns[0].start")
    assert str(error) == "session.turns[0].start: must be an integer, not 'x'"
    assert (error.path, error.text) == ("session.turns[0].start", "must be an integer, not 'x'")


def test_that_of_a_snapshot_as_a_whole_has_no_path():
    error = SnapshotError("must be an object, not null")
    assert (str(error), error.path) == ("must be an object, not null", "")


def test_that_of_a_snapshot_is_a_value_error():
    with pytest.raises(ValueError, match="must be"):
        raise SnapshotError("must be an object, not null")
