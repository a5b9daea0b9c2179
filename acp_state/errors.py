"""The one error that a host can cause."""

from __future__ import annotations


class LocalProtocolError(ValueError):
    """The host asked for something that the protocol does not allow now; nothing changed.

    Attributes:
        rule: id of the rule that forbids it, such as ``"TL-01"``.
    """

    def __init__(self, message: str, *, rule: str) -> None:
        super().__init__(f"{message} [{rule}]")
        self.rule = rule
