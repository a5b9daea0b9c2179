"""Terminals that the client runs for the agent (REQ-03)."""

from __future__ import annotations

from acp_state.model.copying import Versioned
from acp_state.records import frozen


@frozen(kw_only=True)
class Terminal(Versioned):
    """A client terminal, as last heard of; it stays readable after its release (TOOL-11)."""

    terminal_id: str
    output: str | None = None
    """The output last reported; None: none was."""
    truncated: bool = False
    exit_code: int | None = None
    signal: str | None = None
    exited: bool = False
    released: bool = False
    """The agent gave it up: the id is invalid, the output stays."""
