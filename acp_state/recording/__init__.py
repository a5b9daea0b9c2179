"""Recorded traffic: lines of JSON to messages, their senders, and the states they lead to."""

from acp_state.recording.folding import Replayed, replay, replay_each

__all__ = ["Replayed", "replay", "replay_each"]
