"""The wheel holds every module, and installs nothing but np2jax."""

import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PARTS = ("migrate", "rules", "runtime_shim")


def test_every_package_is_listed():
    listed = set(tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"])
    found = {
        ".".join(("np2jax", *path.parent.relative_to(ROOT).parts))
        for part in PARTS
        for path in (ROOT / part).rglob("__init__.py")
    }
    assert listed == {"np2jax", *found}


def test_every_folder_with_modules_is_a_package():
    folders = {path.parent for part in PARTS for path in (ROOT / part).rglob("*.py")}
    assert not [folder for folder in folders if not (folder / "__init__.py").exists()]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    place = tmp_path_factory.mktemp("wheel")
    ignored = shutil.ignore_patterns(".git", ".venv*", "build", "dist", "*.egg-info", "__pycache__", ".*_cache", ".hypothesis")
    shutil.copytree(ROOT, place / "clone", ignore=ignored)  # a build leaves files behind
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(place), str(place / "clone")]
    subprocess.run(command, check=True, timeout=300)
    return next(place.glob("np2jax-*.whl"))


@pytest.mark.slow
def test_the_wheel_holds_every_module_and_nothing_else(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    info = {name for name in names if name.split("/")[0].endswith(".dist-info")}
    templates = (ROOT / "migrate/commands/reports/templates").iterdir()
    paths = [*ROOT.glob("*.py"), *(path for part in PARTS for path in (ROOT / part).rglob("*.py"))]
    assert names - info == {f"np2jax/{path.relative_to(ROOT).as_posix()}" for path in [*paths, *templates]} | {"np2jax/py.typed"}
    assert any(name.endswith("licenses/LICENSE") for name in info)


@pytest.mark.slow
def test_the_wheel_installs_one_package_and_one_command(wheel, tmp_path):
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(tmp_path), str(wheel)]
    subprocess.run(command, check=True, timeout=300)
    installed = {path.name for path in tmp_path.iterdir() if not path.name.endswith(".dist-info")}
    assert installed == {"np2jax", "bin"}
    assert [path.name for path in (tmp_path / "bin").iterdir()] == ["np2jax"]
