"""Input that holds no message at all is a mistake, and nothing that all is well with."""

import gzip

import pytest
from shared import EXAMPLE

NOTHING = {
    "an empty file": b"",
    "blank lines": b"\n \n",
    "an empty list": b"[]",
    "an empty document": b'{"messages": []}',
    "a packed empty file": gzip.compress(b""),
    "a text": b"hello\nworld\n",
    "JSON that is no message": b"5\n{}\n",
}
COMMANDS = [
    *(("replay",), ("replay", "--json"), ("replay", "--full")),
    *(("show",), ("show", "--json")),
    *(("check",), ("check", "--json")),
    *(("stats",), ("stats", "--json")),
    *(("convert",), ("convert", "--to", "zed"), ("convert", "--anonymise")),
    *(("diff", "--at", "0"), ("diff", "--to", "0", "--json")),
]


@pytest.fixture(params=NOTHING.values(), ids=NOTHING)
def path(request, tmp_path):
    path = tmp_path / "trace\x07.jsonl"
    path.write_bytes(request.param)
    return path


def told(*paths):
    """What is said of the files."""
    return "Error: {} holds no message\n".format(" ".join(map(str, paths))).replace("\x07", "\\x07")


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_command_says_so(run, path, command):
    result = run(*command, path)
    assert (result.exit_code, result.stderr) == (2, told(path))
    assert result.stdout == "" or command[0] == "check"


@pytest.mark.parametrize("command", [("convert", "-o"), ("show", "--html")], ids=" ".join)
def test_nothing_is_written(run, path, tmp_path, command):
    new, old = tmp_path / "new", tmp_path / "old"
    old.write_bytes(b"old")
    for file in (new, old):
        result = run(*command, file, path)
        assert (result.exit_code, result.stdout, result.stderr) == (2, "", told(path))
    assert (new.exists(), old.read_bytes()) == (False, b"old")


def test_several_files_are_named_where_none_of_them_holds_one(run, path):
    assert run("check", path, path).stderr == told(path, path)
    assert run("check", path, EXAMPLE).stderr.endswith(" in 57 messages\n")


@pytest.mark.parametrize("points", [(), ("--at", 0), ("--to", 0), ("--at", 0, "--to", 0)])
def test_either_side_of_a_difference(run, path, points):
    for files in ((path, EXAMPLE), (EXAMPLE, path)):
        result = run("diff", *files, *points)
        assert (result.exit_code, result.stdout, result.stderr) == (2, "", told(path))


def test_a_point_of_it(run, path):
    assert run("replay", path, "--at", 1).stderr == told(path)
    assert run("diff", path, "--at", 1).stderr == told(path)


def test_check_tells_why_lines_are_no_messages(run):
    result = run("check", "-", stdin=b"5\n")
    assert (result.exit_code, result.stderr) == (2, "Error: <stdin> holds no message\n")
    assert result.stdout == (
        "<stdin>:1: error RPC-01 invalid-message: a message must be an object, not 5; ignored\n"
    )


def test_lines_of_a_log_are_passed_over(run):
    result = run("check", "-", "--form", "log", stdin=b"hello\n")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        "<stdin>: read as log (--form and --seen-from change it)\nError: <stdin> holds no message\n"
    )
