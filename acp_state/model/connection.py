"""One ACP connection: its sessions, and the requests that wait for a response."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, TypeAlias, get_args

from attrs import field

from acp_state.errors import LocalProtocolError
from acp_state.json_values import JsonObject, JsonValue
from acp_state.methods import Sender
from acp_state.model.copying import Versioned, copier, evolve, maker
from acp_state.model.elicitation import Elicitation
from acp_state.model.permission import RequestKey
from acp_state.model.session import Readiness, Session
from acp_state.persistent import Map
from acp_state.records import frozen
from acp_state.schema import (
    AgentCapabilities,
    AuthAccount,
    AuthMethod,
    AuthState,
    ClientCapabilities,
    Implementation,
    RequestId,
    SessionInfo,
)

Side: TypeAlias = Literal["client", "agent", "observer"]
"""Whose seat we have; an observer owes nobody a message."""

Phase: TypeAlias = Literal["new", "initializing", "ready", "failed", "closed"]

PROTOCOL_VERSIONS = frozenset({1})
"""The versions that this library folds."""


@frozen(kw_only=True)
class Attempt(Versioned):
    """What a request that takes a session up has to know when it is answered (LOAD)."""

    at_work: frozenset[str] = frozenset()
    """The children that were confirmed as running when it was sent (LOAD-06)."""
    was_empty: bool = False
    """Whether nothing of the history was held (LOAD-13)."""
    children: Map[str, Readiness | None] = field(default=Map())
    """The children, at any depth, that were told of since, and in which state of their life they
    were; None: not known. What only the attempt told of goes with it (LOAD-09)."""


@frozen(kw_only=True)
class PendingRequest(Versioned):
    """A request without a response yet."""

    request_id: RequestId
    method: str
    params: JsonObject
    session_id: str | None = None
    """The session that it is about, if it names one; a child's stays the child's (SUB-21)."""
    cancel_requested: bool = False
    """``$/cancel_request`` was sent for it; it stays until it is answered (CANCEL-09)."""
    previous: Readiness | None = None
    """What the session goes back to if the request fails; None: it was not known (15.5)."""
    attempt: Attempt | None = None
    """Of a request that takes the session up."""
    overtaken: bool = False
    """Whether the agent reported a mode after ``session/set_mode`` was sent (MODE-03)."""


_asked = maker(PendingRequest, "request_id", "method", "params", "session_id")


def asked(
    request_id: RequestId, method: str, params: JsonObject, session_id: str | None
) -> PendingRequest:
    """A request that was sent just now."""
    return _asked(request_id, method, params, session_id)


@frozen(kw_only=True)
class SettledRequest(Versioned):
    """A request that was settled here, and whose answer may still come over the wire (RPC-03)."""

    result: JsonValue = None
    """The answer that was given; an equal one fulfils it."""
    error_code: int | None = None
    """The code of the error that was given; an equal one fulfils it."""
    cancelled: bool = False
    """Whether it was cancelled, so that the error for that fulfils it as well (CANCEL-10)."""
    any_answer: bool = False
    """Whether whatever comes is absorbed: the request was abandoned."""


@frozen(kw_only=True)
class Authentication(Versioned):
    """Who is authenticated, as far as that is known (AUTH)."""

    required: bool = False
    """A request failed with -32000, and no ``authenticate`` has succeeded since (AUTH-02)."""
    state: AuthState = "unknown"
    accounts: tuple[AuthAccount, ...] = ()


PendingRequests: TypeAlias = Map[RequestKey, PendingRequest]
SettledRequests: TypeAlias = Map[RequestKey, SettledRequest]


def _known_side(_: object, __: object, side: object) -> None:
    if side not in get_args(Side):
        what = f"{side!r:.60} is no side: pass one of {', '.join(map(repr, get_args(Side)))}"
        raise LocalProtocolError(what, rule="INIT-01")


@frozen(kw_only=True, repr=False)
class Connection(Versioned):
    """Everything known about one connection; immutable, and compared by value.

    >>> Connection()
    <connection, client's side: new, 0 sessions>
    """

    side: Side = field(default="client", validator=_known_side)
    """Which side `Sent` and `Received` are seen from; an observer sits in the client's seat."""
    extension_methods: frozenset[str] | Literal["*"] = frozenset()
    """Methods beyond the protocol's that the receiving host handles; ``*``: all (EXT-02)."""
    phase: Phase = "new"
    protocol_version: int | None = None
    client_capabilities: ClientCapabilities | None = None
    """What the client advertised (INIT-05); None: no ``initialize`` was seen."""
    client_info: Implementation | None = None
    agent_capabilities: AgentCapabilities | None = None
    """What the agent advertised; None: it was not told."""
    agent_info: Implementation | None = None
    auth_methods: tuple[AuthMethod, ...] = ()
    authentication: Authentication = Authentication()
    sessions: Map[str, Session] = field(default=Map())
    """The sessions by id, in the order they were first heard of; none waits for another (TL-07)."""
    catalogue: Map[str, SessionInfo] = field(default=Map())
    """The sessions that ``session/list`` told of, kept apart from those that are open (INFO-01)."""
    elicitations: Map[RequestKey, Elicitation] = field(default=Map())
    """The questions to the user that wait for an answer, oldest first."""
    awaited_urls: Map[str, Elicitation] = field(default=Map())
    """URLs that the user went to, by elicitation id, until their completion is told (ELIC-04)."""
    client_requests: PendingRequests = field(default=Map())
    """Requests of the client that the agent has yet to answer, oldest first."""
    agent_requests: PendingRequests = field(default=Map())
    """Requests of the agent that the client has yet to answer, oldest first."""
    settled_by_client: SettledRequests = field(default=Map())
    """Requests of the agent that were answered here and whose answer was not seen yet."""
    settled_by_agent: SettledRequests = field(default=Map())
    """Requests of the client that were settled here and whose answer was not seen yet."""
    mcp_over_acp: bool = False
    """Whether the client offered an MCP server of type ``acp``, and so handles ``mcp/message``."""
    next_request_id: int = 0
    """The id of our next own request (RPC-10)."""

    def with_session(self, session: Session) -> Connection:
        """The connection with a session, in its place or at the end."""
        sessions = self.sessions.set(session.session_id, session)
        return self if sessions is self.sessions else with_sessions(self, sessions)

    def requests_of(self, sender: Sender) -> PendingRequests:
        """The requests of one side that the other has yet to answer."""
        return self.client_requests if sender == "client" else self.agent_requests

    def with_requests(self, sender: Sender, requests: PendingRequests) -> Connection:
        """The connection with other pending requests of one side."""
        if sender == "client":
            return _with_client_requests(self, requests)
        return _with_agent_requests(self, requests)

    def with_next_id(self, next_request_id: int) -> Connection:
        """The connection whose next own request has that id (RPC-10)."""
        return _with_next_id(self, next_request_id)

    def settled_by(self, answerer: Sender) -> SettledRequests:
        """The requests that one side is taken to have answered."""
        return self.settled_by_client if answerer == "client" else self.settled_by_agent

    def with_settled(self, answerer: Sender, settled: SettledRequests) -> Connection:
        """The connection with other settled requests of one side."""
        if answerer == "client":
            return evolve(self, settled_by_client=settled)
        return evolve(self, settled_by_agent=settled)

    def reopened(self) -> Connection:
        """A new connection on which the sessions of this one are known, but not attached.

        For hosts that connect again after `Disconnected`: they load or resume what they need. What
        the client can do is told anew, and till then held against nobody (INIT-05).

        Raises:
            LocalProtocolError: the connection is not closed, so that turns and requests would go on
                that nobody can end (CONN-01).
        """
        if self.phase != "closed":
            text = f"the connection is {self.phase}: reduce Disconnected() first"
            raise LocalProtocolError(text, rule="CONN-01")
        sessions = self.sessions
        for session_id, session in sessions.items():
            if session.client_capabilities is not None:
                sessions = sessions.set(session_id, evolve(session, client_capabilities=None))
        return Connection(
            side=self.side,
            extension_methods=self.extension_methods,
            sessions=sessions,
            catalogue=self.catalogue,
        )

    def descendants_of(self, session_id: str) -> Iterator[Session]:
        """The announced children of a session, theirs, and so on; parents come first."""
        waiting = [session_id]
        while waiting:
            parent = self.sessions.get(waiting.pop())
            for child_id in parent.child_ids if parent else ():
                child = self.sessions.get(child_id)
                if (
                    parent is not None
                    and child is not None
                    and child.parent_id == parent.session_id
                ):
                    yield child
                    waiting.append(child_id)

    def ancestors_of(self, session_id: str) -> Iterator[Session]:
        """The session's parent, its parent, and so on."""
        session = self.sessions.get(session_id)
        while session is not None and session.parent_id is not None:
            session = self.sessions.get(session.parent_id)
            if session is not None:
                yield session

    def cwd_of(self, session_id: str) -> str | None:
        """The session's working directory; a child's is its parent's until one is set (SUB-14)."""
        for parent, child_id in self._upwards(session_id):
            own = parent.subagents[child_id].cwd
            if own is not None:
                return own
        return self._root_of(session_id).cwd

    def additional_directories_of(self, session_id: str) -> tuple[str, ...] | None:
        """The session's further roots; a child's are its parent's until they are set (SUB-14)."""
        for parent, child_id in self._upwards(session_id):
            own = parent.subagents[child_id].additional_directories
            if own is not None:
                return own
        return self._root_of(session_id).additional_directories

    def _upwards(self, session_id: str) -> Iterator[tuple[Session, str]]:
        """Each ancestor with its child on the way, from the nearest on."""
        child_id = session_id
        for parent in self.ancestors_of(session_id):
            if child_id in parent.subagents:
                yield parent, child_id
            child_id = parent.session_id

    def _root_of(self, session_id: str) -> Session:
        root = self.sessions[session_id]
        for ancestor in self.ancestors_of(session_id):
            root = ancestor
        return root

    def __repr__(self) -> str:
        seat = {"client": "client's side", "agent": "agent's side"}.get(self.side, "observed")
        return f"<connection, {seat}: {self.phase}, {len(self.sessions)} sessions>"


with_sessions = copier(Connection, "sessions")
_with_client_requests = copier(Connection, "client_requests")
_with_agent_requests = copier(Connection, "agent_requests")
_with_next_id = copier(Connection, "next_request_id")
