"""Questions that an agent asks the user (ELIC)."""

from __future__ import annotations

from typing import Literal

from acp_state.json_values import JsonObject
from acp_state.model.copying import Versioned
from acp_state.records import frozen
from acp_state.schema import RequestId


@frozen(kw_only=True)
class Elicitation(Versioned):
    """A form to fill in or a URL to visit, that waits for an answer (ELIC-01)."""

    request_id: RequestId
    mode: Literal["form", "url"]
    message: str
    session_id: str | None = None
    """The session that it belongs to; None: it belongs to a request of the client's."""
    tool_call_id: str | None = None
    """A link to a tool call; it creates none (ELIC-05)."""
    scope_request_id: RequestId = None
    """The request of the client's that it belongs to, where `session_id` is None."""
    requested_schema: JsonObject | None = None
    """The form's JSON schema."""
    url: str | None = None
    elicitation_id: str | None = None
    """The id under which the completion of a URL is reported (ELIC-04)."""
    turn: int | None = None
    """The turn in which it came: an index into the session's `turns`."""
