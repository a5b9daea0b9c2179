"""The docs say what is true now: their examples run, their generated pages are fresh."""

import doctest
import importlib
import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"


def generator():
    spec = importlib.util.spec_from_file_location("generate", DOCS / "generate.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", sorted(generator().PAGES))
def test_a_generated_page_is_what_the_code_would_write(name):
    assert (DOCS / name).read_text(encoding="utf-8") == generator().PAGES[name]()


@pytest.mark.parametrize("page", sorted(DOCS.glob("*.md")), ids=lambda page: page.name)
def test_the_examples_of_a_page_run(page):
    assert doctest.testfile(str(page), module_relative=False).failed == 0


def test_the_example_of_the_readme_runs():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    [example] = re.findall(r"```python\n(.*?)```", readme, re.DOTALL)
    exec(compile(example, "README.md", "exec"), {})  # noqa: S102 - our own example


@pytest.mark.parametrize(
    "page", [ROOT / "README.md", *sorted(DOCS.glob("*.md"))], ids=lambda page: page.name
)
def test_the_links_of_a_page_lead_somewhere(page):
    text = page.read_text(encoding="utf-8")
    targets = [link for link in re.findall(r"\]\(([^)]+)\)", text) if "://" not in link]
    assert [link for link in targets if not (page.parent / link).exists()] == []


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
