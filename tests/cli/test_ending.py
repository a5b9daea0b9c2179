"""How the command ends where what it prints cannot be written, or nobody reads it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from shared import EXAMPLE, ROOT

import acp_state.cli

FULL = Path("/dev/full")

COMMANDS = [
    *(("replay",), ("replay", "--json"), ("show",), ("show", "--html", "-")),
    *(("check",), ("check", "--json"), ("stats",), ("stats", "--json")),
    *(("diff", "--at", "0"), ("diff", "--at", "0", "--json")),
    *(("convert",), ("convert", "--to", "log"), ("check", "--help")),
    *(("--help",), ("--version",)),
]


@pytest.fixture
def trace(recording):
    """Small, so that its output waits until the end; with an error, a warning and a notice."""
    recording.session()
    recording.update("plan_removed", planId="p")
    return recording.write(b"no\n", *recording.lines())


@pytest.fixture
def closed():
    """The end of a pipe that nobody reads."""
    reads, writes = os.pipe()
    os.close(reads)
    yield writes
    os.close(writes)


def ended(*args, **streams):
    """How a process of its own ends."""
    command = [sys.executable, "-m", "acp_state.cli", *map(str, args)]
    return subprocess.run(command, cwd=ROOT, check=False, **streams)  # noqa: S603 - our own


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_it_says_nothing(trace, closed, command):
    done = ended(*command, trace, stdout=closed, stderr=subprocess.PIPE)
    assert (done.returncode, done.stderr) == (141, b"")


def test_after_the_first_line(recording):
    """Of more than a pipe holds."""
    trace = recording.write(*[b"no\n"] * 9_000, *EXAMPLE.read_bytes().splitlines(keepends=True))
    reads, writes = os.pipe()
    command = [sys.executable, "-m", "acp_state.cli", "check", str(trace)]
    with subprocess.Popen(command, cwd=ROOT, stdout=writes, stderr=subprocess.PIPE) as process:  # noqa: S603 - our own
        os.close(writes)
        with os.fdopen(reads, "rb") as output:
            first = output.readline()
        assert first.decode().startswith(f"{trace}:1: error RPC-01")
        assert process.communicate()[1] == b""
    assert process.returncode == 141


@pytest.mark.parametrize(
    "command", [("check",), ("stats",), ("check", "--form", "log"), ("bogus",)], ids=" ".join
)
def test_where_standard_error_goes_the_same_way(trace, closed, command):
    assert ended(*command, trace, stdout=closed, stderr=closed).returncode == 141


def test_a_failure_is_none_where_nobody_reads(recording, closed):
    """What was printed before it is lost as well."""
    trace = recording.write(b"no\n")
    done = ended("check", trace, "--json", stdout=closed, stderr=subprocess.PIPE)
    assert (done.returncode, done.stderr) == (141, b"")


def code_of(monkeypatch, output, *args):
    """How it ends in this process."""
    monkeypatch.setattr(sys, "argv", ["acp-state", *map(str, args)])
    monkeypatch.setattr(sys, "stdout", output)
    with pytest.raises(SystemExit) as end:
        acp_state.cli.main()
    return end.value.code


@pytest.mark.parametrize("command", ["check", "convert"])
def test_in_this_process(monkeypatch, trace, closed, command):
    with os.fdopen(os.dup(closed), "w") as output:
        assert code_of(monkeypatch, output, command, trace) == 141


@pytest.mark.skipif(not FULL.exists(), reason="there is no device here that is full")
class TestFullDisk:
    @pytest.mark.parametrize(
        "command", [("replay",), ("check",), ("stats", "--json"), ("-h",)], ids=" ".join
    )
    def test_it_is_told(self, trace, command):
        with FULL.open("wb") as full:
            done = ended(*command, trace, stdout=full, stderr=subprocess.PIPE)
        told = b"Error: cannot write: No space left on device\n"
        assert (done.returncode, done.stderr) == (2, told)

    def test_in_this_process(self, monkeypatch, trace):
        with FULL.open("w") as full:
            assert code_of(monkeypatch, full, "check", trace) == 2
