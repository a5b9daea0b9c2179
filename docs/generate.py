"""Write the pages of the docs that are generated from tables in the code.

    python docs/generate.py

A test compares them with what this would write, so that none goes stale.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path

import api
import click
import conformance
import tree

from acp_state.cli.commands import commands
from acp_state.cli.failure import EXIT_CODES
from acp_state.diagnostics import DIAGNOSTIC_CODES
from acp_state.methods import METHODS
from acp_state.omitted import CLEAR, KEEP, MERGE, RESET, Patch
from acp_state.recording.forms import FORMS
from acp_state.schema.updates import SESSION_UPDATE
from acp_state.schema.wire import WireField, wire_fields
from acp_state.transitions import (
    CHILD_WORK,
    CONNECTION_PHASES,
    PERMISSION_ENDS,
    SESSION_LIFECYCLE,
    TOOL_CALL_STATUS,
    TURN_ENDS,
)

DOCS = Path(__file__).parent


def diagnostics_page() -> str:
    """The table of diagnostic codes."""
    rows = [
        f"| `{code}` | {row.severity} | {row.rule} | {row.meaning} |"
        for code, row in sorted(DIAGNOSTIC_CODES.items())
    ]
    return _page(
        "Diagnostics",
        "A peer's fault never raises: it is applied as far as the protocol allows, and comes out as"
        " an intent `Diagnose(diagnostic)`.",
        "`error` is a breach of the protocol, `warning` is something suspicious, `info` is"
        " something worth knowing.",
        "A diagnostic may name another rule than the one its code is usually about.",
        "",
        "| code | severity | rule | meaning |",
        "| - | - | - | - |",
        *rows,
    )


def null_and_omitted_page() -> str:
    """What omission, null and rubbish mean, for each field of each update."""
    lines = [
        line
        for tag, cls in SESSION_UPDATE.variants.items()
        if isinstance(cls, type)
        for line in _update_table(tag, cls)
    ]
    return _page(
        "Null, omitted, malformed",
        "A key that is not there, a key that is null, and a value are three things, and what they"
        " mean differs from field to field.",
        "Every optional field of a class in `acp_state.schema` has `OMITTED` as its default, and"
        " `None` means that null was sent.",
        "",
        "- *drop*: the whole update is malformed, and changes nothing.",
        "- *keep*: the held value stays.",
        "- *clear*: the held value goes back to none, or to empty.",
        "- *none*: there is no value; *default*: the entity's default.",
        "- *taken*: it is read for what the update does; *replace*: it takes the place of the held"
        " value; *merge*: its top-level keys do, and a null removes its key.",
        "- *counts as `[]`*: the list is taken for an empty one, with a diagnostic"
        " `field-defaulted`.",
        "- *absent*: as if the key were not there, with a diagnostic `field-defaulted`.",
        "- *(items)*: malformed items of the list are left out one by one, with a diagnostic"
        " `item-dropped`.",
        *lines,
    )


def _update_table(tag: str, cls: type) -> Iterator[str]:
    yield from ("", f"## `{tag}`", "", "| field | omitted | null | value | malformed |")
    yield "| - | - | - | - | - |"
    for field in wire_fields(cls):
        yield f"| `{field.key}` | {' | '.join(_cells(field))} |"


def _cells(field: WireField) -> tuple[str, str, str, str]:
    patch = field.wire.patch
    malformed = "drop" if not field.lenient else "counts as `[]`" if field.required else "absent"
    if field.wire.skip_items:
        malformed += " (items)"
    omitted = "drop" if field.required else _omitted(patch)
    return omitted, _null(field, malformed), _value(patch), malformed


def _omitted(patch: Patch | None) -> str:
    return {None: "none", KEEP: "keep", CLEAR: "keep", MERGE: "keep", RESET: "default"}.get(
        patch, "keep"
    )


def _null(field: WireField, malformed: str) -> str:
    patch = field.wire.patch
    if not field.nullable:
        return malformed.removesuffix(" (items)")
    if patch is None:
        return "none"
    return "clear" if patch.null == "clear" else "keep"


def _value(patch: Patch | None) -> str:
    if patch is None:
        return "taken"
    return "merge by top-level key" if patch.value == "merge" else "replace"


def _page(title: str, *lines: str) -> str:
    head = f"# {title}\n\nThis page is generated from the code.\n"
    return head + "\n".join(lines) + "\n"


def methods_page() -> str:
    """The method table."""
    rows = [
        f"| `{name}` | {' or '.join(sorted(row.senders))} | {row.kind} |"
        f" {_capability(row.capability)} | {row.effect} |"
        for name, row in METHODS.items()
    ]
    return _page(
        "Methods",
        "Which side sends each, what the receiver must have advertised, and what it does to the"
        " model.",
        "Methods that are not here are extensions: a request for one is answered -32601, unless the"
        " host named it in `Connection.extension_methods`.",
        "",
        "| method | sent by | kind | needs | effect |",
        "| - | - | - | - | - |",
        *rows,
    )


def state_machines_page() -> str:
    """The state machines, as diagrams."""
    return _page(
        "State machines",
        "What has no arrow is not foreseen: where a peer does it, it is applied and diagnosed;"
        " where the host asks for it, it is refused.",
        "Any status of a tool call may follow any other: where a step is odd, its arrow names the"
        " diagnostic.",
        *_diagram("Connection", ((a, event, b) for (a, event), b in CONNECTION_PHASES.items())),
        *_diagram("Session", ((a, event, b) for (a, event), b in SESSION_LIFECYCLE.items())),
        *_diagram("Turn", _turn_steps()),
        *_diagram("Permission request", (("pending", e, b) for e, b in PERMISSION_ENDS.items())),
        *_diagram("Tool call status", _tool_call_steps()),
        *_diagram("Work of a child session", _child_steps()),
    )


def _diagram(title: str, steps: Iterable[tuple[str, str, str]]) -> Iterator[str]:
    """The picture, and the same in words: one row for all states from which a step is alike."""
    alike: dict[tuple[str, str], list[str]] = {}
    yield from ("", f"## {title}", "", "```mermaid", "stateDiagram-v2")
    for before, event, after in steps:
        yield f"    {_state(before)} --> {_state(after)}: {event}"
        alike.setdefault((event, after), []).append("the start" if before == "[*]" else before)
    yield from ("```", "", "| from | by | to |", "| - | - | - |")
    yield from (f"| {', '.join(many)} | {event} | {to} |" for (event, to), many in alike.items())


def _state(name: str) -> str:
    return name.replace(" ", "_")


def _tool_call_steps() -> Iterator[tuple[str, str, str]]:
    for (before, after), code in TOOL_CALL_STATUS.items():
        if before != after:
            yield before, code or "update", after
    for status in ("pending", "in_progress"):
        yield status, "local cancel", "cancelled"


def _turn_steps() -> Iterator[tuple[str, str, str]]:
    yield "[*]", "prompt sent", "running"
    yield "running", "cancel sent", "cancelling"
    for (before, event), after in TURN_ENDS.items():
        yield before, event, after


def _child_steps() -> Iterator[tuple[str, str, str]]:
    for event, (what, confirmed) in CHILD_WORK.items():
        after = "none" if what == "none" else "confirmed" if confirmed else "unconfirmed"
        for before in ("none", "confirmed", "unconfirmed"):
            if what != "held" or before != "none":
                yield before, event, after


def _capability(path: str | None) -> str:
    return "-" if path is None else f"`{path}`"


def architecture_page() -> str:
    """The page as it is, with the list of the modules as they are."""
    page = (DOCS / "architecture.md").read_text(encoding="utf-8")
    before, _, rest = page.partition("<!-- modules -->\n")
    after = rest.partition("<!-- end -->\n")[2]
    lines = "\n".join(tree.module_list())
    return f"{before}<!-- modules -->\n{lines}\n<!-- end -->\n{after}"


def conformance_page() -> str:
    """Every rule, where it is kept, and which tests name it."""
    return _page("Conformance", *conformance.conformance())


def readings_page() -> str:
    """What was decided where the protocol is unclear."""
    return _page("Readings", *conformance.readings())


def command_page() -> str:
    """The reference of the command, made of the command itself."""
    forms = [f"| `{name}` | {form.meaning} |" for name, form in FORMS.items()]
    codes = [f"| {code} | {meaning} |" for code, meaning in EXIT_CODES.items()]
    shells = [f"| {shell} | `{file}` | `{line}` |" for shell, file, line in COMPLETION]
    return _page(
        "The command `acp-state`",
        "In a clone, `pip install '.[cli]'` installs it: acp_state with its extra `cli`.",
        "",
        *_help_of(commands),
        *_options_of(commands),
        *(line for command in commands.commands.values() for line in _subcommand(command)),
        *("", "## Forms", "", "For `--form`, and for `--to` of `convert`.", ""),
        *("| form | what it looks like |", "| - | - |", *forms),
        *("", "## Exit codes", "", "| code | meaning |", "| - | - |", *codes),
        *("", "## Completion", "", "A line in a file of the shell's makes it complete names and"),
        "options of the command.",
        *("", "| shell | file | line |", "| - | - | - |", *shells),
    )


COMPLETION = (
    ("bash", "~/.bashrc", 'eval "$(_ACP_STATE_COMPLETE=bash_source acp-state)"'),
    ("zsh", "~/.zshrc", 'eval "$(_ACP_STATE_COMPLETE=zsh_source acp-state)"'),
    ("fish", "~/.config/fish/config.fish", "_ACP_STATE_COMPLETE=fish_source acp-state \\| source"),
)


def _subcommand(command: click.Command) -> Iterator[str]:
    context = click.Context(command, info_name=f"acp-state {command.name}")
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    yield from ("", f"## `acp-state {command.name}`", "", "```text", usage, "```", "")
    yield from _help_of(command)
    yield from _options_of(command)


def _options_of(command: click.Command) -> Iterator[str]:
    """The table of its options."""
    yield from ("", "| option | meaning |", "| - | - |")
    for option in command.params:
        if isinstance(option, click.Option):
            yield f"| `{_spelling(option)}` | {_meaning(option)} |"


def _help_of(command: click.Command) -> Iterator[str]:
    """The help text, a sentence a line."""
    paragraphs = inspect.cleandoc(command.help or "").split("\n\n")
    for number, paragraph in enumerate(paragraphs):
        yield from ([""] if number else [])
        yield from re.split(r"(?<=[.]) (?=[A-Z])", " ".join(paragraph.split()))


def _spelling(option: click.Option) -> str:
    return " ".join([", ".join(option.opts), *([option.metavar] if option.metavar else [])])


def _meaning(option: click.Option) -> str:
    return f"{option.help} Default: {option.default}." if option.show_default else f"{option.help}"


PAGES = {
    "architecture.md": architecture_page,
    "reference/schema.md": api.schema_page,
    **{name: partial(api.api_page, *page) for name, page in api.API_PAGES.items()},
    "command.md": command_page,
    "conformance.md": conformance_page,
    "readings.md": readings_page,
    "methods.md": methods_page,
    "state-machines.md": state_machines_page,
    "diagnostics.md": diagnostics_page,
    "null-and-omitted.md": null_and_omitted_page,
}


if __name__ == "__main__":
    for name, page in PAGES.items():
        (DOCS / name).write_text(page(), encoding="utf-8")
