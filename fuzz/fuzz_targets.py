"""What must hold of any input; each target takes bytes, and fails where it does not.

`lines`: the bytes are a recording. `messages`: they are a conversation, seen from one of the seats.
`updates`: they are updates of one session, with no connection around it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from fuzz_inputs import BytesScript, conversation, updates

from acp_state import (
    Connection,
    Disconnected,
    Received,
    Send,
    Sent,
    Session,
    apply_update,
    fold,
    fold_updates,
    reduce,
    replay,
    replay_each,
    restore,
    snapshot,
)
from acp_state.reduce.links import request_key

SEATS: Final = ("client", "agent", "observer")
SELDOM: Final = 8
"""A snapshot is made of one input in so many."""


def lines(data: bytes) -> None:
    """A recording, whatever its bytes are: read step by step, and at once."""
    recording = data.splitlines(keepends=True)
    steps = list(replay_each(recording))
    last = steps[-1].connection if steps else Connection(side="observer")
    kept = steps[len(steps) // 2].connection if steps else last
    mark = hash(kept)
    _check(replay(recording) == last, "replay is the last step of replay_each")
    _check(hash(kept) == mark, "a state that was kept has not changed")
    _check_connection(last, snapshots=len(data) % SELDOM == 0)


def messages(data: bytes) -> None:
    """A conversation, folded one by one and at once, from one seat."""
    script = BytesScript(data)
    start = Connection(side=script.one_of(*SEATS), phase="ready")
    seat = "agent" if start.side == "agent" else "client"
    said = [
        Sent(message) if sender == seat else Received(message)
        for sender, message in conversation(script)
    ]
    connection, told = start, []
    kept, mark = start, 0
    for number, event in enumerate(said):
        before = connection
        connection, intents = reduce(before, event)
        told += intents
        _check_answers(before, event, connection, intents)
        if number == len(said) // 2:
            kept, mark = connection, hash(connection)
    folded, all_told = fold(start, said)
    _check(folded == connection, "fold gives the state that reduce gives")
    _check(all_told == tuple(told), "fold gives the intents that reduce gives")
    _check(kept is start or hash(kept) == mark, "a state that was kept has not changed")
    _check_connection(connection, snapshots=len(data) % SELDOM == 0)
    reduce(connection, Disconnected())


def single_updates(data: bytes) -> None:
    """Updates of one session, folded one by one and at once."""
    said = updates(BytesScript(data))
    session, told = Session("a"), []
    mark, kept = hash(session), session
    for update in said:
        session, intents = apply_update(session, update)
        told += intents
    _check(fold_updates(kept, said) == (session, tuple(told)), "fold_updates is apply_update")
    _check(hash(kept) == mark, "the session that was begun with has not changed")
    _check_session(session)
    if len(data) % SELDOM == 0:
        _check_snapshot(session)


TARGETS: Final[dict[str, Callable[[bytes], None]]] = {
    "lines": lines,
    "messages": messages,
    "updates": single_updates,
}


def _check(holds: bool, what: str) -> None:  # noqa: FBT001 - as assert has it
    if not holds:
        raise AssertionError(what)


def _check_answers(before: Connection, event: Any, after: Connection, intents: Any) -> None:
    """A request of the agent is answered once: it was open, or has just come, and no more is."""
    sends = [each.message for each in intents if isinstance(each, Send)]
    keys = [request_key(each["id"]) for each in sends if "method" not in each]
    if before.side != "client" or not keys:
        return
    message = event.message if isinstance(event.message, dict) else {}
    asked = {*before.agent_requests, request_key(message.get("id"))}
    _check(len(keys) == len(set(keys)), "a request is answered once")
    _check(asked.issuperset(keys), "only what is open is answered")
    _check(not any(key in after.agent_requests for key in keys), "what is answered is not open")


def _check_connection(connection: Connection, *, snapshots: bool) -> None:
    for name, session in connection.sessions.items():
        _check(session.session_id == name, "a session is found by its own id")
        _check_session(session)
    if snapshots:
        _check_snapshot(connection)


def _check_session(session: Session) -> None:
    keyed = [
        (each.key, position)
        for position, each in enumerate(session.timeline)
        if each.key is not None
    ]
    _check(len(dict(keyed)) == len(keyed), "keys are unique in a timeline")
    found = [session.timeline.find(key) for key, _ in keyed]
    _check(found == [position for _, position in keyed], "each entry is found by its key")
    running = [index for index, turn in enumerate(session.turns) if turn.is_running]
    _check([*session.running] == running, "the turns that run are known")
    pending = [index for index, each in enumerate(session.permissions) if each.is_pending]
    _check([*session.open_permissions.values()] == pending, "the permissions that wait are known")


def _check_snapshot(state: Connection | Session) -> None:
    _check(restore(snapshot(state)) == state, "a snapshot restores")
