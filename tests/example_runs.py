"""How the tests of the examples and of the guides find and run them."""

import asyncio
import gc
import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

EXAMPLES = Path(__file__).parents[1] / "docs" / "examples"
GUIDES = EXAMPLES.parent / "guides"
AGENT = (sys.executable, str(EXAMPLES / "agent.py"))


def load(path):
    """An example as a module; `path` is relative to the examples."""
    name = "example_" + path.removesuffix(".py").replace("/", "_")
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def quiet_host():
    """The example host, which prints nothing and takes the first option of each question."""

    class Quiet(load("host.py").Host):
        async def ask(self, wanted):
            return wanted.permission.options[0].option_id

        def show(self, *_):
            """Nothing is printed."""

    return Quiet()


def defined_in(guide, blocks=1):
    """A guide's first blocks of Python as a module."""
    text = (GUIDES / guide).read_text("utf-8")
    found = re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)[:blocks]
    module = ModuleType(guide)
    exec(compile("\n".join(found), guide, "exec"), vars(module))  # noqa: S102 - our own guide
    return module


def drives(scenario):
    """Run a test's coroutine; whatever it leaves open warns, and warnings are errors."""

    def test(tmp_path):
        asyncio.run(asyncio.wait_for(scenario(tmp_path), timeout=60))
        gc.collect()

    test.__name__ = test.__qualname__ = scenario.__name__
    return test
