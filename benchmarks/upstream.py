"""Convert a published package as a whole and judge the result by the package's own tests, which are independent of np2jax.

usage: python benchmarks/upstream.py NAME... [--placement device] [--sdist FILE] [--keep DIR] [--timeout 1200] [--strict]

NAME is one of the packages in CORPORA below, or `all`. The source distribution is downloaded with pip, unless FILE is given;
numpy.polynomial is copied from the installed NumPy. The tests run under NumPy; the package is converted with one command; the
original test files are restored; the tests run again under JAX, with jax_as_numpy.py so that assertions can compare; with
--strict they run as they are. With --placement device, all that JAX can run is converted, not only what gains from it. Printed:
each test that passed and does not any more, the score, how much longer the tests took, and how the functions using NumPy were
converted (a package left unchanged would keep its score), with the reason for each that was not. The dependencies of the tests (see CORPORA) must be installed. The exit status is 1 if a test was lost.
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
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from collections import Counter
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Corpus:
    """A package on PyPI: pip's requirement, the folder of the package, and the further imports of its tests.

    `tests`: the folders and options given to pytest, where the tests are not in the package.
    `path`: the folder from which the package is imported.
    `installed`: it is a part of the installed NumPy instead, and is copied as the package `package`.
    """

    requirement: str
    package: str
    needs: str = ""
    tests: str = ""
    path: str = "."
    installed: str = ""


MIE_WITHOUT_NUMBA = (
    "--ignore tests/test_all_examples.py --ignore tests/test_all_notebooks.py --ignore tests/test_backend_parity.py"
)
CORPORA = {
    "transforms3d": Corpus("transforms3d==0.4.2", "transforms3d", "scipy sympy"),
    "filterpy": Corpus("filterpy==2.0.0", "filterpy", "scipy matplotlib"),
    "scikit-fuzzy": Corpus("scikit-fuzzy==0.5.0", "skfuzzy", "scipy networkx packaging matplotlib"),
    "numpy.polynomial": Corpus("numpy.polynomial", "npoly", "hypothesis", installed="numpy.polynomial"),
    "acoustics": Corpus(
        "acoustics==0.2.6", "acoustics", "scipy pandas matplotlib six tabulate", "tests --continue-on-collection-errors"
    ),
    "ahrs": Corpus("ahrs==0.4.0", "ahrs", tests="tests"),
    "allantools": Corpus("allantools==2024.6", "allantools", "scipy matplotlib", "tests"),
    "dtaidistance": Corpus("dtaidistance==2.5.1", "src/dtaidistance", "scipy pandas matplotlib", "tests", "src"),
    "emcee": Corpus("emcee==3.1.6", "src/emcee", "scipy", "src/emcee/tests/unit", "src"),
    "emd-signal": Corpus("EMD-signal==1.10.0", "PyEMD", "scipy tqdm pathos"),
    "findiff": Corpus("findiff==0.16.0", "findiff", "scipy sympy", "tests"),
    "fooof": Corpus("fooof==1.1.1", "fooof", "scipy matplotlib"),
    "geomdl": Corpus("geomdl==5.3.1", "geomdl", tests="tests --ignore tests/test_visualization.py"),
    "lmoments3": Corpus("lmoments3==1.0.8", "src/lmoments3", "scipy", "src/lmoments3/tests", "src"),
    "lttb": Corpus("lttb==0.3.2", "src/lttb", tests="tests", path="src"),
    "mapclassify": Corpus("mapclassify==2.11.0", "mapclassify", "scipy pandas geopandas networkx sklearn matplotlib"),
    "mfdfa": Corpus("MFDFA==0.4.3", "MFDFA", "scipy PyEMD", "test"),
    "miepython": Corpus("miepython==3.3.0", "miepython", "scipy", f"tests {MIE_WITHOUT_NUMBA}"),
    "mir_eval": Corpus("mir_eval==0.8.2", "mir_eval", "scipy matplotlib decorator", "tests --continue-on-collection-errors"),
    "nara_wpe": Corpus("nara_wpe==0.0.11", "nara_wpe", "scipy", "tests --ignore tests/test_notebooks.py"),
    "neurodsp": Corpus("neurodsp==2.3.0", "neurodsp", "scipy matplotlib"),
    "nolds": Corpus("nolds==0.2.1", "nolds", tests="nolds/test_measures.py"),
    "numdifftools": Corpus("numdifftools==0.11.2", "src/numdifftools", "scipy matplotlib", path="src"),
    "numpy-financial": Corpus("numpy-financial==1.0.0", "numpy_financial"),
    "patsy": Corpus("patsy==1.0.3", "patsy"),
    "peakutils": Corpus("peakutils==1.3.5", "peakutils", "scipy", "tests"),
    "persim": Corpus("persim==0.4.1", "persim", "scipy sklearn joblib deprecated matplotlib hopcroftkarp", "test"),
    "picard": Corpus("python_picard==0.8.2", "picard", "scipy numexpr sklearn matplotlib"),
    "polytope": Corpus("polytope==0.2.5", "polytope", "scipy networkx matplotlib", "tests"),
    "properscoring": Corpus("properscoring==0.1", "properscoring", "scipy"),
    "pybaselines": Corpus("pybaselines==1.2.1", "pybaselines", "scipy", "tests"),
    "pyefd": Corpus("pyefd==1.8.0", ".", "matplotlib", "tests.py"),
    "pygsp": Corpus("pygsp==0.6.1", "pygsp", "scipy matplotlib pyunlocbox skimage", "pygsp --continue-on-collection-errors"),
    "pylops": Corpus("pylops==2.8.0", "pylops", "scipy", "pytests"),
    "pymap3d": Corpus("pymap3d==3.2.0", "src/pymap3d", path="src"),
    "pymcdm": Corpus("pymcdm==1.4.0", "pymcdm", "scipy matplotlib tabulate nbformat", "test"),
    "pyransac3d": Corpus("pyransac3d==0.7.0", "pyransac3d", "typing_extensions", "tests"),
    "pyrr": Corpus("pyrr==0.10.3", "pyrr", "multipledispatch", "tests"),
    "pyswarms": Corpus(
        "pyswarms==1.3.0",
        "pyswarms",
        "scipy matplotlib attr tqdm yaml mock past",
        "tests --ignore tests/utils/plotters/test_plotters.py",
    ),
    "pytransform3d": Corpus("pytransform3d==3.17.0", "pytransform3d", "scipy matplotlib lxml trimesh"),
    "pyunlocbox": Corpus("pyunlocbox==0.6.1", "pyunlocbox", "scipy matplotlib"),
    "pyunfold": Corpus("PyUnfold==0.5.0", "pyunfold", "scipy pandas six"),
    "pwlf": Corpus("pwlf==2.7.0", "pwlf", "scipy", "tests/tests.py"),
    "quantities": Corpus("quantities==0.16.4", "quantities"),
    "rmsd": Corpus("rmsd==1.7.0", "rmsd", "scipy", "tests"),
    "rowan": Corpus("rowan==1.3.2", "rowan", "scipy", "tests --continue-on-collection-errors"),
    "seglearn": Corpus("seglearn==1.2.5", "seglearn", "scipy pandas sklearn"),
    "similaritymeasures": Corpus("similaritymeasures==1.5.0", "similaritymeasures", "scipy", "tests/tests.py"),
    "spatialmath": Corpus("spatialmath-python==1.1.18", "spatialmath", "scipy matplotlib ansitable", "tests"),
    "spectrum": Corpus("spectrum==0.10.0", "src/spectrum", "scipy matplotlib easydev", "test", "src"),
    "tensorly": Corpus("tensorly==0.10.0", "tensorly", "scipy"),
    "thermofeel": Corpus("thermofeel==2.3.0", "thermofeel", tests="tests"),
    "uncertainties": Corpus("uncertainties==3.2.1", "uncertainties", tests="tests"),
    "utm": Corpus("utm==0.9.0", "utm", tests="test"),
    "vg": Corpus("vg==2.0.0", "vg"),
}
TEST_FILE = re.compile(r"(^|/)tests?/|(^|/)(test_[^/]*|[^/]*_test|conftest)\.py$")
HERE = Path(__file__).resolve().parent


def download(corpus: Corpus, folder: Path) -> Path:
    """The archive of the source distribution, downloaded into `folder`. If pip fails, prints its message and exits."""
    project = corpus.requirement.split("==")[0]
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", project]
    if subprocess.run([*pip, "--dest", str(folder), corpus.requirement]).returncode:
        sys.exit(f"pip could not download {corpus.requirement}")
    return next(path for path in folder.iterdir() if path.name.endswith((".tar.gz", ".zip")))


def unpack(archive: Path, folder: Path) -> Path:
    """The single folder in the archive, unpacked below `folder`."""
    shutil.unpack_archive(archive, folder, **({} if archive.suffix == ".zip" else {"filter": "data"}))
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


def test_verdicts(root: Path, corpus: Corpus, report: Path, timeout: float, *, plugin: bool) -> tuple[dict[str, str], float]:
    """pass, skip or fail by test name, from running the tests of the package at `root`, and the seconds that they took."""
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join([str(root / corpus.path), str(HERE)]),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
        "MPLBACKEND": "Agg",
        "JAX_ENABLE_X64": "1",
    }
    command = [sys.executable, "-m", "pytest", "--quiet", "--tb=line", "-c", os.devnull, "--rootdir", str(root)]
    command += ["-p", "no:cacheprovider", f"--junitxml={report}", *(["-p", "jax_as_numpy"] if plugin else [])]
    command += (corpus.tests or corpus.package).split()
    start = time.perf_counter()
    try:
        status = subprocess.run(command, cwd=root, env=environment, timeout=timeout).returncode
    except subprocess.TimeoutExpired:
        print(f"the tests took more than {timeout:.0f} s")
        return {}, timeout
    seconds = time.perf_counter() - start
    if not report.exists():
        print(f"pytest ended with status {status} and wrote no report")
        return {}, seconds
    found: dict[str, str] = {}
    for case in ElementTree.parse(report).getroot().iter("testcase"):
        tags = {child.tag for child in case}
        verdict = "fail" if tags & {"failure", "error"} else "skip" if "skipped" in tags else "pass"
        name = f"{case.get('classname')}::{case.get('name')}"
        found[name] = "fail" if found.get(name) == "fail" else verdict
    return found, seconds


def convert(original: Path, output: Path, report: Path, placement: str) -> None:
    """Make `output` the converted copy. Exits with the tool's message if the conversion fails."""
    command = [sys.executable, "-m", "np2jax", "convert", str(original), "-o", str(output), "--report", str(report)]
    command += ["--placement", placement]
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


def outcomes(report: Path, required: set[tuple[str, str]]) -> dict[tuple[str, str], tuple[str, str]]:
    """What became of the `required` functions, with the reason: "compiled", "both" (NumPy with a compiled version beside it),
    "outlined" (NumPy that calls compiled parts), "without jit", "host" (NumPy because it is not compiled or faster so), or "kept",
    also where the report does not mention a function."""
    names = {"jit": "compiled", "both": "both", "outlined": "outlined", "eager": "without jit"}
    found = {}
    for function in json.loads(report.read_text())["functions"]:
        for location, name in required:
            if function["file"].endswith(location) and f".{function['name']}".endswith(f".{name}"):
                found[location, name] = names.get(function["transform"], function["label"]), function["reason"]
    return {each: found.get(each, ("kept", "the report does not mention it")) for each in sorted(required)}


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="+", choices=[*sorted(CORPORA), "all"], metavar="NAME")
    parser.add_argument("--placement", choices=("fast", "device"), default="fast", help="as in `np2jax convert`")
    parser.add_argument("--sdist", type=Path, help="the source distribution, where it is at hand")
    parser.add_argument("--keep", type=Path, help="work in new folders below this one and leave them there")
    parser.add_argument("--timeout", type=float, default=1200.0, help="seconds for one run of the tests")
    parser.add_argument("--strict", action="store_true", help="the tests get no help in comparing a jax.Array")
    return parser.parse_args()


def judge(corpus: Corpus, folder: Path, options: argparse.Namespace) -> int:
    """Run the whole comparison in `folder` and print the outcome. Returns the number of lost tests."""
    if corpus.installed:
        original = copied(corpus, folder / "original")
    else:
        original = unpack(options.sdist or download(corpus, folder), folder / "original")
    before, numpy_time = test_verdicts(original, corpus, folder / "original.xml", options.timeout, plugin=False)
    required = [name for name, verdict in before.items() if verdict == "pass"]
    if not required:
        print(f"no test of {corpus.requirement} passes under NumPy; its tests need {corpus.needs or 'nothing else'}")
        return 1
    converted, report = folder / "converted", folder / "report.json"
    convert(original, converted, report, options.placement)
    restore_tests(original, converted)
    after, jax_time = test_verdicts(converted, corpus, folder / "converted.xml", options.timeout, plugin=not options.strict)

    lost = sorted(name for name in required if after.get(name) != "pass")
    for name in lost:
        print("lost:", name)
    said = outcomes(report, functions_using_numpy(original, corpus.package))
    for (location, name), (outcome, reason) in said.items():
        if outcome in ("kept", "host"):
            print(f"{outcome}: {location} {name}: {reason}")
    counts = Counter(outcome for outcome, _reason in said.values())
    print(
        f"{corpus.requirement}: {len(required) - len(lost)} of {len(required)} tests pass, in {jax_time / numpy_time:.1f} times the time"
    )
    found = ", ".join(f"{counts[name]} {name}" for name in ("compiled", "both", "without jit", "outlined", "host", "kept"))
    print(f"{corpus.requirement}: of {len(said)} functions using NumPy: {found}", flush=True)
    return len(lost)


def main() -> None:
    options = parse_arguments()
    names = sorted(CORPORA) if "all" in options.names else options.names
    lost = 0
    for name in names:
        if options.keep:
            (options.keep / name).mkdir(parents=True)
            lost += judge(CORPORA[name], options.keep / name, options)
            continue
        with tempfile.TemporaryDirectory() as folder:
            lost += judge(CORPORA[name], Path(folder), options)
    sys.exit(lost > 0)


if __name__ == "__main__":
    main()
