"""Runs of text that `fold` holds open: texts that were taken in, and not put into a message yet.

Making a connection for each of a thousand chunks costs far more than to append a thousand texts.
So while nothing but chunks of plain text comes, they are collected here, by session, and the
message, the timeline, the session and the connection are made once, when something else comes or
at the end. Whatever is not such a chunk may depend on all that came before, so it closes all runs.
"""

from __future__ import annotations

from typing import Any

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


class OpenRun:
    """One session, with the texts that its last message was given since."""

    __slots__ = ("_message_id", "_role", "_run", "_session", "_texts")

    def __init__(self, session: Session) -> None:
        self._session = session
        self._run: Run | None = None
        self._role: str | None = None
        self._message_id: str | None = None
        self._texts: list[str] = []

    def take(self, update: Any) -> bool:
        """Take the update in, if it is a plain text and nothing else is to do."""
        chunk = plain_chunk(update)
        return chunk is not None and self.take_chunk(chunk)

    def take_chunk(self, chunk: Chunk) -> bool:
        """Take a text in, if nothing else is to do."""
        role, message_id, text = chunk
        if role != self._role or message_id != self._message_id:
            run = open_run(self.close(), chunk)
            if run is None:
                return self._begin(chunk)
            self._run, self._role, self._message_id = run, role, message_id
        self._texts.append(text)
        return True

    def _begin(self, chunk: Chunk) -> bool:
        begun = begin_run(self._session, chunk)
        if begun is None:
            return False
        self._session = begun
        return True

    def close(self) -> Session:
        """The session with the texts in their message."""
        if self._run is not None:
            position, message = self._run
            self._session = close_run(self._session, position, message.extend_text(self._texts))
            self._run, self._role, self._texts = None, None, []
        return self._session


class OpenRuns:
    """A connection, with the texts that its sessions were given since."""

    __slots__ = ("_connection", "_runs")

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._runs: dict[str, OpenRun] = {}

    def take(self, message: Any) -> bool:
        """Take a message of the agent in, if it is a plain text and nothing else is to do."""
        found = plain_notification(message)
        chunk = None if found is None else plain_chunk(found[1])
        if found is None or chunk is None:
            return False
        run = self._runs.get(found[0])
        if run is None:
            session = may_stream(self._connection, found[0])
            if session is None:
                return False
            run = self._runs[found[0]] = OpenRun(session)
        return run.take_chunk(chunk)

    def close(self) -> Connection:
        """The connection with all texts in their messages."""
        connection = self._connection
        for run in self._runs.values():
            connection = connection.with_session(run.close())
        return connection

    def reopen(self, connection: Connection) -> None:
        """Go on from another connection."""
        self._connection = connection
        if self._runs:
            self._runs = {}
