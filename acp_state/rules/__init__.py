"""The rules that this package keeps, as data: what each asks for, of whom, and who does it.

Their ids are this project's own numbering of what the draft of the protocol asks for. Docstrings,
diagnostics (`Diagnostic.rule`), refusals (`LocalProtocolError.rule`) and tests name them, and
`docs/conformance.md` is made of these tables and of who names them where. Nothing else in the
package needs this one, so that ``import acp_state`` does not load it.

>>> RULES["TOOL-06"].text
'Any status may follow any; a step back is diagnosed.'
>>> READINGS["CONF-20"].decision
'No.'
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import Final

from acp_state.rules import history, life, sessions, turns, wire
from acp_state.rules.contradictions import CONTRADICTIONS
from acp_state.rules.rule import Chapter, Level, Reading, Rule, Status, Who
from acp_state.rules.silences import SILENCES
from acp_state.rules.v2 import NOT_SPOKEN_YET

__all__ = [
    "CHAPTERS",
    "NOT_SPOKEN_YET",
    "READINGS",
    "RULES",
    "Chapter",
    "Level",
    "Reading",
    "Rule",
    "Status",
    "Who",
]

CHAPTERS: Final[tuple[Chapter, ...]] = tuple(
    sorted(
        chain.from_iterable(part.CHAPTERS for part in (wire, history, sessions, turns, life)),
        key=lambda chapter: float(chapter.section),
    )
)
"""The rules by subject, in the order of the protocol's texts."""

RULES: Final[Mapping[str, Rule]] = {
    rule_id: rule for chapter in CHAPTERS for rule_id, rule in chapter.rules.items()
}
"""Every rule by its id."""

READINGS: Final[Mapping[str, Reading]] = {
    reading.id: reading for reading in (*CONTRADICTIONS, *SILENCES)
}
"""Every reading by its id."""
