"""What the import costs in time of the processor, in fresh interpreters that take turns.

All byte code is compiled beforehand, into a directory of its own: neither side compiles while the
clock runs, whatever the environment says about writing byte code.
"""

from __future__ import annotations

import os
import subprocess
import sys
from statistics import median
from tempfile import TemporaryDirectory
from typing import Final

DEPENDENCIES: Final = "attrs, cattrs"
PACKAGE: Final = "acp_state"
NAMES: Final = (DEPENDENCIES, PACKAGE)

TIMED: Final = (
    "from time import process_time as now; start = now(); import {}; print(now() - start)"
)
CONVERTERS: Final = """
import gc
import {}
from cattrs import BaseConverter
print(sum(isinstance(each, BaseConverter) for each in gc.get_objects()))
"""


def import_seconds(rounds: int) -> dict[str, float]:
    """The median for the dependencies alone, and for the package with them."""
    with TemporaryDirectory() as compiled:
        for name in NAMES:
            _timed(name, compiled)
        told = [{name: _timed(name, compiled) for name in NAMES} for _ in range(rounds)]
    return {name: median(each[name] for each in told) for name in NAMES}


def converters_built() -> int:
    """How many converters the import builds beside those that cattrs itself does."""
    built, own = (int(_printed(CONVERTERS.format(name))) for name in (PACKAGE, DEPENDENCIES))
    return built - own


def _timed(name: str, compiled: str) -> float:
    settings = {"PYTHONPYCACHEPREFIX": compiled, "PYTHONDONTWRITEBYTECODE": ""}
    return float(_printed(TIMED.format(name), **settings))


def _printed(code: str, **settings: str) -> str:
    command = [sys.executable, "-c", code]
    env = {**os.environ, **settings}
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=env)  # noqa: S603 - our own code
    return done.stdout
