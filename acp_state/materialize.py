"""`materialize`: a session told again, in the fewest updates that rebuild its history.

Every update is a snapshot of one thing: an entry of the timeline, or a slot that holds its latest
value. What a field says is read off the policy that the wire class declares for it
(`acp_state.omitted`): a field that goes back to its default when it is omitted is omitted at its
default, one that null clears is null where nothing is held, and one that nothing clears is left
out. So a receiver that held an older version of an entry ends with this one.

Reading: MSG-05 joins id-less chunks of one role until something new comes between, and nothing on
the wire ends their run and leaves no trace (MSG-06). So of two neighbours without id and of one
role (two prompts with no answer between them, which the turn's end kept apart) the second one gets
an id, made from its position: what MSG-02 foresees to tell messages apart. It is the same in every
replay of the session, since positions never change (TL-02, READ-01).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, takewhile
from typing import Any, Final, cast, get_args

import attrs

from acp_state.codec import encode
from acp_state.json_values import PlainJson
from acp_state.model import (
    Chunk,
    Chunks,
    Compaction,
    Entry,
    Message,
    MessageRole,
    Session,
    SessionMessage,
    Subagent,
    Timeline,
    ToolCall,
)
from acp_state.omitted import OMITTED, or_omitted
from acp_state.reduce.messages import ROLES
from acp_state.schema import (
    AvailableCommandsUpdate,
    CompactionUpdate,
    ConfigOptionUpdate,
    CurrentModeUpdate,
    PlanUpdate,
    SessionInfoUpdate,
    SessionMessageChunk,
    SessionUpdate,
    SubagentUpdate,
    TextContent,
    ToolCallUpdate,
    UsageUpdate,
)
from acp_state.schema.session_messages import SessionMessage as SessionMessageUpdate
from acp_state.schema.tool_calls import ToolCall as ToolCallAnnouncement
from acp_state.schema.wire import WireField, wire_fields

_CHUNKS: Final = {role: cls for cls, role in ROLES.items()}

_NOTHING: Final = Chunk(TextContent(text=""))
"""What a message without blocks is told as: a chunk has a block (MSG-01)."""


def materialize(session: Session) -> tuple[dict[str, PlainJson], ...]:
    """The fewest updates that rebuild the session's history and its slots.

    An agent that answers ``session/load`` from its own state sends each as the ``update`` of a
    ``session/update``, less those that need a capability which its client did not advertise
    (LOAD-14): `SendUpdate` takes each as it is, and refuses those. They are also what to store, or
    to move a session with. Folding them into an empty session (`fold_updates`) gives the same
    history, and as the replay of a load they change nothing in a session that held it. Folded live
    into a session that holds it, they double its messages, since chunks append (MSG-11): that is
    what ``session/load`` is for.

    Shape: the timeline in its order, as readers see it (while a load runs, that is the held one,
    LOAD-09), then the slots that hold something. A message is one chunk for each block of its
    `content`; each other entry is one update, as which a compaction is replayed, too (CMP-09). Of a
    message between sessions, blocks whose chunks had metadata follow as chunks. An empty session
    gives none.

    The same history is: the same entries in the same order with the same `key`, `content` and
    fields, and the same slots. It leaves out

    - how text was cut into chunks, and the ``_meta`` of a compaction's summary chunks; half a
      character that has no other half is U+FFFD, as in `content`;
    - whether a local prompt is one (`origin`), and whether a tool call was announced: one that has
      a title is announced now;
    - the ids that are given to anonymous messages which would run into the one before them
      (``anonymous-7``, by position);
    - what is local or of the moment: the overlay `cancelled` (never on the wire, TOOL-07), whether
      a child's state or a compaction is confirmed, notices (NOTICE-04), and whether the last run
      is open.

    What no update carries is no history here: turns with their outcomes and usage, and which turn
    an entry is of, permission and elicitation requests, terminals, `cwd` and roots, parent, the
    list of available modes, readiness, and the sessions of children, each of which is materialised
    by itself. A client keeps neither rights nor confirmed states of children out of a replay
    (SUB-17).

    >>> from acp_state import fold_updates
    >>> hello = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "Hi"}}
    >>> session, _ = fold_updates(Session("sess_1"), [hello, hello])
    >>> materialize(session)
    ({'sessionUpdate': 'agent_message_chunk', 'content': {'type': 'text', 'text': 'HiHi'}},)
    >>> fold_updates(Session("sess_1"), materialize(session))[0].timeline[0].text
    'HiHi'
    """
    entries = chain.from_iterable(_UPDATES[type(entry)](entry) for entry in _told_apart(session))
    slots = chain.from_iterable(row(session) for row in _SLOTS)
    updates = (encode(update, SessionUpdate) for update in chain(entries, slots))
    return tuple(cast("dict[str, PlainJson]", update) for update in updates)


def _told_apart(session: Session) -> Iterator[Entry]:
    """The entries, with an id for each message that would go on with the one before it."""
    run: MessageRole | None = None
    for position, entry in enumerate(session.timeline):
        before, run = run, _anonymous(entry)
        if isinstance(entry, Message) and run is not None and run == before:
            run = None
            yield attrs.evolve(entry, message_id=_new_id(session.timeline, position))
        else:
            yield entry


def _anonymous(entry: Entry) -> MessageRole | None:
    """The role of a message without id, whose chunks make a run (MSG-05)."""
    return entry.role if isinstance(entry, Message) and entry.message_id is None else None


def _new_id(timeline: Timeline, position: int) -> str:
    message_id = f"anonymous-{position}"
    while any(timeline.find((role, message_id)) is not None for role in get_args(MessageRole)):
        message_id += "_"
    return message_id


def _of_message(message: Message) -> Iterable[Any]:
    update = _CHUNKS[message.role]
    return (
        update(
            content=chunk.content,
            message_id=or_omitted(message.message_id),
            meta=or_omitted(chunk.meta),
        )
        for chunk in message.chunks.joined or (_NOTHING,)
    )


def _of_tool_call(call: ToolCall) -> Iterable[Any]:
    """Announced, where there is the title that an announcement needs (TOOL-03)."""
    return (_snapshot(ToolCallUpdate if call.title is None else ToolCallAnnouncement, call),)


def _of_compaction(compaction: Compaction) -> Iterable[Any]:
    return (_snapshot(CompactionUpdate, compaction),)


def _of_session_message(message: SessionMessage) -> Iterable[Any]:
    """Whole, up to the first block whose chunk has metadata that only a chunk can carry."""
    chunks = message.chunks.joined
    whole = tuple(chunk.content for chunk in takewhile(lambda chunk: chunk.meta is None, chunks))
    yield attrs.evolve(_snapshot(SessionMessageUpdate, message), content=whole)
    for chunk in chunks[len(whole) :]:
        yield SessionMessageChunk(
            message_id=message.message_id, content=chunk.content, meta=or_omitted(chunk.meta)
        )


def _of_subagent(subagent: Subagent) -> Iterable[Any]:
    return (_snapshot(SubagentUpdate, subagent),)


_UPDATES: Final[Mapping[type, Callable[[Any], Iterable[Any]]]] = {
    Message: _of_message,
    ToolCall: _of_tool_call,
    Compaction: _of_compaction,
    SessionMessage: _of_session_message,
    Subagent: _of_subagent,
}
"""The updates that rebuild an entry; one row for each kind."""


def _plan(session: Session) -> Iterable[Any]:
    return () if session.plan is None else (session.plan,)


def _plans(session: Session) -> Iterable[Any]:
    return (PlanUpdate(plan=plan) for plan in session.plans.values())


def _available_commands(session: Session) -> Iterable[Any]:
    commands = session.available_commands
    return (AvailableCommandsUpdate(available_commands=commands),) if commands else ()


def _current_mode(session: Session) -> Iterable[Any]:
    modes = session.modes
    return () if modes is None else (CurrentModeUpdate(current_mode_id=modes.current_mode_id),)


def _config_options(session: Session) -> Iterable[Any]:
    options = session.config_options
    return () if options is None else (ConfigOptionUpdate(config_options=options),)


def _session_info(session: Session) -> Iterable[Any]:
    info = _snapshot(SessionInfoUpdate, session)
    return () if info == _snapshot(SessionInfoUpdate, Session(session.session_id)) else (info,)


def _usage(session: Session) -> Iterable[Any]:
    return () if session.usage is None else (_snapshot(UsageUpdate, session.usage),)


_SLOTS: Final[tuple[Callable[[Session], Iterable[Any]], ...]] = (
    _session_info,
    _current_mode,
    _config_options,
    _available_commands,
    _plan,
    _plans,
    _usage,
)
"""The updates that rebuild a slot, none where nothing was reported; one row for each slot."""


def _snapshot(cls: type, held: Any) -> Any:
    """The update of that class that says all that is held: its id, and its patch fields."""
    return cls(**{field.name: _told(held, field) for field in wire_fields(cls)})


def _told(held: Any, field: WireField) -> Any:
    """What the field says of the value that is held: omitted, null or concrete, by its policy."""
    policy = field.wire.patch
    if policy is None:
        return getattr(held, field.name)
    name = policy.into or field.name
    value = getattr(held, name)
    if policy.omitted == "reset" and value == attrs.fields_dict(type(held))[name].default:
        return OMITTED
    if value is None:
        return None if policy.null == "clear" else OMITTED
    return Chunks.of(value.blocks).blocks if isinstance(value, Chunks) else value
