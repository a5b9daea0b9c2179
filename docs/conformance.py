"""The page of the rules and the page of the readings, as lines of Markdown."""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from evidence import Evidence, evidence

from acp_state.rules import CHAPTERS, NOT_SPOKEN_YET, READINGS, RULES, Chapter, Reading, Rule

STATUS: Mapping[str, str] = {
    "implemented": "the core does it.",
    "agent": "the agent owes it; a breach is folded as the rule says, and diagnosed.",
    "partly": "the core does what it can without IO, and the host does the rest.",
    "host": "it is the host's, since the core has no IO, no settings and no policy.",
}


def conformance() -> Iterator[str]:
    """The rules by chapter: what each says, who keeps it, where, and which tests name it."""
    yield from _introduction()
    code, tests = evidence("acp_state"), evidence("tests")
    for chapter in CHAPTERS:
        yield from _chapter(chapter, code, tests)
    yield from _second_version()


def _introduction() -> Iterator[str]:
    yield "What the draft of the protocol's first version asks for, rule by rule."
    yield (
        "The ids are this project's own numbering, which docstrings, diagnostics and tests use;"
        " the words are ours."
    )
    yield "Where the protocol is unclear, [Readings](readings.md) says what was decided."
    yield ""
    yield "- Level: *(D)* marks what the protocol leaves open and this project derived."
    yield "- Binds: the state that is folded, what is sent (outbound), or the agent."
    yield (
        "- Where: the modules whose docstrings and comments name the rule;"
        " *tests*: the files that name it, and how often."
    )
    yield ""
    yield "| status | rules | meaning |"
    yield "| - | - | - |"
    times = Counter(rule.status for rule in RULES.values())
    yield from (f"| {status} | {times[status]} | {text} |" for status, text in STATUS.items())
    yield f"| not spoken yet | {len(NOT_SPOKEN_YET)} | it is of the protocol's second version. |"


def _chapter(chapter: Chapter, code: Evidence, tests: Evidence) -> Iterator[str]:
    yield from ("", f"## {chapter.title}", "")
    yield "| rule | level | binds | what it says | where | tests | status |"
    yield "| - | - | - | - | - | - | - |"
    for rule_id, rule in chapter.rules.items():
        where, proof = _links(code.get(rule_id, {})), _counts(tests.get(rule_id, {}))
        yield (
            f"| {rule_id} | {rule.level} | {rule.who} | {rule.text} | {where} | {proof} |"
            f" {_status(rule)} |"
        )


def _status(rule: Rule) -> str:
    return f"{rule.status}: {rule.why}" if rule.why else rule.status


def _links(files: Iterable[str]) -> str:
    return ", ".join(map(_link, files)) or "-"


def _counts(files: Mapping[str, int]) -> str:
    return ", ".join(f"{_link(path)} {times}" for path, times in files.items()) or "-"


def _link(path: str) -> str:
    """A link to a source, by its name without the package's.

    >>> _link("acp_state/reduce/plans.py")
    '[reduce/plans](../acp_state/reduce/plans.py)'
    """
    folder, _, name = posixpath.splitext(path)[0].partition("/")
    return f"[{name}](../{path})" if folder else path


def _second_version() -> Iterator[str]:
    yield from ("", "## The second version", "")
    yield "Not spoken yet: a connection is of the first version, and these rules wait."
    yield "The model is made for both."
    yield from ("", "| rule | about |", "| - | - |")
    yield from (f"| {rule_id} | {subject} |" for rule_id, subject in NOT_SPOKEN_YET.items())


def readings() -> Iterator[str]:
    """The decisions: first where texts contradict each other, then where they are silent."""
    yield "Where the protocol's texts contradict each other, or are silent, something was decided."
    yield "The rules are those of [Conformance](conformance.md), and every decision has a test."
    tests = evidence("tests")
    contradictions = [row for row in READINGS.values() if row.id.startswith("CONF-")]
    silences = [row for row in READINGS.values() if not row.id.startswith("CONF-")]
    yield from _reading_table("The texts contradict each other", contradictions, tests)
    yield from _reading_table("The texts are silent", silences, tests)


def _reading_table(title: str, rows: Iterable[Reading], tests: Evidence) -> Iterator[str]:
    yield from ("", f"## {title}", "")
    yield "| id | question | what this package does | why | rules | tests |"
    yield "| - | - | - | - | - | - |"
    for row in rows:
        yield (
            f"| {row.id} | {row.question} | {row.decision} | {row.why} |"
            f" {', '.join(row.rules) or '-'} | {_links(tests.get(row.id, {}))} |"
        )
