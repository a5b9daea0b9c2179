"""Prompt turns (TURN)."""

from __future__ import annotations

from typing import Literal, TypeAlias

from attrs import field

from acp_state.json_values import JsonObject
from acp_state.model.copying import Versioned, maker
from acp_state.model.echo import Echo
from acp_state.records import frozen
from acp_state.schema import Error, RequestId, Usage

TurnOutcome: TypeAlias = Literal["ended", "cancelled", "failed", "interrupted"]

IdStyle: TypeAlias = Literal["none", "with_id", "without_id", "mixed"]
"""Whether the chunks seen so far carried a messageId (MSG-07)."""


@frozen(kw_only=True)
class Turn(Versioned):
    """One ``session/prompt`` and how it ended."""

    request_id: RequestId
    start: int | None
    """Position of the user's message in the timeline; None: a replay has superseded it."""
    cancel_requested: bool = False
    """We asked to cancel it; kept apart from how it ended (TURN-09)."""
    cancelling: bool = False
    """``session/cancel`` was sent for it, which answers its questions (CANCEL-05)."""
    outcome: TurnOutcome | None = None
    """How it ended, judged by TURN-09; None: it runs."""
    stop_reason: str | None = None
    """The stop reason as sent, unknown ones included (TURN-08)."""
    error: Error | None = None
    """The error as sent."""
    usage: Usage | None = None
    """Token usage as sent; undefined whether per turn or cumulative (USAGE-03)."""
    meta: JsonObject | None = None
    echo: Echo | None = field(default=None, repr=False)
    """What of the prompt the agent has yet to echo; None: the echo is over (TURN-04)."""
    id_style: IdStyle = field(default="none", repr=False)

    @property
    def is_running(self) -> bool:
        """Whether its response has not come."""
        return self.outcome is None

    @property
    def ended_as_cancelled(self) -> bool:
        """Whether it ended by a cancel, of ours or of the agent's (TURN-07)."""
        return not self.is_running and (self.outcome == "cancelled" or self.cancel_requested)

    @property
    def is_refused(self) -> bool:
        """Whether its entries are excluded from the next prompt's context (TL-08)."""
        return self.stop_reason == "refusal"


_begun = maker(Turn, "request_id", "start", "echo")


def begun(request_id: RequestId, start: int, echo: Echo | None) -> Turn:
    """A turn whose prompt was sent just now."""
    return _begun(request_id, start, echo)
