"""Questions to the user as the model holds them."""

from __future__ import annotations

import attrs
import pytest

from acp_state.json_values import JsonObject
from acp_state.model import Elicitation


def test_a_question_of_which_little_is_known():
    """ELIC-01: what it asks; it belongs to nothing yet."""
    assert Elicitation(request_id=1, mode="form", message="?") == Elicitation(
        request_id=1,
        mode="form",
        message="?",
        session_id=None,
        tool_call_id=None,
        scope_request_id=None,
        requested_schema=None,
        url=None,
        elicitation_id=None,
        turn=None,
    )


def test_it_is_a_value():
    """Frozen, compared by value, and it can be hashed."""
    schema = JsonObject({"type": "object", "properties": {}})
    asked = Elicitation(request_id=1, mode="form", message="?", requested_schema=schema)
    assert asked == attrs.evolve(asked)
    assert hash(asked) == hash(attrs.evolve(asked))
    assert asked != attrs.evolve(asked, request_id=2)
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        asked.message = "!"
    with pytest.raises(TypeError):
        asked.requested_schema["type"] = "array"
