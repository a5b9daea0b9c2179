"""What comes out beside the new state."""

from __future__ import annotations

from typing import get_args

import attrs
import pytest

from acp_state.diagnostics import diagnostic
from acp_state.intents import Diagnose, Intent, ShowNotice, TurnEnded
from acp_state.model import Turn
from acp_state.schema import Notice

EXAMPLES = (
    ShowNotice(session_id="s", notice=Notice(severity="info", title="T"), position=3),
    TurnEnded(session_id="s", turn=Turn(request_id=1, start=0)),
    Diagnose(diagnostic("unknown-plan", "no plan 'p'")),
)


def test_the_union_is_of_all_of_them():
    """Design: hosts `match` on them."""
    assert get_args(Intent) == tuple(map(type, EXAMPLES))


@pytest.mark.parametrize("intent", EXAMPLES, ids=lambda each: type(each).__name__)
def test_intents_are_values(intent):
    """Design: frozen, compared by value, and they can be hashed."""
    again = attrs.evolve(intent)
    assert again == intent
    assert hash(again) == hash(intent)
    [field, *_] = attrs.fields(type(intent))
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        setattr(intent, field.name, None)


def test_hosts_match_on_them():
    """Design: by position where there is one field, by name where there are more."""
    match EXAMPLES[2]:
        case Diagnose(found):
            assert found.code == "unknown-plan"
    match EXAMPLES[0]:
        case ShowNotice(notice=Notice(title=title)):
            assert title == "T"
