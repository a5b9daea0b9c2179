"""What comes out of a reducer beside the new state: things for the host to do or to know."""

from __future__ import annotations

from typing import TypeAlias

from attrs import frozen

from acp_state.diagnostics import Diagnostic
from acp_state.model import Turn
from acp_state.schema import Notice


@frozen(kw_only=True)
class ShowNotice:
    """Show a notice to the user now; it is no history (NOTICE-02)."""

    session_id: str
    notice: Notice
    position: int
    """Length of the timeline when it came, so that a host can show it in its place."""


@frozen(kw_only=True)
class TurnEnded:
    """A prompt was answered."""

    session_id: str
    turn: Turn


@frozen
class Diagnose:
    """The peer did something that the rules do not foresee."""

    diagnostic: Diagnostic


Intent: TypeAlias = ShowNotice | TurnEnded | Diagnose
