"""Sphinx's settings for the documentation: `python -m sphinx -W -n docs build/docs`."""

import ast
import importlib
import inspect
import re
import textwrap
from importlib.metadata import version as version_of
from typing import Any, Final

import attrs
from sphinx.application import Sphinx
from sphinx.ext.napoleon import Config
from sphinx.ext.napoleon.docstring import GoogleDocstring

from acp_state import Omitted

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
mermaid_init_config = {"startOnLoad": False, "deterministicIds": True}
mermaid_height = "auto"
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
    ("py:class", r"(acp_state\.[\w.]+\.)?(K|J|T|T_co|V_co|S|E|PlainJson)"),
]

_SENTENCES: Final = frozenset({"attribute", "data", "property"})
"""What is described by plain sentences: napoleon would take what is before a colon for a type."""


def read_google_style(  # noqa: PLR0913, PLR0917 - as Sphinx calls it
    app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]
) -> None:
    """Turn the sections of a docstring in Google's style into fields."""
    if not lines and what == "attribute":
        lines[:] = cached_property_doc(name).splitlines()
    if what not in _SENTENCES:
        docstring = GoogleDocstring(list(lines), Config(), app, what, name, obj, options)
        lines[:] = docstring.lines()


def cached_property_doc(name: str) -> str:
    """The docstring of a cached property, for which attrs puts a plain slot in its place."""
    owner, _, attribute = name.rpartition(".")
    package, _, class_name = owner.rpartition(".")
    cls = getattr(importlib.import_module(package), class_name)
    [definition] = ast.parse(textwrap.dedent(inspect.getsource(cls))).body
    found = (
        node
        for node in getattr(definition, "body", [])
        if isinstance(node, ast.FunctionDef) and node.name == attribute
    )
    return next((ast.get_docstring(node) or "" for node in found), "")


def shorten_signature(
    _app: Sphinx, what: str, _name: str, obj: Any, _options: Any, signature: str, returns: str
) -> tuple[str, str]:
    """Of a class the names alone, since its fields stand below; of a function what is written."""
    if what == "class" and attrs.has(obj):
        return _names_of_fields(obj), ""
    if what == "function":
        return _as_written(obj), ""
    return signature, returns


def _names_of_fields(cls: type) -> str:
    parameters = [
        each.replace(annotation=each.empty, default=_shown(each.default))
        for each in inspect.signature(cls).parameters.values()
    ]
    return str(inspect.Signature(parameters))


def _as_written(function: Any) -> str:
    """The signature with the names of unions, not their members."""
    signature = inspect.signature(function)
    parameters = [
        each.replace(annotation=_spelled(each.annotation)) for each in signature.parameters.values()
    ]
    returns = _spelled(signature.return_annotation)
    return str(signature.replace(parameters=parameters, return_annotation=returns))


def _spelled(annotation: str) -> object:
    return _Verbatim(re.sub(r"\w+", lambda found: _SPELLED.get(found[0], found[0]), annotation))


_SPELLED: Final = {
    "ConnectionStep": "tuple[Connection, tuple[Intent, ...]]",
    "Step": "tuple[Session, tuple[Intent, ...]]",
    "SessionUpdate": "~acp_state.schema.SessionUpdate",
    "Iterable": "~collections.abc.Iterable",
    "Iterator": "~collections.abc.Iterator",
    "Any": "~typing.Any",
}
"""What stands for a name in a signature."""


def _shown(default: object) -> object:
    """The default, if it is short to say."""
    is_short = default in ((), inspect.Parameter.empty) or isinstance(default, (str, int, Omitted))
    return default if default is None or is_short else _ELSEWHERE


class _Verbatim:
    """Shown as this text."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text


_ELSEWHERE: Final = _Verbatim("…")
"""Stands for a default that would be long to say."""


def setup(app: Sphinx) -> None:
    """Called by Sphinx."""
    app.connect("autodoc-process-docstring", read_google_style)
    app.connect("autodoc-process-signature", shorten_signature)
