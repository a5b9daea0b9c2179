"""One JSON-RPC message of a connection: what it is, and whose (RPC).

What a message does to the model depends on who sent it, never on whose side we are. A refusal that
only its receiver can give, who knows what it handles, is a message like any other: it is folded
where it is sent, and elsewhere when it is seen.
"""

from __future__ import annotations

from typing import Any, Final, cast

from acp_state.diagnostics import diagnostic
from acp_state.host_values import require_json
from acp_state.intents import Diagnose, HandleExtension, HandleRequest, Intent, Send
from acp_state.json_values import JsonObject, JsonValue
from acp_state.leniency import hold, hold_parts
from acp_state.methods import METHODS, Sender
from acp_state.model import Connection, PendingRequest, RequestKey, SettledRequest
from acp_state.model.connection import asked
from acp_state.model.copying import evolve
from acp_state.reading import seen
from acp_state.reduce.cancelling import cancel_requests
from acp_state.reduce.effects import NOTIFICATIONS, REQUESTS, RESPONSES
from acp_state.reduce.elicitations import elicitations_for
from acp_state.reduce.initialization import refused_version, require
from acp_state.reduce.links import (
    MCP_MESSAGE,
    Answer,
    ConnectionStep,
    read_answer,
    read_result,
    reply,
    request_key,
    response,
    tell,
    text_of,
    told_faults,
)
from acp_state.reduce.settling import on_answered_by_client, refuse, tell_asker
from acp_state.schema import Error, NewSessionResponse
from acp_state.schema.errors import (
    AUTH_REQUIRED,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    REQUEST_CANCELLED,
)

OTHER: Final[dict[Sender, Sender]] = {"client": "agent", "agent": "client"}


def fold_message(connection: Connection, sender: Sender, message: object) -> ConnectionStep:
    """Fold one message, whatever JSON it is: in the order of receipt, one by one (RPC-08, RPC-09).

    Args:
        connection: what is known so far; it stays as it is.
        sender: the side that sent the message.
        message: the JSON-RPC object as the parser gave it.

    Raises:
        LocalProtocolError: the message is a thing that no JSON parser gives.
    """
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        return _on_no_message(connection, sender, message)
    fields = cast("dict[str, Any]", message)
    method = fields.get("method")
    if "id" not in fields:
        return _on_notification(connection, sender, method, fields)
    key = request_key(fields["id"])
    if key is None:
        text = "a request id must be a string, an integer of 64 bits or null; ignored"
        return connection, (_diagnose("invalid-message", text, message),)
    if isinstance(method, str):
        return _on_request(connection, sender, key, fields)
    return _on_response(connection, sender, key, fields)


def _on_no_message(connection: Connection, sender: Sender, json: object) -> ConnectionStep:
    """A batch is answered, once (RPC-01)."""
    require_json(json, "JSON-RPC message", "RPC-01")
    if isinstance(json, list):
        refusal = Answer(error=Error(code=INVALID_REQUEST, message="batches are not supported"))
        noticed = _diagnose("batch", "a batch is no ACP message; ignored", json)
        return connection, (noticed, *reply(connection, OTHER[sender], None, refusal))
    if isinstance(json, dict):
        text = f"'jsonrpc' must be '2.0', not {seen(json.get('jsonrpc'))}; ignored"
    else:
        text = f"a message must be an object, not {seen(json)}; ignored"
    return connection, (_diagnose("invalid-message", text, json),)


def _on_notification(
    connection: Connection, sender: Sender, method: object, message: dict[str, Any]
) -> ConnectionStep:
    """What is not known is passed over, and diagnosed but for ``$/`` (RPC-06)."""
    if not isinstance(method, str):
        text = "neither a method nor an id; ignored"
        return connection, (_diagnose("invalid-message", text, message),)
    early = _before_initialize(connection, method)
    params = _params(message)
    handler = NOTIFICATIONS.get((sender, method))
    if handler is not None:
        connection, intents = handler(connection, params)
        return connection, early + intents
    if _is_extension(connection, method):
        held = hold_parts(params)
        told = tell(
            connection, OTHER[sender], lambda: HandleExtension(method=method, params=held.value)
        )
        return connection, (*early, *told_faults(held), *told)
    if method.startswith("$/"):
        return connection, early
    text = f"notification {method!r} of the {sender} is not known; ignored"
    return connection, (*early, _diagnose("unknown-notification", text, message))


def _on_request(
    connection: Connection, sender: Sender, key: RequestKey, message: dict[str, Any]
) -> ConnectionStep:
    """The first of two with one id stays, and the second is not answered (RPC-11)."""
    pending, params = connection.requests_of(sender), _params(message)
    held = hold_parts(params)
    request = asked(key[1], message["method"], held.value, text_of(params, "sessionId"))
    if key in pending:
        text = f"a second request {seen(key[1])} while the first is pending; ignored"
        return connection, (_diagnose("duplicate-request-id", text, message),)
    early = _before_initialize(connection, request.method) + told_faults(held, request.session_id)
    connection = connection.with_requests(sender, pending.set(key, request))
    if sender == "client" and request.method in METHODS:
        connection = _note_mcp(connection, params)
    connection = _forget_settled(_count_id(connection, sender, key), OTHER[sender], key)
    intents: tuple[Intent, ...] = ()
    if not _is_known(connection, sender, request.method):
        connection, intents = _on_unknown(connection, sender, key, request)
        return connection, early + intents
    handler = REQUESTS.get((sender, request.method))
    if handler is not None:
        connection, intents = handler(connection, key, request, params)
    return connection, (*early, *intents, *_to_host(connection, sender, request))


def _on_response(
    connection: Connection, sender: Sender, key: RequestKey, message: dict[str, Any]
) -> ConnectionStep:
    if message.get("method") is not None:
        text = "a method must be a string; ignored"
        return connection, (_diagnose("invalid-message", text, message),)
    pending = connection.requests_of(OTHER[sender])
    request = pending.get(key)
    answer, noticed = read_answer(message)
    if request is None:
        return _on_unasked(connection, sender, key, answer, message)
    connection = connection.with_requests(OTHER[sender], pending.remove(key))
    answer, misread = read_result(answer, request.method, request.session_id)
    noticed += misread
    refused = answer.error is not None and answer.error.code == AUTH_REQUIRED
    if refused and sender == "agent":
        connection = require(connection, needed=True)
    handler = RESPONSES.get((sender, request.method))
    intents: tuple[Intent, ...] = ()
    if handler is not None:
        connection, intents = handler(connection, request, answer)
    elif sender == "client":
        connection, intents = on_answered_by_client(connection, key, request, answer)
    if sender == "client":
        return connection, noticed + intents
    orphans = elicitations_for(connection, request.request_id)
    settled: tuple[Intent, ...] = ()
    if orphans:
        connection, settled = cancel_requests(connection, orphans)
    return connection, (*noticed, *intents, *settled, *_tell_client(connection, request, answer))


def _on_unasked(
    connection: Connection,
    sender: Sender,
    key: RequestKey,
    answer: Answer,
    message: dict[str, Any],
) -> ConnectionStep:
    """An answer that fulfils one that was given here is no second one (RPC-03)."""
    settled = connection.settled_by(sender).get(key)
    connection = _forget_settled(connection, sender, key)
    if settled is not None and _fulfils(answer, settled):
        return connection, ()
    text = f"no request {seen(key[1])} waits for a response of the {sender}; ignored"
    return connection, (_diagnose("unknown-response", text, message),)


def _fulfils(answer: Answer, settled: SettledRequest) -> bool:
    """Whether the answer is the one that was given here: same result, or same error code."""
    if settled.any_answer:
        return True
    if answer.error is not None:
        code = answer.error.code
        return code == settled.error_code or (settled.cancelled and code == REQUEST_CANCELLED)
    return settled.error_code is None and settled.result == _bare(hold(answer.result))


def _bare(result: JsonValue) -> Any:
    """The result without its metadata, which says nothing of what was answered."""
    if not isinstance(result, JsonObject):
        return result
    return {key: _bare(value) for key, value in result.items() if key != "_meta"}


def _on_unknown(
    connection: Connection, sender: Sender, key: RequestKey, request: PendingRequest
) -> ConnectionStep:
    """An unknown request is refused by its receiver; others wait for what that answers (RPC-05)."""
    error = Error(code=METHOD_NOT_FOUND, message=f"Method not found: {request.method}")
    if sender == "agent":
        return refuse(connection, key, request, error)
    if connection.side != "agent":
        return connection, ()
    refused = response(request.request_id, Answer(error=error))
    connection, intents = fold_message(connection, "agent", refused)
    settled = connection.settled_by_agent.set(key, SettledRequest(error_code=error.code))
    connection = evolve(connection, settled_by_agent=settled)
    return connection, (*tell(connection, "agent", lambda: Send(refused)), *intents)


def _is_known(connection: Connection, sender: Sender, method: str) -> bool:
    row = METHODS.get(method)
    known = row is not None and row.kind == "request" and sender in row.senders
    return known or _is_extension(connection, method)


def _is_extension(connection: Connection, method: str) -> bool:
    """Whether the receiving host handles the method (EXT-02)."""
    if method == MCP_MESSAGE and connection.mcp_over_acp:
        return True
    handled = connection.extension_methods
    return method not in METHODS and (handled == "*" or method in handled)


def _note_mcp(connection: Connection, params: dict[str, Any]) -> Connection:
    """Whether an MCP server is offered that is reached over this connection (SESS-01)."""
    servers = params.get("mcpServers")
    offered = isinstance(servers, list) and any(
        isinstance(server, dict) and server.get("type") == "acp" for server in servers
    )
    if not offered or connection.mcp_over_acp:
        return connection
    return evolve(connection, mcp_over_acp=True)


def _to_host(connection: Connection, sender: Sender, request: PendingRequest) -> tuple[Intent, ...]:
    """Requests that the receiving host itself carries out."""
    if request.method not in METHODS:
        return tell(
            connection,
            OTHER[sender],
            lambda: HandleExtension(
                request_id=request.request_id,
                method=request.method,
                params=request.params,
                is_request=True,
            ),
        )
    if sender == "agent":
        return ()
    return tell(
        connection,
        "agent",
        lambda: HandleRequest(
            request_id=request.request_id, method=request.method, params=request.params
        ),
    )


def _tell_client(
    connection: Connection, request: PendingRequest, answer: Answer
) -> tuple[Intent, ...]:
    """The client's host awaits the answer to its request; that to a prompt is the turn's end."""
    if request.method == "session/prompt":
        return ()
    refused = refused_version(connection) if request.method == "initialize" else None
    if refused is not None:
        answer = evolve(answer, error=refused)
    made = answer.value.session_id if isinstance(answer.value, NewSessionResponse) else None
    return tell_asker(
        connection, "client", request, answer, request.session_id if made is None else made
    )


def _before_initialize(connection: Connection, method: str) -> tuple[Intent, ...]:
    """Nothing is to be said before ``initialize`` was answered (INIT-01, 15.6)."""
    if connection.phase != "initializing":
        return ()
    text = f"{method} before initialize was answered; folded"
    return (Diagnose(diagnostic("before-initialize", text)),)


def _count_id(connection: Connection, sender: Sender, key: RequestKey) -> Connection:
    """Our own ids are never used again (RPC-10)."""
    used, ours = key[1], "agent" if connection.side == "agent" else "client"
    if sender != ours or not isinstance(used, int) or used < connection.next_request_id:
        return connection
    if request_key(used + 1) is None:
        return connection
    return connection.with_next_id(used + 1)


def _forget_settled(connection: Connection, answerer: Sender, key: RequestKey) -> Connection:
    settled = connection.settled_by(answerer)
    return connection.with_settled(answerer, settled.remove(key)) if key in settled else connection


def _params(message: dict[str, Any]) -> dict[str, Any]:
    params = message.get("params")
    return cast("dict[str, Any]", params) if isinstance(params, dict) else {}


def _diagnose(code: str, text: str, message: object) -> Diagnose:
    return Diagnose(diagnostic(code, text, raw=hold(message)))
