"""What the examples say where they are called in a wrong way, or the agent cannot be started."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from example_runs import AGENT, EXAMPLES

import acp_state

NEEDS = {
    "remembering_agent.py": "acp",
    "sdk_client.py": "acp",
    "terminal_client.py": "textual",
    "web/server.py": "websockets",
}
SCRIPTS = {
    "host.py": [],
    "recorder.py": ["trace.jsonl"],
    "sdk_client.py": [],
    "terminal_client.py": ["--headless"],
    "web/server.py": ["--port", "0"],
}
"""What stands before the agent."""

BY_HAND = ["host.py", "recorder.py", "remembering_agent.py", "sdk_client.py"]
SILENT = "import sys; sys.exit(3)"
UNWILLING = """
import json, sys
for line in sys.stdin:
    request = json.loads(line)
    done = {"result": {"protocolVersion": 1}}
    if request["method"] != "initialize":
        done = {"error": {"code": -32000, "message": "Authentication required"}}
    print(json.dumps({"jsonrpc": "2.0", "id": request["id"], **done}), flush=True)
"""


def run(cwd, name, *arguments):
    """Exit code, output and the lines of stderr of an example, whose user has nothing to say."""
    if name in NEEDS:
        pytest.importorskip(NEEDS[name])
    done = subprocess.run(  # noqa: S603 - our own examples
        [sys.executable, "-W", "error", str(EXAMPLES / name), *arguments],
        stdin=subprocess.DEVNULL,
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(Path(acp_state.__file__).parents[1])},
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr.splitlines()


@pytest.mark.parametrize("arguments", [[], ["--help"], ["--"], ["a", "b", "c"]], ids=" ".join)
@pytest.mark.parametrize("name", BY_HAND)
def test_a_line_tells_how_an_example_is_called(tmp_path, name, arguments):
    code, printed, [usage] = run(tmp_path, name, *arguments)
    assert (code, printed) == (2, "")
    assert usage.startswith(f"usage: python {name} ")


@pytest.mark.parametrize("name", ["terminal_client.py", "web/server.py"])
def test_those_with_options_tell_it_too(tmp_path, name):
    code, printed, [usage, *_] = run(tmp_path, name)
    assert (code, printed) == (2, "")
    assert usage.startswith("usage: ")


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_line_tells_of_an_agent_that_cannot_be_started(tmp_path, name):
    code, printed, [why] = run(tmp_path, name, *SCRIPTS[name], "--", "nosuchagent", "--acp")
    assert (code, printed) == (1, "")
    assert why.startswith("nosuchagent cannot be started")


@pytest.mark.parametrize(
    "name", ["host.py", "sdk_client.py", "terminal_client.py", "web/server.py"]
)
@pytest.mark.parametrize("source", [SILENT, UNWILLING], ids=["silent", "unwilling"])
def test_a_line_tells_of_an_agent_that_makes_no_session(tmp_path, name, source):
    command = [*SCRIPTS[name], "--", sys.executable, "-c", source]
    code, _, [why, *more] = run(tmp_path, name, *command)
    assert code == 1
    # asyncio of Python 3.10 itself tells of a pipe that broke while nobody waited for it.
    assert more == [] or sys.version_info < (3, 11)
    assert ("Authentication required" if source == UNWILLING else "gone") in why


def test_a_line_tells_of_a_port_that_is_taken(tmp_path):
    pytest.importorskip("acp")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        code, printed, [why] = run(tmp_path, "web/server.py", "--port", port, "--", *AGENT)
    assert (code, printed) == (1, "")
    assert "in use" in why
