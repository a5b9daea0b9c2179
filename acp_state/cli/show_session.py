"""A session as lines: header, timeline with the turns' ends, and what is still open."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from attrs import field

from acp_state.cli.limits import SHORT, Limits
from acp_state.cli.page import BLANK, Line, line
from acp_state.cli.show_entry import show_entry, show_notice
from acp_state.cli.show_header import show_header, show_peers
from acp_state.cli.show_open import show_open_in_session, show_open_requests
from acp_state.cli.show_tool_call import show_terminal
from acp_state.cli.show_turn import show_turn
from acp_state.intents import ShowNotice
from acp_state.model import Session
from acp_state.model.connection import Connection
from acp_state.records import frozen
from acp_state.schema import Terminal


@frozen(kw_only=True)
class Scene:
    """All that is shown."""

    connection: Connection
    notices: tuple[ShowNotice, ...] = ()
    limits: Limits = field(default=SHORT)


def show_connection(scene: Scene) -> Iterator[Line]:
    """Every session, children after their parents, and the requests that belong to none."""
    yield from show_peers(scene.connection)
    for number, session in enumerate(in_family_order(scene.connection)):
        if number:
            yield BLANK
        yield from show_session(session, scene)
    if not scene.connection.sessions:
        yield line("No sessions.")
    yield from show_open_requests(scene.connection)


def in_family_order(connection: Connection) -> Iterator[Session]:
    """The sessions as they were first heard of, each followed by its children."""
    families: defaultdict[str | None, list[Session]] = defaultdict(list)
    for session in connection.sessions.values():
        is_child = session.parent_id in connection.sessions
        families[session.parent_id if is_child else None].append(session)
    left = list(reversed(families[None]))
    while left:
        session = left.pop()
        yield session
        left += reversed(families[session.session_id])


def show_session(session: Session, scene: Scene) -> Iterator[Line]:
    """One session."""
    yield from show_header(session, scene.connection, scene.limits)
    yield from _show_timeline(session, scene)
    yield from _show_other_terminals(session, scene.limits)
    yield from show_open_in_session(session, scene.connection)


def _show_timeline(session: Session, scene: Scene) -> Iterator[Line]:
    notices, ends = _notices_by_position(session, scene), _ends_by_position(session)
    starts = {turn.start: index for index, turn in enumerate(session.turns)}
    running: list[int] = []
    for position, entry in enumerate(session.timeline):
        yield from _show_notices(notices[position], scene.limits)
        running += [starts[position]] if position in starts else []
        tag = "" if position in starts else _tag(entry.turn, running)
        yield BLANK
        yield from show_entry(entry, session, scene.limits, tag)
        for index in ends[position]:
            yield BLANK
            yield from show_turn(session.turns[index], index + 1, scene.limits)
        running = [index for index in running if index not in ends[position]]
    yield from _show_notices(notices[len(session.timeline)], scene.limits)


def _tag(turn: int | None, running: list[int]) -> str:
    """The entry's turn, where it is not the one that its place suggests."""
    if turn == (running[-1] if running else None):
        return ""
    return "of no turn" if turn is None else f"of turn {turn + 1}"


def _ends_by_position(session: Session) -> defaultdict[int, list[int]]:
    """Where a turn's last entry stands, and which turns they are."""
    last = {
        entry.turn: position
        for position, entry in enumerate(session.timeline)
        if entry.turn is not None
    }
    ends: defaultdict[int, list[int]] = defaultdict(list)
    for turn, position in last.items():
        ends[position].append(turn)
    return ends


def _notices_by_position(session: Session, scene: Scene) -> defaultdict[int, list[ShowNotice]]:
    """The notices before each position, or after the last entry."""
    notices: defaultdict[int, list[ShowNotice]] = defaultdict(list)
    for shown in scene.notices:
        if shown.session_id == session.session_id:
            notices[min(shown.position, len(session.timeline))].append(shown)
    return notices


def _show_notices(notices: Iterable[ShowNotice], limits: Limits) -> Iterator[Line]:
    for shown in notices:
        yield BLANK
        yield from show_notice(shown, limits)


def _show_other_terminals(session: Session, limits: Limits) -> Iterator[Line]:
    """The terminals that no tool call shows."""
    shown = {
        content.terminal_id
        for call in session.tool_calls.values()
        for content in call.content
        if isinstance(content, Terminal)
    }
    others = [each for each in session.terminals.values() if each.terminal_id not in shown]
    if others:
        yield BLANK
        yield line(("Terminals that no tool call shows", "bold"))
    for terminal in others:
        yield from show_terminal(terminal, limits)
