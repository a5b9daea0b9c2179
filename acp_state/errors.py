"""The errors that a host can cause; nothing that a peer sends raises one."""

from __future__ import annotations


class LocalProtocolError(ValueError):
    """The host asked for something that the protocol does not allow now; nothing changed.

    Attributes:
        rule: id of the rule that forbids it, such as ``"TURN-03"``.
        code: what kind of refusal it is, such as ``"prompt-while-running"``.
        session_id: the session it is about, if it is about one.
    """

    def __init__(
        self, message: str, *, rule: str, code: str = "refused", session_id: str | None = None
    ) -> None:
        super().__init__(f"{message} [{rule}]")
        self.rule = rule
        self.code = code
        self.session_id = session_id


class SnapshotError(ValueError):
    """The JSON value is no snapshot that this version of the library can restore.

    Attributes:
        path: the part at fault, from the root: ``"connection.sessions['s'].turns[0].start"``; empty
            where it is the snapshot as a whole.
        text: what was seen there, and what would be right.
    """

    def __init__(self, text: str, path: str = "") -> None:
        super().__init__(f"{path}: {text}" if path else text)
        self.path = path
        self.text = text
