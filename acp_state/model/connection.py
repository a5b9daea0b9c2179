"""One ACP connection: its sessions, and the requests that wait for a response."""

from __future__ import annotations

from typing import TypeAlias

from attrs import field, frozen

from acp_state.json_values import JsonObject
from acp_state.model.session import Session
from acp_state.model.turn import RequestId
from acp_state.persistent import Map
from acp_state.schema import ClientCapabilities

RequestKey: TypeAlias = tuple[str, RequestId]
"""A request id with its JSON type, so that ``1`` and ``"1"`` stay two (RPC-02)."""


@frozen(kw_only=True)
class PendingRequest:
    """A request without a response yet."""

    request_id: RequestId
    method: str
    params: JsonObject
    session_id: str | None = None
    """The session that it is about, if it names one."""
    made_session: bool = False
    """Whether the session was not known before; it goes again if the request fails (15.5)."""
    overtaken: bool = False
    """Whether the agent reported a mode after ``session/set_mode`` was sent (MODE-03)."""


PendingRequests: TypeAlias = Map[RequestKey, PendingRequest]


@frozen(kw_only=True)
class Connection:
    """Everything known about one connection."""

    client_capabilities: ClientCapabilities | None = None
    """What the client advertised (INIT-05); None: no ``initialize`` was seen."""
    sessions: Map[str, Session] = field(default=Map())
    """The sessions by id, in the order they were first heard of."""
    client_requests: PendingRequests = field(default=Map())
    """Requests of the client that the agent has yet to answer, oldest first."""
    agent_requests: PendingRequests = field(default=Map())
    """Requests of the agent that the client has yet to answer, oldest first."""

    def cwd_of(self, session_id: str) -> str | None:
        """The session's working directory; a child's is its parent's until one is set (SUB-14)."""
        session = self.sessions[session_id]
        if session.parent_id is None:
            return session.cwd
        own = self.sessions[session.parent_id].subagents[session_id].cwd
        return self.cwd_of(session.parent_id) if own is None else own

    def additional_directories_of(self, session_id: str) -> tuple[str, ...] | None:
        """The session's further roots; a child's are its parent's until they are set (SUB-14)."""
        session = self.sessions[session_id]
        if session.parent_id is None:
            return session.additional_directories
        own = self.sessions[session.parent_id].subagents[session_id].additional_directories
        return self.additional_directories_of(session.parent_id) if own is None else own
