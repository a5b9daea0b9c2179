"""The protocol's methods: a row for each, from which decoding, gating and the docs come.

A capability is a path into what the receiver advertised.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

from acp_state.records import frozen
from acp_state.schema import (
    AuthStatusResponse,
    CreateTerminalRequest,
    CreateTerminalResponse,
    ForkSessionResponse,
    InitializeResponse,
    KillTerminalRequest,
    ListSessionsResponse,
    LoadSessionResponse,
    NewSessionResponse,
    PromptResponse,
    ReadTextFileRequest,
    ReadTextFileResponse,
    ReleaseTerminalRequest,
    RequestPermissionRequest,
    ResumeSessionResponse,
    SessionStatusResponse,
    SetSessionConfigOptionResponse,
    SetSessionTitleResponse,
    TerminalOutputRequest,
    TerminalOutputResponse,
    WaitForTerminalExitRequest,
    WaitForTerminalExitResponse,
    WriteTextFileRequest,
)

Sender: TypeAlias = Literal["client", "agent"]
Kind: TypeAlias = Literal["request", "notification"]


@frozen
class Method:
    """A row of the table."""

    senders: frozenset[Sender]
    kind: Kind
    effect: str
    """What it does to the model, in a few words."""
    params: type | None = None
    """What its parameters are read as, where they are read whole."""
    result: type | None = None
    """What its result is read as; None: only success or failure matters."""
    capability: str | None = None
    """What the receiver must have advertised; None: nothing."""


_CLIENT: Final[frozenset[Sender]] = frozenset({"client"})
_AGENT: Final[frozenset[Sender]] = frozenset({"agent"})
_BOTH: Final = _CLIENT | _AGENT
_SESSION: Final = "session_capabilities"


def _asks_agent(effect: str, result: type | None = None, capability: str | None = None) -> Method:
    return Method(_CLIENT, "request", effect, None, result, capability)


def _asks_client(
    effect: str, params: type | None, result: type | None = None, capability: str | None = None
) -> Method:
    return Method(_AGENT, "request", effect, params, result, capability)


METHODS: Final[Mapping[str, Method]] = {
    "initialize": _asks_agent("both sides' capabilities are known", InitializeResponse),
    "authenticate": _asks_agent("authentication is not required any more"),
    "logout": _asks_agent("none; sessions may ask for authentication", None, "auth.logout"),
    "auth/status": _asks_agent(
        "state and accounts are replaced", AuthStatusResponse, "auth.status"
    ),
    "session/new": _asks_agent("a session is made", NewSessionResponse),
    "session/load": _asks_agent(
        "its history is replayed, as a transaction", LoadSessionResponse, "load_session"
    ),
    "session/resume": _asks_agent(
        "it goes on with what is held", ResumeSessionResponse, f"{_SESSION}.resume"
    ),
    "session/fork": _asks_agent(
        "a session is made, with an empty timeline", ForkSessionResponse, f"{_SESSION}.fork"
    ),
    "session/list": _asks_agent(
        "the catalogue learns a page", ListSessionsResponse, f"{_SESSION}.list"
    ),
    "session/delete": _asks_agent("it leaves the catalogue", None, f"{_SESSION}.delete"),
    "session/archive": _asks_agent("it is closed and hidden", None, f"{_SESSION}.archive"),
    "session/unarchive": _asks_agent("it is shown again", None, f"{_SESSION}.archive"),
    "session/status": _asks_agent("none", SessionStatusResponse, f"{_SESSION}.status"),
    "session/set_title": _asks_agent(
        "the title is the returned one", SetSessionTitleResponse, f"{_SESSION}.title"
    ),
    "session/close": _asks_agent(
        "its turns are cancelled; it is closed", None, f"{_SESSION}.close"
    ),
    "session/set_mode": _asks_agent("the current mode is the requested one"),
    "session/set_config_option": _asks_agent(
        "the options are replaced", SetSessionConfigOptionResponse
    ),
    "session/prompt": _asks_agent("a turn, until the response", PromptResponse),
    "session/cancel": Method(
        _CLIENT, "notification", "calls are overlaid, questions are answered as cancelled"
    ),
    "session/update": Method(_AGENT, "notification", "the update is folded"),
    "session/request_permission": _asks_client(
        "the tool call is patched; a question waits", RequestPermissionRequest
    ),
    "elicitation/create": _asks_client("a question waits", None, None, "elicitation"),
    "elicitation/complete": Method(_AGENT, "notification", "a URL is awaited no more"),
    "auth/status_update": Method(_AGENT, "notification", "state and accounts are replaced"),
    "fs/read_text_file": _asks_client(
        "work for the host", ReadTextFileRequest, ReadTextFileResponse, "fs.read_text_file"
    ),
    "fs/write_text_file": _asks_client(
        "work for the host", WriteTextFileRequest, None, "fs.write_text_file"
    ),
    "terminal/create": _asks_client(
        "the terminal is known", CreateTerminalRequest, CreateTerminalResponse, "terminal"
    ),
    "terminal/output": _asks_client(
        "its output is known", TerminalOutputRequest, TerminalOutputResponse, "terminal"
    ),
    "terminal/wait_for_exit": _asks_client(
        "its end is known", WaitForTerminalExitRequest, WaitForTerminalExitResponse, "terminal"
    ),
    "terminal/kill": _asks_client("work for the host", KillTerminalRequest, None, "terminal"),
    "terminal/release": _asks_client(
        "its id is invalid, its output stays", ReleaseTerminalRequest, None, "terminal"
    ),
    "providers/list": _asks_agent("none", None, "providers"),
    "providers/set": _asks_agent("none", None, "providers"),
    "providers/disable": _asks_agent("none", None, "providers"),
    "$/cancel_request": Method(
        _BOTH, "notification", "the request is answered as cancelled, or still awaited"
    ),
}
