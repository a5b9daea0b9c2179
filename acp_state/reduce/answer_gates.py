"""What may be answered now, and how; a breach is refused, and changes nothing."""

from __future__ import annotations

from typing import Any, get_args

from acp_state import events
from acp_state.json_values import JsonObject, thaw
from acp_state.leniency import decode
from acp_state.methods import METHODS, Sender
from acp_state.model import Connection, Permission, RequestKey
from acp_state.reading import Malformed, seen
from acp_state.reduce.answers import ACTIONS, ELICITATION, PERMISSION
from acp_state.reduce.forms import form_fault
from acp_state.reduce.gates import refuse
from acp_state.reduce.links import request_key
from acp_state.reduce.settling import find_permission
from acp_state.schema import StopReason


def answer_permission(connection: Connection, command: events.AnswerPermission) -> None:
    """A pending permission request, and one of its options (PERM-04)."""
    permission = _pending_permission(connection, command.request_id)
    offered = [option.option_id for option in permission.options]
    if command.option_id is not None and command.option_id not in offered:
        text = f"option {command.option_id!r} was not offered; there are: {offered}"
        refuse(text, "PERM-04")


def answer_elicitation(connection: Connection, command: events.AnswerElicitation) -> None:
    """A pending question; content only with ``accept``, and only for a form (ELIC-03)."""
    key = _pending(connection, command.request_id, ELICITATION, "ELIC-03")
    asked = connection.elicitations[key]
    if command.action not in ACTIONS:
        text = f"{command.action!r} is no answer; there are: {', '.join(ACTIONS)}"
        refuse(text, "ELIC-03")
    if command.action != "accept" or asked.mode == "url":
        if isinstance(command.content, JsonObject):
            refuse("content goes with accept, and with a form alone", "ELIC-03")
        return
    fault = form_fault(command.content or JsonObject({}), asked.requested_schema or JsonObject({}))
    if fault is not None:
        refuse(f"the content is not what the form asks for: {fault}", "ELIC-03")


def respond(connection: Connection, command: Any) -> None:
    """A pending request of the peer's, answered once (RPC-04); a child's too (SUB-09)."""
    theirs: Sender = "client" if connection.side == "agent" else "agent"
    key = request_key(command.request_id)
    if key is not None and _is_abandoned(connection, key):
        return
    if key is None or key not in connection.requests_of(theirs):
        text = f"no request {seen(command.request_id)} of the {theirs} waits for an answer"
        refuse(text, "RPC-04")
    asked = connection.requests_of(theirs)[key].method
    if isinstance(command, events.Respond) and asked in (PERMISSION, ELICITATION):
        refuse(f"{asked} is answered with its own command", "PERM-04")
    if isinstance(command, events.Respond):
        _require_result(asked, thaw(command.result))


def _require_result(method: str, result: object) -> None:
    """What the peer could not read would count as an error there (RPC-01, LENIENT-05)."""
    row = METHODS.get(method)
    if row is None or row.result is None:
        return
    try:
        decode({} if result is None else result, row.result)
    except Malformed as malformed:
        refuse(f"this is no result of {method}: {malformed}", "RPC-01")


def _is_abandoned(connection: Connection, key: RequestKey) -> bool:
    """Whether a prompt of a session that is closed is still to be answered (RPC-04, SESS-06)."""
    settled = connection.settled_by_agent.get(key)
    return connection.side == "agent" and settled is not None and settled.any_answer


def end_turn(connection: Connection, command: events.EndTurn) -> None:
    """A prompt that is not answered yet (TURN-05)."""
    key = request_key(command.request_id)
    request = None if key is None else connection.client_requests.get(key)
    waits = request is not None and request.method == "session/prompt"
    if key is None or not (waits or _is_abandoned(connection, key)):
        refuse(f"no prompt {seen(command.request_id)} waits for an answer", "TURN-05")
    if command.stop_reason not in get_args(StopReason):
        text = f"{command.stop_reason!r} is no stop reason; there are: {get_args(StopReason)}"
        refuse(text, "TURN-05")


def _pending(
    connection: Connection, request_id: int | str | None, method: str, rule: str
) -> RequestKey:
    key = request_key(request_id)
    request = None if key is None else connection.agent_requests.get(key)
    if key is None or request is None or request.method != method:
        refuse(f"no {method} {seen(request_id)} waits for an answer", rule)
    return key


def _pending_permission(connection: Connection, request_id: int | str | None) -> Permission:
    key = _pending(connection, request_id, PERMISSION, "PERM-04")
    found = find_permission(connection, connection.agent_requests[key])
    if found is None:
        refuse(f"permission request {seen(request_id)} is answered", "PERM-04")
    return found[1]
