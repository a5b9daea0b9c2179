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
from typing import Any

from attrs import define, field

from acp_state.methods import METHODS, Sender
from acp_state.model import Connection, RequestKey
from acp_state.reduce.links import request_key


@define
class Senders:
    """Tells the senders of one recording; remembers which requests came last."""

    _last: dict[RequestKey, Sender] = field(factory=dict)
    """For each id, the side that used it last."""

    def sender(self, connection: Connection, message: object) -> Sender:
        """Who sent the message, seen from what is pending in the connection."""
        if not isinstance(message, Mapping):
            return "agent"
        method = message.get("method")
        if not isinstance(method, str):
            return _other(self._asker(connection, message.get("id")) or "client")
        row = METHODS.get(method)
        if row is None:
            return "agent"
        if len(row.senders) == 1:
            return next(iter(row.senders))
        return self._asker(connection, _params(message).get("requestId")) or "client"

    def remember(self, sender: Sender, message: object) -> None:
        """Note a request, so that its response finds it."""
        if isinstance(message, Mapping) and "method" in message and "id" in message:
            key = request_key(message["id"])
            if key is not None:
                self._last[key] = sender

    def _asker(self, connection: Connection, request_id: object) -> Sender | None:
        """The side that waits for the response to that id; None: neither."""
        key = request_key(request_id)
        askers: list[Sender] = []
        if key in connection.client_requests or key in connection.settled_by_agent:
            askers.append("client")
        if key in connection.agent_requests or key in connection.settled_by_client:
            askers.append("agent")
        if key is not None and len(askers) > 1:
            return self._last[key]
        return askers[0] if askers else None


def _other(sender: Sender) -> Sender:
    return "client" if sender == "agent" else "agent"


def _params(message: Mapping[Any, Any]) -> Mapping[Any, Any]:
    params = message.get("params")
    return params if isinstance(params, Mapping) else {}
