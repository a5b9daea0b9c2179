"""What a peer did that the rules do not foresee, and what was done about it.

A peer's fault is never an exception: it is a `Diagnostic`, which names a code of the table below
and the rule that it is about.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

from acp_state.json_values import JsonValue
from acp_state.records import frozen

Severity: TypeAlias = Literal["error", "warning", "info"]
"""A breach of the protocol by the peer, something suspicious, or something worth knowing."""


@frozen
class DiagnosticCode:
    """A row of the table: how grave it is, the rule it is usually about, and what it says."""

    severity: Severity
    rule: str
    meaning: str


DIAGNOSTIC_CODES: Final[Mapping[str, DiagnosticCode]] = {
    "update-dropped": DiagnosticCode("warning", "RPC-07", "a malformed update was left out"),
    "item-dropped": DiagnosticCode("warning", "LENIENT-03", "an item of a list was left out"),
    "field-defaulted": DiagnosticCode("warning", "LENIENT-02", "a malformed field was ignored"),
    "alias": DiagnosticCode("warning", "LENIENT-15", "a field was read under another name"),
    "empty-id": DiagnosticCode("info", "LENIENT-13", "an id is the empty string"),
    "relative-path": DiagnosticCode("info", "TOOL-12", "a path is not absolute"),
    "capability-violation": DiagnosticCode(
        "error", "LENIENT-16", "an update needs a capability that was not advertised"
    ),
    "message-id-kind-conflict": DiagnosticCode(
        "warning", "MSG-03", "one messageId stands on messages of two kinds"
    ),
    "mixed-message-ids": DiagnosticCode(
        "warning", "MSG-07", "chunks with and without messageId in one turn"
    ),
    "user-echo-mismatch": DiagnosticCode(
        "warning", "TURN-04", "a user message in a turn is not the prompt's echo"
    ),
    "late-update": DiagnosticCode(
        "info", "TURN-06", "an update for something of a turn that ended as cancelled"
    ),
    "open-tool-calls": DiagnosticCode(
        "warning", "TURN-07", "a turn ended while tool calls were unfinished"
    ),
    "cancel-error-response": DiagnosticCode(
        "warning", "TURN-09", "a cancelled prompt was answered with an error"
    ),
    "tool-update-first": DiagnosticCode(
        "info", "TOOL-03", "an update for a tool call that was not announced"
    ),
    "duplicate-tool-call": DiagnosticCode("warning", "TOOL-04", "a tool call was announced again"),
    "tool-status-regress": DiagnosticCode("warning", "TOOL-06", "a tool call's status went back"),
    "v1-cancelled-status": DiagnosticCode(
        "warning", "TOOL-09", "a tool call was reported cancelled, which v1 does not know"
    ),
    "compaction-chunk-first": DiagnosticCode(
        "error", "CMP-06", "a summary chunk for a compaction that was not announced"
    ),
    "compaction-chunk-late": DiagnosticCode(
        "error", "CMP-06", "a summary chunk for a compaction that has ended"
    ),
    "compaction-chunk-replay": DiagnosticCode(
        "error", "LOAD-07", "a summary chunk in a replay, which tells compactions whole"
    ),
    "compaction-transition": DiagnosticCode(
        "error", "CMP-07", "a compaction that has ended got another status"
    ),
    "compaction-field-status": DiagnosticCode(
        "error", "CONF-06", "an error or summary with a status that does not allow it"
    ),
    "smsg-participants": DiagnosticCode(
        "warning", "SMSG-05", "the participants of a message do not fit its transcript"
    ),
    "smsg-participant-changed": DiagnosticCode(
        "warning", "SMSG-06", "a participant of a message changed"
    ),
    "cost-decreased": DiagnosticCode("info", "USAGE-02", "the cumulative cost went down"),
    "unknown-plan": DiagnosticCode("warning", "PLAN-04", "a plan that is not there was removed"),
    "unknown-mode": DiagnosticCode("warning", "MODE-01", "a mode that was not reported"),
    "config-value": DiagnosticCode(
        "warning", "CFG-06", "an option's value is not among those it lists"
    ),
    "notice-in-replay": DiagnosticCode("info", "NOTICE-04", "a notice during a load"),
    "replay-in-resume": DiagnosticCode("info", "LOAD-13", "history was replayed during a resume"),
    "not-replayed": DiagnosticCode("info", "LOAD-06", "entries that were held were not replayed"),
    "update-after-close": DiagnosticCode("error", "15.5", "an update for a session that is closed"),
    "close-failed": DiagnosticCode("warning", "15.5", "a session could not be closed"),
    "before-initialize": DiagnosticCode("error", "15.6", "traffic before initialize was answered"),
    "cancel-idle": DiagnosticCode("warning", "CANCEL-01", "a cancel where no turn runs"),
    "elicitation-scope": DiagnosticCode(
        "warning", "ELIC-01", "a question with two scopes; the session's counts"
    ),
    "unknown-notification": DiagnosticCode("info", "RPC-06", "a notification that is not known"),
    "duplicate-request-id": DiagnosticCode(
        "error", "RPC-11", "a request with the id of one that is pending"
    ),
    "reparent": DiagnosticCode("error", "SUB-04", "a child session got a second parent"),
    "unannounced-session": DiagnosticCode(
        "error",
        "SUB-03",
        "traffic for a session that is not known; info while a request may yet make it",
    ),
    "bad-response": DiagnosticCode("error", "TURN-08", "a response is malformed"),
    "unknown-response": DiagnosticCode("error", "RPC-03", "a response that nobody waits for"),
    "invalid-message": DiagnosticCode("error", "RPC-01", "no JSON-RPC message"),
    "batch": DiagnosticCode("error", "RPC-09", "a JSON-RPC batch"),
}


@frozen(kw_only=True)
class Diagnostic:
    """Something in what a peer sent that the rules do not foresee."""

    code: str
    """A key of `DIAGNOSTIC_CODES`."""
    severity: Severity
    rule: str
    """The id of the rule that it is about."""
    text: str
    """What was seen, and what was done about it."""
    session_id: str | None = None
    path: str = ""
    """The part of the message, from the root of the update: ``"content[2].annotations"``."""
    raw: JsonValue = None
    """What was not taken over, as sent."""

    def __str__(self) -> str:
        r"""One line for a log: what of it comes from a peer is escaped where it is not printable.

        >>> str(diagnostic("unknown-plan", "no plan '\x1b[2J'", session_id="sess_1"))
        "warning PLAN-04 unknown-plan: no plan '\\x1b[2J' (session sess_1)"
        """
        details = [] if self.session_id is None else [f"session {self.session_id}"]
        details += [f"at {self.path}"] if self.path else []
        where = f" ({', '.join(details)})" if details else ""
        return _printable(f"{self.severity} {self.rule} {self.code}: {self.text}{where}")


def diagnostic(  # noqa: PLR0913 - the fields of a Diagnostic
    code: str,
    text: str,
    *,
    rule: str | None = None,
    session_id: str | None = None,
    path: str = "",
    raw: JsonValue = None,
) -> Diagnostic:
    """A diagnostic with the severity, and unless given the rule, of its code.

    >>> diagnostic("unknown-plan", "no plan 'p1'").rule
    'PLAN-04'
    """
    row = DIAGNOSTIC_CODES[code]
    return Diagnostic(
        code=code,
        severity=row.severity,
        rule=rule or row.rule,
        text=text,
        session_id=session_id,
        path=path,
        raw=raw,
    )


def _printable(text: str) -> str:
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() else repr(each)[1:-1] for each in text)
