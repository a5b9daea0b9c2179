"""The reference pages: which module's public names stand on which page.

A page names modules. What they give to `acp_state` and to `acp_state.schema` is read off the
imports of those two packages, so that a new public name is on its page as soon as it is exported.
"""

from __future__ import annotations

import ast
import importlib
import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Final

PACKAGE: Final = Path(__file__).parents[1] / "acp_state"

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
    exported = names_by_module(PACKAGE / "__init__.py")
    names = [name for module in modules for name in _in_order(module, exported[module])]
    return "\n".join([*_head(title, first), *_directives("acp_state", names), ""])


def schema_page() -> str:
    """A page of all names of `acp_state.schema`, a section for each of its modules."""
    first = "The protocol's own types, under the names of the published schema, chapter by chapter."
    lines = _head("Schema", first)
    for module, names in names_by_module(PACKAGE / "schema" / "__init__.py").items():
        doc = inspect.getdoc(importlib.import_module(module)) or ""
        heading = doc.splitlines()[0].removesuffix(".")
        lines += [f"## {heading}", "", *_directives("acp_state.schema", _in_order(module, names))]
    return "\n".join([*lines, ""])


def names_by_module(package: Path) -> dict[str, list[str]]:
    """The names that a package's ``__init__.py`` imports, by the module that they come from."""
    tree = ast.parse(package.read_text(encoding="utf-8"))
    imports = (node for node in tree.body if isinstance(node, ast.ImportFrom))
    return {str(node.module): [alias.name for alias in node.names] for node in imports}


def _head(title: str, first: str) -> list[str]:
    return [f"# {title}", "", "This page is generated from the code.", first, ""]


def _in_order(module: str, names: list[str]) -> list[str]:
    """The names as the module has them, from top to bottom; those of a package as imported."""
    source = Path(str(importlib.import_module(module).__file__))
    tree = ast.parse(source.read_text(encoding="utf-8"))
    places = {name: node.lineno for node in tree.body for name in _defined(node)}
    return sorted(names, key=lambda name: places.get(name, 0))


def _defined(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
        yield node.name
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        yield node.target.id


def _directives(package: str, names: list[str]) -> Iterator[str]:
    yield from ("```{eval-rst}", f".. currentmodule:: {package}", "")
    found = importlib.import_module(package)
    for name in names:
        yield f".. auto{_kind(name, getattr(found, name))}:: {name}"
    yield from ("```", "")


def _kind(name: str, value: object) -> str:
    if isinstance(value, type) and value.__name__ == name:
        return "exception" if issubclass(value, Exception) else "class"
    return "function" if inspect.isfunction(value) else "data"
