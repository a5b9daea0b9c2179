"""Every rule is kept somewhere and tested somewhere, and nobody names a rule that is none."""

from __future__ import annotations

import doctest
import re

import conformance
import evidence
import pytest

from acp_state.rules import NOT_SPOKEN_YET, READINGS, RULES

KNOWN = RULES.keys() | READINGS.keys()

OTHER_IDS = {"UTF", "SHA"}
"""What looks like an id of a rule and is none: names of standards."""

TESTS = evidence.evidence("tests")
CODE = evidence.evidence("acp_state")


@pytest.mark.parametrize("rule_id", [*RULES, *READINGS])
def test_a_rule_is_named_by_a_test(rule_id):
    """Whoever keeps it: what is the host's is tested as what the core lets it do."""
    assert TESTS.get(rule_id, {}) != {}


@pytest.mark.parametrize(
    "rule_id",
    [i for i, rule in RULES.items() if rule.status != "host" and rule.level != "invariant"],
)
def test_a_rule_of_the_core_is_named_where_it_is_kept(rule_id):
    """An invariant is nobody's in particular; to list a rule is not to keep it."""
    assert CODE.get(rule_id, {}) != {}


@pytest.mark.parametrize("folder", ["acp_state", "tests", "docs", "benchmarks"])
def test_nobody_names_a_rule_that_is_none(folder):
    """Neither a number nor a kind of rule that there is not."""
    files = [*(evidence.ROOT / folder).rglob("*.py"), *(evidence.ROOT / folder).rglob("*.md")]
    text = "\n".join(path.read_text(encoding="utf-8") for path in files)
    alike = {m[0] for m in re.finditer(r"(?<![\w-])(?:V2-)?[A-Z]{2,}-\d+(?![\w-])", text)}
    strangers = {name for name in alike if name.split("-")[0] not in OTHER_IDS}
    assert strangers - KNOWN - NOT_SPOKEN_YET.keys() == set()
    assert set(evidence.named(text)) - KNOWN == set()


def test_a_reading_in_the_code_is_one_of_the_readings():
    """What is marked as one names its id, and so stands on the page of the readings."""
    sources = (path.read_text(encoding="utf-8") for path in evidence.PACKAGE.rglob("*.py"))
    marked = [
        each
        for text in sources
        for each in re.findall(r"Reading: (.+?)(?:\n\n|\"\"\")", text, re.DOTALL)
    ]
    assert [each for each in marked if not evidence.named(each).keys() & READINGS.keys()] == []
    assert marked != []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(TURN-04)", ["TURN-04"]),
        ("TURN-04, -05 and -07", ["TURN-04", "TURN-05", "TURN-07"]),
        ("CANCEL-02 to CANCEL-04, -07", ["CANCEL-02", "CANCEL-03", "CANCEL-04", "CANCEL-07"]),
        ("LENIENT-12 to -14, RPC-01", ["LENIENT-12", "LENIENT-13", "LENIENT-14", "RPC-01"]),
        ("TURN-08,\n    and -09", ["TURN-08", "TURN-09"]),
        ("15.5, and 15.6.", ["15.5", "15.6"]),
        ("24.10 and CONF-03", ["24.10", "CONF-03"]),
        ("an error -32800, TURN-04 -- and -5", ["TURN-04"]),
        ("SMSG-01 is no MSG-01", ["MSG-01", "SMSG-01"]),
        ("UTF-8, V2-TURN-01, 115.5, 15.55, v15.5, 0.15.5", []),
    ],
)
def test_which_rules_a_text_names(text, expected):
    """Lists and ranges count in full; what only looks like a rule does not."""
    assert sorted(evidence.named(text)) == expected


@pytest.mark.parametrize("module", [evidence, conformance])
def test_the_examples_of_the_generator_run(module):
    assert doctest.testmod(module).failed == 0
