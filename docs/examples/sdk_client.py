"""A client on the official Python SDK: `python sdk_client.py -- COMMAND...`, its user at stdin.

The SDK owns the process, the JSON-RPC and the types of what is said; `reduce` keeps what is known.
An observer of the SDK's connection sees each message of both sides as JSON, before the SDK acts on
it, and folds it; so when a call of the SDK returns, the state holds all that came before.
"""

import asyncio
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from acp import RequestError, spawn_agent_process, text_block
from acp.connection import StreamDirection, StreamEvent
from acp.interfaces import Agent
from acp.schema import AllowedOutcome, DeniedOutcome, Implementation, RequestPermissionResponse
from host import User

from acp_state import Connection, Entry, Message, Session, ToolCall, events, intents, reduce

SEEN = {StreamDirection.INCOMING: events.Received, StreamDirection.OUTGOING: events.Sent}


class StateClient:
    """The SDK's `Client` for an agent without files and terminals, and what is known of it."""

    def __init__(self) -> None:
        self.connection = Connection()
        self.user = User()
        self._asking: dict[tuple[str, str], asyncio.Task[str | None]] = {}  # by tool call

    def observe(self, event: StreamEvent) -> None:
        """The SDK calls this for each message; it is no coroutine, so that their order stays."""
        self.feed(SEEN[event.direction](event.message))

    def feed(self, event: events.Event) -> None:
        """Fold what happened, and do what the SDK does not know of."""
        self.connection, told = reduce(self.connection, event)
        for intent in told:
            match intent:  # not `Send`: those are the answers that the SDK gives
                case intents.AskPermission():
                    self._asking[key_of(intent)] = asyncio.create_task(self.ask(intent))
                case intents.PermissionWithdrawn():
                    if asking := self._asking.get(key_of(intent)):  # else it is answered just now
                        asking.cancel()
                case intents.ShowNotice(notice=news) | intents.Diagnose(diagnostic=news):
                    sys.stderr.write(f"{news}\n")

    async def ask(self, wanted: intents.AskPermission) -> str | None:
        """Ask the user for an option; None: cancelled."""
        return await self.user.choose(wanted)

    # What the SDK calls for the agent

    async def request_permission(
        self, session_id: str, tool_call: Any, **_: Any
    ) -> RequestPermissionResponse:
        """Give the user's answer; a cancelled turn has withdrawn the question by itself."""
        key = (session_id, tool_call.tool_call_id)
        asking = self._asking[key]
        await asyncio.wait([asking])
        del self._asking[key]
        if asking.cancelled() or (option_id := asking.result()) is None:
            return RequestPermissionResponse(outcome=DeniedOutcome(outcome="cancelled"))
        outcome = AllowedOutcome(outcome="selected", option_id=option_id)
        return RequestPermissionResponse(outcome=outcome)

    async def session_update(self, **_: Any) -> None:
        """Nothing: it is folded already."""


def key_of(intent: intents.AskPermission | intents.PermissionWithdrawn) -> tuple[str, str]:
    """What the SDK tells of a question: not its request id, but the tool call that it is about."""
    return intent.session_id, intent.permission.tool_call.tool_call_id


async def talk(agent: Agent, user: User) -> None:
    """Say to the agent what the user says."""
    await agent.initialize(1, client_info=Implementation(name="sdk-client", version="1"))
    session_id = (await agent.new_session(cwd=str(Path.cwd()), mcp_servers=[])).session_id
    with suppress(ConnectionError):  # the agent has gone
        while text := await user.line():
            try:
                await agent.prompt(session_id, [text_block(text.rstrip("\n"))])
            except RequestError as error:  # the turn has failed, and the agent can be asked again
                sys.stderr.write(f"{error}\n")


def conversation(session: Session) -> str:
    """What was said and done, the plan, and how each turn ended."""
    lines = [line(entry) for entry in session.timeline]
    if session.plan:
        lines += [f"plan: {step.content} ({step.status})" for step in session.plan.entries]
    lines += [f"turn: {turn.stop_reason or turn.outcome}" for turn in session.turns]
    return "".join(f"{each}\n" for each in lines)


def line(entry: Entry) -> str:
    """One entry of the timeline."""
    match entry:
        case Message():
            return f"{entry.role}: {entry.text}"
        case ToolCall():
            return f"tool: {entry.title} ({entry.effective_status})"
        case _:
            return repr(entry)


async def main(*command: str) -> None:
    """Talk to an agent about the current directory."""
    client = StateClient()
    pipes = {"stderr": None, "limit": 2**26}  # the agent's stderr is ours; bytes of a line
    running = spawn_agent_process(
        client, *command, transport_kwargs=pipes, observers=[client.observe]
    )
    async with running as (agent, _):
        await talk(agent, client.user)
    client.feed(events.Disconnected())
    for session in client.connection.sessions.values():
        sys.stdout.write(conversation(session))


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["--", *command] if command:
            try:
                asyncio.run(main(*command))
            except OSError as error:
                sys.exit(f"{command[0]} cannot be started, or has gone: {error}")
            except RequestError as error:
                sys.exit(f"{command[0]} makes no session: {error}")
        case _:
            sys.stderr.write("usage: python sdk_client.py -- COMMAND...\n")
            sys.exit(2)
