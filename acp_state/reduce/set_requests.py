"""``session/set_mode`` and ``session/set_config_option``: nothing changes before the answer."""

from __future__ import annotations

from acp_state.model.connection import Connection, PendingRequest
from acp_state.reduce.sessions import Answer, ConnectionStep, lift, read_result, session_of
from acp_state.reduce.settings import is_reported, set_config_options, set_current_mode
from acp_state.reduce.step import diagnose
from acp_state.schema import ConfigOptionUpdate


def on_mode_set(connection: Connection, request: PendingRequest, answer: Answer) -> ConnectionStep:
    """Take the requested mode, unless the agent reported one since (MODE-03)."""
    session, mode_id = session_of(connection, request), request.params.get("modeId")
    failed = answer.error is not None or request.overtaken
    if session is None or failed or not isinstance(mode_id, str):
        return connection, ()
    if not is_reported(session, mode_id):
        text = f"mode {mode_id!r} was accepted but never reported; the current mode stays"
        return connection, (diagnose(session, "unknown-mode", text, rule="MODE-03"),)
    return lift(connection, set_current_mode(session, mode_id))


def on_config_option_set(
    connection: Connection, request: PendingRequest, answer: Answer
) -> ConnectionStep:
    """The answer carries the complete list of options (CFG-01)."""
    session = session_of(connection, request)
    if session is None or answer.error is not None:
        return connection, ()
    response, noticed = read_result(answer, ConfigOptionUpdate)
    if response is None:
        return connection, noticed
    connection, intents = lift(connection, set_config_options(session, response.config_options))
    return connection, noticed + intents
