"""A host for any ACP agent over stdio: asyncio does the IO, acp_state knows the protocol.

`python host.py [--allow] [--load SESSION] -- COMMAND...`: each line of stdin is a prompt, Ctrl-C
cancels the turn that runs, the end of stdin ends the agent and prints the timeline.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import signal
import sys
from asyncio.subprocess import PIPE
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

from acp_state import Connection, Entry, Message, Turn, events, intents, reduce
from acp_state.omitted import or_none
from acp_state.schema import ClientCapabilities, Error, FileSystemCapabilities, TextContent
from acp_state.schema.errors import INTERNAL_ERROR

LINE_LIMIT = 64 * 2**20  # a line is a whole message, files and images included
FILES = FileSystemCapabilities(read_text_file=True, write_text_file=True)
Ask = Callable[[intents.AskPermission], Awaitable["str | None"]]
Watch = Callable[[Connection, Connection, Sequence[intents.Intent]], None]


class Host:
    """An agent process, and all that is known of the connection to it."""

    def __init__(self, command: Sequence[str], *, ask: Ask, watch: Watch) -> None:
        self.connection = Connection()
        self._command, self._ask, self._watch = command, ask, watch
        self._answers: dict[Any, asyncio.Future[Any]] = {}  # of the agent, by request id
        self._work: dict[Any, asyncio.Task[None]] = {}  # for the agent, by request id

    async def start(self) -> None:
        """Run the agent and agree on a version; a session of its own keeps our Ctrl-C from it."""
        self.process = await asyncio.create_subprocess_exec(
            *self._command, stdin=PIPE, stdout=PIPE, limit=LINE_LIMIT, start_new_session=True
        )
        self._reading = asyncio.create_task(self._read())
        await self.request(events.Initialize(client_capabilities=ClientCapabilities(fs=FILES)))
        if self.connection.phase != "ready":
            raise ConnectionError(f"no version in common: {self.connection.protocol_version}")

    async def new_session(self, cwd: str) -> str:
        """Make a session, and tell its id."""
        return (await self.request(events.NewSession(cwd=cwd)))["sessionId"]

    async def load(self, session_id: str, cwd: str) -> None:
        """Take up a session; the agent replays its history, and nothing is doubled."""
        await self.request(events.LoadSession(session_id=session_id, cwd=cwd))

    async def prompt(self, session_id: str, text: str) -> Turn:
        """Say something, and wait until the turn has ended, however it does."""
        return await self.request(events.Prompt(session_id, (TextContent(text=text),)))

    def cancel(self, session_id: str) -> None:
        """Cancel the turn that runs; whoever awaits `prompt` learns how it ended."""
        self.feed(events.Cancel(session_id))

    async def close(self, grace: float = 5.0) -> int:
        """End the agent by the end of its stdin, or by force, and tell its exit code."""
        self.process.stdin.close()
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self.process.wait(), grace)
        if self.process.returncode is None:
            self.process.kill()
        await self._reading
        return await self.process.wait()

    async def request(self, command: events.Command) -> Any:
        """Send a request, and wait for its result, or for the turn if it is a prompt."""
        await self._drain()
        send = self.feed(command)[0]  # a command's first intent is to send it
        answer = asyncio.get_running_loop().create_future()
        self._answers[send.message["id"]] = answer
        return await answer

    def feed(self, event: events.Event) -> Sequence[intents.Intent]:
        """All that happens goes through here: fold it, show what changed, do what is asked."""
        before = self.connection
        self.connection, told = reduce(before, event)
        self._watch(before, self.connection, told)
        for intent in told:
            self._carry_out(intent)
        return told

    def _carry_out(self, intent: intents.Intent) -> None:
        match intent:
            case intents.Send():
                self.process.stdin.write(json.dumps(intent.message).encode() + b"\n")
            case intents.AskPermission(permission=asked):
                self._start(asked.request_id, self._decide(intent))
            case intents.ReadTextFile(request_id=request_id):
                self._start(request_id, self._read_file(intent))
            case intents.WriteTextFile(request_id=request_id):
                self._start(request_id, self._write_file(intent))
            case intents.PermissionWithdrawn(permission=asked) if asked.request_id in self._work:
                self._work[asked.request_id].cancel()
            case intents.WorkWithdrawn(request_id=request_id) if request_id in self._work:
                self._work[request_id].cancel()
            case intents.TurnEnded(turn=turn):
                self._wake(turn.request_id, turn)
            case intents.RequestAnswered(request_id=request_id, result=result):
                self._wake(request_id, result)
            case intents.RequestFailed(request_id=request_id, method=method, error=error):
                if method != "session/prompt":  # its turn ends, too, and says more
                    self._wake(request_id, error=error, failed=True)
            case intents.ShowNotice(notice=shown):
                sys.stderr.write(f"{shown.severity}: {shown.text}\n")
            case intents.Diagnose(diagnostic=found):
                sys.stderr.write(f"{found.severity} {found.rule}: {found.text}\n")
