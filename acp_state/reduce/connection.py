"""One JSON-RPC message of a connection, folded as an observer sees it (section 1).

What a message does depends on who sent it. Until the host's own side has its commands, this reads
recordings: it keeps what was asked, and folds what the answers and notifications say.
"""

from __future__ import annotations

from typing import Any, TypeAlias, cast

import attrs

from acp_state.diagnostics import diagnostic
from acp_state.intents import Diagnose, Intent
from acp_state.json_values import JsonObject
from acp_state.leniency import hold
from acp_state.methods import Sender
from acp_state.model import RequestId
from acp_state.model.connection import Connection, PendingRequest, RequestKey
from acp_state.reduce.effects import NOTIFICATIONS, REQUESTS, RESPONSES
from acp_state.reduce.sessions import ConnectionStep, read_answer

Json: TypeAlias = dict[str, Any]


def observe(connection: Connection, sender: Sender, message: object) -> ConnectionStep:
    """Fold one message, whatever JSON it is.

    Args:
        connection: what is known so far; it stays as it is.
        sender: the side that sent the message.
        message: the JSON-RPC object as the parser gave it.
    """
    if isinstance(message, list):
        return connection, (_diagnose("batch", "a batch is no ACP message; ignored", message),)
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        text = "no JSON-RPC 2.0 message; ignored"
        return connection, (_diagnose("invalid-message", text, message),)
    fields = cast("Json", message)
    method = fields.get("method")
    if "id" not in fields:
        return _on_notification(connection, sender, method, fields)
    key = request_key(fields["id"])
    if key is None:
        text = "a request id must be a string, an integer or null; ignored"
        return connection, (_diagnose("invalid-message", text, message),)
    if isinstance(method, str):
        return _on_request(connection, sender, key, fields)
    return _on_response(connection, sender, key, fields)


def request_key(request_id: object) -> RequestKey | None:
    """What a request is found by, its id with the JSON type; None: no id at all (RPC-02)."""
    if isinstance(request_id, float) and request_id.is_integer():
        request_id = int(request_id)
    if isinstance(request_id, bool) or not isinstance(request_id, (int, str, type(None))):
        return None
    return type(request_id).__name__, request_id


def _on_notification(
    connection: Connection, sender: Sender, method: object, message: Json
) -> ConnectionStep:
    if not isinstance(method, str):
        text = "neither a method nor an id; ignored"
        return connection, (_diagnose("invalid-message", text, message),)
    handler = NOTIFICATIONS.get((sender, method))
    return handler(connection, _params(message)) if handler else (connection, ())


def _on_request(
    connection: Connection, sender: Sender, key: RequestKey, message: Json
) -> ConnectionStep:
    request = _pending(key[1], message)
    handler = REQUESTS.get((sender, request.method))
    intents: tuple[Intent, ...] = ()
    if handler:
        connection, request, intents = handler(connection, request, _params(message))
    return _with_pending(connection, sender, key, request), intents


def _on_response(
    connection: Connection, sender: Sender, key: RequestKey, message: Json
) -> ConnectionStep:
    asked = connection.agent_requests if sender == "client" else connection.client_requests
    request = asked.get(key)
    if request is None:
        text = f"no request {key[1]!r} waits for a response; ignored"
        return connection, (_diagnose("unknown-response", text, message),)
    connection = _without_pending(connection, sender, key)
    answer, noticed = read_answer(message)
    handler = RESPONSES.get((sender, request.method))
    if handler is None:
        return connection, noticed
    connection, intents = handler(connection, request, answer)
    return connection, noticed + intents


def _pending(request_id: RequestId, message: Json) -> PendingRequest:
    params = _params(message)
    session_id = params.get("sessionId")
    return PendingRequest(
        request_id=request_id,
        method=message["method"],
        params=_frozen(params),
        session_id=session_id if isinstance(session_id, str) else None,
    )


def _frozen(params: Json) -> JsonObject:
    held = hold(params)
    return held if isinstance(held, JsonObject) else JsonObject({})


def _params(message: Json) -> Json:
    params = message.get("params")
    return cast("Json", params) if isinstance(params, dict) else {}


def _with_pending(
    connection: Connection, sender: Sender, key: RequestKey, request: PendingRequest
) -> Connection:
    if sender == "client":
        asked = connection.client_requests.set(key, request)
        return attrs.evolve(connection, client_requests=asked)
    return attrs.evolve(connection, agent_requests=connection.agent_requests.set(key, request))


def _without_pending(connection: Connection, sender: Sender, key: RequestKey) -> Connection:
    """The connection without the request that `sender` has answered."""
    if sender == "client":
        return attrs.evolve(connection, agent_requests=connection.agent_requests.remove(key))
    return attrs.evolve(connection, client_requests=connection.client_requests.remove(key))


def _diagnose(code: str, text: str, message: object) -> Intent:
    return Diagnose(diagnostic(code, text, raw=hold(message)))
