"""What is known of a rule, and of a reading where the rules are unclear."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from acp_state.records import frozen

Level: TypeAlias = Literal[
    "MUST", "MUST (D)", "SHOULD", "SHOULD (D)", "MAY", "MAY (D)", "table", "invariant"
]
"""How binding it is; (D): derived, the protocol's texts are silent and it is what we made of it."""

Who: TypeAlias = Literal["state", "outbound", "state and outbound", "agent"]
"""Whom it binds: the state that is folded, what is sent, or the agent."""

Status: TypeAlias = Literal["implemented", "agent", "partly", "host"]
"""Whether the core keeps it.

- ``implemented``: it does.
- ``agent``: the agent owes it; a breach is folded as the text says, and diagnosed.
- ``partly``: the rest is the host's.
- ``host``: it is the host's, since the core has no IO, no settings and no policy.
"""


@frozen
class Rule:
    """A rule of the protocol's first version, in a sentence or two."""

    level: Level
    who: Who
    text: str
    status: Status = "implemented"
    why: str = ""
    """What of it is not the core's, and why."""


@frozen
class Chapter:
    """The rules of one subject."""

    title: str
    section: str
    """Its number on the page of conformance."""
    rules: Mapping[str, Rule]


@frozen(kw_only=True)
class Reading:
    """What was decided where the protocol's texts contradict each other, or are silent."""

    id: str
    question: str
    decision: str
    why: str
    rules: tuple[str, ...] = ()
    """The rules that it is about."""
