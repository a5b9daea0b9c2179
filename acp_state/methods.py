"""The protocol's methods: who sends each, and whether it wants a response (sections 18, 19)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

from attrs import frozen

Sender: TypeAlias = Literal["client", "agent"]


@frozen
class Method:
    """A row of the table."""

    senders: frozenset[Sender]
    kind: Literal["request", "notification"]


_CLIENT: Final[frozenset[Sender]] = frozenset({"client"})
_AGENT: Final[frozenset[Sender]] = frozenset({"agent"})
_BOTH: Final = _CLIENT | _AGENT

METHODS: Final[Mapping[str, Method]] = {
    "initialize": Method(_CLIENT, "request"),
    "authenticate": Method(_CLIENT, "request"),
    "logout": Method(_CLIENT, "request"),
    "auth/status": Method(_CLIENT, "request"),
    "auth/status_update": Method(_AGENT, "notification"),
    "session/new": Method(_CLIENT, "request"),
    "session/load": Method(_CLIENT, "request"),
    "session/resume": Method(_CLIENT, "request"),
    "session/fork": Method(_CLIENT, "request"),
    "session/list": Method(_CLIENT, "request"),
    "session/delete": Method(_CLIENT, "request"),
    "session/archive": Method(_CLIENT, "request"),
    "session/unarchive": Method(_CLIENT, "request"),
    "session/status": Method(_CLIENT, "request"),
    "session/set_title": Method(_CLIENT, "request"),
    "session/close": Method(_CLIENT, "request"),
    "session/set_mode": Method(_CLIENT, "request"),
    "session/set_config_option": Method(_CLIENT, "request"),
    "session/prompt": Method(_CLIENT, "request"),
    "session/cancel": Method(_CLIENT, "notification"),
    "session/update": Method(_AGENT, "notification"),
    "session/request_permission": Method(_AGENT, "request"),
    "elicitation/create": Method(_AGENT, "request"),
    "elicitation/complete": Method(_AGENT, "notification"),
    "fs/read_text_file": Method(_AGENT, "request"),
    "fs/write_text_file": Method(_AGENT, "request"),
    "terminal/create": Method(_AGENT, "request"),
    "terminal/output": Method(_AGENT, "request"),
    "terminal/wait_for_exit": Method(_AGENT, "request"),
    "terminal/kill": Method(_AGENT, "request"),
    "terminal/release": Method(_AGENT, "request"),
    "providers/list": Method(_CLIENT, "request"),
    "providers/set": Method(_CLIENT, "request"),
    "providers/disable": Method(_CLIENT, "request"),
    "$/cancel_request": Method(_BOTH, "notification"),
}
