"""How the tests of the examples find and run them."""

import asyncio
import gc
import importlib.util
import sys
from pathlib import Path

EXAMPLES = Path(__file__).parents[1] / "docs" / "examples"
AGENT = (sys.executable, str(EXAMPLES / "agent.py"))


def load(path):
    """An example as a module; `path` is relative to the examples."""
    name = "example_" + path.removesuffix(".py").replace("/", "_")
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def drives(scenario):
    """Run a test's coroutine; whatever it leaves open warns, and warnings are errors."""

    def test(tmp_path):
        asyncio.run(asyncio.wait_for(scenario(tmp_path), timeout=60))
        gc.collect()

    test.__name__ = test.__qualname__ = scenario.__name__
    return test
