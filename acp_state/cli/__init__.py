"""The command ``acp-state``: reads recorded traffic, shows what it did. The only place with IO.

A module ``*_command`` for each subcommand; `traces` opens what they read, whose forms are told and
folded in `acp_state.recording`. ``show_*`` makes lines of text out of the model, `page` prints
them, `state_json` makes JSON instead, and `web` a page for a browser.
"""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command; says what to install where its extra is missing."""
    try:
        # Imported here, so that the package works without the extra.
        from acp_state.cli.commands import commands  # noqa: PLC0415
        from acp_state.cli.ending import while_read  # noqa: PLC0415
    except ModuleNotFoundError as missing:
        name = (missing.name or "").partition(".")[0]
        if name not in {"click", "rich"}:
            raise
        text = f"acp-state: {name!r} is missing: install acp_state with its extra 'cli'"
        print(text, file=sys.stderr)
        raise SystemExit(2) from None
    with while_read():
        commands(prog_name="acp-state")
