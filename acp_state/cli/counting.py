"""What a recording consists of: counts, sizes and times, for ``acp-state stats``."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

from attrs import define, field

from acp_state.cli.traces import Step
from acp_state.methods import Sender
from acp_state.model import Session, ToolCall
from acp_state.model.connection import Connection
from acp_state.records import frozen
from acp_state.reduce.links import request_key

Key: TypeAlias = tuple[str, ...]


@define
class Tally:
    """How many there were of a kind, how large, and how long each took."""

    count: int = 0
    size: int = 0
    """Bytes of JSON text."""
    seconds: list[float] = field(factory=list)
    """How long those took whose beginning and end have a time."""

    def add(self, size: int) -> None:
        """Count one more."""
        self.count += 1
        self.size += size


@frozen(kw_only=True)
class Stall:
    """A silence between two messages."""

    seconds: float
    before: int
    """The number of the message that it ended with."""
    said: str
    """What that message was: its method or update."""


@define
class ToolRun:
    """One call of a tool, as the wire showed it."""

    session_id: str
    tool_call_id: str
    began: float | None
    ended: float | None = None

    @property
    def seconds(self) -> float | None:
        """How long it took; None: its beginning or its end has no time."""
        return None if self.began is None or self.ended is None else self.ended - self.began


@define
class Counts:
    """All that is counted, message by message."""

    size_of: Callable[[object], int]
    """The size of a message in bytes."""
    methods: defaultdict[Key, Tally] = field(factory=lambda: defaultdict(Tally))
    """By sender and method; responses count as the size of their request's method."""
    variants: defaultdict[Key, Tally] = field(factory=lambda: defaultdict(Tally))
    """By `sessionUpdate`."""
    runs: dict[tuple[str, str], ToolRun] = field(factory=dict)
    stalls: list[Stall] = field(factory=list)
    messages: int = 0
    size: int = 0
    last: float | None = None
    """The time of the last message that has one."""
    connection: Connection = field(factory=Connection)
    _asked: dict[tuple[Sender, object], tuple[Key, float | None]] = field(factory=dict)

    def take(self, messages: Iterable[Step]) -> Counts:
        """Count all messages."""
        for step in messages:
            self._count(step, step.record.message, step.record.sender or "agent")
        return self

    def _count(self, step: Step, message: dict[str, Any], sender: Sender) -> None:
        size, time = self.size_of(message), step.record.time
        self.messages, self.connection = step.after.number, step.after.connection
        self.size += size
        self._note_silence(message, time)
        if isinstance(message.get("method"), str):
            self._count_method(message, sender, size, time)
        else:
            self._count_response(message, sender, size, time)

    def _note_silence(self, message: dict[str, Any], time: float | None) -> None:
        if time is None:
            return
        if self.last is not None and time > self.last:
            stall = Stall(seconds=time - self.last, before=self.messages, said=what_is(message))
            self.stalls.append(stall)
        self.last = time

    def _count_method(
        self, message: dict[str, Any], sender: Sender, size: int, time: float | None
    ) -> None:
        key = (sender, message["method"])
        self.methods[key].add(size)
        if "id" in message:
            self._asked[sender, request_key(message["id"])] = (key, time)
        params = message.get("params")
        if key[1] == "session/update" and isinstance(params, dict):
            self._count_update(params.get("update"), params.get("sessionId"), size, time)

    def _count_response(
        self, message: dict[str, Any], sender: Sender, size: int, time: float | None
    ) -> None:
        asker: Sender = "agent" if sender == "client" else "client"
        key, asked = self._asked.pop((asker, request_key(message.get("id"))), ((sender, "?"), None))
        tally = self.methods[key]
        tally.size += size
        if time is not None and asked is not None:
            tally.seconds.append(time - asked)

    def _count_update(
        self, update: object, session_id: object, size: int, time: float | None
    ) -> None:
        if not isinstance(update, dict):
            return
        self.variants[(str(update.get("sessionUpdate")),)].add(size)
        call_id = update.get("toolCallId")
        if isinstance(call_id, str) and isinstance(session_id, str):
            self._note_tool(session_id, call_id, update.get("status"), time)

    def _note_tool(self, session_id: str, call_id: str, status: object, time: float | None) -> None:
        run = self.runs.setdefault((session_id, call_id), ToolRun(session_id, call_id, time))
        if status in ("completed", "failed") and run.ended is None:
            run.ended = time

    @property
    def seconds(self) -> float | None:
        """How long all of it took, the time between one file and the next left out.

        None: no message has a time.
        """
        return None if self.last is None else sum(stall.seconds for stall in self.stalls)

    def tools(self) -> dict[Key, Tally]:
        """The calls by tool: its name, or its kind where it has none."""
        found: defaultdict[Key, Tally] = defaultdict(Tally)
        for session in self.connection.sessions.values():
            for call in session.tool_calls.values():
                found[(call.name or call.kind,)].count += 1
                run = self._run(session, call)
                if run is not None and run.seconds is not None:
                    found[(call.name or call.kind,)].seconds.append(run.seconds)
        return found

    def slowest(self, most: int) -> list[tuple[ToolCall, ToolRun]]:
        """The calls that took longest, with their calls in the model."""
        known = [
            (call, run)
            for session in self.connection.sessions.values()
            for call in session.tool_calls.values()
            if (run := self._run(session, call)) is not None and run.seconds is not None
        ]
        return sorted(known, key=lambda each: -(each[1].seconds or 0.0))[:most]

    def longest_silences(self, most: int) -> list[Stall]:
        """The longest silences, longest first."""
        return sorted(self.stalls, key=lambda stall: -stall.seconds)[:most]

    def _run(self, session: Session, call: ToolCall) -> ToolRun | None:
        return self.runs.get((session.session_id, call.tool_call_id))


def what_is(message: dict[str, Any]) -> str:
    """A message in a few words: its update, its method, or that it is a response."""
    method, params = message.get("method"), message.get("params")
    if not isinstance(method, str):
        return "error response" if "error" in message else "response"
    update = params.get("update") if isinstance(params, dict) else None
    variant = update.get("sessionUpdate") if isinstance(update, dict) else None
    return variant if isinstance(variant, str) else method
