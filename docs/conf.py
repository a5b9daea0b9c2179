"""Sphinx's settings for the documentation: `python -m sphinx -W -n docs build/docs`."""

from importlib.metadata import version as version_of
from typing import Any, Final

from sphinx.application import Sphinx
from sphinx.ext.napoleon import Config
from sphinx.ext.napoleon.docstring import GoogleDocstring

project = "acp_state"
author = "The acp_state developers"
version = release = version_of("acp-state")

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinxcontrib.mermaid", "sphinx_copybutton"]

html_theme = "furo"
html_title = f"acp_state {release}"
html_copy_source = False
html_show_copyright = False

# Pages
root_doc = "index"
myst_heading_anchors = 3
myst_fence_as_directive = ["mermaid"]
copybutton_exclude = ".linenos, .gp, .go"

# The reference: what docstrings say, with fields in the order of the source
autodoc_default_options = {"members": True, "undoc-members": True, "member-order": "bysource"}
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True
default_role = "py:obj"

# What `-n` does not ask for: names of parameters and of what is not public, and other libraries
nitpick_ignore_regex = [
    ("py:obj", r".*"),
    ("py:class", r"(collections\.abc|typing|attr)\..*"),
    ("py:class", r"acp_state\.\w+(\.\w+)*\.(K|J|T|T_co|V_co|S|E)"),
]

_SENTENCES: Final = frozenset({"attribute", "data", "property"})
"""What is described by plain sentences: napoleon would take what is before a colon for a type."""


def read_google_style(  # noqa: PLR0913, PLR0917 - as Sphinx calls it
    app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]
) -> None:
    """Turn the sections of a docstring in Google's style into fields."""
    if what not in _SENTENCES:
        docstring = GoogleDocstring(list(lines), Config(), app, what, name, obj, options)
        lines[:] = docstring.lines()


def setup(app: Sphinx) -> None:
    """Called by Sphinx."""
    app.connect("autodoc-process-docstring", read_google_style)
