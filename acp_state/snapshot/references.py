"""What one part of a restored state says of another: indices that point somewhere, ids that agree.

The reducer takes these for granted, since it makes them so. In a snapshot that was cut or edited
they may be wrong in spite of every part being well formed, and would raise later, in some event.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, TypeAlias

from acp_state.model import Connection, Message, Session, Timeline
from acp_state.reading import Malformed, seen
from acp_state.reduce.links import request_key
from acp_state.schema.wire import camel_case

Reference: TypeAlias = tuple[str, int | None, int]
"""Path, index, and how many there are of what it is an index into."""


def check(state: Connection | Session) -> None:
    """See that the parts agree.

    Raises:
        Malformed: some do not; `path` says which.
    """
    if isinstance(state, Session):
        _check_session(state, "")
        return
    _check_ids(state, _IDS_OF_CONNECTION, "")
    for session_id, session in state.sessions.items():
        _check_session(session, f".sessions[{seen(session_id)}]")


def _check_session(session: Session, where: str) -> None:
    _check_ids(session, _IDS_OF_SESSION, where)
    for path, timeline in _timelines(session):
        _check_run(timeline, where + path)
    for path, index, count in _references(session):
        if index is not None and not 0 <= index < count:
            text = f"must be an index below {count}, not {seen(index)}"
            raise Malformed(text, where + path)
    _check_waiting(session, where)


def _check_waiting(session: Session, where: str) -> None:
    """A permission that waits is found by its own request."""
    for at, (key, index) in enumerate(session.open_permissions.items()):
        own = session.permissions[index].request_id
        if key != request_key(own):
            text = f"must be the id of the permission that it leads to, {seen(own)}"
            raise Malformed(text, f"{where}.openPermissions[{at}][0]")


_IDS_OF_SESSION: Final = {"plans": "plan_id", "terminals": "terminal_id"}
_IDS_OF_CONNECTION: Final = {
    "sessions": "session_id",
    "catalogue": "session_id",
    "awaited_urls": "elicitation_id",
    "elicitations": "request_id",
    "client_requests": "request_id",
    "agent_requests": "request_id",
}


def _check_ids(holder: Any, ids: Mapping[str, str], where: str) -> None:
    for name, attribute in ids.items():
        for at, (key, part) in enumerate(getattr(holder, name).items()):
            own = getattr(part, attribute)
            if key not in {own, request_key(own)}:
                text = f"must have the id that it stands under, not {seen(own)}"
                step = seen(key) if isinstance(key, str) else f"{at}][1"
                raise Malformed(text, f"{where}.{camel_case(name)}[{step}].{camel_case(attribute)}")


def _check_run(timeline: Timeline, where: str) -> None:
    """An open run is an anonymous message at the end (MSG-05)."""
    last = timeline[-1] if timeline else None
    if timeline.run_open and not (isinstance(last, Message) and last.message_id is None):
        text = "must not be true where no message without an id is the last entry"
        raise Malformed(text, f"{where}.runOpen")


def _timelines(session: Session) -> Iterator[tuple[str, Timeline]]:
    yield ".timeline", session.timeline
    if session.replay is not None:
        yield ".replay.held", session.replay.held
        yield ".replay.built", session.replay.built


def _references(session: Session) -> Iterator[Reference]:
    turns, permissions = len(session.turns), len(session.permissions)
    for at, index in enumerate(session.running):
        yield f".running[{at}]", index, turns
    for at, index in enumerate(session.open_permissions.values()):
        yield f".openPermissions[{at}][1]", index, permissions
    yield from _of_turns(".permissions", session.permissions, turns)
    for path, timeline in _timelines(session):
        yield from _of_turns(f"{path}.entries", timeline, turns)
    for at, turn in enumerate(session.turns):
        yield f".turns[{at}].start", turn.start, len(session.timeline)
        if turn.echo is not None:
            yield f".turns[{at}].echo.segment", turn.echo.segment, len(turn.echo.expected)


def _of_turns(path: str, parts: Iterable[Any], turns: int) -> Iterator[Reference]:
    return ((f"{path}[{at}].turn", part.turn, turns) for at, part in enumerate(parts))
