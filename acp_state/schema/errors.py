"""JSON-RPC errors.

Source: protocol v1 draft, ``$defs``: Error, ErrorCode.
"""

from typing import TypeAlias

from attrs import field, frozen

from acp_state.json_values import JsonValue, freeze_raw
from acp_state.omitted import OMITTED, Omitted

ErrorCode: TypeAlias = int
"""-32700 parse, -32600 invalid request, -32601 method not found, -32602 invalid params, -32603
internal, -32800 request cancelled, -32000 authentication required, -32002 resource not found, or
any other integer (RPC-14)."""


@frozen(kw_only=True)
class Error:
    """Why a request failed."""

    code: ErrorCode
    message: str
    data: JsonValue | Omitted = field(default=OMITTED, converter=freeze_raw)
