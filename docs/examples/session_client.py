"""A client of ACP agents that shows a session row by row, on whatever screen it is given.

An entry of the timeline is a row, and only the rows that `changes` names are drawn. The screen is
a `Headless` one, which prints, or the Textual app of `terminal_client.py`.
"""

import asyncio
from pathlib import Path
from typing import Any

from host import Host

from acp_state import (
    Connection,
    Entry,
    LocalProtocolError,
    Message,
    Session,
    ToolCall,
    changes,
    events,
    intents,
)
from acp_state.schema import Content


def safe(text: str) -> str:
    """The text with nothing in it that a terminal obeys, but line ends."""
    return "".join(each if each.isprintable() or each == "\n" else "\ufffd" for each in text)


def row(entry: Entry) -> str:
    """An entry as a user sees it."""
    match entry:
        case Message():
            return safe(f"{entry.role}: {entry.text}")
        case ToolCall():
            shown = [each.content for each in entry.content if isinstance(each, Content)]
            texts = "".join(f"\n  {getattr(each, 'text', each)}" for each in shown)
            return safe(f"[{entry.effective_status}] {entry.title or entry.tool_call_id}{texts}")
        case _:
            return safe(str(entry))


def status(session: Session) -> str:
    """What holds for the session as a whole."""
    if session.running:
        state = "cancelling" if session.is_cancelling else "working"
    elif session.turns and session.readiness == "ready":
        state = session.turns[-1].stop_reason or session.turns[-1].outcome
    else:
        state = session.readiness
    told = [session.title or session.session_id, state]
    if session.plan is not None:
        told += [f"{each.content} ({each.status})" for each in session.plan.entries]
    if session.usage is not None:
        told += [f"{session.usage.used} of {session.usage.size} tokens"]
    return safe(" | ".join(map(str, told)))


class Client(Host):
    """A host that shows one session.

    Its screen draws with `add_row`, `grow_row`, `set_row`, `drop_row` and `set_status`, shows what
    is no history with `tell`, and lets the user `choose`.
    """

    def __init__(self, screen: Any) -> None:
        super().__init__()
        self.screen = screen
        self.drawn = Session("")  # the session as the screen shows it

    async def begin(self, command: list[str], load: str | None) -> None:
        """Start the agent, and take up a session or make one."""
        await self.start(*command)
        if load is None:
            await self.new_session(str(Path.cwd()))
        else:
            await self.load(load, str(Path.cwd()))

    async def end(self) -> None:
        """End the agent, of which nothing more is drawn; one that does not go is killed."""
        self.screen = None
        closing = asyncio.create_task(self.close())
        done, _ = await asyncio.wait([closing], timeout=5)
        if not done:
            self.process.kill()
        await closing

    def enter(self, line: str) -> None:
        """Do what the user wants: a prompt, `/cancel`, `/load` (again) or `/load ID`.

        What comes of it is drawn when it comes.
        """
        word, _, session_id = line.partition(" ")
        try:
            if word == "/cancel":
                self.cancel(self.drawn.session_id)
            elif word == "/load":
                session_id = session_id or self.drawn.session_id
                self.feed(events.LoadSession(session_id=session_id, cwd=str(Path.cwd())))
            else:
                self.feed(events.Prompt(self.drawn.session_id, line))
        except LocalProtocolError as error:  # nothing has changed, and it says why
            self.screen.tell(safe(str(error)))

    async def ask(self, wanted: intents.AskPermission) -> str | None:
        """Let the user choose; this is cancelled if the question is withdrawn."""
        if self.screen is None:
            return None
        options = wanted.permission.options
        names = [safe(option.name) for option in options]
        chosen = await self.screen.choose(row(wanted.tool_call), names)
        return None if chosen is None else options[chosen].option_id

    def show(self, _: Connection, told: tuple[intents.Intent, ...]) -> None:
        """Draw what an event has changed."""
        if self.screen is None:
            return
        for intent in told:
            match intent:
                case intents.SessionReady() if intent.session_id != self.drawn.session_id:
                    self._open(intent.session_id)
                case intents.RequestFailed(error=error) if error is not None:
                    self.screen.tell(safe(f"{intent.method}: {error.message}"))
                case intents.TurnEnded() if error := intent.turn.error:
                    self.screen.tell(safe(f"the turn has failed: {error.message}"))
                case intents.ShowNotice():
                    self.screen.tell(safe(f"{intent.notice.severity}: {intent.notice.title}"))
        self.draw()

    def _open(self, session_id: str) -> None:
        """Show another session, of which nothing is drawn yet."""
        for _ in self.drawn.timeline:
            self.screen.drop_row()
        self.drawn = Session(session_id)

    def draw(self) -> None:
        """Make the screen show the newest version of the session, whatever it shows now."""
        newest = self.connection.sessions.get(self.drawn.session_id, self.drawn)
        found, self.drawn = changes(self.drawn, newest), newest
        for change in found.entries:
            if change.after is None:
                self.screen.drop_row()
            elif change.before is None:
                self.screen.add_row(row(change.after))
            elif isinstance(change.after, Message) and (more := change.appended) and not more.kept:
                self.screen.grow_row(change.at, safe(more.text))
            elif row(change.after) != row(change.before):  # else what differs is not shown
                self.screen.set_row(change.at, row(change.after))
        if found.turns or found.slots:
            self.screen.set_status(status(newest))
