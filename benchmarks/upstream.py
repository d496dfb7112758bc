"""Convert a published package as a whole and judge the result by the package's own tests, which are independent of np2jax.

usage: python benchmarks/upstream.py NAME [--sdist FILE] [--keep DIR] [--timeout 1200]

NAME is one of the packages in CORPORA below. The source distribution is downloaded with pip, unless FILE is given;
numpy.polynomial is copied from the installed NumPy. The tests run under NumPy; the package is converted with one command; the
original test files are restored; the tests run again under JAX, with jax_as_numpy.py so that assertions can compare. Printed:
each test that passed and does not any more, the score, and the share of the functions using NumPy that were converted (a
package left unchanged would keep its score), with the reason for each that was not. The dependencies of the tests (see CORPORA)
must be installed. The exit status is 1 if a test was lost.
"""

from __future__ import annotations

import argparse
import ast
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Corpus:
    """A package on PyPI: pip's requirement, the folder of the package, and the further imports of its tests.

    `installed`: it is a part of the installed NumPy instead, and is copied as the package `package`.
    """

    requirement: str
    package: str
    needs: str
    installed: str = ""


CORPORA = {
    "transforms3d": Corpus("transforms3d==0.4.2", "transforms3d", "scipy sympy"),
    "filterpy": Corpus("filterpy==2.0.0", "filterpy", "scipy matplotlib"),
    "scikit-fuzzy": Corpus("scikit-fuzzy==0.5.0", "skfuzzy", "scipy networkx packaging matplotlib"),
    "numpy.polynomial": Corpus("numpy.polynomial", "npoly", "hypothesis", installed="numpy.polynomial"),
}
TEST_FILE = re.compile(r"(^|/)tests?/|(^|/)(test_[^/]*|[^/]*_test|conftest)\.py$")
HERE = Path(__file__).resolve().parent


def download(corpus: Corpus, folder: Path) -> Path:
    """The archive of the source distribution, downloaded into `folder`. If pip fails, prints its message and exits."""
    project = corpus.requirement.split("==")[0]
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", project]
    if subprocess.run([*pip, "--dest", str(folder), corpus.requirement]).returncode:
        sys.exit(f"pip could not download {corpus.requirement}")
    return next(folder.glob("*.tar.gz"))


def unpack(archive: Path, folder: Path) -> Path:
    """The single folder in the archive, unpacked below `folder`."""
    with tarfile.open(archive) as held:
        held.extractall(folder, filter="data")
    return next(path for path in folder.iterdir() if path.is_dir())


def copied(corpus: Corpus, folder: Path) -> Path:
    """The part of the installed NumPy, copied as a separate package below `folder`."""
    found = importlib.util.find_spec(corpus.installed)
    if found is None or found.origin is None:
        sys.exit(f"{corpus.installed} is not installed")
    shutil.copytree(Path(found.origin).parent, folder / corpus.package, ignore=shutil.ignore_patterns("__pycache__", "*.pyi"))
    for file in folder.rglob("*.py"):
        file.write_text(file.read_text().replace(corpus.installed, corpus.package))
    return folder


def test_verdicts(root: Path, package: str, report: Path, timeout: float, *, jax: bool) -> dict[str, str]:
    """pass, skip or fail by test name, from running the tests of the package at `root`."""
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join([str(root), str(HERE)]),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
        "MPLBACKEND": "Agg",
        "JAX_ENABLE_X64": "1",
    }
    command = [sys.executable, "-m", "pytest", "--quiet", "--tb=line", "-c", os.devnull, "--rootdir", str(root)]
    command += ["-p", "no:cacheprovider", f"--junitxml={report}", *(["-p", "jax_as_numpy"] if jax else []), package]
    try:
        status = subprocess.run(command, cwd=root, env=environment, timeout=timeout).returncode
    except subprocess.TimeoutExpired:
        print(f"the tests took more than {timeout:.0f} s")
        return {}
    if not report.exists():
        print(f"pytest ended with status {status} and wrote no report")
        return {}
    found: dict[str, str] = {}
    for case in ElementTree.parse(report).getroot().iter("testcase"):
        tags = {child.tag for child in case}
        verdict = "fail" if tags & {"failure", "error"} else "skip" if "skipped" in tags else "pass"
        name = f"{case.get('classname')}::{case.get('name')}"
        found[name] = "fail" if found.get(name) == "fail" else verdict
    return found


def convert(original: Path, output: Path, report: Path) -> None:
    """Make `output` the converted copy. Exits with the tool's message if the conversion fails."""
    command = [sys.executable, "-m", "np2jax", "convert", str(original), "-o", str(output), "--report", str(report)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode not in (0, 1) or not report.exists():
        sys.exit(done.stderr.strip() or f"{' '.join(command)} ended with status {done.returncode}")


def restore_tests(original: Path, converted: Path) -> None:
    """Restore the original test files and their data, so that the tool does not judge itself."""
    for file in original.rglob("*"):
        location = file.relative_to(original)
        if file.is_file() and TEST_FILE.search(location.as_posix()):
            (converted / location).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(file, converted / location)


def functions_using_numpy(original: Path, package: str) -> set[tuple[str, str]]:
    """File and name of every function, except in tests, whose body mentions the module numpy or a name imported from it."""
    found: set[tuple[str, str]] = set()
    for file in sorted((original / package).rglob("*.py")):
        location = file.relative_to(original).as_posix()
        if TEST_FILE.search(location):
            continue
        tree = ast.parse(file.read_bytes())
        names: set[str] = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                names |= {(each.asname or each.name).split(".")[0] for each in node.names if each.name.split(".")[0] == "numpy"}
            elif isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "numpy":
                names |= {each.asname or each.name for each in node.names}
        for name, function in functions(tree):
            if any(isinstance(node, ast.Name) and node.id in names for node in ast.walk(function)):
                found.add((location, name))
    return found


def functions(tree: ast.AST, prefix: str = "") -> list[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    """All functions with their names, "Class.method" for methods; a nested function belongs to the outer one."""
    found: list[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]] = []
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            found.append((prefix + node.name, node))
        elif isinstance(node, ast.ClassDef):
            found += functions(node, f"{prefix}{node.name}.")
        else:
            found += functions(node, prefix)
    return found


def left_as_numpy(report: Path, required: set[tuple[str, str]]) -> dict[str, dict[tuple[str, str], str]]:
    """The `required` functions that stay NumPy, with the reason: "kept" ones, also those that the report does not mention, and "host"
    ones, which are not compiled or are faster in NumPy."""
    said: dict[tuple[str, str], tuple[str, str]] = {}
    for function in json.loads(report.read_text())["functions"]:
        for location, name in required:
            if function["file"].endswith(location) and f".{function['name']}".endswith(f".{name}"):
                said[location, name] = function["label"], function["reason"]
    found: dict[str, dict[tuple[str, str], str]] = {"kept": {}, "host": {}}
    for each in sorted(required):
        label, reason = said.get(each, ("kept", "the report does not mention it"))
        if label in found:
            found[label][each] = reason
    return found


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=sorted(CORPORA))
    parser.add_argument("--sdist", type=Path, help="the source distribution, where it is at hand")
    parser.add_argument("--keep", type=Path, help="work in this new folder and leave it there")
    parser.add_argument("--timeout", type=float, default=1200.0, help="seconds for one run of the tests")
    return parser.parse_args()


def judge(corpus: Corpus, folder: Path, archive: Path | None, timeout: float) -> int:
    """Run the whole comparison in `folder` and print the outcome. Returns the number of lost tests."""
    if corpus.installed:
        original = copied(corpus, folder / "original")
    else:
        original = unpack(archive or download(corpus, folder), folder / "original")
    before = test_verdicts(original, corpus.package, folder / "original.xml", timeout, jax=False)
    required = [name for name, verdict in before.items() if verdict == "pass"]
    if not required:
        sys.exit(f"no test of {corpus.requirement} passes under NumPy; its tests need {corpus.needs}")
    converted, report = folder / "converted", folder / "report.json"
    convert(original, converted, report)
    restore_tests(original, converted)
    after = test_verdicts(converted, corpus.package, folder / "converted.xml", timeout, jax=True)

    lost = sorted(name for name in required if after.get(name) != "pass")
    for name in lost:
        print("lost:", name)
    using = functions_using_numpy(original, corpus.package)
    left = left_as_numpy(report, using)
    kept, host = left["kept"], left["host"]
    for (location, name), reason in kept.items():
        print(f"kept: {location} {name}: {reason}")
    print(f"{corpus.requirement}: {len(required) - len(lost)} of {len(required)} tests pass")
    print(
        f"{corpus.requirement}: of {len(using)} functions using NumPy {len(using) - len(kept) - len(host)} are converted, "
        f"{len(host)} stay NumPy by choice, {len(kept)} cannot be converted"
    )
    return len(lost)


def main() -> None:
    options = parse_arguments()
    if options.keep:
        options.keep.mkdir(parents=True)
        sys.exit(judge(CORPORA[options.name], options.keep, options.sdist, options.timeout) > 0)
    with tempfile.TemporaryDirectory() as folder:
        sys.exit(judge(CORPORA[options.name], Path(folder), options.sdist, options.timeout) > 0)


if __name__ == "__main__":
    main()
