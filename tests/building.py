"""The build backend, run on a source tree: no network, no environment of its own."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def build(source, to):
    """Build the wheel and the source distribution."""
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(to)]
    subprocess.run(command, cwd=source, check=True, capture_output=True)  # noqa: S603
