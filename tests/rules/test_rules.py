"""The rules as data: all of them are there, and what they say fits what else names them."""

from __future__ import annotations

import re
import subprocess
import sys

import attrs
import pytest
from shared import SHARED, needs_shared

from acp_state.diagnostics import DIAGNOSTIC_CODES
from acp_state.rules import CHAPTERS, NOT_SPOKEN_YET, READINGS, RULES, Rule

RULE = re.compile(
    r"^- \*\*(?P<id>[A-Z0-9-]+-\d+)\*\*"
    r"(?: (?P<level>MUST|SHOULD|MAY)(?P<derived>\(D\))?)?(?: (?P<who>[COA](?:/[COA])?))? ",
    re.MULTILINE,
)
"""The head of a rule: its id, how binding it is, and whom it binds."""

WHO = {"C": "state", "O": "outbound", "A": "agent", "C/O": "state and outbound"}

TABLES = {"4.1", "4.2", "4.3", "15.1", "15.2", "15.3", "15.4", "15.5", "15.6", "15.7"}
"""The sections that are tables, and rules under their own number."""


def draft() -> str:
    return (SHARED / "spec" / "rules.md").read_text(encoding="utf-8")


def heads() -> dict[str, re.Match[str]]:
    return {head["id"]: head for head in RULE.finditer(draft())}


@needs_shared
def test_every_rule_of_the_first_version_is_there():
    """And nothing that is none."""
    first_version = {rule_id for rule_id in heads() if not rule_id.startswith("V2-")}
    assert RULES.keys() == first_version | TABLES


@needs_shared
def test_every_rule_of_the_second_version_is_there():
    assert NOT_SPOKEN_YET.keys() == {rule_id for rule_id in heads() if rule_id.startswith("V2-")}


@needs_shared
def test_every_open_question_is_there():
    """Sections 6 and 24: each has a reading; others were found on the way."""
    register = set(re.findall(r"^\| (CONF-\d+) \|", draft(), re.MULTILINE))
    section = draft().partition("\n## 24. ")[2].partition("\n## ")[0]
    questions = {f"24.{number}" for number in re.findall(r"^(\d+)\. ", section, re.MULTILINE)}
    own = {reading for reading in READINGS if reading.startswith("READ-")}
    assert READINGS.keys() - own == register | questions


@needs_shared
def test_a_rule_binds_as_the_draft_says():
    """MUST, SHOULD or MAY; derived or not; the state, what is sent, or the agent."""
    told = {rule_id: head for rule_id, head in heads().items() if head["level"]}
    expected = {
        rule_id: (head["level"] + (" (D)" if head["derived"] else ""), WHO[head["who"]])
        for rule_id, head in told.items()
        if rule_id in RULES
    }
    assert {rule_id: (RULES[rule_id].level, RULES[rule_id].who) for rule_id in expected} == expected


@needs_shared
@pytest.mark.parametrize("rule_id", RULES)
def test_a_rule_is_in_our_own_words(rule_id):
    """No seven words in a row are the draft's."""
    words, source = RULES[rule_id].text.split(), " ".join(draft().split())
    runs = (" ".join(words[start : start + 7]) for start in range(len(words) - 6))
    assert [run for run in runs if run in source] == []


def test_no_rule_stands_twice():
    assert sum(len(chapter.rules) for chapter in CHAPTERS) == len(RULES)


def test_what_is_not_wholly_the_cores_says_why():
    """`host` and `partly` have a reason, the others need none."""
    assert {rule_id for rule_id, rule in RULES.items() if rule.why} == {
        rule_id for rule_id, rule in RULES.items() if rule.status in ("host", "partly")
    }


def test_what_binds_the_agent_is_the_agents():
    assert all((rule.who == "agent") == (rule.status == "agent") for rule in RULES.values())


@pytest.mark.parametrize("code", DIAGNOSTIC_CODES)
def test_a_diagnostic_is_about_a_rule(code):
    """Section 23: or about a reading of one."""
    assert DIAGNOSTIC_CODES[code].rule in {**RULES, **READINGS}


@pytest.mark.parametrize("reading", READINGS.values(), ids=list(READINGS))
def test_a_reading_is_about_rules(reading):
    """It asks, decides and gives a reason."""
    assert [rule_id for rule_id in reading.rules if rule_id not in RULES] == []
    assert reading.question.endswith("?")
    assert reading.decision.endswith(".")
    assert reading.why.endswith(".")


def test_rules_are_values():
    rule = RULES["TOOL-06"]
    assert rule == Rule("SHOULD (D)", "state", rule.text)
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        rule.text = "x"


def test_the_package_does_not_load_them():
    """They are for those who ask: ``import acp_state`` does without."""
    code = "import sys, acp_state; sys.exit('acp_state.rules' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0  # noqa: S603 - our own code
