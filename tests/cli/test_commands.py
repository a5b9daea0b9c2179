"""What all commands have in common: JSON, help, completion, and how they end."""

from importlib.metadata import version

import click
import pytest
from click.shell_completion import ShellComplete

from acp_state.cli.commands import commands
from acp_state.cli.failure import EXIT_CODES
from acp_state.recording.forms import FORMS

COMMANDS = list(commands.commands.values())


def options(command):
    return [each for each in command.params if isinstance(each, click.Option)]


def test_the_commands():
    assert list(commands.commands) == ["replay", "show", "check", "stats", "diff", "convert"]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
class TestEach:
    def test_it_has_json_and_the_options_of_reading(self, command):
        names = {name for option in options(command) for name in option.opts}
        assert names >= {"--json", "--form", "--seen-from"}

    def test_everything_is_explained(self, command):
        assert command.help
        assert all(option.help for option in options(command))

    def test_how_it_ends(self, run, command, tmp_path):
        result = run(command.name, tmp_path / "none")
        assert (result.exit_code, result.stdout) == (2, "")
        assert "No such file" in result.stderr or "needs --at" in result.stderr


def completed(words, incomplete):
    complete = ShellComplete(commands, {}, "acp-state", "_ACP_STATE_COMPLETE")
    return [item.value for item in complete.get_completions(words, incomplete)]


def test_completion():
    assert completed([], "s") == ["show", "stats"]
    assert completed(["convert", "--to"], "") == list(FORMS)
    assert completed(["check", "--seen-from"], "a") == ["agent"]
    assert "--anonymise" in completed(["convert"], "--")


def test_the_version(run):
    """That of the package that is installed."""
    result = run("--version")
    assert (result.exit_code, result.stdout) == (0, f"acp-state, version {version('acp-state')}\n")


def test_the_codes():
    assert list(EXIT_CODES) == [0, 1, 2, 141]
