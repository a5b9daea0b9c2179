"""Whatever is recorded, each command has something to say of it, and none fails."""

import json

import pytest
from click.testing import CliRunner
from conversations import conversations
from hypothesis import HealthCheck, example, given, settings
from reduce.history import agent_refuses, child, load, made, said

from acp_state.cli.commands import commands

LOST_CHILD = [*made(), said("x", session_id="k"), load(), child(), agent_refuses(2)]
"""A session that only a load that failed told to be a child (LOAD-09)."""

REPLAYED_CHILD = [*made(), said("x"), load(), child(), said("y", session_id="k")]
"""A child that only a replay that runs has told of, beside the held history (LOAD-09)."""

COMMANDS = [
    ("replay",),
    ("replay", "--full"),
    ("replay", "--json"),
    ("show",),
    ("check",),
    ("stats",),
    ("stats", "--json"),
    ("convert",),
    ("diff", "--at", "0"),
]


def written(path, lines):
    """The name of a file with the conversation."""
    wrapped = ({"from": sender, "message": message} for sender, message in lines)
    path.write_text("".join(json.dumps(each) + "\n" for each in wrapped), encoding="utf-8")
    return str(path)


def ends(*args):
    """The command's exit code; a fault of its own is raised."""
    result = CliRunner().invoke(commands, args)
    if not isinstance(result.exception, (SystemExit, type(None))):
        raise result.exception
    return result.exit_code


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("recordings") / "trace.jsonl"


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow])
@example(lines=LOST_CHILD)
@example(lines=REPLAYED_CHILD)
@given(lines=conversations())
def test_every_conversation_can_be_told(path, command, lines):
    assert ends(*command, written(path, lines)) in {0, 1}


@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow])
@example(lines=LOST_CHILD)
@example(lines=REPLAYED_CHILD)
@given(lines=conversations())
def test_every_conversation_makes_a_page(path, lines):
    page = path.with_suffix(".html")
    assert ends("show", written(path, lines), "--html", str(page)) == 0
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
