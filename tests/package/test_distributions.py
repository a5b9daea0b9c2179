"""The wheel holds the package and nothing else; the source distribution holds all to test it."""

import shutil
import subprocess
import tarfile
import zipfile
from pathlib import Path

import pytest
from building import ROOT, build

KIB = 1024


def files_of(wheel):
    return set(zipfile.ZipFile(wheel).namelist())


def files_in(sdist):
    """By their path in the checkout."""
    with tarfile.open(sdist) as held:
        return {name.partition("/")[2] for name in held.getnames()}


def tracked():
    """The files of the checkout, where git knows them."""
    git = shutil.which("git")
    if git is None or not (ROOT / ".git").exists():
        pytest.skip("this is no git checkout")
    listed = subprocess.run([git, "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True)  # noqa: S603
    return {name for name in listed.stdout.splitlines() if (ROOT / name).exists()}


def test_the_wheel_holds_the_whole_package_and_the_mark_of_its_types(wheel):
    package = {name for name in files_of(wheel) if ".dist-info/" not in name}
    assert package == {name for name in tracked() if name.startswith("acp_state/")}
    assert "acp_state/py.typed" in package


def test_the_wheel_is_small_and_for_any_python(wheel):
    assert wheel.name.endswith("-py3-none-any.whl")
    assert wheel.stat().st_size < 400 * KIB


def test_the_wheel_says_its_license_command_and_dependencies(wheel):
    held = zipfile.ZipFile(wheel)
    [licenses] = [name for name in files_of(wheel) if name.endswith("licenses/LICENSE")]
    assert held.read(licenses) == (ROOT / "LICENSE").read_bytes()
    [metadata] = [name for name in files_of(wheel) if name.endswith("/METADATA")]
    lines = held.read(metadata).decode().splitlines()
    required = [line for line in lines if line.startswith("Requires-Dist:") and "extra" not in line]
    assert required == ["Requires-Dist: attrs>=24.1", "Requires-Dist: cattrs>=24.1"]
    [commands] = [name for name in files_of(wheel) if name.endswith("/entry_points.txt")]
    assert "acp-state = acp_state.cli:main" in held.read(commands).decode()


def test_the_sdist_holds_every_file_but_those_of_the_checkout_itself(sdist):
    left_out = {name for name in tracked() - files_in(sdist) if not name.startswith(".")}
    assert left_out == set()


def test_the_sdist_is_small_and_holds_no_leavings(sdist):
    assert sdist.stat().st_size < 2048 * KIB
    assert [name for name in files_in(sdist) if name.endswith(".pyc") or ".ci/" in name] == []


def test_the_sdist_builds_the_same_wheel(sdist, wheel, tmp_path):
    with tarfile.open(sdist) as held:
        held.extractall(tmp_path, filter="data")
    [source] = [path for path in Path(tmp_path).iterdir() if path.is_dir()]
    build(source, tmp_path / "dist")
    [again] = (tmp_path / "dist").glob("*.whl")
    assert files_of(again) == files_of(wheel)
