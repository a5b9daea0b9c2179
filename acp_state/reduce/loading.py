"""A load is a transaction: the replay builds a timeline beside the held one (LOAD).

While it runs, readers see what was held, and each replayed entry starts from it: patch fields that
the replay omits keep their values, what was streamed in chunks starts anew, so that nothing
doubles. Success puts the new timeline in the place of the old one, failure throws it away.
"""

from __future__ import annotations

from acp_state.intents import Intent
from acp_state.model import Entry, Message, Replay, Session, Subagent, Timeline, ToolCall
from acp_state.model.copying import evolve
from acp_state.model.turn import Turn
from acp_state.persistent import Vector
from acp_state.reduce.step import Step, diagnose
from acp_state.reduce.turns import open_turn
from acp_state.schema import ContentBlock, RequestId


def begin_replay(session: Session) -> Session:
    """Start an epoch: what comes until the response is history told again (LOAD-02, LOAD-08)."""
    held = session.timeline.close_run().map(_without_overlay)
    return evolve(session, timeline=held, replay=Replay(held=held))


def replaying(session: Session) -> Session:
    """The session as the reducers of updates see it in a replay: with the timeline being built."""
    assert session.replay is not None  # noqa: S101 - asked for by callers that know
    return evolve(session, timeline=session.replay.built)


def after_replayed(session: Session, *, live: bool = False) -> Session:
    """The other way: what was built is put away, what was held is shown again (LOAD-09)."""
    replay = session.replay
    assert replay is not None  # noqa: S101 - asked for by callers that know
    built = session.timeline
    told = replay.told or (not live and built is not replay.built)
    replay = evolve(replay, built=built, told=told)
    return evolve(session, timeline=replay.shown, replay=replay)


def finish_replay(session: Session) -> Step:
    """The load succeeded: the timeline is that of the replay (LOAD-06).

    Ids may be others than before (MSG-09); children are known without being replayed (SUB-19).
    """
    replay = session.replay
    if replay is None:
        return session.with_timeline(session.timeline.close_run()), ()
    timeline = replay.built.close_run().map(_settled)
    missing = [
        entry for entry in replay.held if entry.key is not None and timeline.find(entry.key) is None
    ]
    for entry in missing:
        if isinstance(entry, Subagent):
            timeline = timeline.append(entry)
    turns = Vector.of(map(_superseded, session.turns)) if session.turns else session.turns
    finished = evolve(session, timeline=timeline, replay=None, turns=turns)
    gone = sum(not isinstance(entry, Subagent) for entry in missing)
    return finished, _not_replayed(session, gone)


def open_live_turn(
    session: Session, request_id: RequestId, prompt: tuple[ContentBlock, ...]
) -> Session:
    """A prompt is live even while history is replayed: both timelines hold it (LOAD-10)."""
    replay = session.replay
    if replay is None:
        return open_turn(session, request_id, prompt)
    opened = after_replayed(open_turn(replaying(session), request_id, prompt), live=True)
    built = replay if opened.replay is None else opened.replay
    held = built.held.append(built.built[-1])
    shown = built.built if built.is_visible else held
    turns = opened.turns.set(-1, _superseded(opened.turns[-1]))
    kept = built if built.is_visible else evolve(built, held=held)
    return evolve(opened, timeline=shown, replay=kept, turns=turns)


def discard_replay(session: Session) -> Session:
    """The load failed: the timeline is what it was (LOAD-09)."""
    replay = session.replay
    if replay is None:
        return session
    kept = _live(session, replay.built) if replay.is_visible else replay.held
    return evolve(session, timeline=kept, replay=None)


def finish_child_replay(session: Session) -> Step:
    """The parent's load succeeded: a child that was not replayed keeps its history (LOAD-06)."""
    replay = session.replay
    if replay is None:
        return session, ()
    if not replay.told:
        return evolve(session, timeline=replay.shown, replay=None), ()
    return finish_replay(session)


def _live(session: Session, built: Timeline) -> Timeline:
    """What of it is no replay: prompts, and the calls that questions are about (LOAD-10)."""
    asked = {each.tool_call.tool_call_id for each in session.pending_permissions}
    return Timeline.of(entry for entry in built if _is_live(entry, asked))


def _is_live(entry: Entry, asked: set[str]) -> bool:
    if isinstance(entry, Message):
        return entry.origin == "local"
    return isinstance(entry, ToolCall) and entry.tool_call_id in asked


def _without_overlay(entry: Entry) -> Entry:
    if isinstance(entry, ToolCall) and entry.cancelled:
        return evolve(entry, cancelled=False)
    return entry


def _settled(entry: Entry) -> Entry:
    """The entry without what only the replay had to know."""
    if isinstance(entry, ToolCall) and entry.updated_in_replay:
        return evolve(entry, updated_in_replay=False)
    return entry


def _superseded(turn: Turn) -> Turn:
    """The prompt's entry is gone, so that there is no echo to wait for (LOAD-05)."""
    return evolve(turn, start=None, echo=None)


def _not_replayed(session: Session, gone: int) -> tuple[Intent, ...]:
    if not gone:
        return ()
    text = f"{gone} entries that were held were not replayed; dropped"
    return (diagnose(session, "not-replayed", text),)
