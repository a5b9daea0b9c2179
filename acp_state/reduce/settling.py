"""Requests of the agent that are answered here, and answers that come over the wire (RPC-04).

A question that needs no answer any more, because its turn was cancelled or the agent took it back,
is answered by the reducer, once. The answer is remembered: when a log holds it too, that is the
same answer and no second one (RPC-03).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from acp_state.diagnostics import diagnostic
from acp_state.intents import (
    Diagnose,
    ElicitationWithdrawn,
    Intent,
    PermissionWithdrawn,
    RequestAnswered,
    RequestFailed,
    WorkWithdrawn,
)
from acp_state.leniency import hold, hold_parts
from acp_state.methods import Sender
from acp_state.model import (
    Connection,
    Elicitation,
    PendingRequest,
    Permission,
    RequestKey,
    Session,
    SettledRequest,
)
from acp_state.model.copying import evolve
from acp_state.model.session import Readiness
from acp_state.reduce.answers import (
    ELICITATION,
    PERMISSION,
    event_of,
    misread,
    selected_option,
)
from acp_state.reduce.links import (
    Answer,
    ConnectionStep,
    reply,
    request_key,
    session_of,
    tell,
    told_faults,
)
from acp_state.schema import Error
from acp_state.schema.errors import INVALID_PARAMS, REQUEST_CANCELLED
from acp_state.transitions import PERMISSION_ENDS, PermissionEvent

CANCELLED_ANSWERS: Final[Mapping[str, Answer]] = {
    PERMISSION: Answer(result={"outcome": {"outcome": "cancelled"}}),
    ELICITATION: Answer(result={"action": "cancel"}),
}
"""How a request is answered that is cancelled (CANCEL-03, CANCEL-04, CANCEL-10)."""

_ENDING: Final[frozenset[Readiness]] = frozenset({"closing", "closed", "deleted"})

_CANCELLED: Final = Answer(error=Error(code=REQUEST_CANCELLED, message="Request cancelled"))


def cancel_request_of_agent(
    connection: Connection, key: RequestKey, event: PermissionEvent = "cancelled"
) -> ConnectionStep:
    """Answer a pending request of the agent as cancelled; taken back before, it stays withdrawn.

    Source: CANCEL-10, 15.4.
    """
    request = connection.agent_requests[key]
    if request.cancel_requested:
        event = "$/cancel_request"
    answer = CANCELLED_ANSWERS.get(request.method, _CANCELLED)
    told = withdrawn(connection, key, request)
    connection, intents = settle(connection, key, request, answer, event)
    return connection, (*told, *intents)


def settle(
    connection: Connection,
    key: RequestKey,
    request: PendingRequest,
    answer: Answer,
    event: PermissionEvent = "error",
) -> ConnectionStep:
    """Answer a request of the agent here, and remember the answer (RPC-04)."""
    code = None if answer.error is None else answer.error.code
    settled = SettledRequest(
        result=hold(answer.result), error_code=code, cancelled=event == "$/cancel_request"
    )
    connection = evolve(
        connection, settled_by_client=connection.settled_by_client.set(key, settled)
    )
    if key in connection.agent_requests:
        connection = evolve(connection, agent_requests=connection.agent_requests.remove(key))
        connection = _recorded(connection, key, request, answer, event)
    replied = reply(connection, "client", request.request_id, answer)
    return connection, (*replied, *tell_agent(connection, request, answer))


def refuse(
    connection: Connection, key: RequestKey, request: PendingRequest, error: Error
) -> ConnectionStep:
    """Answer a request of the agent with an error, if it is ours to answer (RPC-05).

    Whoever else looks on waits for the answer that the client gives.
    """
    if connection.side != "client":
        return connection, ()
    return settle(connection, key, request, Answer(error=error))


def refuse_params(
    connection: Connection, key: RequestKey, request: PendingRequest, text: str
) -> ConnectionStep:
    """Likewise a request whose parameters are malformed (RPC-05)."""
    error = Error(code=INVALID_PARAMS, message=text)
    connection, intents = refuse(connection, key, request, error)
    noticed = diagnostic(
        "invalid-message",
        f"{request.method}: {text}; to be answered {INVALID_PARAMS}",
        rule="RPC-05",
        session_id=request.session_id,
        raw=request.params,
    )
    return connection, (Diagnose(noticed), *intents)


def is_moot(connection: Connection, session: Session) -> bool:
    """Whether a question needs not be asked: its turn is cancelled, or the session is not there.

    Source: CANCEL-05, PERM-07.
    """
    if session.readiness in _ENDING or session.is_cancelling:
        return True
    ancestors = connection.ancestors_of(session.session_id)
    return any(each.is_cancelling or each.readiness in _ENDING for each in ancestors)


def on_answered_by_client(
    connection: Connection, key: RequestKey, request: PendingRequest, answer: Answer
) -> ConnectionStep:
    """The client answered a question of the agent's over the wire (PERM-04, ELIC-03)."""
    found = find_permission(connection, request)
    odd = misread(request, answer, None if found is None else found[1].options)
    connection = _recorded(connection, key, request, answer, event_of(request, answer))
    return connection, odd + tell_agent(connection, request, answer)


def tell_asker(
    connection: Connection,
    side: Sender,
    request: PendingRequest,
    answer: Answer,
    session_id: str | None,
) -> tuple[Intent, ...]:
    """The host of the side that asked awaits the answer."""
    if connection.side != side:
        return ()
    about: dict[str, Any] = {
        "request_id": request.request_id,
        "method": request.method,
        "session_id": session_id,
    }
    if answer.error is not None:
        return (RequestFailed(error=answer.error, **about),)
    if not isinstance(answer.result, dict):
        return (RequestAnswered(result=hold(answer.result), **about),)
    held = hold_parts(answer.result)
    return *told_faults(held, session_id), RequestAnswered(result=held.value, **about)


def tell_agent(
    connection: Connection, request: PendingRequest, answer: Answer
) -> tuple[Intent, ...]:
    """The agent's host awaits the answer to its request."""
    return tell_asker(connection, "agent", request, answer, request.session_id)


def questions_of(connection: Connection, session_id: str) -> list[RequestKey]:
    """The permission requests and elicitations that wait in a session; work goes on (REQ-05)."""
    return [
        key
        for key, request in connection.agent_requests.items()
        if request.session_id == session_id and request.method in CANCELLED_ANSWERS
    ]


def find_permission(
    connection: Connection, request: PendingRequest
) -> tuple[int, Permission] | None:
    """Index and permission of a pending request."""
    session, key = session_of(connection, request), request_key(request.request_id)
    if session is None or key is None or key not in session.open_permissions:
        return None
    index = session.open_permissions[key]
    return index, session.permissions[index]


def _recorded(
    connection: Connection,
    key: RequestKey,
    request: PendingRequest,
    answer: Answer,
    event: PermissionEvent,
) -> Connection:
    if request.method == ELICITATION:
        return _elicitation_answered(connection, key, answer)
    found = find_permission(connection, request)
    session = session_of(connection, request)
    if found is None or session is None:
        return connection
    index, permission = found
    answered = evolve(
        permission,
        outcome=PERMISSION_ENDS[event],
        option_id=selected_option(answer),
        error=answer.error,
    )
    session = evolve(
        session,
        permissions=session.permissions.set(index, answered),
        open_permissions=session.open_permissions.remove(key),
    )
    return connection.with_session(session)


def _elicitation_answered(connection: Connection, key: RequestKey, answer: Answer) -> Connection:
    """The question is gone; a URL that was accepted awaits its completion (ELIC-04)."""
    asked = connection.elicitations.get(key)
    if asked is None:
        return connection
    connection = evolve(connection, elicitations=connection.elicitations.remove(key))
    accepted = isinstance(answer.result, dict) and answer.result.get("action") == "accept"
    if not accepted or asked.elicitation_id is None:
        return connection
    awaited = connection.awaited_urls.set(asked.elicitation_id, asked)
    return evolve(connection, awaited_urls=awaited)


def withdrawn(
    connection: Connection, key: RequestKey, request: PendingRequest
) -> tuple[Intent, ...]:
    """The client's host need not answer any more."""
    asked: Elicitation | None = connection.elicitations.get(key)
    if asked is not None:
        return tell(connection, "client", lambda: ElicitationWithdrawn(asked))
    found, session_id = find_permission(connection, request), request.session_id
    if found is not None and session_id is not None:
        gone = found[1]
        return tell(
            connection,
            "client",
            lambda: PermissionWithdrawn(session_id=session_id, permission=gone),
        )
    return tell(
        connection,
        "client",
        lambda: WorkWithdrawn(request_id=request.request_id, method=request.method),
    )
