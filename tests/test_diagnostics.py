"""What a peer did that the rules do not foresee (section 23)."""

from __future__ import annotations

import re

import attrs
import pytest
from shared import SHARED, needs_shared

from acp_state.diagnostics import DIAGNOSTIC_CODES, Diagnostic, diagnostic

SECTION_23 = """
update-dropped              warning
item-dropped                warning
field-defaulted             warning
alias                       warning
bad-response                error
unknown-response            error
duplicate-request-id        error
batch                       error
invalid-message             error
unknown-notification        info
empty-id                    info
relative-path               info
capability-violation        error
capability-missing          warning
child-mutation-refused      warning
prompt-while-running        warning
cancel-idle                 warning
message-id-kind-conflict    warning
mixed-message-ids           warning
user-echo-mismatch          warning
tool-update-first           info
duplicate-tool-call         warning
tool-status-regress         warning
v1-cancelled-status         warning
open-tool-calls             warning
compaction-chunk-first      error
compaction-chunk-late       error
compaction-transition       error
compaction-field-status     error
compaction-chunk-replay     error
smsg-participants           warning
smsg-participant-changed    warning
elicitation-scope           warning
v1-variant                  warning
unannounced-session         error
reparent                    error
update-after-close          error
before-initialize           error
notice-in-replay            info
replay-in-resume            info
not-replayed                info
late-update                 info
cost-decreased              info
unknown-plan                warning
unknown-mode                warning
config-value                warning
cancel-error-response       warning
close-failed                warning
"""
"""The table of section 23, a code a line."""

SEVERITIES = dict(line.split() for line in filter(None, SECTION_23.splitlines()))

NO_DIAGNOSTICS = {
    "capability-missing",
    "child-mutation-refused",
    "prompt-while-running",
    "v1-variant",
}
"""Refusals of the host's own commands, which are errors; and a code of the protocol's v2."""


@pytest.mark.parametrize("code", DIAGNOSTIC_CODES)
def test_the_severity_of_a_code(code):
    """Section 23: a breach by the peer, something suspicious, or something worth knowing."""
    assert DIAGNOSTIC_CODES[code].severity == SEVERITIES[code]


def test_the_codes_that_are_missing():
    """Section 23: all others are there, and none beside them."""
    assert SEVERITIES.keys() - NO_DIAGNOSTICS == DIAGNOSTIC_CODES.keys()


@needs_shared
def test_the_table_is_that_of_the_rules():
    """Section 23, as the rules have it: `SECTION_23` is no invention."""
    rules = (SHARED / "spec" / "rules.md").read_text(encoding="utf-8")
    section = rules.partition("\n## 23. ")[2].partition("\n## ")[0]
    rows = (line.split("|")[1:3] for line in section.splitlines() if line.startswith("| `"))
    letters = {"e": "error", "w": "warning", "i": "info"}
    found = {}
    for codes, severity in rows:
        for code, own in re.findall(r"`([\w-]+)`(?: \(([ewi])\))?", codes):
            found[code] = letters[own or severity.strip()]
    assert found == SEVERITIES


@needs_shared
@pytest.mark.parametrize("code", DIAGNOSTIC_CODES)
def test_the_rule_of_a_code_exists(code):
    """Every code is about a rule of the rules, or about one of its state machines."""
    rules = (SHARED / "spec" / "rules.md").read_text(encoding="utf-8")
    rule = DIAGNOSTIC_CODES[code].rule
    assert f"\n- **{rule}** " in rules or f"\n### {rule} " in rules or f"\n| {rule} |" in rules


def test_a_diagnostic_takes_its_row_from_the_table():
    """Severity and rule are those of the code; the rest is none."""
    assert diagnostic("unknown-plan", "no plan 'p'") == Diagnostic(
        code="unknown-plan",
        severity="warning",
        rule="PLAN-04",
        text="no plan 'p'",
        session_id=None,
        path="",
        raw=None,
    )


def test_a_diagnostic_can_name_another_rule():
    """One code serves several rules, such as `item-dropped`."""
    found = diagnostic("item-dropped", "x", rule="CFG-06", session_id="s", path="a[0]", raw=5)
    assert found == Diagnostic(
        code="item-dropped",
        severity="warning",
        rule="CFG-06",
        text="x",
        session_id="s",
        path="a[0]",
        raw=5,
    )


def test_an_unknown_code_is_a_mistake_of_ours():
    """Style, section 5: no row, no diagnostic."""
    with pytest.raises(KeyError):
        diagnostic("unheard-of", "x")


def test_diagnostics_are_values():
    """Frozen, compared by value, and they can be hashed."""
    found = diagnostic("alias", "x")
    assert hash(found) == hash(attrs.evolve(found))
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        found.code = "y"
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        DIAGNOSTIC_CODES["alias"].rule = "y"


def test_a_diagnostic_is_a_line_for_a_log():
    """What comes from a peer is escaped where it could end the line, or steer a terminal."""
    found = diagnostic("item-dropped", "a\n\x1b[2Jß\u202e\ud83d", session_id="s\r1", path="a[0]")
    assert str(found) == (
        "warning LENIENT-03 item-dropped: a\\n\\x1b[2Jß\\u202e\\ud83d (session s\\r1, at a[0])"
    )
    assert str(diagnostic("alias", "x")) == "warning LENIENT-15 alias: x"
