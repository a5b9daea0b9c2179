"""Questions that an agent asks the user (ELIC)."""

from __future__ import annotations

from typing import Any, Final, Literal

from acp_state.diagnostics import diagnostic
from acp_state.intents import AskElicitation, Diagnose, ElicitationCompleted, Intent
from acp_state.json_values import JsonObject
from acp_state.leniency import hold
from acp_state.model import Connection, Elicitation, PendingRequest, RequestKey, Session
from acp_state.model.copying import evolve
from acp_state.reduce.answers import ELICITATION
from acp_state.reduce.capabilities import advertises
from acp_state.reduce.form_schemas import schema_fault
from acp_state.reduce.links import (
    ConnectionStep,
    not_found,
    request_key,
    tell,
    text_of,
)
from acp_state.reduce.settling import (
    CANCELLED_ANSWERS,
    is_moot,
    refuse,
    refuse_params,
    settle,
)
from acp_state.reduce.step import current_turn_index
from acp_state.schema import Error, RequestId
from acp_state.schema.errors import INVALID_PARAMS

_MISSING: Final = object()
"""Stands for a request id that is not there; null is one."""


def on_create_elicitation(
    connection: Connection, key: RequestKey, request: PendingRequest, params: dict[str, Any]
) -> ConnectionStep:
    """Keep the question, and ask (ELIC-01, ELIC-02)."""
    problem = _problem(connection, params)
    if isinstance(problem, str):
        return refuse_params(connection, key, request, problem)
    if problem is not None:
        return refuse(connection, key, request, problem)
    session_id = text_of(params, "sessionId")
    session = None if session_id is None else connection.sessions[session_id]
    asked = _elicitation(request, params, session)
    elicitations = connection.elicitations.set(key, asked)
    connection = evolve(connection, elicitations=elicitations)
    noticed = (*_two_scopes(params, session_id), *_odd_link(params, session_id))
    if session is not None and is_moot(connection, session):
        connection, told = settle(connection, key, request, CANCELLED_ANSWERS[ELICITATION])
        return connection, noticed + told
    return connection, noticed + tell(connection, "client", lambda: AskElicitation(asked))


def on_elicitation_complete(connection: Connection, params: dict[str, Any]) -> ConnectionStep:
    """What the user went to a URL for is done; an unknown one is ignored (ELIC-04)."""
    elicitation_id = text_of(params, "elicitationId")
    asked = None if elicitation_id is None else connection.awaited_urls.get(elicitation_id)
    if asked is None or elicitation_id is None:
        return connection, ()
    awaited = connection.awaited_urls.remove(elicitation_id)
    connection = evolve(connection, awaited_urls=awaited)
    return connection, tell(connection, "client", lambda: ElicitationCompleted(asked))


def elicitations_for(connection: Connection, request_id: RequestId) -> list[RequestKey]:
    """The questions that belong to a request of the client's (ELIC-05)."""
    if not connection.elicitations:
        return []
    wanted = request_key(request_id)
    return [
        key
        for key, asked in connection.elicitations.items()
        if asked.session_id is None and request_key(asked.scope_request_id) == wanted
    ]


def _problem(connection: Connection, params: dict[str, Any]) -> Error | str | None:
    """Why the question is refused, if it is; a text: its parameters are malformed."""
    mode, session_id = text_of(params, "mode"), text_of(params, "sessionId")
    if text_of(params, "message") is None:
        return "'message' must be a string"
    fault = _mode_fault(mode, params)
    if fault is not None:
        return fault
    if not advertises(connection.client_capabilities, f"elicitation.{mode}"):
        return Error(code=INVALID_PARAMS, message=f"elicitation mode {mode!r} is not supported")
    if session_id is None and request_key(params.get("requestId", _MISSING)) is None:
        return "'sessionId' or 'requestId' is missing or malformed"
    if session_id is not None and session_id not in connection.sessions:
        return not_found("session", sessionId=session_id)
    return None


def _mode_fault(mode: str | None, params: dict[str, Any]) -> str | None:
    """What of that which the mode needs is missing or malformed; None: nothing."""
    if mode == "form":
        fault = _schema_fault(params.get("requestedSchema"))
        return None if fault is None else f"'requestedSchema': {fault}"
    needed = (text_of(params, "url"), text_of(params, "elicitationId"))
    if mode != "url" or None in needed:
        return "'mode' is not known, or 'url' or 'elicitationId' is missing or malformed"
    return None


def _schema_fault(json: object) -> str | None:
    if not isinstance(json, dict):
        return "must be an object"
    schema = hold(json)
    if not isinstance(schema, JsonObject):
        return "is no JSON, or nested too deeply"
    return schema_fault(schema)


def _elicitation(
    request: PendingRequest, params: dict[str, Any], session: Session | None
) -> Elicitation:
    mode: Literal["form", "url"] = "url" if params["mode"] == "url" else "form"
    schema = hold(params.get("requestedSchema"))
    scope = request_key(params.get("requestId")) if session is None else None
    return Elicitation(
        request_id=request.request_id,
        mode=mode,
        message=params["message"],
        session_id=None if session is None else session.session_id,
        tool_call_id=None if session is None else text_of(params, "toolCallId"),
        scope_request_id=scope[1] if scope else None,
        requested_schema=schema if isinstance(schema, JsonObject) else None,
        url=text_of(params, "url") if mode == "url" else None,
        elicitation_id=text_of(params, "elicitationId") if mode == "url" else None,
        turn=None if session is None else current_turn_index(session),
    )


def _odd_link(params: dict[str, Any], session_id: str | None) -> tuple[Intent, ...]:
    """A malformed link to a tool call counts as none (ELIC-01, LENIENT-02)."""
    link = params.get("toolCallId")
    if session_id is None or link is None or isinstance(link, str):
        return ()
    text = "'toolCallId' must be a string; ignored"
    odd = diagnostic(
        "field-defaulted", text, session_id=session_id, path="toolCallId", raw=hold(link)
    )
    return (Diagnose(odd),)


def _two_scopes(params: dict[str, Any], session_id: str | None) -> tuple[Intent, ...]:
    if session_id is None or params.get("requestId") is None:
        return ()
    text = "both 'sessionId' and 'requestId'; the session counts"
    return (Diagnose(diagnostic("elicitation-scope", text, session_id=session_id)),)
