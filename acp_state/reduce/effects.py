"""Which message does what: a row for each method that changes the model or asks for something."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from acp_state.methods import Sender
from acp_state.model import Connection, PendingRequest, RequestKey
from acp_state.reduce.attaching import on_attached, on_load, on_resume
from acp_state.reduce.cancelling import (
    on_cancel,
    on_cancel_request_by_agent,
    on_cancel_request_by_client,
)
from acp_state.reduce.client_work import (
    WORK,
    on_terminal_created,
    on_terminal_exited,
    on_terminal_output,
    on_terminal_released,
    on_work,
)
from acp_state.reduce.closing import on_close, on_closed
from acp_state.reduce.elicitations import on_create_elicitation, on_elicitation_complete
from acp_state.reduce.initialization import (
    on_auth_status,
    on_auth_status_update,
    on_authenticated,
    on_initialize,
    on_initialized,
)
from acp_state.reduce.lifecycle import (
    on_deleted,
    on_made,
    on_unarchived,
)
from acp_state.reduce.links import Answer, ConnectionStep
from acp_state.reduce.permissions import on_request_permission
from acp_state.reduce.prompts import on_prompt, on_prompt_answered
from acp_state.reduce.routing import on_session_update
from acp_state.reduce.session_requests import (
    on_config_option_set,
    on_listed,
    on_mode_set,
    on_title_set,
)

OnNotification: TypeAlias = Callable[[Connection, dict[str, Any]], ConnectionStep]
OnRequest: TypeAlias = Callable[
    [Connection, RequestKey, PendingRequest, dict[str, Any]], ConnectionStep
]
OnResponse: TypeAlias = Callable[[Connection, PendingRequest, Answer], ConnectionStep]

NOTIFICATIONS: Final[Mapping[tuple[Sender, str], OnNotification]] = {
    ("agent", "session/update"): on_session_update,
    ("agent", "elicitation/complete"): on_elicitation_complete,
    ("agent", "auth/status_update"): on_auth_status_update,
    ("agent", "$/cancel_request"): on_cancel_request_by_agent,
    ("client", "$/cancel_request"): on_cancel_request_by_client,
    ("client", "session/cancel"): on_cancel,
}
"""By who sends it."""

REQUESTS: Final[Mapping[tuple[Sender, str], OnRequest]] = {
    ("client", "initialize"): on_initialize,
    ("client", "session/load"): on_load,
    ("client", "session/resume"): on_resume,
    ("client", "session/close"): on_close,
    ("client", "session/archive"): on_close,
    ("client", "session/prompt"): on_prompt,
    ("agent", "session/request_permission"): on_request_permission,
    ("agent", "elicitation/create"): on_create_elicitation,
    **{("agent", method): on_work for method in WORK},
}
"""By who asks; what has no row changes nothing when it is asked."""

RESPONSES: Final[Mapping[tuple[Sender, str], OnResponse]] = {
    ("agent", "initialize"): on_initialized,
    ("agent", "authenticate"): on_authenticated,
    ("agent", "auth/status"): on_auth_status,
    ("agent", "session/new"): on_made,
    ("agent", "session/fork"): on_made,
    ("agent", "session/load"): on_attached,
    ("agent", "session/resume"): on_attached,
    ("agent", "session/list"): on_listed,
    ("agent", "session/close"): on_closed,
    ("agent", "session/archive"): on_closed,
    ("agent", "session/unarchive"): on_unarchived,
    ("agent", "session/delete"): on_deleted,
    ("agent", "session/set_title"): on_title_set,
    ("agent", "session/set_mode"): on_mode_set,
    ("agent", "session/set_config_option"): on_config_option_set,
    ("agent", "session/prompt"): on_prompt_answered,
    ("client", "terminal/create"): on_terminal_created,
    ("client", "terminal/output"): on_terminal_output,
    ("client", "terminal/wait_for_exit"): on_terminal_exited,
    ("client", "terminal/release"): on_terminal_released,
}
"""By who answers; what has no row changes nothing when it is answered."""
