"""The modules of the package, in an order in which each imports only from those above it."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Final

import acp_state

PACKAGE: Final = Path(acp_state.__file__).parent

Imports = Mapping[str, frozenset[str]]
"""For each module, the modules of the package that it imports when it is imported."""


def modules() -> dict[str, ast.Module]:
    """Every module of the package, by its full name; a package is its ``__init__``."""
    paths = {_name(path): path for path in sorted(PACKAGE.rglob("*.py"))}
    return {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in paths.items()}


def first_sentence(module: ast.Module) -> str:
    """What the module is, in a line."""
    return (ast.get_docstring(module) or "").split("\n\n")[0].replace("\n", " ").replace("``", "`")


def imports(parsed: Mapping[str, ast.Module]) -> Imports:
    """What each module imports at its top; imports for type checkers alone do not count."""
    return {
        name: frozenset(
            found for node in module.body for found in _imported(node, parsed) if found != name
        )
        for name, module in parsed.items()
    }


def units(found: Imports) -> Imports:
    """The same for the modules and packages at the top of the package, each taken as one."""
    joined: dict[str, set[str]] = {}
    for name, imported in found.items():
        joined.setdefault(unit(name), set()).update(map(unit, imported))
    return {name: frozenset(others - {name}) for name, others in joined.items()}


def unit(name: str) -> str:
    """``acp_state.reduce`` for ``acp_state.reduce.plans``."""
    return ".".join(name.split(".")[:2])


def layers(found: Imports) -> list[list[str]]:
    """The names in layers: each imports only from the layers before its own.

    Raises:
        graphlib.CycleError: there are none.
    """
    sorter, told = TopologicalSorter(found), []
    sorter.prepare()
    while sorter.is_active():
        ready = sorted(sorter.get_ready())
        told.append(ready)
        sorter.done(*ready)
    return told


def _name(path: Path) -> str:
    return ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(
        ".__init__"
    )


def _imported(node: ast.stmt, known: Iterable[str]) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names if alias.name in known)
    if isinstance(node, ast.ImportFrom):
        for alias in node.names:
            inner = f"{node.module}.{alias.name}"
            yield from [name for name in (inner, str(node.module)) if name in known][:1]


def in_order() -> list[str]:
    """All modules, each after those that it imports."""
    return list(_flat(layers(imports(modules()))))


def module_list() -> Iterator[str]:
    """A line for each module, those of a package below it."""
    parsed = modules()
    found = imports(parsed)
    for name in _flat(layers(units(found))):
        yield f"- `{name}`: {first_sentence(parsed[name])}"
        inner = {
            each: frozenset(other for other in found[each] if _is_in(name, other))
            for each in parsed
            if _is_in(name, each)
        }
        for each in _flat(layers(inner)):
            yield f"  - `{each.removeprefix(f'{name}.')}`: {first_sentence(parsed[each])}"


def _flat(many: list[list[str]]) -> Iterator[str]:
    return (name for layer in many for name in layer)


def _is_in(package: str, name: str) -> bool:
    return package != PACKAGE.name and name.startswith(f"{package}.")
