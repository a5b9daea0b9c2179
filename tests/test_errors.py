"""The one error that a host can cause."""

from __future__ import annotations

import pytest

from acp_state.errors import LocalProtocolError


def test_it_names_the_rule():
    """Style, section 6: it carries the rule id, and shows it."""
    error = LocalProtocolError("not now", rule="TURN-03")
    assert error.rule == "TURN-03"
    assert str(error) == "not now [TURN-03]"


def test_it_is_a_value_error():
    """Hosts that know no better can catch it."""
    with pytest.raises(ValueError, match="not now"):
        raise LocalProtocolError("not now", rule="TURN-03")
