"""A history that is being replayed, as the model holds it."""

from __future__ import annotations

import attrs
import pytest
from reduce.builders import said, timeline

from acp_state.model import Replay, Timeline
from acp_state.persistent import Map

HELD = timeline(said("agent", "a", message_id="a"))


def test_a_replay_that_began():
    """Section 17: nothing is built yet, and nothing was told again."""
    assert Replay(held=HELD) == Replay(held=HELD, built=Timeline(), stale=Map())


@pytest.mark.parametrize(
    ("held", "visible"), [(Timeline(), True), (HELD, False)], ids=["nothing", "something"]
)
@pytest.mark.parametrize("built", [Timeline(), HELD], ids=["empty", "under way"])
def test_who_sees_it(held, built, visible):
    """LOAD-09: readers see what is built where nothing was held."""
    replay = Replay(held=held, built=built)
    assert replay.is_visible is visible
    assert replay.shown is (built if visible else held)


def test_it_is_a_value():
    """Frozen, compared by value, and it can be hashed."""
    replay = Replay(held=HELD, stale=Map.of({("session_message", "l"): True}))
    assert replay == attrs.evolve(replay)
    assert hash(replay) == hash(attrs.evolve(replay))
    assert replay != Replay(held=HELD)
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        replay.built = HELD
