"""The method table (sections 18 and 19)."""

from __future__ import annotations

import attrs
import pytest

from acp_state.methods import METHODS, Method

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


@pytest.mark.parametrize(("sender", "kind", "name"), ROWS, ids=[row[2] for row in ROWS])
def test_method(sender, kind, name):
    """Sections 18, 19: who sends it, and whether it wants a response."""
    assert METHODS[name] == Method(frozenset(SENDERS[sender]), kind)


def test_there_are_no_others():
    """Sections 18, 19: `mcp/message` is not in it yet, and vendor methods are in no table."""
    assert METHODS.keys() - {"mcp/message"} == {name for *_, name in ROWS}


@pytest.mark.xfail(strict=True, reason="sections 18, 19: the table has no row for `mcp/message`")
def test_mcp_message():
    """Sections 18, 19: a request of the agent, and a notification of the client."""
    assert "mcp/message" in METHODS


def test_rows_are_values():
    """Frozen, and compared by value."""
    row = METHODS["session/prompt"]
    assert row == attrs.evolve(row)
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        row.kind = "notification"
