"""A history that is being replayed into a session (LOAD).

The held timeline stays to be read while the replay builds another, which takes its place when the
load succeeds, and is thrown away when it fails.
"""

from __future__ import annotations

from attrs import field

from acp_state.model.copying import Versioned
from acp_state.model.timeline import EntryKey, Timeline
from acp_state.persistent import Map
from acp_state.records import frozen


@frozen(kw_only=True)
class Replay(Versioned):
    """One epoch: from a load's request to its response."""

    held: Timeline
    """The timeline as it was, which entries of the replay start from (LOAD-04 to LOAD-08)."""
    built: Timeline = field(default=Timeline())
    """The timeline in the order of the replay (TL-09)."""
    told: bool = False
    """Whether anything was replayed at all; what is live may be in both timelines (LOAD-10)."""
    stale: Map[EntryKey, bool] = field(default=Map())
    """Messages between sessions whose content is still the held one (LOAD-04)."""

    @property
    def is_visible(self) -> bool:
        """Whether readers see what is being built: there was nothing before (LOAD-03, LOAD-09)."""
        return not self.held

    @property
    def shown(self) -> Timeline:
        """What readers see while the replay runs."""
        return self.built if self.is_visible else self.held
