"""Messages with other words in them, and the same shape: to show a recording to strangers.

Every letter becomes a letter of its case and every digit a digit, so that all lengths stay; what
is neither stays. A word becomes the same word wherever it stands, two words never become one, and
words that begin alike still do: ids and paths go on naming what they named. Streamed text can be
cut anywhere, and is hidden altogether (``Xxxx xx 00``), so that its pieces still make the whole.

What the protocol itself defines stays: keys, methods, tags, states, mime types, dates. So do
numbers, and what the peers call themselves. It hides words; it is no encryption: who knows the
salt can try out whether a word was there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any, Final

from attrs import define, field

from acp_state import schema
from acp_state.recording.json_text import Json
from acp_state.schema.wire import wire_fields

KEPT: Final = frozenset(
    [
        *("jsonrpc", "method", "sessionUpdate", "type", "kind", "status", "state", "stopReason"),
        *("role", "outcome", "mimeType", "protocolVersion", "category", "priority", "severity"),
        *("currency", "updatedAt", "lastModified"),
    ]
)
"""The keys whose values the protocol defines."""

STREAMED: Final = frozenset({"text"})
"""The keys of text that may be a piece of a longer one."""

_PEERS: Final = frozenset({"agentInfo", "clientInfo"})
_FREE: Final = frozenset({"rawInput", "rawOutput", "_meta", "data"})
"""The keys of values that the protocol says nothing about."""

_WORD: Final = re.compile(r"\b(?:file|https?)(?=://)|[^\W_]+")
_SCHEMES: Final = frozenset({"file", "http", "https"})
_OTHERS: Final = frozenset(
    [
        *("id", "params", "result", "error", "code", "message", "data", "mcpServers", "options"),
        *("env", "headers", "command", "args", "entries", "session", "sessions", "content"),
        "exitStatus",
    ]
)
"""Keys of the envelope, and of what is not read into classes."""


def _protocol_keys() -> frozenset[str]:
    """The keys of all objects that the protocol defines."""
    classes = [each for each in vars(schema).values() if isinstance(each, type)]
    defined = [each for each in classes if hasattr(each, "__attrs_attrs__")]
    keys = {row.key for each in defined for row in wire_fields(each)}
    return frozenset(keys | KEPT | _OTHERS)


@define
class Anonymiser:
    """Gives messages other words; the same for the same salt, whatever came before.

    >>> hidden = Anonymiser()({"params": {"cwd": "/home/ada/clock", "text": "Hi, Ada 7"}})
    >>> len(hidden["params"]["cwd"]), hidden["params"]["text"]
    (15, 'Xx, Xxx 0')
    """

    salt: str = ""
    _keys: frozenset[str] = field(factory=_protocol_keys)
    _known: dict[str, str] = field(factory=dict)
    """Words that came before, and what they became."""

    def __call__(self, value: Json) -> Json:
        """The value with other words in it."""
        return self._hidden(value, free=False)

    def _hidden(self, value: Json, *, free: bool) -> Json:
        if isinstance(value, str):
            return self.words(value)
        if isinstance(value, list):
            return [self._hidden(item, free=free) for item in value]
        if not isinstance(value, dict):
            return value
        return {
            (self.words(key) if free or key not in self._keys else key): self._item(
                key, item, value, free=free
            )
            for key, item in value.items()
        }

    def _item(self, key: str, item: Json, owner: Mapping[str, Any], *, free: bool) -> Json:
        if free or (key in _FREE and not isinstance(item, str)):
            return self._hidden(item, free=True)
        if key in _PEERS or (key in KEPT and isinstance(item, str)):
            return item
        if key in STREAMED and isinstance(item, str) and "uri" not in owner:
            return masked(item)
        return self._hidden(item, free=False)

    def words(self, text: str) -> str:
        """The text with each word replaced."""
        return _WORD.sub(lambda found: self._word(found[0]), text)

    def _word(self, word: str) -> str:
        if word in _SCHEMES:
            return word
        if word not in self._known:
            shown = (self._letter(word[:at], letter) for at, letter in enumerate(word))
            self._known[word] = "".join(shown)
        return self._known[word]

    def _letter(self, before: str, letter: str) -> str:
        """Another letter: shifted by what stands before it, so that no two words become one."""
        if not letter.isascii():
            return chr(0x100 + self._number(before + letter) % 0x80)
        first, size = ("0", 10) if letter.isdigit() else ("A" if letter.isupper() else "a", 26)
        return chr(ord(first) + (ord(letter) - ord(first) + 1 + self._number(before)) % size)

    def _number(self, text: str) -> int:
        data = f"{self.salt}\0{text}".encode("utf-8", "surrogatepass")
        return int.from_bytes(blake2b(data, digest_size=4).digest(), "big")


def masked(text: str) -> str:
    """The text with nothing left of it but its shape.

    >>> masked("Read clock.py, line 12.")
    'Xxxx xxxxx.xx, xxxx 00.'
    """
    return "".join(map(_mask, text))


def _mask(letter: str) -> str:
    if not letter.isalnum():
        return letter
    return "0" if letter.isdecimal() else "X" if letter.isupper() else "x"
