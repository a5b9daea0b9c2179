"""Who sent a bare message.

- A request or notification was sent by the side that the method table names.
- ``$/cancel_request`` may come from both: from the side that asked what it withdraws.
- A response was sent by the side that was asked; where both have an open request of that id, it
  answers the one that was asked last.
- Methods that the table does not know are taken for the agent's, vendors' methods included: an
  agent's extensions are the common case in recordings, and the response that follows is then read
  consistently as the client's.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from attrs import define, field

from acp_state.methods import METHODS, Sender
from acp_state.model import Connection, RequestKey
from acp_state.reduce.links import request_key

_SENDERS: Final[Mapping[str, tuple[Sender, ...]]] = {
    name: tuple(method.senders) for name, method in METHODS.items()
}
_UNKNOWN: Final[tuple[Sender, ...]] = ("agent",)


@define
class Senders:
    """Tells the senders of one recording; remembers which requests came last."""

    _last: dict[RequestKey, Sender] = field(factory=dict)
    """For each id that waits for a response, the side that used it last."""

    def of(
        self, connection: Connection, message: object, *, recorded: Sender | None = None
    ) -> Sender:
        """Who sent the message: as recorded, or seen from what is pending in the connection."""
        if not isinstance(message, dict):
            return recorded or "agent"
        key = request_key(message["id"]) if "id" in message else None
        sender = recorded or self._guess(connection, message, key)
        if key is not None and "method" in message:
            self._last[key] = sender
        elif key is not None:
            self._last.pop(key, None)
        return sender

    def _guess(
        self, connection: Connection, message: dict[str, Any], key: RequestKey | None
    ) -> Sender:
        method = message.get("method")
        if not isinstance(method, str):
            return _other(self._asker(connection, key) or "client")
        senders = _SENDERS.get(method, _UNKNOWN)
        if len(senders) == 1:
            return senders[0]
        withdrawn = request_key(_params(message).get("requestId"))
        return self._asker(connection, withdrawn) or "client"

    def _asker(self, connection: Connection, key: RequestKey | None) -> Sender | None:
        """The side that waits for the response to that id; None: neither."""
        askers: list[Sender] = []
        if key in connection.client_requests or key in connection.settled_by_agent:
            askers.append("client")
        if key in connection.agent_requests or key in connection.settled_by_client:
            askers.append("agent")
        if key is not None and len(askers) > 1:
            return self._last.get(key, askers[-1])
        return askers[0] if askers else None


def _other(sender: Sender) -> Sender:
    return "client" if sender == "agent" else "agent"


def _params(message: dict[str, Any]) -> dict[str, Any]:
    params = message.get("params")
    return params if isinstance(params, dict) else {}
