"""Which message does what: a row for each method that changes the model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from acp_state.methods import Sender
from acp_state.model.connection import Connection, PendingRequest
from acp_state.reduce.permissions import on_request_permission
from acp_state.reduce.prompts import on_cancel, on_prompt, on_prompt_answered
from acp_state.reduce.routing import on_session_update
from acp_state.reduce.sessions import Answer, ConnectionStep, RequestStep
from acp_state.reduce.set_requests import on_config_option_set, on_mode_set
from acp_state.reduce.setup import on_attach, on_attached, on_initialize, on_made
from acp_state.reduce.terminals import (
    on_terminal_created,
    on_terminal_exited,
    on_terminal_output,
    on_terminal_released,
)

OnNotification: TypeAlias = Callable[[Connection, dict[str, Any]], ConnectionStep]
OnRequest: TypeAlias = Callable[[Connection, PendingRequest, dict[str, Any]], RequestStep]
OnResponse: TypeAlias = Callable[[Connection, PendingRequest, Answer], ConnectionStep]

NOTIFICATIONS: Final[Mapping[tuple[Sender, str], OnNotification]] = {
    ("agent", "session/update"): on_session_update,
    ("client", "session/cancel"): on_cancel,
}

REQUESTS: Final[Mapping[tuple[Sender, str], OnRequest]] = {
    ("client", "initialize"): on_initialize,
    ("client", "session/load"): on_attach,
    ("client", "session/resume"): on_attach,
    ("client", "session/prompt"): on_prompt,
    ("agent", "session/request_permission"): on_request_permission,
}

RESPONSES: Final[Mapping[tuple[Sender, str], OnResponse]] = {
    ("agent", "session/new"): on_made,
    ("agent", "session/fork"): on_made,
    ("agent", "session/load"): on_attached,
    ("agent", "session/resume"): on_attached,
    ("agent", "session/prompt"): on_prompt_answered,
    ("agent", "session/set_mode"): on_mode_set,
    ("agent", "session/set_config_option"): on_config_option_set,
    ("client", "terminal/create"): on_terminal_created,
    ("client", "terminal/output"): on_terminal_output,
    ("client", "terminal/wait_for_exit"): on_terminal_exited,
    ("client", "terminal/release"): on_terminal_released,
}
"""By who answers, and what was asked."""
