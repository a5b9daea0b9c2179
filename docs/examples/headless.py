"""A screen that is none, for `session_client.py`: what a user would see is printed.

Lines are entered one after the other: each when what came of the one before is done, or asks for a
line; only `/cancel` is entered at once. `/show` prints all rows as they stand, and a question of
the agent's takes the number of an option.
"""

import asyncio
import sys
from collections.abc import AsyncIterator

from session_client import Client

from acp_state import Connection, intents


class Headless(Client):
    """A client that prints: a row when it is new or another one, and then what it grows by."""

    def __init__(self) -> None:
        super().__init__(self)
        self._rows: list[str] = []
        self._status = ""
        self._last: int | None = None  # the row that the output ends with, if it does
        self._answer: asyncio.Future[str] | None = None  # the line that a question waits for
        self._one_question = asyncio.Lock()
        self._changed = asyncio.Event()

    async def run(self, command: list[str], load: str | None, lines: AsyncIterator[str]) -> None:
        """Begin, enter the lines, and end, whatever happens in between."""
        try:
            await self.begin(command, load)
            await self._enter_all(lines)
        finally:
            if self.connection.phase != "new":  # else no agent was started
                await self.end()
        self._write("\n")

    async def _enter_all(self, lines: AsyncIterator[str]) -> None:
        """Enter each line when the one before is done, or asks for it; a cancel at once."""
        async for line in lines:
            if line != "/cancel":
                await self._settled()
            if line == "/show":
                self.tell("\n".join(["---", *self._rows, "---"]))
            elif self._is_asked and line != "/cancel":
                self._answer.set_result(line)
            else:
                self.enter(line)
        await self._settled()

    @property
    def _is_asked(self) -> bool:
        return self._answer is not None and not self._answer.done()  # done: answered, withdrawn

    async def _settled(self) -> None:
        """Wait until the agent owes us nothing, or asks."""
        while self.connection.client_requests and not self._is_asked:
            self._changed.clear()
            await self._changed.wait()

    def show(self, before: Connection, told: tuple[intents.Intent, ...]) -> None:
        """Whatever has happened, it may be what was waited for."""
        super().show(before, told)
        self._changed.set()

    async def choose(self, question: str, options: list[str]) -> int | None:
        """The number in the next line; None: it is none of an option."""
        numbered = [f"{number} {each}" for number, each in enumerate(options, 1)]
        async with self._one_question:
            self.tell("\n  ".join([question, *numbered]))
            self._answer = asyncio.get_running_loop().create_future()
            self._changed.set()
            line = await self._answer
        return int(line) - 1 if line in map(str, range(1, len(options) + 1)) else None

    def add_row(self, text: str) -> None:
        """Print the row."""
        self._rows.append("")
        self.set_row(len(self._rows) - 1, text)

    def grow_row(self, at: int, text: str) -> None:
        """Go on where the output ends, if that is in this row."""
        if at != self._last:
            self.set_row(at, self._rows[at] + text)
            return
        self._rows[at] += text
        self._write(text)

    def set_row(self, at: int, text: str) -> None:
        """Print the row again, as it is now."""
        self._rows[at] = text
        self.tell(text)
        self._last = at

    def drop_row(self) -> None:
        """Forget the last row."""
        self._rows.pop()

    def set_status(self, text: str) -> None:
        """Print the status, if it is another one."""
        if text != self._status:
            self._status = text
            self.tell(f"-- {text}")

    def tell(self, text: str) -> None:
        """Print what is no row."""
        self._write(f"\n{text}")
        self._last = None

    def _write(self, text: str) -> None:
        sys.stdout.write(text)
        sys.stdout.flush()


async def lines_of_stdin() -> AsyncIterator[str]:
    """The lines, as they come."""
    while line := await asyncio.to_thread(sys.stdin.readline):
        yield line.rstrip("\n")


async def lines_of(given: list[str]) -> AsyncIterator[str]:
    """The lines that were given."""
    for line in given:
        yield line
