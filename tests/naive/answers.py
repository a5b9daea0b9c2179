"""Requests, and who owes whom an answer (RPC-02 to RPC-04, INV-02)."""

from __future__ import annotations

from naive.reading import ERROR, Bad
from naive.state import find_request

INVALID, NOT_FOUND, BAD_PARAMS, NO_METHOD, CANCELLED, NO_RESOURCE = (
    -32600, None, -32602, -32601, -32800, -32002,
)  # fmt: skip


def answer(connection, side, request_id, *, result=None, code=None, withdrawn=False):
    """One side's answer to a request, given at once: it is sent if that side is ours (RPC-04).

    Whoever only looks on sees the answer later, which is no second one (RPC-03).
    """
    asker = "agent" if side == "client" else "client"
    asked = connection["pending"][asker]
    request = find_request(asked, request_id)
    if request is not None:
        asked.remove(request)
    settle(connection, side, request_id, result=result, code=code, cancelled=withdrawn)
    if connection["side"] == side:
        connection["answers"].append(
            {"id": request_id, **({"result": result} if code is None else {"code": code})}
        )


def refuse(connection, request, code):
    """The client refuses; whoever only looks on waits for the answer (RPC-05)."""
    if code == BAD_PARAMS:
        connection["diagnostics"].append("invalid-message")
    if connection["side"] == "client":
        answer(connection, "client", request["id"], code=code)


def settle(connection, side, request_id, *, result=None, code=None, cancelled=False, absorb=False):
    """Remember what was answered, or that whatever comes is absorbed (RPC-03)."""
    settled = connection["settled"][side]
    old = find_request(settled, request_id)
    if old is not None:
        settled.remove(old)
    settled.append(
        {"id": request_id, "result": result, "code": code, "cancelled": cancelled, "absorb": absorb}
    )


def fulfils(settled, message):
    """Whether an answer in the log is the one that was given already (RPC-03, CANCEL-10)."""
    if settled["absorb"]:
        return True
    error = message.get("error")
    if error is not None:
        try:
            code = ERROR(error, [])["code"]
        except Bad:
            return False
        return code == settled["code"] or (settled["cancelled"] and code == CANCELLED)
    return settled["code"] is None and message.get("result") == settled["result"]
