"""The docs say what is true now: their examples run, their generated pages are fresh."""

import doctest
import importlib
import re
from os.path import normpath
from pathlib import Path

import generate
import pytest
import tree

import acp_state
import acp_state.schema

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
GUIDES = sorted((DOCS / "guides").glob("*.md"))
NEEDS = {"trio.md": "trio", "python-sdk.md": "acp", "session-accumulator.md": "acp"}


def needs_of(page):
    """Skip where what a page is about is not installed; the extra `test` installs it."""
    if page.name in NEEDS:
        pytest.importorskip(NEEDS[page.name])


def named(page):
    return page.relative_to(ROOT).as_posix()


def blocks(page, language):
    """The fenced blocks of a page that are in that language."""
    return re.findall(rf"```{language}\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)


def program(page):
    """The Python of a page that is no doctest."""
    return "\n".join(block for block in blocks(page, "python") if ">>> " not in block)


@pytest.mark.parametrize("name", sorted(generate.PAGES))
def test_a_generated_page_is_what_the_code_would_write(name):
    assert (DOCS / name).read_text(encoding="utf-8") == generate.PAGES[name]()


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_the_examples_of_a_page_run(page):
    needs_of(page)
    assert doctest.testfile(str(page), module_relative=False).failed == 0


@pytest.mark.parametrize("guide", [page for page in GUIDES if program(page)], ids=named)
def test_the_program_of_a_guide_prints_what_the_page_says(guide, monkeypatch, capsys):
    """Its blocks of Python are one program, its blocks of text are what that prints."""
    needs_of(guide)
    monkeypatch.syspath_prepend(DOCS / "guides")
    exec(compile(program(guide), guide.name, "exec"), {"__name__": "guide"})  # noqa: S102 - ours
    assert capsys.readouterr().out == "".join(blocks(guide, "text"))


def test_the_example_of_the_readme_runs():
    [example] = blocks(ROOT / "README.md", "python")
    exec(compile(example, "README.md", "exec"), {})  # noqa: S102 - our own example


@pytest.mark.parametrize("page", [*ROOT.glob("*.md"), *PAGES], ids=named)
def test_the_links_of_a_page_lead_somewhere(page):
    links = re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text(encoding="utf-8"))
    targets = [link for link in links if "://" not in link]
    assert [link for link in targets if not target(page, link).exists()] == []


def target(page, link):
    """What a link of the page leads to; the package may be installed, and not in the checkout."""
    path = Path(normpath(page.parent / link))
    in_package = path.is_relative_to(ROOT / "acp_state")
    return tree.PACKAGE / path.relative_to(ROOT / "acp_state") if in_package else path


@pytest.mark.parametrize("package", [acp_state, acp_state.schema], ids=lambda each: each.__name__)
def test_every_public_name_is_in_the_reference(package):
    """Once, and nothing else is said to be of the package."""
    text = "".join(page.read_text(encoding="utf-8") for page in (DOCS / "reference").glob("*.md"))
    parts = re.split(r"^\.\. currentmodule:: (\S+)$", text, flags=re.MULTILINE)
    found = [
        name
        for module, part in zip(parts[1::2], parts[2::2], strict=True)
        if module == package.__name__
        for name in re.findall(r"^\.\. (?:auto|py:)\w+:: (\w+)$", part, re.MULTILINE)
    ]
    assert sorted(found) == sorted(package.__all__)


def test_the_architecture_page_lists_every_module_and_no_other():
    text = (DOCS / "architecture.md").read_text(encoding="utf-8")
    listed, package = [], ""
    for indent, name in re.findall(r"^( *)- `(\w[\w.]*)`: \S", text, re.MULTILINE):
        package = package if indent else name
        listed.append(f"{package}.{name}" if indent else name)
    assert sorted(listed) == sorted(tree.modules())


def test_a_module_imports_only_from_those_above_it():
    """Modules have an order, and so have packages taken as one; a cycle would raise."""
    found = tree.imports(tree.modules())
    assert sorted(tree.in_order()) == sorted(found)
    assert tree.layers(tree.units(found))[-1] == ["acp_state", "acp_state.cli"]


@pytest.mark.parametrize("path", sorted((ROOT / "acp_state").rglob("*.py")), ids=named)
def test_a_docstring_names_rules_and_no_sections_of_another_document(path):
    """What a reader can look up: ids of rules, and the state machines 15.1 to 15.7."""
    assert not re.search(r"sections? \d|\(1[0-46-9]\.\d\)", path.read_text(encoding="utf-8"))


def test_every_page_is_reached_from_the_index():
    """By a link of its own, for those who read the sources; Sphinx sees to its navigation."""
    index = (DOCS / "index.md").read_text(encoding="utf-8")
    linked = set(re.findall(r"\]\(([^)#]+)\)", index))
    pages = {page.relative_to(DOCS).as_posix() for page in PAGES} - {"index.md"}
    assert pages - linked == set()


@pytest.mark.parametrize(
    "module",
    sorted(
        path.relative_to(ROOT)
        .with_suffix("")
        .as_posix()
        .replace("/", ".")
        .removesuffix(".__init__")
        for path in (ROOT / "acp_state").rglob("*.py")
        if "cli" not in path.parts
    ),
)
def test_the_examples_of_a_module_run(module):
    assert doctest.testmod(importlib.import_module(module)).failed == 0
