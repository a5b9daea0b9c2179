"""The state that each recording of a real agent ends in, as text that a person can review.

A golden file holds, for one recording, a line for everything that the model holds after the last
message: what must be compared exactly but would drown the reader stands there as its length and
the first eight digits of its SHA-256.  The files are written by hand only, with

    python tests/golden_form.py --write [NAME...]

after which the difference is to be read against the recording; without ``--write`` the command
prints the form of the recordings it is given.  The tests compare and never write.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from observing import see
from shared import SHARED

from acp_state.codec import encode
from acp_state.intents import Diagnose, Intent, ShowNotice
from acp_state.json_values import thaw
from acp_state.model import (
    Chunks,
    Compaction,
    Entry,
    Message,
    Permission,
    Session,
    SessionMessage,
    Subagent,
    Terminal,
    ToolCall,
    Turn,
)
from acp_state.model.connection import (
    Authentication,
    Connection,
    PendingRequests,
    SettledRequests,
)
from acp_state.schema import (
    ContentBlock,
    Implementation,
    PlanItems,
    PlanUpdateContent,
    SessionConfigOption,
    StateUpdate,
    TextContent,
    ToolCallContent,
)

TRACES = SHARED / "traces"
GOLDEN = Path(__file__).with_name("golden")

NONE = "-"


def recordings() -> list[str]:
    """The names of the recordings; none where `shared` is not beside the checkout."""
    return sorted(path.stem for path in TRACES.glob("*.jsonl"))


def messages_of(name: str) -> list[tuple[str, Any]]:
    """Sender and JSON-RPC message of each line of a recording."""
    lines = (TRACES / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    read = map(json.loads, lines)
    return [(line["from"], line["message"]) for line in read]


def form(name: str) -> str:
    """The golden form of a recording."""
    connection = Connection(side="observer")
    noticed: list[tuple[int, Intent]] = []
    messages = messages_of(name)
    for number, (sender, message) in enumerate(messages, 1):
        connection, intents = see(connection, sender, message)
        noticed += [(number, intent) for intent in intents]
    return "\n".join(_lines(connection, noticed, len(messages))) + "\n"


def _lines(
    connection: Connection, noticed: list[tuple[int, Intent]], messages: int
) -> Iterator[str]:
    yield f"{messages} messages"
    yield from _connection(connection)
    yield from _diagnostics(noticed)
    yield from _notices(noticed)
    yield from _pending("client", connection.client_requests)
    yield from _pending("agent", connection.agent_requests)
    yield from _settled("client", connection.settled_by_client)
    yield from _settled("agent", connection.settled_by_agent)
    for session_id, session in connection.sessions.items():
        yield ""
        yield f"session {short(session_id)}"
        yield from indent(_header(connection, session))
        yield from _section("plan", _plan(session))
        yield from _section("turns", map(_turn, range(len(session.turns)), session.turns))
        yield from _section(
            "permissions", map(_permission, range(len(session.permissions)), session.permissions)
        )
        yield from _section(
            "timeline",
            (_entry(session, at, entry) for at, entry in enumerate(session.timeline)),
        )
        yield from _section("terminals", map(_terminal, session.terminals.values()))


def _section(title: str, lines: Iterable[str]) -> Iterator[str]:
    held = list(lines)
    if held:
        yield f"  {title}"
        yield from indent(indent(held))


def indent(lines: Iterable[str]) -> Iterator[str]:
    """The lines, two columns to the right."""
    return (f"  {line}" for line in lines)


# What came out beside the state


def _diagnostics(noticed: list[tuple[int, Intent]]) -> Iterator[str]:
    found: dict[tuple[str, str], list[int]] = {}
    for number, intent in noticed:
        if isinstance(intent, Diagnose):
            row = (intent.diagnostic.severity, intent.diagnostic.code)
            found.setdefault(row, []).append(number)
    for (severity, code), numbers in sorted(found.items()):
        at = ", ".join(map(str, numbers))
        yield f"diagnostic {severity} {code} x{len(numbers)}: line {at}"


def _notices(noticed: list[tuple[int, Intent]]) -> Iterator[str]:
    for number, intent in noticed:
        if isinstance(intent, ShowNotice):
            what = f"notice {intent.notice.severity} {text(intent.notice.title)}"
            yield f"{what}: session {short(intent.session_id)} at {intent.position}, line {number}"


def _pending(side: str, requests: PendingRequests) -> Iterator[str]:
    for request in requests.values():
        what = f"unanswered {side} request {request.request_id!r}: {request.method}"
        asked = ", cancel asked" if request.cancel_requested else ""
        yield f"{what}, session {short(request.session_id)}{asked}"


def _settled(side: str, requests: SettledRequests) -> Iterator[str]:
    for _, request_id in requests:
        yield f"answered for the {side}, not seen on the wire: request {request_id!r}"


# The connection


def _connection(connection: Connection) -> Iterator[str]:
    version = connection.protocol_version or NONE
    client, agent = map(_name, (connection.client_info, connection.agent_info))
    yield f"connection {connection.phase}, protocol {version}, client {client}, agent {agent}"
    if connection.authentication != Authentication():
        known = connection.authentication
        needed = "required, " if known.required else ""
        yield f"authentication {needed}{known.state}, {len(known.accounts)} accounts"
    if connection.catalogue:
        listed = [encode(info) for info in connection.catalogue.values()]
        yield f"catalogue {len(listed)} sessions {of_json(listed)}"
    for asked in connection.elicitations.values():
        where = short(asked.session_id)
        yield f"elicitation {asked.request_id!r} {asked.mode}, session {where}"
    for elicitation_id in connection.awaited_urls:
        yield f"awaited url {short(elicitation_id)}"


def _name(info: Implementation | None) -> str:
    return NONE if info is None else f"{info.name} {info.version}"


# The session and its slots


def _header(connection: Connection, session: Session) -> Iterator[str]:
    facts = [session.readiness]
    if session.forked_from is not None:
        facts.append(f"forked from {short(session.forked_from)}")
    if session.archived:
        facts.append("archived")
    if session.history_incomplete:
        facts.append("history incomplete")
    yield ", ".join(facts)
    if session.parent_id is not None:
        yield f"parent: {short(session.parent_id)}"
    parents = ((each.parent_id, each.session_id) for each in connection.sessions.values())
    children = [short(child) for parent, child in parents if parent == session.session_id]
    if children:
        yield f"children: {' '.join(children)}"
    roots = connection.additional_directories_of(session.session_id)
    yield f"cwd: {connection.cwd_of(session.session_id) or NONE}, roots {roots}"
    yield f"title: {text(session.title)}, updated {session.updated_at or NONE}"
    if session.meta is not None:
        yield f"meta: {of_json(thaw(session.meta))}"
    modes = session.modes
    yield "mode: " + (
        NONE if modes is None else f"{modes.current_mode_id} of {len(modes.available_modes)}"
    )
    yield f"options: {_options(session)}"
    yield f"commands: {_commands(session)}"
    yield f"usage: {_usage(session)}"


def _options(session: Session) -> str:
    if session.config_options is None:
        return NONE
    values = "".join(f" {option.id}={option.current_value}" for option in session.config_options)
    options = [encode(option, SessionConfigOption) for option in session.config_options]
    return f"{len(options)}{values} {of_json(options)}"


def _commands(session: Session) -> str:
    commands = [encode(command) for command in session.available_commands]
    return f"{len(commands)} {of_json(commands)}"


def _usage(session: Session) -> str:
    usage = session.usage
    if usage is None:
        return NONE
    cost = "" if usage.cost is None else f", {usage.cost.amount!r} {usage.cost.currency}"
    return f"{usage.used} of {usage.size}{cost}{_meta(usage.meta)}"


def _plan(session: Session) -> Iterator[str]:
    if session.plan is not None:
        if not session.plan.entries:
            yield "(no entries)"
        for entry in session.plan.entries:
            yield f"{entry.status} {entry.priority} {text(entry.content)}"
    for plan_id, plan in session.plans.items():
        yield f"{plan_id}: {_named_plan(plan)}"


def _named_plan(plan: PlanUpdateContent) -> str:
    size = f"{len(plan.entries)} entries " if isinstance(plan, PlanItems) else ""
    return f"{type(plan).__name__} {size}{of_json(encode(plan, PlanUpdateContent))}"


def _turn(index: int, turn: Turn) -> str:
    facts = [f"{index} request {turn.request_id!r} at {turn.start}: {turn.outcome or 'running'}"]
    if turn.stop_reason is not None:
        facts.append(f"stop {turn.stop_reason}")
    if turn.error is not None:
        facts.append(f"error {turn.error.code} {text(turn.error.message)}")
    if turn.cancel_requested:
        facts.append("cancel asked")
    if turn.usage is not None:
        usage = turn.usage
        facts.append(f"tokens {usage.total_tokens} {of_json(encode(usage))}")
    return ", ".join(facts) + _meta(turn.meta)


def _permission(index: int, permission: Permission) -> str:
    turn = NONE if permission.turn is None else permission.turn
    call = permission.tool_call
    first = ", first sight of it" if permission.before is None else ""
    outcome = permission.outcome or "pending"
    option = "" if permission.option_id is None else f" {permission.option_id}"
    error = "" if permission.error is None else f" {permission.error.code}"
    offered = "+".join(option.option_id for option in permission.options)
    asked = f"request {permission.request_id!r} for {short(call.tool_call_id)}{first}"
    decided = f"{outcome}{option}{error} of {offered}"
    return f"{index} [{turn}] {asked}: {decided}, as sent {of_json(encode(call))}"


def _terminal(terminal: Terminal) -> str:
    exited = f"exit {terminal.exit_code} {terminal.signal or ''}" if terminal.exited else "running"
    released = ", released" if terminal.released else ""
    cut = ", truncated" if terminal.truncated else ""
    return (
        f"{short(terminal.terminal_id)}: {exited.strip()}{released}, {text(terminal.output)}{cut}"
    )


# The timeline


def _entry(session: Session, position: int, entry: Entry) -> str:
    turn = NONE if entry.turn is None else entry.turn
    excluded = " excluded" if session.is_excluded(entry) else ""
    return f"{position} [{turn}]{excluded} {_shown(entry)}"


def _shown(entry: Entry) -> str:
    if isinstance(entry, Message):
        name = "" if entry.message_id is None else f" {short(entry.message_id)}"
        local = " local" if entry.origin == "local" else ""
        return f"{entry.role}{local}{name}: {_chunks(entry.chunks)}"
    if isinstance(entry, ToolCall):
        return f"tool {short(entry.tool_call_id)}: {_tool_call(entry)}"
    if isinstance(entry, Compaction):
        error = "" if entry.error is None else f", error {text(entry.error)}"
        what = f"{entry.status}, {_chunks(entry.chunks)}{error}{_meta(entry.meta)}"
        return f"compaction {short(entry.compaction_id)}: {what}"
    if isinstance(entry, SessionMessage):
        return f"session message {short(entry.message_id)}: {_session_message(entry)}"
    return f"subagent {short(entry.session_id)}: {_subagent(entry)}"


def _tool_call(call: ToolCall) -> str:
    overlay = " shown as cancelled" if call.cancelled else ""
    announced = "" if call.announced else " never announced"
    facts = [
        f"{call.status}{overlay}{announced}, {call.kind} {call.name or NONE} {text(call.title)}"
    ]
    if call.content:
        content = [encode(item, ToolCallContent) for item in call.content]
        kinds = "+".join(str(item["type"]) for item in content if isinstance(item, dict))
        facts.append(f"content {kinds} {of_json(content)}")
    if call.locations:
        locations = [encode(location) for location in call.locations]
        facts.append(f"locations {len(locations)} {of_json(locations)}")
    if call.raw_input is not None:
        facts.append(f"in {of_json(thaw(call.raw_input))}")
    if call.raw_output is not None:
        facts.append(f"out {of_json(thaw(call.raw_output))}")
    return ", ".join(facts) + _meta(call.meta)


def _chunks(chunks: Chunks) -> str:
    """How many chunks, how many of them with metadata, and the blocks that they make."""
    metas = sum(chunk.meta is not None for chunk in chunks)
    noted = f" ({metas} with meta)" if metas else ""
    count = f"{len(chunks)} chunk{'' if len(chunks) == 1 else 's'}{noted}"
    return ", ".join([count, *(_block(block) for block in chunks.blocks)])


def _block(block: ContentBlock) -> str:
    if isinstance(block, TextContent) and block == TextContent(text=block.text):
        return text(block.text)
    written = encode(block, ContentBlock)
    kind = written["type"] if isinstance(written, dict) else NONE
    return f"{kind} {of_json(written)}"


def _session_message(message: SessionMessage) -> str:
    sender = _end(message.sender_session_id, message.sender_message_id)
    recipient = _end(message.recipient_session_id, message.recipient_message_id)
    return f"{sender} to {recipient}, {_chunks(message.chunks)}{_meta(message.meta)}"


def _end(session_id: str | None, message_id: str | None) -> str:
    hint = "" if message_id is None else f" as {short(message_id)}"
    return f"{short(session_id)}{hint}"


def _subagent(child: Subagent) -> str:
    rights = "may be cancelled" if child.may_cancel else "no rights"
    state = NONE if child.state is None else json.dumps(encode(child.state, StateUpdate))
    sure = "" if child.state_confirmed else " unconfirmed"
    what = f"{text(child.title)} {text(child.description)}, {rights}, state{sure} {state}"
    return f"{what}, cwd {child.cwd or NONE}{_meta(child.meta)}"


# Values, shortened


def short(an_id: str | None) -> str:
    """An id as it is, or the start and the end of a long one."""
    if an_id is None:
        return NONE
    return an_id if len(an_id) <= 20 else f"{an_id[:6]}..{an_id[-8:]}"


def text(value: str | None) -> str:
    """The start of a text, its length, and its digest where something is left out."""
    if value is None:
        return NONE
    if len(value) <= 40:
        return ascii(value)
    return f"{value[:32]!a}.. {len(value)} {digest(value)}"


def of_json(value: object) -> str:
    """The digest of a JSON value, whatever the order of its keys is."""
    return digest(json.dumps(value, sort_keys=True, ensure_ascii=False))


def digest(value: str) -> str:
    """The first eight digits of the SHA-256 of a text."""
    return hashlib.sha256(value.encode("utf-8")).hexdigest()[:8]


def _meta(meta: Mapping[str, object] | None) -> str:
    return "" if meta is None else f", meta {'+'.join(meta) or 'empty'} {of_json(thaw(meta))}"


def main() -> None:
    """Print the forms, or write them."""
    parser = argparse.ArgumentParser(description="The golden states of the recordings.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="recordings; all if none is given")
    parser.add_argument("--write", action="store_true", help="rewrite the files in tests/golden")
    options = parser.parse_args()
    names = options.names or recordings()
    if not names:
        sys.exit(f"no recordings in {TRACES}")
    for name in names:
        if options.write:
            (GOLDEN / f"{name}.txt").write_text(form(name), encoding="utf-8")
        else:
            sys.stdout.write(form(name))


if __name__ == "__main__":
    main()
