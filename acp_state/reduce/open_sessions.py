"""Sessions that `fold` holds open: what came for them is taken in, and not put into the connection.

Most events are updates of one session, and touch nothing else. Making a connection for each of
them, and for each chunk of a text a message and a timeline as well, costs more than the change
itself. So while such updates come, each session goes on by itself, the texts of the message that
it is at are collected, and the connection is made once, when something else comes or at the end.
Whatever is no such update may depend on all that came before, so it closes all sessions.
"""

from __future__ import annotations

from typing import Any, Final

from acp_state.intents import Intent
from acp_state.model import Connection, Session
from acp_state.reduce.streaming import (
    Chunk,
    Run,
    begin_run,
    close_run,
    may_stream,
    open_run,
    plain_chunk,
    plain_notification,
)
from acp_state.reduce.updates import fold_update

_OF_MORE: Final = frozenset({"subagent_update", "current_mode_update"})
"""Updates that touch more than their session."""


class OpenSession:
    """One session, with the texts that its last message was given since."""

    __slots__ = ("_message_id", "_role", "_run", "_session", "_texts")

    def __init__(self, session: Session) -> None:
        self._session = session
        self._run: Run | None = None
        self._role: str | None = None
        self._message_id: str | None = None
        self._texts: list[str] = []

    def fold(self, update: Any, chunk: Chunk | None) -> tuple[Intent, ...]:
        """Fold an update; `chunk` is what it says as a plain text, if it is one."""
        if chunk is not None:
            role, message_id, text = chunk
            if role == self._role and message_id == self._message_id:
                self._texts.append(text)
                return ()
            if self._begin(chunk):
                return ()
        self._session, intents = fold_update(self.close(), update)
        return intents

    def close(self) -> Session:
        """The session with all that it was given."""
        if self._run is not None:
            position, message = self._run
            self._session = close_run(self._session, position, message.extend_text(self._texts))
            self._run, self._role, self._texts = None, None, []
        return self._session

    def _begin(self, chunk: Chunk) -> bool:
        """Begin a message, or a run of texts for one; False: there is more to do."""
        run = open_run(self.close(), chunk)
        if run is not None:
            self._run, self._texts = run, [chunk[2]]
            self._role, self._message_id = chunk[:2]
            return True
        begun = begin_run(self._session, chunk)
        self._session = self._session if begun is None else begun
        return begun is not None


class OpenSessions:
    """A connection, with what its sessions were given since."""

    __slots__ = ("_connection", "_opened")

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._opened: dict[str, OpenSession] = {}

    def fold(self, message: Any) -> tuple[Intent, ...] | None:
        """Fold a message of the agent, if it touches nothing but its session; None: it does not."""
        found = plain_notification(message)
        if found is None:
            return None
        session_id, update = found
        chunk = plain_chunk(update)
        if chunk is None and _is_of_more(update):
            return None
        opened = self._opened.get(session_id) or self._open(session_id)
        return None if opened is None else opened.fold(update, chunk)

    def close(self) -> Connection:
        """The connection with all that its sessions were given."""
        connection = self._connection
        for opened in self._opened.values():
            connection = connection.with_session(opened.close())
        return connection

    def reopen(self, connection: Connection) -> None:
        """Go on from another connection."""
        self._connection = connection
        if self._opened:
            self._opened = {}

    def _open(self, session_id: str) -> OpenSession | None:
        session = may_stream(self._connection, session_id)
        if session is None or _begins_history(session):
            return None
        opened = self._opened[session_id] = OpenSession(session)
        return opened


def _is_of_more(update: Any) -> bool:
    """Whether the update may touch more than its session, as far as it can be read at all."""
    kind = update.get("sessionUpdate") if type(update) is dict else None
    return type(kind) is not str or kind in _OF_MORE


def _begins_history(session: Session) -> bool:
    """Whether an update makes history of the session's children, too, as one in a resume does."""
    return session.readiness == "resuming" and session.replay is None
