"""A terminal client of ACP agents, in Textual: `python terminal_client.py -- COMMAND...`.

What you enter is a prompt, or `/load ID` to load a session. Escape cancels the turn, and Ctrl-R
loads the session again. What the client does is in `session_client.py`; here it has a screen, and
each row is a widget of which only those that have changed are touched. With `--headless` it prints,
and lines come from stdin, or from `--say`.
"""

import argparse
import asyncio
import sys
from asyncio.subprocess import DEVNULL
from typing import ClassVar

from headless import Headless, lines_of, lines_of_stdin
from session_client import Client
from textual.app import App, ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.widgets import Footer, Input, OptionList, Static
from textual.widgets.option_list import Option

from acp_state import LocalProtocolError


class Question(OptionList):
    """What the agent asks, until the user has chosen."""

    def __init__(self, question: str, options: list[str]) -> None:
        super().__init__(Option(question, disabled=True), *map(Option, options), markup=False)
        self.chosen: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """The question itself is the first of the list, and cannot be selected."""
        if not self.chosen.done():
            self.chosen.set_result(event.option_index - 1)


class Terminal(App[None]):
    """The screen: rows, questions, the status, and a line to write in."""

    CSS = """
    #rows { height: 1fr }
    #rows Static { margin-bottom: 1 }
    #status { color: $text-muted }
    Question { height: auto }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        ("escape", "enter('/cancel')", "Cancel"),
        ("ctrl+r", "enter('/load')", "Load again"),
    ]

    def __init__(self, command: list[str], load: str | None = None) -> None:
        super().__init__()
        self.client = Client(self)
        self.client.stderr = DEVNULL  # else what the agent logs is written over the screen
        self.rows: list[Static] = []
        self.status = Static(id="status", markup=False)
        self.line = Input(placeholder="Say something")
        self._begin = (command, load)

    def compose(self) -> ComposeResult:
        """What is there from the beginning."""
        yield VerticalScroll(id="rows")
        yield self.status
        yield self.line
        yield Footer()

    def on_mount(self) -> None:
        """Begin, once all is on the screen."""
        self.query_one("#rows").anchor()  # it shows its end
        self.line.focus()
        self.run_worker(self._talk())

    async def _talk(self) -> None:
        try:
            await self.client.begin(*self._begin)
        except (OSError, LocalProtocolError) as error:  # it is no agent, or has no such session
            self.exit(return_code=1, message=str(error))

    async def on_unmount(self) -> None:
        """The agent ends with the screen."""
        if self.client.connection.phase != "new":
            await self.client.end()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """What was written goes to the client."""
        event.input.clear()
        self.client.enter(event.value)

    def action_enter(self, line: str) -> None:
        """A key stands for a line."""
        self.client.enter(line)

    async def choose(self, question: str, options: list[str]) -> int:
        """Show the question until the user has chosen, or it is withdrawn."""
        asked = Question(question, options)
        await self.mount(asked, before=self.status)
        try:
            asked.focus()
            return await asked.chosen
        finally:
            asked.remove()
            self.line.focus()

    def add_row(self, text: str) -> None:
        """Show one more entry."""
        self.rows.append(Static(text, markup=False))
        self.query_one("#rows").mount(self.rows[-1])

    def grow_row(self, at: int, text: str) -> None:
        """Show more of an entry."""
        self.rows[at].update(f"{self.rows[at].content}{text}")

    def set_row(self, at: int, text: str) -> None:
        """Show an entry as it is now."""
        self.rows[at].update(text)

    def drop_row(self) -> None:
        """Take the last entry away."""
        self.rows.pop().remove()

    def set_status(self, text: str) -> None:
        """Show the status."""
        self.status.update(text)

    def tell(self, text: str) -> None:
        """Show something for a while."""
        self.notify(text, markup=False)


def main() -> None:
    """Talk to an agent about the current directory."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--load", metavar="ID", help="a session of the agent's")
    parser.add_argument("--headless", action="store_true", help="print, and read from stdin")
    parser.add_argument("--say", metavar="LINE", action="append", help="a line in place of stdin")
    parser.add_argument("command", nargs="+", help="the agent, after --")
    given = parser.parse_args()
    if given.headless:
        lines = lines_of(given.say) if given.say else lines_of_stdin()
        try:
            asyncio.run(Headless().run(given.command, given.load, lines))
        except (OSError, LocalProtocolError) as error:
            sys.exit(str(error))
    else:
        Terminal(given.command, given.load).run()


if __name__ == "__main__":
    main()
