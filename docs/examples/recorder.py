"""A recorder between a client and its agent: `python recorder.py TRACE -- COMMAND...`.

A client starts it in place of the agent. All bytes go through unchanged, in both directions; each
message is written to TRACE as well, a line of JSON, `{"t": seconds, "from": "client" or "agent",
"message": ...}`, before it goes on. Where the traffic departs from the protocol, stderr says so at
once. `acp-state replay TRACE` shows afterwards what the sessions held.
"""

import json
import os
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, NoReturn, TextIO

from acp_state import Connection, Diagnose, Received, Sent, reduce

SEEN = {"client": Sent, "agent": Received}  # an observer sits in the client's seat
AT_ONCE = 2**16  # bytes


class Recorder:
    """Writes a trace, and checks it as it grows; both directions record, each from its thread."""

    def __init__(self, trace: TextIO) -> None:
        self.connection = Connection(side="observer")
        self._trace = trace
        self._lines = 0
        self._lock = threading.Lock()  # the state and the trace have one order
        self._began = time.monotonic()

    def record(self, sender: str, line: bytes) -> None:
        """Take down one line that was sent, whatever it is."""
        text = line.decode(errors="replace").strip()
        if not text:
            return
        try:
            message = json.loads(text, parse_constant=no_number)
        except (ValueError, RecursionError):  # no JSON: kept as text, and diagnosed
            message, text = text, json.dumps(text)
        with self._lock:
            if self._trace.closed:  # the agent has gone while the client said this
                return
            seconds = time.monotonic() - self._began
            self._trace.write(f'{{"t": {seconds:.6f}, "from": "{sender}", "message": {text}}}\n')
            self._lines += 1
            self._check(SEEN[sender](message))

    def _check(self, event: Sent | Received) -> None:
        self.connection, told = reduce(self.connection, event)
        for intent in told:
            if isinstance(intent, Diagnose):
                sys.stderr.write(f"{self._trace.name}:{self._lines}: {intent.diagnostic}\n")
                sys.stderr.flush()


def no_number(name: str) -> NoReturn:
    """Python's parser takes NaN for a number, which JSON does not have."""
    raise ValueError(f"{name} is no JSON number")


def pump(recorder: Recorder, sender: str, source: BinaryIO, target: BinaryIO) -> None:
    """Pass on what one side says, until it ends or nobody listens; then the other end is told."""
    pieces: list[bytes] = []  # of a line that has not ended
    with suppress(BrokenPipeError), source, target:
        while data := os.read(source.fileno(), AT_ONCE):
            *ends, rest = data.split(b"\n")
            for end in ends:  # recorded before it goes on, and so before what it leads to
                recorder.record(sender, b"".join([*pieces, end]))
                pieces.clear()
            pieces.append(rest)
            target.write(data)
            target.flush()
    recorder.record(sender, b"".join(pieces))


def main(trace: str, *command: str) -> int:
    """Run the agent, and tell its exit code."""
    try:
        agent = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # noqa: S603 - the user's own
    except OSError as error:
        sys.exit(f"{command[0]} cannot be started: {error.strerror}")
    with Path(trace).open("w", buffering=1, encoding="utf-8", newline="\n") as file:
        recorder = Recorder(file)
        said = (recorder, "client", sys.stdin.buffer, agent.stdin)
        threading.Thread(target=pump, args=said, daemon=True).start()  # the client may stay silent
        pump(recorder, "agent", agent.stdout, sys.stdout.buffer)
        return agent.wait()


if __name__ == "__main__":
    match sys.argv[1:]:
        case [trace, "--", *command] if command:
            sys.exit(main(trace, *command))
        case _:
            sys.stderr.write("usage: python recorder.py TRACE -- COMMAND...\n")
            sys.exit(2)
