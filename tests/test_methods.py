"""The method table (sections 18 to 20), held against the published schema."""

from __future__ import annotations

import json
from typing import get_args

import attrs
import pytest
from shared import SHARED, needs_shared

from acp_state import schema
from acp_state.methods import METHODS, Kind, Method, Sender
from acp_state.schema import AgentCapabilities, ClientCapabilities

SECTIONS_18_AND_19 = """
agent   notification  session/update
agent   request       session/request_permission
agent   request       elicitation/create
agent   notification  elicitation/complete
agent   request       fs/read_text_file
agent   request       fs/write_text_file
agent   request       terminal/create
agent   request       terminal/output
agent   request       terminal/wait_for_exit
agent   request       terminal/kill
agent   request       terminal/release
agent   notification  auth/status_update
both    notification  $/cancel_request
client  request       initialize
client  request       authenticate
client  request       logout
client  request       auth/status
client  request       session/new
client  request       session/load
client  request       session/resume
client  request       session/fork
client  request       session/list
client  request       session/delete
client  request       session/archive
client  request       session/unarchive
client  request       session/status
client  request       session/set_title
client  request       session/close
client  request       session/set_mode
client  request       session/set_config_option
client  request       session/prompt
client  notification  session/cancel
client  request       providers/list
client  request       providers/set
client  request       providers/disable
"""
"""Who sends it, what kind it is, and its name."""

ROWS = [line.split() for line in filter(None, SECTIONS_18_AND_19.splitlines())]
SENDERS = {"both": {"client", "agent"}, "client": {"client"}, "agent": {"agent"}}

GATES = {
    "fs/read_text_file": "fs.read_text_file",
    "fs/write_text_file": "fs.write_text_file",
    "terminal/create": "terminal",
    "terminal/output": "terminal",
    "terminal/wait_for_exit": "terminal",
    "terminal/kill": "terminal",
    "terminal/release": "terminal",
    "elicitation/create": "elicitation",
    "session/load": "load_session",
    "session/list": "session_capabilities.list",
    "session/delete": "session_capabilities.delete",
    "session/resume": "session_capabilities.resume",
    "session/close": "session_capabilities.close",
    "session/fork": "session_capabilities.fork",
    "session/status": "session_capabilities.status",
    "session/archive": "session_capabilities.archive",
    "session/unarchive": "session_capabilities.archive",
    "session/set_title": "session_capabilities.title",
    "logout": "auth.logout",
    "auth/status": "auth.status",
    "providers/list": "providers",
    "providers/set": "providers",
    "providers/disable": "providers",
}
"""Section 20, less what gates updates and parameters."""


@pytest.mark.parametrize(("sender", "kind", "name"), ROWS, ids=[row[2] for row in ROWS])
def test_a_method(sender, kind, name):
    """Sections 18, 19: who sends it, and whether it wants a response."""
    row = METHODS[name]
    assert (row.senders, row.kind) == (SENDERS[sender], kind)


def test_there_are_no_others():
    """Sections 18, 19: vendor methods are in no table, and neither is `mcp/message` (EXT-02)."""
    assert METHODS.keys() == {name for *_, name in ROWS}


PARAMS = {
    "session/request_permission": schema.RequestPermissionRequest,
    "fs/read_text_file": schema.ReadTextFileRequest,
    "fs/write_text_file": schema.WriteTextFileRequest,
    "terminal/create": schema.CreateTerminalRequest,
    "terminal/output": schema.TerminalOutputRequest,
    "terminal/wait_for_exit": schema.WaitForTerminalExitRequest,
    "terminal/kill": schema.KillTerminalRequest,
    "terminal/release": schema.ReleaseTerminalRequest,
}
"""What is read whole when it is asked; the others take single fields, or have variants."""

RESULTS = {
    "initialize": schema.InitializeResponse,
    "auth/status": schema.AuthStatusResponse,
    "session/new": schema.NewSessionResponse,
    "session/load": schema.LoadSessionResponse,
    "session/resume": schema.ResumeSessionResponse,
    "session/fork": schema.ForkSessionResponse,
    "session/list": schema.ListSessionsResponse,
    "session/status": schema.SessionStatusResponse,
    "session/set_title": schema.SetSessionTitleResponse,
    "session/set_config_option": schema.SetSessionConfigOptionResponse,
    "session/prompt": schema.PromptResponse,
    "fs/read_text_file": schema.ReadTextFileResponse,
    "terminal/create": schema.CreateTerminalResponse,
    "terminal/output": schema.TerminalOutputResponse,
    "terminal/wait_for_exit": schema.WaitForTerminalExitResponse,
}
"""What is read of an answer; of the others only success or failure matters."""


def test_what_is_read_of_requests_and_answers():
    """Sections 18, 19: the columns of effects."""
    assert {name: row.params for name, row in METHODS.items() if row.params} == PARAMS
    assert {name: row.result for name, row in METHODS.items() if row.result} == RESULTS


@pytest.mark.parametrize("name", METHODS)
def test_what_the_receiver_must_have_advertised(name):
    """Section 20: every row of it; the rest is baseline."""
    assert METHODS[name].capability == GATES.get(name)


@pytest.mark.parametrize(("name", "path"), GATES.items())
def test_a_capability_is_one_that_can_be_advertised(name, path):
    """Section 20: a path into the receiver's capabilities."""
    held = AgentCapabilities if "client" in METHODS[name].senders else ClientCapabilities
    for part in path.split("."):
        field = attrs.fields_dict(attrs.resolve_types(held))[part]
        classes = [each for each in get_args(field.type) if attrs.has(each)]
        held = classes[0] if classes else bool


def test_rows_are_values():
    """Frozen, and compared by value."""
    row = METHODS["session/prompt"]
    assert row == attrs.evolve(row)
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        row.kind = "notification"
    assert {each.kind for each in METHODS.values()} == set(get_args(Kind))
    assert frozenset().union(*(each.senders for each in METHODS.values())) == set(get_args(Sender))


def test_the_least_row():
    """What a method needs not have."""
    row = Method(frozenset({"agent"}), "notification", "none")
    assert (row.params, row.result, row.capability) == (None, None, None)


@pytest.mark.parametrize("name", METHODS)
def test_every_row_says_what_it_does(name):
    """Design: from it the docs come."""
    assert METHODS[name].effect


# Against the published schema


def published():
    """The methods of the schema: name, and who handles which class of it."""
    text = (SHARED / "schema" / "v1" / "schema.unstable.json").read_text(encoding="utf-8")
    found = {}
    for name, definition in json.loads(text)["$defs"].items():
        if "x-method" in definition:
            found.setdefault(definition["x-method"], {})[name] = definition["x-side"]
    return found


BEYOND = {"proxy/initialize", "proxy/successor", "mcp/message"}
"""Methods of proxies, which no rule names, and one that is a host's extension (EXT-02)."""


@needs_shared
def test_every_published_method_is_in_the_table():
    """Sections 18, 19: the table covers all methods of the published schema that rules name."""
    assert published().keys() - BEYOND == set(METHODS)


@needs_shared
@pytest.mark.parametrize("name", METHODS)
def test_a_row_agrees_with_the_schema(name):
    """Sections 18, 19: a request has two classes there; `x-side` is who handles it."""
    classes = published()[name]
    kinds = {"Notification" if each.endswith("Notification") else "request" for each in classes}
    assert kinds == {"Notification" if METHODS[name].kind == "notification" else "request"}
    sides = {"agent": {"client"}, "client": {"agent"}, "protocol": {"client", "agent"}}
    assert {METHODS[name].senders} == {frozenset(sides[side]) for side in classes.values()}


@needs_shared
@pytest.mark.parametrize("name", METHODS)
def test_a_rows_classes_are_those_of_the_schema(name):
    """Style 3: class names equal the schema's `$defs` names."""
    row, classes = METHODS[name], published()[name]
    for held in filter(None, (row.params, row.result)):
        assert held.__name__ in classes
        assert getattr(schema, held.__name__) is held
