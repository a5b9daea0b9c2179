"""A host of ACP agents: `python host.py -- COMMAND...` runs one, with its user at stdin."""

import asyncio
import json
import sys
from asyncio.subprocess import PIPE
from pathlib import Path
from typing import Any

from acp_state import Connection, Message, Turn, changes, events, intents, or_none, reduce
from acp_state.errors import LocalProtocolError
from acp_state.schema import ClientCapabilities, FileSystemCapabilities


class User:
    """Who sits at stdin, and is asked one thing at a time."""

    def __init__(self) -> None:
        self._one_at_a_time = asyncio.Lock()
        self._coming: asyncio.Future[str] | None = None  # a line that is being read

    async def line(self, question: str = "") -> str:
        """The next line; if nobody waits for it any more, it goes to who asks next."""
        async with self._one_at_a_time:
            sys.stdout.write(question)
            sys.stdout.flush()
            loop = asyncio.get_running_loop()
            self._coming = self._coming or loop.run_in_executor(None, sys.stdin.readline)
            line = await asyncio.shield(self._coming)
            self._coming = None
            return line

    async def choose(self, wanted: intents.AskPermission) -> str | None:
        """Let the user choose an option by its number; for any other line it is None."""
        options = {str(number): each for number, each in enumerate(wanted.permission.options, 1)}
        shown = "".join(f"\n  {number} {each.name!r}" for number, each in options.items())
        asked = f"\nThe agent asks for permission: {wanted.tool_call}{shown}"
        line = await self.line(f"{asked}\nNumber, or nothing to cancel: ")
        chosen = options.get(line.strip())
        return chosen.option_id if chosen else None


class Host:
    """An agent process, and all that is known of the connection; override `ask` and `show`."""

    stderr: int | None = None  # of the agent's process; None: it shares ours
    limit = 2**26  # bytes of a line

    def __init__(self) -> None:
        self.connection = Connection()
        self.user = User()
        self._awaited: dict[Any, asyncio.Queue[Any]] = {}  # answers of the agent, by request id
        self._asking: dict[Any, asyncio.Task[None]] = {}  # questions to the user, by request id

    async def start(self, *command: str) -> None:
        """Run the agent, and agree on a version and capabilities."""
        try:
            self.process = await asyncio.create_subprocess_exec(
                *command, stdin=PIPE, stdout=PIPE, stderr=self.stderr, limit=self.limit
            )
        except OSError as error:
            raise ConnectionError(f"{command[0]} cannot be started: {error.strerror}") from error
        self._reading = asyncio.create_task(self._read())
        files = FileSystemCapabilities(read_text_file=True, write_text_file=True)
        await self.request(events.Initialize(client_capabilities=ClientCapabilities(fs=files)))

    async def new_session(self, cwd: str) -> str:
        """Make a session, and tell its id."""
        session_id: str = (await self.request(events.NewSession(cwd=cwd))).session_id
        return session_id

    async def load(self, session_id: str, cwd: str) -> None:
        """Take up a session: the agent replays its history, of which nothing is doubled."""
        await self.request(events.LoadSession(session_id=session_id, cwd=cwd))

    async def prompt(self, session_id: str, text: str) -> Turn:
        """Say something, and wait until the turn has ended, however that is."""
        turn: Turn = (await self.request(events.Prompt(session_id, text))).turn
        return turn

    def cancel(self, session_id: str) -> None:
        """Cancel the turn that runs; it ends when the agent says so, and `prompt` tells how."""
        self.feed(events.Cancel(session_id))

    async def close(self) -> int:
        """End the agent by the end of its stdin, and tell its exit code."""
        self.process.stdin.close()
        await self._reading  # until all that it wrote is read, and `Disconnected` is fed
        return await self.process.wait()

    async def request(self, command: events.Command) -> Any:
        """Send a request, and wait for the intent that tells how it was answered."""
        await self.process.stdin.drain()  # say no more while the agent does not listen
        send = reduce(self.connection, command)[1][0]  # what `feed` will send: `reduce` is pure
        if not isinstance(send, intents.Send) or send.request_id is None:
            raise TypeError(f"nothing answers {command}: feed it")
        answer = self._awaited[send.request_id] = asyncio.Queue(1)
        self.feed(command)
        if isinstance(told := await answer.get(), intents.RequestFailed):
            raise ConnectionError(f"{told.method}: {told.error or 'the agent has gone'}")
        return told

    def feed(self, event: events.Event) -> None:
        """Fold what happened, show what changed, do what is wanted: all goes through here."""
        before = self.connection
        self.connection, told = reduce(before, event)  # before the intents, which feed more events
        self.show(before, told)
        for intent in told:
            self._carry_out(intent)

    def _carry_out(self, intent: intents.Intent) -> None:
        match intent:
            case intents.Send(message=message):
                self.process.stdin.write(json.dumps(message).encode() + b"\n")
            case intents.AskPermission():
                self._asking[intent.request_id] = asyncio.create_task(self._decide(intent))
            case intents.PermissionWithdrawn():
                self._asking.pop(intent.request_id).cancel()
            case intents.ReadTextFile() | intents.WriteTextFile():
                self.feed(self._use_file(intent.request_id, intent.request))
            case intents.TurnEnded() | intents.RequestAnswered() | intents.RequestFailed():
                self._awaited.pop(intent.request_id, asyncio.Queue()).put_nowait(intent)
            case intents.ShowNotice(notice=news) | intents.Diagnose(diagnostic=news):
                sys.stderr.write(f"{news}\n")

    async def _decide(self, wanted: intents.AskPermission) -> None:
        option_id = await self.ask(wanted)  # cancelled here if the question is withdrawn
        del self._asking[wanted.request_id]
        self.feed(events.AnswerPermission(wanted.request_id, option_id))

    def _use_file(self, key: Any, wanted: Any) -> events.Command:
        try:
            path, root = Path(wanted.path).resolve(), self.connection.cwd_of(wanted.session_id)
            path.relative_to(Path(root).resolve())  # raises: an agent may ask for any file of ours
            if hasattr(wanted, "content"):
                path.write_bytes(wanted.content.encode())
                return events.Respond(key)
            lines = path.read_bytes().decode().split("\n")[(wanted.line or 1) - 1 :]
            return events.Respond(key, {"content": "\n".join(lines[: or_none(wanted.limit)])})
        except (OSError, TypeError, ValueError) as error:
            return events.RespondError(key, -32603, str(error))

    async def _read(self) -> None:
        try:
            async for line in self.process.stdout:
                try:
                    message = json.loads(line)
                except (ValueError, RecursionError):  # no message: a `Diagnose` comes of it
                    message = line.decode(errors="replace")
                self.feed(events.Received(message))
        finally:  # the end, or a line too long, after which nothing can be understood
            self.feed(events.Disconnected())

    async def ask(self, wanted: intents.AskPermission) -> str | None:
        """Ask the user for an option; None: cancelled."""
        return await self.user.choose(wanted)

    def show(self, before: Connection, _: tuple[intents.Intent, ...]) -> None:
        """Print what is new: what was appended to a message, or else the entry."""
        for session in changes(before, self.connection).sessions.values():
            for change in session.entries:
                if change.appended:
                    sys.stdout.write(change.appended.text)
                elif isinstance(new := change.after, Message):
                    sys.stdout.write(f"\n{new.role}: {new.text}")
                elif new:  # else it is gone
                    sys.stdout.write(f"\n{new}")
        sys.stdout.flush()


async def main(*command: str) -> None:
    """Talk to an agent about the current directory."""
    host = Host()
    try:
        await host.start(*command)
        session_id = await host.new_session(str(Path.cwd()))
        while host.connection.phase == "ready" and (text := await host.user.line()):
            turn = await host.prompt(session_id, text.rstrip("\n"))
            if turn.stop_reason != "end_turn":
                how = (turn.outcome, turn.stop_reason, turn.error)
                sys.stdout.write("\nturn: " + ", ".join(str(each) for each in how if each))
    finally:
        if host.connection.phase != "new":  # else no agent was started
            await host.close()
    timeline = host.connection.sessions[session_id].timeline
    sys.stdout.write("\n\n" + "".join(f"{entry}\n" for entry in timeline))


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["--", *command] if command:
            try:
                asyncio.run(main(*command))
            except (OSError, LocalProtocolError) as error:  # no agent, no session, or it has gone
                sys.exit(str(error))
        case _:
            sys.stderr.write("usage: python host.py -- COMMAND...\n")
            sys.exit(2)
