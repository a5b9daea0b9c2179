"""What the benchmarks fold: the lines of whole connections, and the messages in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, Literal, TypeAlias

import orjson
from attrs import frozen

from acp_state import Diagnose, Event, Received, Sent, replay_each

Side: TypeAlias = Literal["client", "agent"]
Message: TypeAlias = dict[str, Any]
Spoken: TypeAlias = tuple[Side, Message]
"""A message and who says it."""
Seen: TypeAlias = type[Received] | type[Sent]

SEEN: dict[Side, Seen] = {"client": Sent, "agent": Received}
"""The event that a message is, from the client's seat."""


@frozen(kw_only=True)
class Talk:
    """One connection, line by line.

    Lines are kept as bytes, which the cyclic collector does not look at: a benchmark of a million
    events must not pay for its own million parsed messages.
    """

    lines: list[bytes]
    seen: list[Seen]
    """For each line the event that its message is."""
    wrapped: bool = False
    """The lines are those of a recording: ``{"from": …, "message": …}``."""

    def messages(self, lines: Iterable[bytes] | None = None) -> Iterator[Message]:
        """The messages of the lines, parsed as they are asked for."""
        values = map(orjson.loads, self.lines if lines is None else lines)
        return (value["message"] for value in values) if self.wrapped else values

    def events(self, start: int = 0, end: int | None = None) -> Iterator[Event]:
        """The events of a stretch, made as they are asked for."""
        messages = self.messages(self.lines[start:end])
        return (seen(message) for seen, message in zip(self.seen[start:end], messages, strict=True))

    def batches(self, size: int) -> Iterator[tuple[list[Seen], list[Message]]]:
        """The messages with the events that they are, parsed so many at a time."""
        for start in range(0, len(self.lines), size):
            end = start + size
            yield self.seen[start:end], list(self.messages(self.lines[start:end]))

    def updates(self, size: int) -> Iterator[list[Message]]:
        """The parameters of the ``session/update`` notifications, so many at a time."""
        heard = (m["params"] for m in self.messages() if m.get("method") == "session/update")
        while batch := list(islice(heard, size)):
            yield batch


def talk(spoken: Iterable[Spoken]) -> Talk:
    """The lines of what is said, each a bare message."""
    lines: list[bytes] = []
    seen: list[Seen] = []
    for side, message in spoken:
        lines.append(orjson.dumps(message))
        seen.append(SEEN[side])
    return Talk(lines=lines, seen=seen)


def diagnosed(heard: Talk) -> list[str]:
    """What is against the protocol in it; synthetic traffic must have nothing."""
    intents = (intent for step in replay_each(heard.lines) for intent in step.intents)
    return [str(intent.diagnostic) for intent in intents if isinstance(intent, Diagnose)]
