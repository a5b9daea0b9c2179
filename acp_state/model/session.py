"""One session: the conversation as it stands."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from attrs import field

from acp_state.json_values import JsonObject
from acp_state.model.compaction import Compaction
from acp_state.model.copying import Versioned, copier, evolve
from acp_state.model.message import Message
from acp_state.model.permission import Permission, RequestKey
from acp_state.model.replay import Replay
from acp_state.model.session_message import SessionMessage
from acp_state.model.subagent import Subagent
from acp_state.model.terminal import Terminal
from acp_state.model.timeline import EntriesById, Entry, Timeline
from acp_state.model.tool_call import ToolCall
from acp_state.model.turn import IdStyle, Turn
from acp_state.model.usage import ContextUsage
from acp_state.persistent import Map, Vector
from acp_state.records import frozen
from acp_state.schema import (
    AvailableCommand,
    ClientCapabilities,
    Plan,
    PlanUpdateContent,
    SessionConfigOption,
    SessionModeState,
)

Readiness: TypeAlias = Literal[
    "provisional",
    "loading",
    "resuming",
    "ready",
    "closing",
    "closed",
    "deleted",
    "unattached",
]
"""``provisional``: only its traffic was seen; ``unattached``: known, not on this connection."""


@frozen(repr=False)
class Session(Versioned):
    """Everything known about one session; immutable, and compared by value.

    >>> Session("sess_1").timeline
    <timeline of 0 entries>
    """

    session_id: str
    """Opaque (SESS-03)."""
    parent_id: str | None = field(default=None, kw_only=True)
    """The session that announced this one as its child (SUB-04); all else is its own (SUB-05)."""
    client_capabilities: ClientCapabilities | None = field(default=None, kw_only=True)
    """What the client advertised; None: not known, and nothing is checked against it."""
    readiness: Readiness = field(default="ready", kw_only=True)
    """Where in its life the session is (15.5)."""
    forked_from: str | None = field(default=None, kw_only=True)
    archived: bool = field(default=False, kw_only=True)
    history_incomplete: bool = field(default=False, kw_only=True)
    """It was resumed without the history that came before (LOAD-13)."""
    cwd: str | None = field(default=None, kw_only=True)
    """The working directory it was set up with (INFO-02)."""
    additional_directories: tuple[str, ...] | None = field(default=None, kw_only=True)
    """Further roots of this activation (INFO-02); None: not known."""

    title: str | None = field(default=None, kw_only=True)
    updated_at: str | None = field(default=None, kw_only=True)
    """Time of last activity as the agent wrote it, ISO 8601 (INFO-01)."""
    meta: JsonObject | None = field(default=None, kw_only=True)

    timeline: Timeline = field(default=Timeline(), kw_only=True)
    """Messages, tool calls, compactions, messages between sessions and subagents, in order."""
    replay: Replay | None = field(default=None, kw_only=True, repr=False)
    """The history that is being replayed, until the load is answered (LOAD)."""
    turns: Vector[Turn] = field(default=Vector(), kw_only=True)
    """The prompt turns, oldest first; entries refer to them by index."""
    running: tuple[int, ...] = field(default=(), kw_only=True)
    """The turns whose response has not come, oldest first (TURN-11)."""

    permissions: Vector[Permission] = field(default=Vector(), kw_only=True)
    """The permission requests in order of arrival, answered ones included (PERM-01)."""
    open_permissions: Map[RequestKey, int] = field(default=Map(), kw_only=True)
    """Which of `permissions` wait for an answer, by their requests, oldest first (PERM-06)."""

    plan: Plan | None = field(default=None, kw_only=True)
    """The unnamed plan (PLAN-01), which is none of `plans` (PLAN-05)."""
    plans: Map[str, PlanUpdateContent] = field(default=Map(), kw_only=True)
    """The plans with an id (PLAN-03)."""
    available_commands: tuple[AvailableCommand, ...] = field(default=(), kw_only=True)
    modes: SessionModeState | None = field(default=None, kw_only=True)
    """The modes and the current one (MODE-01); None: none reported."""
    config_options: tuple[SessionConfigOption, ...] | None = field(default=None, kw_only=True)
    """The options, in the agent's order (CFG-01); None: none reported."""
    usage: ContextUsage | None = field(default=None, kw_only=True)
    terminals: Map[str, Terminal] = field(default=Map(), kw_only=True)
    """The client terminals of this session, by id (REQ-03)."""

    id_style: IdStyle = field(default="none", kw_only=True)
    """Whether chunks outside of turns carried a messageId (MSG-07)."""

    @property
    def messages(self) -> tuple[Message, ...]:
        """The user, agent and thought messages, in order."""
        return tuple(entry for entry in self.timeline if isinstance(entry, Message))

    @property
    def tool_calls(self) -> EntriesById[ToolCall]:
        """The tool calls by id, which means something in this session alone (TOOL-15)."""
        return EntriesById(self.timeline, ToolCall, "tool_call")

    @property
    def compactions(self) -> EntriesById[Compaction]:
        """The compactions by id."""
        return EntriesById(self.timeline, Compaction, "compaction")

    @property
    def session_messages(self) -> EntriesById[SessionMessage]:
        """The messages to and from other sessions by id."""
        return EntriesById(self.timeline, SessionMessage, "session_message")

    @property
    def subagents(self) -> EntriesById[Subagent]:
        """What is said of the child sessions, by the child's id."""
        return EntriesById(self.timeline, Subagent, "subagent")

    @property
    def child_ids(self) -> tuple[str, ...]:
        """The children it told of; in a replay, both those that are held and those replayed."""
        replay = self.replay
        told = (self.timeline,) if replay is None else (replay.held, replay.built)
        ids = (entry.session_id for line in told for entry in line if isinstance(entry, Subagent))
        return tuple(dict.fromkeys(ids))

    @property
    def current_turn(self) -> Turn | None:
        """The oldest turn that runs (TURN-11)."""
        return self.turns[self.running[0]] if self.running else None

    @property
    def pending_permissions(self) -> tuple[Permission, ...]:
        """The permission requests that wait for an answer, oldest first."""
        return tuple(self.permissions[index] for index in self.open_permissions.values())

    @property
    def is_cancelling(self) -> bool:
        """Whether ``session/cancel`` was sent for the current turn (15.1)."""
        turn = self.current_turn
        return turn is not None and turn.cancelling

    @property
    def preferred_settings(self) -> Literal["config_options", "modes"] | None:
        """Which of the two hosts show, when an agent describes one thing twice (CFG-03)."""
        if self.config_options is not None:
            return "config_options"
        return "modes" if self.modes is not None else None

    def with_timeline(self, timeline: Timeline) -> Session:
        """The session with another timeline; the same object if it is the same timeline."""
        return self if timeline is self.timeline else with_timeline(self, timeline)

    def is_excluded(self, entry: Entry) -> bool:
        """Whether a refusal keeps the entry out of the next prompt's context (TL-08)."""
        return entry.turn is not None and self.turns[entry.turn].is_refused

    def __repr__(self) -> str:
        running = f", {len(self.running)} running" if self.running else ""
        title = "" if self.title is None else f" {self.title!r}"
        return (
            f"<session {self.session_id!r}{title}: "
            f"{len(self.timeline)} entries, {len(self.turns)} turns{running}>"
        )


with_timeline = copier(Session, "timeline")


def with_turn(session: Session, index: int, turn: Turn, **changes: Any) -> Session:
    """The session with another version of one turn, and other values in some fields."""
    running = session.running
    if not turn.is_running:
        running = tuple([each for each in running if each != index])
    return evolve(session, turns=session.turns.set(index, turn), running=running, **changes)
