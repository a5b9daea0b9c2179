"""What is written to a file: all of it or nothing, and it may be one of those that are read."""

import gzip
import os
import stat

import pytest
from shared import EXAMPLE

WRITING = [("convert", "--output"), ("show", "--html")]


@pytest.fixture
def cut(tmp_path):
    """A recording that cannot be read to its end."""
    path = tmp_path / "cut.gz"
    path.write_bytes(gzip.compress(EXAMPLE.read_bytes())[:-12])
    return path


def held(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize(("command", "option"), WRITING)
class TestEach:
    def test_where_it_fails_the_file_stays_as_it_was(self, run, tmp_path, cut, command, option):
        (tmp_path / "old").write_bytes(b"old")
        before = held(tmp_path)
        for name in ("old", "new", cut.name):
            result = run(command, cut, option, tmp_path / name)
            assert (result.exit_code, result.stdout) == (2, "")
            assert f"Error: cannot read {cut}: " in result.stderr
        assert held(tmp_path) == before

    def test_it_may_be_a_new_file(self, run, tmp_path, command, option):
        path = tmp_path / "new"
        assert run(command, EXAMPLE, option, path).stdout == ""
        assert path.read_text(encoding="utf-8") == run(command, EXAMPLE, option, "-").stdout
        assert list(held(tmp_path)) == ["new"]

    def test_it_may_be_the_file_that_is_read(self, run, tmp_path, command, option):
        path = tmp_path / "trace.jsonl"
        path.write_bytes(EXAMPLE.read_bytes())
        expected = run(command, path, option, "-").stdout
        assert run(command, path, option, path).exit_code == 0
        assert path.read_text(encoding="utf-8") == expected
        assert list(held(tmp_path)) == [path.name]

    def test_it_keeps_its_mode_and_its_links(self, run, tmp_path, command, option):
        path, link = tmp_path / "file", tmp_path / "link"
        path.write_bytes(b"old")
        path.chmod(0o640)
        link.symlink_to(path)
        assert run(command, EXAMPLE, option, link).exit_code == 0
        assert (link.is_symlink(), stat.S_IMODE(path.stat().st_mode)) == (True, 0o640)
        assert path.read_text(encoding="utf-8") == run(command, EXAMPLE, option, "-").stdout

    def test_it_cannot_be_written(self, run, tmp_path, command, option):
        path = tmp_path / "none" / "x\x1b[2J"
        result = run(command, EXAMPLE, option, path)
        assert (result.exit_code, result.stdout) == (2, "")
        shown = str(path).replace("\x1b", "\\x1b")
        assert result.stderr == f"Error: cannot write {shown}: No such file or directory\n"

    def test_it_is_a_folder(self, run, tmp_path, command, option):
        assert run(command, EXAMPLE, option, tmp_path).exit_code == 2


def test_what_is_refused_writes_nothing(run, tmp_path):
    assert run("show", EXAMPLE, "--html", tmp_path / "x", "--full").exit_code == 2
    assert held(tmp_path) == {}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_a_named_pipe_stays_one(run, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    assert run("convert", EXAMPLE, "-o", pipe).exit_code == 0
    assert os.read(reader, 100_000) == run("convert", EXAMPLE).stdout_bytes
    os.close(reader)
    assert pipe.is_fifo()
