"""The distributions of this checkout, built once."""

from importlib.util import find_spec

import pytest
from building import ROOT, build


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    """A directory with the wheel and the source distribution of this checkout."""
    if find_spec("hatchling") is None:
        pytest.skip("hatchling, which builds the package, is not installed")
    if not (ROOT / "acp_state").exists():
        pytest.skip("the package is not in this checkout: these are tests of an installed one")
    directory = tmp_path_factory.mktemp("dist")
    build(ROOT, directory)
    return directory


@pytest.fixture(scope="session")
def wheel(built):
    [found] = built.glob("*.whl")
    return found


@pytest.fixture(scope="session")
def sdist(built):
    [found] = built.glob("*.tar.gz")
    return found
