"""A web page for an agent: `python server.py [--port N] -- COMMAND...` prints its URL.

The agent runs under the host of `host.py`, in one session about the current directory. Each page
has a web socket. Down it goes, as JSON, what has changed since this page was told last, at first
all there is; a page that reads slowly is told less often, and more at once, since `changes`
compares any two versions. Up it comes what the user wants.
"""

import argparse
import asyncio
import json
import signal
import socket
import sys
from contextlib import suppress
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import Any

from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response

from acp_state import (
    Change,
    LocalProtocolError,
    Message,
    Permission,
    Session,
    SessionChanges,
    ToolCall,
    Turn,
    changes,
    events,
    intents,
)
from acp_state.schema import TextContent
from acp_state.schema.tool_calls import Content, Diff

sys.path.append(str(Path(__file__).parents[1]))
from host import Host

PAGE = Path(__file__).with_name("index.html")


class WebHost(Host):
    """The host, whose users sit at pages; all that they see is in the state."""

    def __init__(self) -> None:
        super().__init__()
        self._news = asyncio.Event()

    def show(self, *_: Any) -> None:
        """Wake the pages, which know what they have shown."""
        self._news.set()
        self._news = asyncio.Event()

    def _carry_out(self, intent: intents.Intent) -> None:
        if not isinstance(intent, intents.AskPermission | intents.PermissionWithdrawn):
            super()._carry_out(intent)  # else it is in `permissions`, which the pages show

    async def push(self, page: ServerConnection, session_id: str) -> None:
        """Tell a page what it does not show yet, again and again."""
        shown = Session(session_id)
        with suppress(ConnectionClosed):
            while True:
                news, newest = self._news, self.connection.sessions[session_id]
                if found := changes(shown, newest):
                    await page.send(json.dumps(as_json(found, newest)))
                shown = newest
                await news.wait()

    def take(self, session_id: str, wish: Any) -> None:
        """Do what a user wants; raises `LocalProtocolError` where that cannot be now."""
        match wish:
            case {"prompt": str(text)}:
                self.feed(events.Prompt(session_id, text))
            case {"cancel": True}:
                self.feed(events.Cancel(session_id))
            case {"answer": int(at), "option": str() | None as option_id}:
                asked = self.connection.sessions[session_id].permissions[at]
                if not asked.is_pending:  # another page was faster, or the agent has gone on
                    raise LocalProtocolError("the question is settled", rule="PERM-01")
                self.feed(events.AnswerPermission(asked.request_id, option_id))


# What has changed, as JSON: entries and questions by position, all else by name


def as_json(found: SessionChanges, session: Session) -> dict[str, Any]:
    """What a page has to draw."""
    return {
        "entries": [entry_json(change) for change in found.entries],
        "questions": [question_json(change, session) for change in found.permissions],
        **({"turn": turn_json(session.turns[-1])} if found.turns else {}),
        **{name: SLOTS[name](session) for name in found.slots if name in SLOTS},
    }


def turn_json(turn: Turn) -> dict[str, Any]:
    """Whether the turn runs, and how it ended."""
    end = turn.error.message if turn.error else turn.stop_reason or turn.outcome
    return {"running": turn.is_running, "cancelling": turn.cancelling, "end": end}


SLOTS = {
    "cwd": lambda session: session.cwd,
    "readiness": lambda session: session.readiness,
    "plan": lambda session: [
        {"content": step.content, "status": step.status}
        for step in (session.plan.entries if session.plan else ())
    ],
    "usage": lambda session: {"used": session.usage.used, "size": session.usage.size},
}


def entry_json(change: Change[int, Any]) -> dict[str, Any]:
    """What to append to a message, or what to draw anew; neither: it is gone."""
    match change.after:
        case Message() if new := change.appended:
            return {"at": change.at, "kept": new.kept, "append": new.text}
        case Message(role=role, text=text):
            drawn = {"kind": role, "head": role, "text": text}
        case ToolCall(title=title, effective_status=status, content=content):
            text = "\n".join(map(part_text, content))
            drawn = {"kind": "tool", "head": title or "tool", "status": status, "text": text}
        case None:
            return {"at": change.at}
        case other:
            drawn = {"kind": "other", "head": type(other).__name__, "text": repr(other)}
    return {"at": change.at, "draw": drawn}


def part_text(part: Any) -> str:
    """A part of what a tool did, as text."""
    match part:
        case Content(content=TextContent(text=text)):
            return text
        case Diff(path=path):
            return f"changes {path}"
        case _:
            return repr(part)


def question_json(change: Change[int, Permission], session: Session) -> dict[str, Any]:
    """A question with its options; without any: it is settled."""
    asked = change.after
    if asked is None or not asked.is_pending:
        return {"at": change.at}
    call = session.tool_calls[asked.tool_call.tool_call_id]  # a request makes its call known
    options = [{"id": o.option_id, "name": o.name, "kind": o.kind} for o in asked.options]
    return {"at": change.at, "title": call.title or "a tool", "options": options}


# The server


async def attend(host: WebHost, session_id: str, page: ServerConnection) -> None:
    """Serve one page, as long as it is open."""
    pushing = asyncio.create_task(host.push(page, session_id))
    with suppress(ConnectionClosed):
        async for text in page:
            try:
                host.take(session_id, json.loads(text))
            except (ValueError, LookupError) as refused:  # `LocalProtocolError` is a `ValueError`
                await page.send(json.dumps({"refused": str(refused)}))
    pushing.cancel()


def page_of(connection: ServerConnection, request: Request) -> Response | None:
    """The page; None: go on to the web socket."""
    if request.path == "/socket":
        return None
    response = connection.respond(HTTPStatus.OK, PAGE.read_text("utf-8"))
    del response.headers["Content-Type"]
    response.headers["Content-Type"] = "text/html; charset=utf-8"
    return response


async def main(port: int, command: list[str]) -> None:
    """Run the agent, and serve pages until Ctrl-C; they can be read when the agent has gone."""
    host = WebHost()
    try:
        await host.start(*command)
        await serve_pages(host, await host.new_session(str(Path.cwd())), port)
    finally:
        if host.connection.phase != "new":  # else no agent was started
            await host.close()


async def serve_pages(host: WebHost, session_id: str, port: int) -> None:
    """Serve them until Ctrl-C; then they are told that the agent has gone."""
    ended = asyncio.Event()
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, partial(end, asyncio.get_running_loop(), ended))
    listening = socket.create_server(("127.0.0.1", port))
    url = f"http://127.0.0.1:{listening.getsockname()[1]}"
    settings = {
        "origins": [url],  # any page on the web can open a socket to us; its browser tells whose
        "process_request": page_of,
        "open_timeout": 1,  # browsers connect in advance, and the end would wait for these
    }
    async with serve(partial(attend, host, session_id), sock=listening, **settings):
        sys.stdout.write(f"{url}\n")
        sys.stdout.flush()
        await ended.wait()
        await host.close()


def end(loop: asyncio.AbstractEventLoop, ended: asyncio.Event, *_: Any) -> None:
    """Tell the server, from a signal's handler, that it shall end."""
    loop.call_soon_threadsafe(ended.set)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=8765)
    parser.add_argument("command", nargs="+", help="the agent, after --")
    try:
        asyncio.run(main(**vars(parser.parse_args())))
    except (OSError, LocalProtocolError) as error:  # no agent, no session, or a port that is taken
        sys.exit(str(error))
