"""Type checkers honour `py.typed`: they read the types of the installed wheel, no stubs beside.

`typed/host.py` says what they must see, `typed/wrong.py` what they must refuse.
"""

import subprocess
import sys
import sysconfig
import venv
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest

TYPED = Path(__file__).with_name("typed")

CONFIG = """\
[tool.pyright]
typeCheckingMode = "strict"
pythonVersion = "3.10"
enableTypeIgnoreComments = false
reportUnnecessaryTypeIgnoreComment = true
"""


@pytest.fixture(scope="module")
def project(wheel, tmp_path_factory):
    """Files of a user's, and the Python of an environment with the wheel and its dependencies."""
    directory = tmp_path_factory.mktemp("project")
    venv.create(directory / "env", symlinks=True)
    [site] = (directory / "env").glob("lib/python*/site-packages")
    zipfile.ZipFile(wheel).extractall(site)
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")
    for source in TYPED.glob("*.py"):
        (directory / source.name).write_text(source.read_text(encoding="utf-8"), encoding="utf-8")
    (directory / "pyproject.toml").write_text(CONFIG, encoding="utf-8")
    return directory


def run(project, tool, *options):
    if find_spec(tool) is None:
        pytest.skip(f"{tool} is not installed")
    command = [sys.executable, "-m", tool, *options, "host.py", "wrong.py"]
    done = subprocess.run(command, cwd=project, check=False, capture_output=True, text=True)  # noqa: S603
    assert done.returncode == 0, done.stdout + done.stderr


def test_mypy_sees_the_types_and_refuses_what_is_wrong(project):
    python = str(project / "env" / "bin" / "python")
    run(project, "mypy", "--strict", "--python-version", "3.10", "--python-executable", python)


def test_pyright_sees_the_types_and_refuses_what_is_wrong(project):
    run(project, "pyright", "--pythonpath", str(project / "env" / "bin" / "python"))
