"""The reference pages: which module's public names stand on which page.

A page names modules. What they give to `acp_state` and to `acp_state.schema` is read off the
imports of those two packages, so that a new public name is on its page as soon as it is exported.
"""

from __future__ import annotations

import ast
import importlib
import inspect
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Final

import tree

ApiPage = tuple[str, str, tuple[str, ...]]
"""Title, first sentence, and the modules whose names it has, in order."""

API_PAGES: Final[dict[str, ApiPage]] = {
    "reference/folding.md": (
        "Folding",
        "Events go in, the next state and what is to be done come out.",
        (
            "acp_state.reduce.connection",
            "acp_state.reduce.fold",
            "acp_state.reduce.updates",
            "acp_state.recording",
        ),
    ),
    "reference/events.md": (
        "Events",
        "What goes into `reduce` and `fold`: messages that were seen, and commands.",
        ("acp_state.events",),
    ),
    "reference/intents.md": (
        "Intents",
        "What comes out beside the new state, for the host to do or to know.",
        ("acp_state.intents", "acp_state.diagnostics"),
    ),
    "reference/model.md": (
        "Model",
        "What is known of a connection and of its sessions.",
        ("acp_state.model",),
    ),
    "reference/changes.md": (
        "Changes",
        "What differs between two states.",
        ("acp_state.changes", "acp_state.appended"),
    ),
    "reference/keeping.md": (
        "Keeping and telling",
        "A state as JSON and back, and a session as the updates that rebuild it.",
        ("acp_state.snapshot", "acp_state.materialize"),
    ),
    "reference/values.md": (
        "Values and errors",
        "Raw JSON, the key that was not sent, and the errors that a host can cause.",
        ("acp_state.json_values", "acp_state.omitted", "acp_state.errors"),
    ),
}


def api_page(title: str, first: str, modules: tuple[str, ...]) -> str:
    """A page of the names that these modules give to `acp_state`."""
    exported = names_by_module(tree.PACKAGE / "__init__.py")
    homes = [home for module in modules for home in _homes(module, exported[module])]
    lines = [line for home, names in homes for line in _entries(home, names)]
    told = [line for home, names in homes for line in _told(home, names)]
    return "\n".join([*_head(title, first), *told, "", *_reference("acp_state", lines), ""])


def schema_page() -> str:
    """A page of all names of `acp_state.schema`, a section for each of its modules."""
    first = "The protocol's own types, under the names of the published schema, chapter by chapter."
    lines = _head("Schema", first)
    for module, names in names_by_module(tree.PACKAGE / "schema" / "__init__.py").items():
        doc = inspect.getdoc(importlib.import_module(module)) or ""
        heading = doc.partition(".\n")[0].partition(";")[0].removesuffix(".")
        entries, told = _entries(module, names), _told(module, names)
        lines += [f"## {heading}", "", *told, "", *_reference("acp_state.schema", entries)]
    return "\n".join([*lines, ""])


def names_by_module(package: Path) -> dict[str, list[str]]:
    """The names that a package's ``__init__.py`` imports, by the module that they come from."""
    imports = (node for node in _parsed(package).body if isinstance(node, ast.ImportFrom))
    return {str(node.module): [alias.name for alias in node.names] for node in imports}


def _homes(module: str, names: list[str]) -> Iterator[tuple[str, list[str]]]:
    """The modules in which the names are defined; those of a package, whole before part."""
    path = Path(str(importlib.import_module(module).__file__))
    if path.name != "__init__.py":
        yield module, names
        return
    homes = names_by_module(path)
    for home in reversed([each for each in tree.in_order() if each in homes]):
        yield home, [name for name in homes[home] if name in names]


def _head(title: str, first: str) -> list[str]:
    return [f"# {title}", "", "This page is generated from the code.", first, ""]


def _reference(package: str, entries: Iterable[str]) -> Iterator[str]:
    yield from ("```{eval-rst}", f".. currentmodule:: {package}", "", *entries, "```", "")


def _entries(module: str, names: list[str]) -> Iterator[str]:
    """A directive for each name, in the order of the module."""
    found, assigned = importlib.import_module(module), dict(_assigned(_source(module)))
    for name in _in_order(module, names):
        if name in assigned:
            yield from assigned[name]
        else:
            yield f".. auto{_kind(getattr(found, name))}:: {name}"


def _told(module: str, names: list[str]) -> Iterator[str]:
    """An item for each name, with what it is in a sentence, to be read without a site."""
    found, assigned = importlib.import_module(module), dict(_assigned(_source(module)))
    for name in _in_order(module, names):
        if name in assigned:
            text = " ".join(
                line.strip() for line in assigned[name][1:] if ":canonical:" not in line
            )
        else:
            text = (inspect.getdoc(getattr(found, name)) or "").partition("\n\n")[0]
        said = " ".join(text.replace("``", "`").split())
        yield f"- `{name}`: {said}" if said else f"- `{name}`"


def _in_order(module: str, names: list[str]) -> list[str]:
    places = {name: node.lineno for node in _source(module).body for name in _defined(node)}
    return sorted(names, key=lambda name: places.get(name, 0))


def _source(module: str) -> ast.Module:
    return _parsed(Path(str(importlib.import_module(module).__file__)))


def _assigned(source: ast.Module) -> Iterator[tuple[str, list[str]]]:
    """The aliases and constants of a module, as autodoc would not say them: by what is written."""
    for node, after in pairwise([*source.body, ast.Pass()]):
        if isinstance(node, ast.AnnAssign) and node.value is not None:
            name, is_alias = ast.unparse(node.target), ast.unparse(node.annotation) == "TypeAlias"
            alias = [f".. py:type:: {name}", f"   :canonical: {ast.unparse(node.value)}", ""]
            head = alias if is_alias else [f".. py:data:: {name}", ""]
            yield name, [*head, *_sentence(after)]


def _sentence(node: ast.stmt) -> list[str]:
    """The text below an assignment, if there is one."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return [f"   {' '.join(str(node.value.value).split())}", ""]
    return []


def _defined(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
        yield node.name
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        yield node.target.id


def _kind(value: object) -> str:
    if isinstance(value, type):
        return "exception" if issubclass(value, Exception) else "class"
    return "function"


def _parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))
