"""``acp-state replay``."""

import io
import json
import runpy
import subprocess
import sys
from pathlib import Path

import pytest
from rich.cells import cell_len
from shared import ROOT, SHARED, needs_shared

import acp_state.cli
from acp_state.cli import page, progress
from acp_state.schema.updates import SESSION_UPDATE

EXAMPLES = ROOT / "docs" / "examples"
TRACES = sorted(SHARED.glob("traces/*.jsonl")) or [Path("none")]
CASES = sorted(SHARED.glob("cases/*.json")) or [Path("none")]


class TestExample:
    def test_output(self, run):
        """Exactly what stands in the documentation."""
        result = run("replay", EXAMPLES / "conversation.jsonl")
        assert result.exit_code == 0
        assert result.stdout == (EXAMPLES / "conversation.txt").read_text(encoding="utf-8")
        assert result.stderr == ""

    def test_in_a_process_of_its_own(self):
        command = [
            sys.executable,
            "-m",
            "acp_state.cli",
            "replay",
            "docs/examples/conversation.jsonl",
        ]
        env = {"FORCE_COLOR": "1", "COLUMNS": "30", "PYTHONIOENCODING": "utf-8"}
        done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, check=True)  # noqa: S603
        assert done.stdout.decode() == (EXAMPLES / "conversation.txt").read_text(encoding="utf-8")

    def test_nothing_is_wrong_with_it(self, run):
        result = run("check", EXAMPLES / "conversation.jsonl")
        assert (result.exit_code, result.stdout) == (0, "")

    def test_every_update_is_in_it(self):
        lines = (EXAMPLES / "conversation.jsonl").read_text(encoding="utf-8").splitlines()
        params = [json.loads(line)["message"].get("params", {}) for line in lines]
        kinds = {each["update"]["sessionUpdate"] for each in params if "update" in each}
        assert kinds == set(SESSION_UPDATE.variants)


class TestJson:
    @pytest.fixture
    def state(self, run):
        return json.loads(run("replay", "--json", EXAMPLES / "conversation.jsonl").stdout)

    def test_a_session_is_complete(self, state):
        parent, child = state["sessions"]
        assert " ".join(parent) == (
            "sessionId parentId forkedFrom readiness cwd additionalDirectories title updatedAt "
            "_meta usage preferredSettings modes configOptions availableCommands plan plans "
            "timeline turns running permissions terminals"
        )
        assert parent["usage"]["cost"] == {"amount": 0.034, "currency": "USD"}
        assert parent["terminals"][0]["output"].startswith("\x1b[32m.")
        assert (child["parentId"], child["cwd"]) == ("sess_clock", "/home/ada/clock")

    def test_entries_come_in_order(self, state):
        entries = state["sessions"][0]["timeline"]
        assert [entry["kind"] for entry in entries] == [
            *["message"] * 3,
            *["tool_call"] * 2,
            "compaction",
            "subagent",
            *["session_message"] * 2,
            "tool_call",
            "message",
        ]
        assert all(list(entry)[:2] == ["kind", "turn"] and entry["turn"] == 0 for entry in entries)
        assert entries[1] == {
            "kind": "message",
            "turn": 0,
            "role": "thought",
            "messageId": "msg_2",
            "origin": "agent",
            "text": "The hour is never taken modulo 24. Read the file first.",
            "content": [
                {
                    "type": "text",
                    "text": "The hour is never taken modulo 24. Read the file first.",
                }
            ],
            "chunks": 2,
        }
        assert entries[4]["content"][0]["type"] == "diff"
        assert entries[6]["state"] == {"state": "idle", "stopReason": "end_turn"}

    def test_what_is_open(self, run):
        result = run("replay", "--json", "--at", 7, EXAMPLES / "conversation.jsonl")
        state = json.loads(result.stdout)
        assert state["sessions"][0]["running"] == [0]
        [request] = state["clientRequests"]
        assert (request["id"], request["method"]) == (2, "session/prompt")
        assert request["params"]["sessionId"] == request["sessionId"] == "sess_clock"


@needs_shared
@pytest.mark.parametrize("trace", [*TRACES, *CASES], ids=lambda path: path.stem)
def test_every_recording(run, trace):
    result = run("replay", trace)
    assert result.exit_code == 0
    assert all(cell_len(line) <= 80 for line in result.stdout.splitlines())
    assert "\x1b" not in result.stdout
    full = run("replay", "--full", trace)
    assert all(cell_len(line) <= 80 for line in full.stdout.splitlines())
    assert "left out ..." not in full.stdout


@needs_shared
@pytest.mark.parametrize("trace", TRACES[::9], ids=lambda path: path.stem)
def test_json_of_recordings(run, trace):
    result = run("replay", "--json", trace)
    state = json.loads(result.stdout)
    assert list(state) == [
        "messages",
        "phase",
        "protocolVersion",
        "clientCapabilities",
        "clientInfo",
        "agentCapabilities",
        "agentInfo",
        "sessions",
        "clientRequests",
        "agentRequests",
    ]
    assert state["messages"] == len(trace.read_bytes().splitlines())
    for session in state["sessions"]:
        assert all(entry["kind"] for entry in session["timeline"])
        assert all(turn["start"] < len(session["timeline"]) for turn in session["turns"])


@needs_shared
@pytest.mark.parametrize("trace", TRACES[::11], ids=lambda path: path.stem)
def test_bare_messages_give_the_same_state(run, trace):
    """The sender follows from method or id; recordings of both directions agree."""
    lines = [json.loads(line)["message"] for line in trace.read_bytes().splitlines()]
    bare = b"".join(json.dumps(message).encode() + b"\n" for message in lines)
    assert run("replay", "--json", "-", stdin=bare).stdout == run("replay", "--json", trace).stdout


class TestForms:
    @pytest.fixture
    def expected(self, run, recording):
        recording.session()
        recording.prompt("Hello")
        recording.say("Hi")
        recording.agent(id=1, result={"stopReason": "end_turn"})
        return run("replay", recording.write()).stdout

    def test_json_lines(self, expected):
        assert expected == (
            "== Session (no title) " + "=" * 58 + "\n"
            "   id         s1\n"
            "   cwd        /w\n"
            "\nUser\n  Hello\n\nAgent\n  Hi\n\n"
            "-- turn 1 ended: end_turn " + "-" * 54 + "\n"
        )

    def test_bare(self, run, recording, expected):
        assert run("replay", recording.write(*recording.bare())).stdout == expected

    def test_document(self, run, recording, expected):
        assert run("replay", recording.write(recording.document())).stdout == expected

    def test_standard_input(self, run, recording, expected):
        assert run("replay", "-", stdin=b"".join(recording.lines())).stdout == expected

    def test_broken_lines_are_skipped_and_told(self, run, recording, expected):
        broken = [b"no\n", b"5\n", b"[]\n", b'{"id": 1}\n', *recording.lines()]
        result = run("replay", recording.write(*broken))
        assert result.stdout == expected
        assert result.stderr.startswith("4 errors, 0 warnings, 0 infos: see acp-state check ")

    def test_no_sessions_at_all(self, run):
        stdin = b'{"jsonrpc": "2.0", "method": "$/x"}\n'
        assert run("replay", "-", stdin=stdin).stdout == "No sessions.\n"


class TestAt:
    @pytest.fixture
    def trace(self, recording):
        recording.session()
        for word in ("one", "two", "three"):
            recording.say(word)
        return recording.write(b"broken\n", *recording.lines())

    def test_the_state_after_a_message(self, run, trace):
        assert run("replay", trace, "--at", 6).stdout.endswith("Agent\n  onetwo\n")
        assert json.loads(run("replay", trace, "--json", "--at", 5).stdout)["messages"] == 5

    def test_the_last(self, run, trace):
        assert run("replay", trace, "--at", 7).stdout == run("replay", trace).stdout

    def test_beyond_the_end(self, run, trace):
        result = run("replay", trace, "--at", 8)
        assert (result.exit_code, result.stdout) == (2, "")
        assert "there is no message 8: " in result.stderr
        assert "holds 7 messages" in result.stderr

    def test_before_the_beginning(self, run, trace):
        assert run("replay", trace, "--at", 0).exit_code == 2


class TestUnreadable:
    def test_no_file(self, run, tmp_path):
        assert run("replay", tmp_path / "none").exit_code == 2

    def test_a_folder(self, run, tmp_path):
        assert run("replay", tmp_path).exit_code == 2

    def test_it_breaks_on_the_way(self, run, monkeypatch, recording):
        def broken(*_):
            raise OSError(5, "Input/output error")

        monkeypatch.setattr("acp_state.cli.traces.with_progress", broken)
        result = run("replay", recording.write(b"x"))
        assert result.exit_code == 2
        assert "Input/output error" in result.stderr


class TestTerminal:
    """On a terminal there are colours, and a bar for long recordings."""

    class Terminal(io.TextIOWrapper):
        def __init__(self):
            super().__init__(io.BytesIO(), encoding="utf-8", write_through=True)

        def isatty(self):
            return True

        def seen(self):
            return self.buffer.getvalue().decode()

    def test_colours(self, monkeypatch):
        monkeypatch.setenv("TERM", "xterm-256color")
        monkeypatch.setenv("COLUMNS", "300")
        monkeypatch.delenv("NO_COLOR", raising=False)
        terminal = self.Terminal()
        monkeypatch.setattr(sys, "stdout", terminal)
        page.show(
            [page.headed("User", "cyan", "\x1b[31m[bold]"), page.line("x", rule="-")],
            page.console(),
        )
        assert (
            terminal.seen() == "\x1b[1;36mUser  \x1b[0m[bold]\nx\x1b[2m " + "-" * 98 + "\x1b[0m\n"
        )

    def test_a_stream_that_is_no_file(self, monkeypatch):
        stream = io.StringIO()
        monkeypatch.setattr(sys, "stdout", stream)
        page.show([page.line("x" * 81)], page.console())
        assert stream.getvalue() == "x" * 80 + "\nx\n"

    def test_what_the_encoding_lacks_is_escaped(self, monkeypatch):
        stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii", write_through=True)
        monkeypatch.setattr(sys, "stdout", stream)
        page.show([page.line("ü")], page.console())
        assert stream.buffer.getvalue() == b"\\xfc\n"

    @pytest.mark.parametrize("is_pipe", [False, True])
    def test_progress_bar(self, monkeypatch, tmp_path, is_pipe):
        monkeypatch.setattr(progress, "LONG", 4)
        monkeypatch.setattr(progress, "STEP", 2)
        monkeypatch.setenv("TERM", "xterm")
        terminal = self.Terminal()
        monkeypatch.setattr(sys, "stderr", terminal)
        path = tmp_path / "trace"
        path.write_bytes(b"x\n" * 9)
        with path.open("rb") as file:
            stream = Pipe(file) if is_pipe else file
            assert list(progress.with_progress(stream)) == [b"x\n"] * 9
        assert "reading" in terminal.seen()

    def test_no_bar_for_short_recordings(self, monkeypatch):
        terminal = self.Terminal()
        monkeypatch.setattr(sys, "stderr", terminal)
        assert list(progress.with_progress(io.BytesIO(b"x\ny\n"))) == [b"x\n", b"y\n"]
        assert terminal.seen() == ""


class Pipe:
    def __init__(self, file):
        self.file = file

    def __iter__(self):
        return iter(self.file)

    def seekable(self):
        return False


class TestMain:
    def test_as_a_module(self, monkeypatch, capsys):
        monkeypatch.setattr(sys, "argv", ["acp-state", "check", "-h"])
        monkeypatch.delitem(sys.modules, "acp_state.cli.__main__", raising=False)
        with pytest.raises(SystemExit):
            runpy.run_module("acp_state.cli", run_name="__main__")
        assert "Usage: acp-state check" in capsys.readouterr().out

    def test_help(self, monkeypatch, capsys):
        monkeypatch.setattr(sys, "argv", ["acp-state", "--help"])
        with pytest.raises(SystemExit) as ended:
            acp_state.cli.main()
        assert ended.value.code == 0
        assert "Usage: acp-state" in capsys.readouterr().out

    @pytest.mark.parametrize("missing", ["click", "rich"])
    def test_without_the_extra(self, monkeypatch, capsys, missing):
        for module in [name for name in sys.modules if name.startswith("acp_state.cli.")]:
            monkeypatch.delitem(sys.modules, module)
        monkeypatch.delitem(sys.modules, "rich.text")
        monkeypatch.setitem(sys.modules, missing, None)
        with pytest.raises(SystemExit) as ended:
            acp_state.cli.main()
        assert ended.value.code == 2
        assert capsys.readouterr().err == (
            f"acp-state: {missing!r} is missing: install acp_state with its extra 'cli'\n"
        )

    def test_something_else_is_missing(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "acp_state.cli.commands", None)
        with pytest.raises(ModuleNotFoundError):
            acp_state.cli.main()
