"""The one error that a host can cause."""

from __future__ import annotations


class LocalProtocolError(ValueError):
    """The host asked for something that the protocol does not allow now; nothing changed.

    Attributes:
        rule: id of the rule that forbids it, such as ``"TURN-03"``.
        code: what kind of refusal it is, such as ``"prompt-while-running"`` (section 23).
        session_id: the session it is about, if it is about one.
    """

    def __init__(
        self, message: str, *, rule: str, code: str = "refused", session_id: str | None = None
    ) -> None:
        super().__init__(f"{message} [{rule}]")
        self.rule = rule
        self.code = code
        self.session_id = session_id
