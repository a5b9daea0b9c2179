"""``python -m acp_state.cli``."""

from acp_state.cli import main

main()
