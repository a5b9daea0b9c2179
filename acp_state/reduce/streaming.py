"""The hot path: chunks of plain text, which begin a message or go on with one.

Two of three messages in recorded traffic are such chunks. What they do is to append to a message,
`acp_state.reduce.messages.on_message_chunk`, by way of the codec, and most of the work is to find
out that nothing is special: nothing to decode but three strings, no echo, no cancelled turn, no
diagnostic. Here that is found out from the JSON itself, and the text appended. What is special in
any way is left to the general way, and a property holds the two together.
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias

from acp_state.model import Connection, Message, MessageRole, Session, Timeline
from acp_state.model.connection import with_sessions
from acp_state.model.message import begun
from acp_state.model.session import with_timeline
from acp_state.model.turn import IdStyle
from acp_state.reduce.loading import after_replayed, replaying
from acp_state.reduce.messages import count_id_style
from acp_state.reduce.step import current_turn_index

Chunk: TypeAlias = tuple[MessageRole, "str | None", str]
"""Role and id of the message that a chunk of plain text is for, and the text."""

Run: TypeAlias = tuple[int, Message]
"""A message that takes further chunks, and its position."""

_ROLES: Final[dict[str, MessageRole]] = {
    "user_message_chunk": "user",
    "agent_message_chunk": "agent",
    "agent_thought_chunk": "thought",
}
_WITH_ID: Final[frozenset[IdStyle]] = frozenset({"with_id", "mixed"})
_WITHOUT_ID: Final[frozenset[IdStyle]] = frozenset({"without_id", "mixed"})
"""The styles that a chunk with an id, or without one, is no departure from (MSG-07)."""

_GONE: Final = frozenset({"closed", "deleted"})


def stream_message(connection: Connection, message: Any) -> Connection | None:
    """Fold a message of the agent; None: it is no plain text, or there is more to do."""
    found = plain_notification(message)
    chunk = None if found is None else plain_chunk(found[1])
    if found is None or chunk is None:
        return None
    session = may_stream(connection, found[0])
    if session is None:
        return None
    run = open_run(session, chunk)
    if run is None:
        streamed = begin_run(session, chunk)
        return None if streamed is None else connection.with_session(streamed)
    session = close_run(session, run[0], run[1].append_text(chunk[2]))
    return with_sessions(connection, connection.sessions.set(found[0], session))


def stream_update(session: Session, update: Any) -> Session | None:
    """Fold a session update; None: it is no plain text, or there is more to do."""
    chunk = plain_chunk(update)
    if chunk is None:
        return None
    run = open_run(session, chunk)
    if run is None:
        return begin_run(session, chunk)
    return close_run(session, run[0], run[1].append_text(chunk[2]))


def plain_notification(message: Any) -> tuple[str, Any] | None:
    """Session and update of a ``session/update`` that holds nothing else."""
    if type(message) is not dict or len(message) != 3:  # noqa: PLR2004 - jsonrpc, method, params
        return None
    params = message.get("params")
    if message.get("method") != "session/update" or message.get("jsonrpc") != "2.0":
        return None
    if type(params) is not dict or len(params) != 2:  # noqa: PLR2004 - sessionId, update
        return None
    session_id = params.get("sessionId")
    if type(session_id) is not str or not session_id:  # an empty id is told each time
        return None
    return session_id, params.get("update")


def plain_chunk(update: Any) -> Chunk | None:
    """What an update says, if it is a text, perhaps with an id, and nothing else."""
    if type(update) is not dict:
        return None
    content, kind, size = update.get("content"), update.get("sessionUpdate"), len(update)
    if type(content) is not dict or len(content) != 2 or content.get("type") != "text":  # noqa: PLR2004
        return None
    text = content.get("text")
    role = _ROLES.get(kind) if type(kind) is str else None
    if role is None or type(text) is not str:
        return None
    if size == 2:  # noqa: PLR2004 - sessionUpdate, content
        return role, None, text
    message_id = update.get("messageId")
    if size == 3 and type(message_id) is str and message_id:  # noqa: PLR2004 - and messageId
        return role, message_id, text
    return None


def may_stream(connection: Connection, session_id: str) -> Session | None:
    """The session, if a message for it is neither early nor late."""
    session = connection.sessions.get(session_id)
    if session is None or session.readiness in _GONE or connection.phase == "initializing":
        return None
    return session


def open_run(session: Session, chunk: Chunk) -> Run | None:
    """The message that the chunk goes on with; None: there is none, or there is more to do."""
    role, message_id, _ = chunk
    turns, running, replay = session.turns, session.running, session.replay
    if replay is None and (session.readiness == "resuming" or (role == "user" and running)):
        return None
    timeline = session.timeline if replay is None else replay.built
    run = _run(timeline, role, message_id)
    if run is None or (running and run[1].turn == running[0] and replay is None):
        # What was said in the turn that runs is not late, and has counted for the style of its ids.
        return run
    style = turns[running[0]].id_style if running else session.id_style
    if style not in (_WITHOUT_ID if message_id is None else _WITH_ID):
        return None
    turn = run[1].turn
    if turn is None or replay is not None or turn in running:
        return run
    return None if turns[turn].ended_as_cancelled else run


def begin_run(session: Session, chunk: Chunk) -> Session | None:
    """The session with a new message of the chunk; None: it is none, or there is more to do."""
    role, message_id, text = chunk
    is_live = session.replay is None and session.readiness != "resuming"
    if not is_live or (role == "user" and session.running):
        return None
    if _is_known(session.timeline, role, message_id):
        return None
    session, mixed = count_id_style(session, message_id)
    if mixed:
        return None
    message = begun(role, message_id, text, current_turn_index(session))
    appended = session.timeline.append(message, run_open=message_id is None)
    return with_timeline(session, appended)


def _is_known(timeline: Timeline, role: MessageRole, message_id: str | None) -> bool:
    """Whether a message is there that the chunk may go on with, or of another kind (MSG-03)."""
    if message_id is None:
        last = timeline[-1] if timeline.run_open else None
        return isinstance(last, Message) and last.role == role
    return any(timeline.find((each, message_id)) is not None for each in _ROLES.values())


def close_run(session: Session, position: int, message: Message) -> Session:
    """The session with a longer version of the message at that position."""
    if session.replay is None:
        return with_timeline(session, session.timeline.revise(position, message))
    held = replaying(session)
    return after_replayed(held.with_timeline(held.timeline.revise(position, message)))


def _run(timeline: Timeline, role: MessageRole, message_id: str | None) -> Run | None:
    """The message of that id, or the open run; looked for first where the last chunk went."""
    if (message_id is None) is not timeline.run_open:
        return None
    revised = timeline.revised
    if revised is not None and message_id is not None:
        position, entry = revised
        if type(entry) is Message and entry.message_id == message_id and entry.role == role:
            return position, entry
    found = len(timeline) - 1 if message_id is None else timeline.find((role, message_id))
    if found is None:
        return None
    held = timeline[found]
    return (found, held) if type(held) is Message and held.role == role else None
