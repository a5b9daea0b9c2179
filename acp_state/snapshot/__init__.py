"""The whole state as JSON and back, to keep a session over a restart or to take it elsewhere."""

from acp_state.snapshot.envelope import FORMAT, VERSION, restore, snapshot

__all__ = ["FORMAT", "VERSION", "restore", "snapshot"]
