"""The group of the subcommands."""

from __future__ import annotations

import click

from acp_state.cli.check_command import check
from acp_state.cli.convert_command import convert
from acp_state.cli.diff_command import diff
from acp_state.cli.ending import Commands
from acp_state.cli.replay_command import replay
from acp_state.cli.show_command import show
from acp_state.cli.stats_command import stats


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(
    package_name="acp-state", prog_name="acp-state", help="Print the version that is installed."
)
def commands() -> None:
    """Read recorded Agent Client Protocol traffic.

    A recording is read in whatever form it is: JSON lines, each {"from": "client" or "agent",
    "message": ...} or a bare JSON-RPC message, a list of these, what Zed, ACP Inspector and
    sacp-conductor write, or a log with messages in its lines, with arrows or words for their
    direction. Files packed with gzip are unpacked, several are read as one, and the name - stands
    for standard input.

    The sender of a bare message follows from its method or id; methods that ACP does not know count
    as the agent's.

    Ends with 0; with 1 where check found an error or diff a difference; with 2 where something
    cannot be read, holds no message, or was asked for wrongly; with 141 where its output is closed
    before its end, as by head.
    """


for _each in (replay, show, check, stats, diff, convert):
    commands.add_command(_each)
