"""Initialisation and authentication (INIT, AUTH, 15.6)."""

from __future__ import annotations

from typing import Any

from acp_state.diagnostics import diagnostic
from acp_state.intents import Diagnose, Intent
from acp_state.leniency import Decoded, decode, hold
from acp_state.model import Authentication, Connection, PendingRequest, RequestKey
from acp_state.model.connection import PROTOCOL_VERSIONS
from acp_state.model.copying import evolve
from acp_state.omitted import or_none
from acp_state.reading import Malformed
from acp_state.reduce.links import Answer, ConnectionStep, told_faults
from acp_state.schema import (
    AgentCapabilities,
    AuthStatusResponse,
    ClientCapabilities,
    Error,
    InitializeRequest,
    InitializeResponse,
)
from acp_state.schema.errors import INVALID_REQUEST
from acp_state.transitions import CONNECTION_PHASES, ConnectionEvent


def move(connection: Connection, event: ConnectionEvent) -> Connection:
    """The connection after an event of its life (15.6)."""
    phase = CONNECTION_PHASES.get((connection.phase, event), connection.phase)
    return connection if phase == connection.phase else evolve(connection, phase=phase)


def on_initialize(
    connection: Connection, _: RequestKey, __: PendingRequest, params: dict[str, Any]
) -> ConnectionStep:
    """Remember what the client advertises; it gates what the agent may send (INIT-05)."""
    if (connection.phase, "initialize sent") not in CONNECTION_PHASES:
        return connection, ()
    told, noticed = _read_initialize(params)
    connection = evolve(
        connection,
        protocol_version=None,
        client_capabilities=or_none(told.value.client_capabilities) or ClientCapabilities(),
        client_info=or_none(told.value.client_info),
    )
    known = connection.client_capabilities
    for session in connection.sessions.values():  # those of before are gated by it as well
        connection = connection.with_session(evolve(session, client_capabilities=known))
    return move(connection, "initialize sent"), noticed


def _read_initialize(
    params: dict[str, Any],
) -> tuple[Decoded[InitializeRequest], tuple[Intent, ...]]:
    """What the client said; a malformed version spoils all of it (LENIENT-05)."""
    try:
        told = decode({"protocolVersion": 0, **params}, InitializeRequest)
    except Malformed as malformed:
        text = f"initialize: {malformed}"
        odd = diagnostic("invalid-message", text, rule="RPC-05", raw=hold(params))
        return Decoded(InitializeRequest(protocol_version=0)), (Diagnose(odd),)
    return told, told_faults(told)


def on_initialized(connection: Connection, _: PendingRequest, answer: Answer) -> ConnectionStep:
    """Remember what the agent can do (15.6)."""
    if connection.phase != "initializing":
        return connection, ()
    if answer.error is not None:
        return move(connection, "failed"), ()
    told: InitializeResponse = answer.value
    supported = told.protocol_version in PROTOCOL_VERSIONS
    connection = evolve(
        connection,
        protocol_version=told.protocol_version,
        agent_capabilities=or_none(told.agent_capabilities) or AgentCapabilities(),
        agent_info=or_none(told.agent_info),
        auth_methods=or_none(told.auth_methods) or (),
    )
    return move(connection, "initialized" if supported else "unsupported version"), ()


def refused_version(connection: Connection) -> Error | None:
    """Why the connection failed although ``initialize`` was answered with a result (INIT-03)."""
    version = connection.protocol_version
    if connection.phase != "failed" or version is None or version in PROTOCOL_VERSIONS:
        return None
    text = f"the agent speaks protocol version {version}, which is not supported: disconnect"
    return Error(code=INVALID_REQUEST, message=text)


def on_authenticated(connection: Connection, _: PendingRequest, answer: Answer) -> ConnectionStep:
    """Success lifts the need to authenticate (AUTH-02)."""
    return (connection if answer.error else require(connection, needed=False)), ()


def on_auth_status(connection: Connection, _: PendingRequest, answer: Answer) -> ConnectionStep:
    """Who is authenticated, asked for (AUTH-03)."""
    return (connection if answer.error else _with_status(connection, answer.value)), ()


def on_auth_status_update(connection: Connection, params: dict[str, Any]) -> ConnectionStep:
    """Who is authenticated, told unasked (AUTH-03)."""
    try:
        told = decode(params, AuthStatusResponse)
    except Malformed as malformed:
        text = f"auth/status_update: {malformed}; the update is dropped"
        dropped = diagnostic("update-dropped", text, path=malformed.path, raw=hold(params))
        return connection, (Diagnose(dropped),)
    return _with_status(connection, told.value), told_faults(told)


def require(connection: Connection, *, needed: bool) -> Connection:
    """Whether a request failed for want of authentication (AUTH-02)."""
    if connection.authentication.required is needed:
        return connection
    changed = evolve(connection.authentication, required=needed)
    return evolve(connection, authentication=changed)


def _with_status(connection: Connection, told: AuthStatusResponse) -> Connection:
    status = Authentication(
        required=connection.authentication.required,
        state=told.state,
        accounts=or_none(told.accounts) or (),
    )
    return evolve(connection, authentication=status)
