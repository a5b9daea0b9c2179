"""One page that holds a recording, and asks nobody for anything."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Iterator
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import Any, Final

from acp_state.cli.counting import what_is
from acp_state.cli.json_text import dumps, exact
from acp_state.cli.traces import Step
from acp_state.cli.web.steps import Op, operations
from acp_state.model.connection import Connection
from acp_state.recording.json_text import Json
from acp_state.recording.trace import NoJson

SCRIPTS: Final = (
    *("time.js", "content.js", "entries.js", "sessions.js"),
    *("chart.js", "raw.js", "keys.js"),
)
"""The files that the script consists of, in this order."""

_SENDERS: Final = {"client": 0, "agent": 1}


def html_page(title: str, steps: Iterable[Step]) -> str:
    """The page, as HTML.

    Its style and its script are named in its Content-Security-Policy by their hashes, so that
    nothing else can run or be loaded, whatever stands in the recording. The recording is data: in
    two script elements of a type that no browser runs, as JSON without a ``<``.
    """
    told, raw, peers = _told(steps)
    style, script = _file("page.css"), "".join(map(_file, SCRIPTS))
    held = {
        "title": escape(title),
        "style": style,
        "script": script,
        "policy": _policy(style, script),
        "steps": _harmless(dumps({"title": title, "peers": peers, "steps": told}).decode().strip()),
        "raw": "\n".join(map(_harmless, raw)),
    }
    return "".join(_filled(_file("page.html"), held))


def _told(steps: Iterable[Step]) -> tuple[list[Json], list[str], str]:
    """What the page is told of each message, their JSON texts, and who the peers are."""
    told: list[Json] = []
    raw: list[str] = []
    old = Connection(side="observer")
    for step in steps:
        new = step.after.connection
        told.append(_step(step, list(operations(old, new, step.after.intents))))
        raw.append(_raw(step.record.message))
        old = new
    return told, raw, _peers(old)


def _step(step: Step, ops: list[Op]) -> Json:
    """Sender, what it is, time, line, and what it changed."""
    record = step.record
    what = what_is(record.message) if isinstance(record.message, dict) else "no message"
    sender = None if record.sender is None else _SENDERS[record.sender]
    return [sender, what, record.time, record.line, ops]


def _raw(message: Json) -> str:
    """A message as JSON; a line that is none as a JSON text."""
    return exact(message.text.strip() if isinstance(message, NoJson) else message)


def _peers(connection: Connection) -> str:
    infos: list[Any] = [connection.client_info, connection.agent_info]
    return " and ".join(f"{info.name} {info.version}" for info in infos if info is not None)


def _harmless(text: str) -> str:
    """JSON text that no HTML parser takes for the end of an element."""
    return text.replace("<", "\\u003c")


def _policy(style: str, script: str) -> str:
    allowed = f"script-src '{_hash(script)}'; style-src '{_hash(style)}'; img-src data:"
    return f"default-src 'none'; {allowed}; base-uri 'none'; form-action 'none'"


def _hash(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


def _file(name: str) -> str:
    return (files("acp_state.cli.web") / name).read_text(encoding="utf-8")


def _filled(template: str, held: dict[str, str]) -> Iterator[str]:
    """The template with each ``{{name}}`` replaced, once and not inside of what was put in."""
    first, *rest = template.split("{{")
    yield first
    for part in rest:
        name, _, after = part.partition("}}")
        yield held[name]
        yield after
