"""Who sent a message, in the words and arrows of those who wrote the recording.

Some name the sender; others say only which way a message went, seen from their own side, which
may be either.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final, Literal, TypeAlias

from acp_state.methods import METHODS, Sender

Way: TypeAlias = Literal["client", "agent", "out", "in"]
"""The sender, or which way it went as the writer saw it."""

_SPELLINGS: Final[Mapping[Way, str]] = {
    "client": (
        "client editor ide host fromclient clienttoagent clienttoserver client>agent c2a c>a"
        " toagent toserver agent<client >agent <client stdin"
    ),
    "agent": (
        "agent server fromagent agenttoclient servertoclient agent>client a2c a>c"
        " toclient client<agent >client <agent stdout"
    ),
    "out": "out outgoing outbound send sent sending tx write wrote egress >",
    "in": "in incoming inbound recv receive received receiving rx read ingress <",
}
_WAYS: Final[Mapping[str, Way]] = {
    word: way for way, words in _SPELLINGS.items() for word in words.split()
}

_ARROWS: Final = str.maketrans(dict.fromkeys("→⇒⟶➡▶►»⇨", ">") | dict.fromkeys("←⇐⟵⬅◀◄«⇦", "<"))
_DECORATION: Final = re.compile(r"[\s\[\](){}:|_*=.,'\"\-\ufe0f]")
_REPEATED: Final = re.compile(r"([<>])\1+")

_MOST_WORDS: Final = 3
"""Words that name a direction together: ``client -> agent``."""


def way_of(word: object) -> Way | None:
    """What a word or an arrow says of a message's direction; None: nothing.

    >>> [way_of(word) for word in ("fromClient", "<--", "[send]", "client_to_agent", "prompt")]
    ['client', 'in', 'out', 'client', None]
    """
    if not isinstance(word, str):
        return None
    plain = _DECORATION.sub("", word.lower().translate(_ARROWS))
    return _WAYS.get(_REPEATED.sub(r"\1", plain))


def way_in(text: str) -> Way | None:
    """What the text before a message says of its direction: the words nearest to it count.

    >>> way_in("12:00:01 DEBUG client -> agent: ")
    'client'
    """
    words = text.split()
    for end in range(len(words), 0, -1):
        for start in range(max(0, end - _MOST_WORDS), end):
            way = way_of(" ".join(words[start:end]))
            if way is not None:
                return way
    return None


def sender_of(way: Way | None, seen_from: Sender) -> Sender | None:
    """The sender, for one who writes from that side."""
    if way == "out":
        return seen_from
    if way == "in":
        return "agent" if seen_from == "client" else "client"
    return way


def side_of(seen: Iterable[tuple[Way | None, object]]) -> Sender | None:
    """The side that a recording was written on, from ways and messages.

    Methods that only one side sends tell it. None: no message went merely out or in.

    >>> side_of([("in", {"method": "initialize"}), ("out", {"method": "session/update"})])
    'agent'
    """
    relative = [(way == "out", message) for way, message in seen if way in {"out", "in"}]
    votes = sum(_vote(message, went_out=went_out) for went_out, message in relative)
    return None if not relative else "agent" if votes < 0 else "client"


def _vote(message: object, *, went_out: bool) -> int:
    """1 where the message speaks for the client's side, -1 for the agent's, else 0."""
    name = message.get("method") if isinstance(message, dict) else None
    method = METHODS.get(name) if isinstance(name, str) else None
    if method is None or len(method.senders) != 1:
        return 0
    return 1 if ("client" in method.senders) == went_out else -1
