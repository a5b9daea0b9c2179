"""Who names which rule: found by reading the sources, so that no table of it can be wrong."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import acp_state
from acp_state.rules import READINGS, RULES

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = Path(acp_state.__file__).resolve().parent
"""In the checkout, or where it is installed, if the checkout is without it."""

LISTS = (
    "acp_state/rules/",
    "acp_state/diagnostics.py",
    "tests/rules/test_rules.py",
    "tests/test_conformance.py",
)
"""What names rules only because it lists them."""

KINDS = "|".join(
    sorted({rule_id.split("-")[0] for rule_id in (*RULES, *READINGS) if "-" in rule_id})
)

LIST = re.compile(
    rf"(?<![\w-])(?:{KINDS})-\d+(?:(?:,|,?\s+and|,?\s+to)\s+(?:{KINDS})?-\d\d(?!\d))*"
)
"""One rule, or several of a sentence: ``LENIENT-02, -04 to -06, TURN-01 and -02``."""

STEP = re.compile(rf"(?P<to>to\s+)?(?P<kind>{KINDS})?-(?P<number>\d+)")

TABLE = re.compile(r"(?<![\w.])(?:4\.[1-3]|15\.[1-7]|24\.\d+)(?!\.?\w)")
"""A section that is a rule or a question of its own."""


def named(text: str) -> Counter[str]:
    """How often a text names each rule.

    >>> sorted(named("CANCEL-02 to -04, and RPC-01; see 15.5. UTF-8, V2-TURN-01."))
    ['15.5', 'CANCEL-02', 'CANCEL-03', 'CANCEL-04', 'RPC-01']
    """
    found = Counter(TABLE.findall(text))
    for mentions in LIST.finditer(text):
        found.update(_expanded(mentions[0]))
    return found


def _expanded(mentions: str) -> Iterator[str]:
    kind, last = "", 0
    for step in STEP.finditer(mentions):
        kind, number = step["kind"] or kind, int(step["number"])
        first = last + 1 if step["to"] else number
        yield from (f"{kind}-{each:02}" for each in range(first, number + 1))
        last = number


Evidence = Mapping[str, Mapping[str, int]]
"""Rule, file (from the root of the checkout), and how often the file names the rule."""


def evidence(folder: str) -> Evidence:
    """Who names a rule below a folder of the checkout, in the order of the file names."""
    found: dict[str, dict[str, int]] = defaultdict(dict)
    for path, text in _sources(folder):
        for rule_id, times in named(text).items():
            found[rule_id][path] = times
    return found


def _sources(folder: str) -> Iterable[tuple[str, str]]:
    root = PACKAGE.parent if folder == PACKAGE.name else ROOT
    for path in sorted((root / folder).rglob("*.py")):
        name = path.relative_to(root).as_posix()
        if not name.startswith(LISTS):
            yield name, path.read_text(encoding="utf-8")
