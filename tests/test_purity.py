"""The core is pure, and its modules form layers: what is imported says so.

Everything but the command line imports no IO, no clock, no chance, no threads and no event loop,
and a module imports only from modules that stand above it in `LAYERS`.
"""

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

import acp_state

PACKAGE = Path(acp_state.__file__).parent

LAYERS = (
    ("errors",),
    ("records",),
    ("rules",),
    ("omitted",),
    ("persistent",),
    ("json_values",),
    ("schema",),
    ("reading", "codec", "leniency"),
    ("methods",),
    ("diagnostics",),
    ("model",),
    ("host_values", "events"),
    ("intents",),
    ("transitions",),
    ("reduce",),
    ("recording",),
    ("appended", "changes"),
    ("materialize",),
    ("snapshot",),
    ("cli",),
)
"""Modules and packages of the package, from the bottom up; those in one row may import each other
in the order of the row."""

ALLOWED = {
    "__future__", "collections", "contextlib", "enum", "functools", "itertools", "math", "operator",
    "re", "types", "typing", "typing_extensions", "attrs", "cattrs", "acp_state",
}  # fmt: skip
"""Top-level names that the core may import: data and functions, nothing that acts."""

PARSERS = {"json", "orjson", "datetime"}
"""Likewise in `recording` alone, which reads text, and the times in it."""

IMPURE = {
    "asyncio", "concurrent", "ctypes", "http", "logging", "multiprocessing", "random", "secrets",
    "select", "selectors", "shutil", "signal", "socket", "sqlite3", "ssl", "subprocess", "tempfile",
    "threading", "time", "urllib", "uuid", "datetime", "locale", "getpass", "click", "rich",
}  # fmt: skip
"""What must not even be loaded, unless one of the two dependencies loads it itself."""


def modules():
    """The dotted names of the modules below the package, with their files; its door is none."""
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        if name:
            yield name, path


MODULES = dict(modules())
CORE = [name for name in MODULES if name.split(".")[0] != "cli"]
POSITIONS = {name: (row, at) for row, names in enumerate(LAYERS) for at, name in enumerate(names)}


def imported(path):
    """The absolute names that a file imports, wherever in it the import stands."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively"
            yield from (submodule(node.module, alias.name) for alias in node.names)


def submodule(module, name):
    """The module that ``from module import name`` loads last."""
    full = f"{module}.{name}"
    return full if full.removeprefix("acp_state.") in MODULES else module


def layer(name):
    return name.split(".")[0]


def test_every_module_has_its_layer():
    assert {layer(name) for name in MODULES} == set(POSITIONS)


@pytest.mark.parametrize("name", CORE)
def test_the_core_imports_nothing_that_acts(name):
    allowed = ALLOWED | (PARSERS if layer(name) == "recording" else set())
    assert {each.split(".")[0] for each in imported(MODULES[name])} - allowed == set()


@pytest.mark.parametrize("name", CORE)
def test_the_core_calls_nothing_that_acts(name):
    """The builtins that read, write, or run what somebody else wrote."""
    acting = {"open", "input", "print", "eval", "__import__", "breakpoint"}
    tree = ast.parse(MODULES[name].read_text(encoding="utf-8"))
    called = {node.func for node in ast.walk(tree) if isinstance(node, ast.Call)}
    names = {each.id for each in called if isinstance(each, ast.Name)}
    assert names & acting == set()
    assert "exec" not in names or name == "model.copying"


@pytest.mark.parametrize("name", MODULES)
def test_a_module_imports_only_from_above_it(name):
    """The layout of the design."""
    own = POSITIONS[layer(name)]
    below = {
        each
        for each in imported(MODULES[name])
        if each.startswith("acp_state.")
        and not is_above(each.removeprefix("acp_state."), name, own)
    }
    assert below == set()


def is_above(other, name, own):
    """Whether the other module's layer comes first; within a package all is one layer."""
    return layer(other) == layer(name) or POSITIONS[layer(other)] < own


@pytest.mark.parametrize("name", MODULES)
def test_only_the_door_and_the_command_line_import_the_door(name):
    """Names come from the module that defines them."""
    if layer(name) != "cli":
        assert "acp_state" not in set(imported(MODULES[name]))


def test_there_is_no_cycle_of_modules():
    """Within a package, too."""
    waiting = {
        name: {each.removeprefix("acp_state.") for each in imported(path)} & set(MODULES) - {name}
        for name, path in MODULES.items()
    }
    while waiting:
        free = {name for name, needs in waiting.items() if not needs & set(waiting)}
        assert free, sorted(waiting)
        waiting = {name: needs for name, needs in waiting.items() if name not in free}


LOADED = """
import json, sys
sys.path[:0] = {path!r}
{imports}
print(json.dumps(sorted({{name.split(".")[0] for name in sys.modules}})))
"""


def loaded(imports):
    """The top-level modules that a fresh interpreter holds after these imports."""
    path = [str(PACKAGE.parent), *(each for each in sys.path if "site-packages" in each)]
    program = LOADED.format(path=path, imports=imports)
    ran = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-I", "-S", "-c", program], capture_output=True, check=True, text=True
    )
    return set(json.loads(ran.stdout))


USE = """
from acp_state import *
said = {"sessionUpdate": "agent_message_chunk", "content": {"type": "image"}}
session, intents = apply_update(Session("s"), said)
fold(Connection(), [Received({"jsonrpc": "2.0", "id": 1, "method": "_odd"}), Disconnected()])
restore(snapshot(session))
"""


@pytest.mark.parametrize("imports", ["import acp_state", USE], ids=["imported", "used"])
def test_nothing_that_acts_is_loaded(imports):
    """Beyond what the dependencies and the parsers of recordings load."""
    given = loaded(
        "import attrs, cattrs, cattrs.gen, json, math\ntry: import orjson\nexcept ImportError: pass"
    )
    assert (loaded(imports) - given) & IMPURE == set()
    assert loaded(imports) - given == {"acp_state"}
