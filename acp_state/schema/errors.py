"""What JSON-RPC brings along: request ids and errors.

Source: protocol v1 draft, ``$defs``: RequestId, Error, ErrorCode.
"""

from typing import Final, TypeAlias

from attrs import field

from acp_state.json_values import JsonValue, freeze_raw
from acp_state.omitted import OMITTED, Omitted
from acp_state.records import frozen

RequestId: TypeAlias = int | str | None
"""A JSON-RPC id; ``1`` and ``"1"`` are two, and null is one (RPC-02)."""

ErrorCode: TypeAlias = int
"""-32700 parse, -32600 invalid request, -32601 method not found, -32602 invalid params, -32603
internal, -32800 request cancelled, -32000 authentication required, -32002 resource not found, or
any other integer (RPC-14)."""


PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
METHOD_NOT_FOUND: Final = -32601
INVALID_PARAMS: Final = -32602
INTERNAL_ERROR: Final = -32603
REQUEST_CANCELLED: Final = -32800
AUTH_REQUIRED: Final = -32000
RESOURCE_NOT_FOUND: Final = -32002


@frozen(kw_only=True)
class Error:
    """Why a request failed."""

    code: ErrorCode
    message: str
    data: JsonValue | Omitted = field(default=OMITTED, converter=freeze_raw)
