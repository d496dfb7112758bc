"""The speed of the tool itself, compared with what any tool must do: parse the files, start Python.

usage: python benchmarks/tool_speed.py [--source DIR | --package DIR] [--runs 5]

Measured in one run, each as a median of several interleaved runs; "times" and "of" are medians of the ratios of neighbouring
runs:

  convert   a package of 10,000 lines, with -j 1 and -j 2, compared with libcst.parse_module of the same files on one core
  nest      a function of 500 lines with ten nested loops, compared with a function of one line
  lint      an unchanged tree of 1,000 files for the second time
  --help    compared with `python -c "import click"`

The package consists of copies of the NumPy programs in DIR (by default examples/), each file slightly different from all
others: it is denser in arrays than any real package. With --package, that package is converted as it is, tests and comments
included. Whole processes are timed, with the start of Python. The processor time counts, which other programs on the machine
hardly disturb, except for -j 2, where elapsed time counts, compared with that of -j 1 at the same moment. The cache starts
empty and is in a temporary folder; np2jax is compiled to bytecode, as after an installation by pip, from the second run on. The
exit status is 1 if `lint` imports numpy or jax.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

LINES, FILES = 10_000, 1_000
NP2JAX = [sys.executable, "-m", "np2jax"]
PARSE = """
import pathlib, sys, time
import libcst
sources = [path.read_text() for path in sorted(pathlib.Path(sys.argv[1]).rglob("*.py"))]
start = time.process_time()
for source in sources:
    libcst.parse_module(source)
print(time.process_time() - start)
"""
LOADED_BY_LINT = """
import sys
sys.argv = ["np2jax", "lint", sys.argv[1]]
try:
    import runpy
    runpy.run_module("np2jax", run_name="__main__")
finally:
    print("imported:", *sorted({"numpy", "jax"} & set(sys.modules)), file=sys.stderr)
"""


def programs(source: Path) -> dict[Path, str]:
    """The text of every Python file below a folder, by its relative path."""
    return {path.relative_to(source): path.read_text() for path in sorted(source.rglob("*.py")) if "test" not in path.name}


def write_copies(texts: dict[Path, str], folder: Path, *, lines: int = 0, files: int = 0) -> tuple[int, int]:
    """Fill `folder` with copies of the programs, one subpackage per copy, until there are `lines` lines or `files` files.

    Returns the number of lines and of files. No two files are equal, so that no cache can answer for another file.
    """
    written = made = copy = 0
    while True:
        package = folder / f"copy_{copy:03}"
        for location, text in texts.items():
            if (lines and written >= lines) or (files and made >= files):
                return written, made
            target = package / location
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text + f"\n\nCOPY = {copy}\n")
            written += text.count("\n") + 3
            made += 1
        copy += 1


def processor() -> float:
    """The processor time, in seconds, of child processes that have ended, including the children that they waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def seconds(command: list[str], environment: dict[str, str], clock: Callable[[], float] = processor) -> float:
    """How long a command takes. Exits with the command's message if it fails; status 1 means that there are findings."""
    start = clock()
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    taken = clock() - start
    if done.returncode not in (0, 1) or "Traceback" in done.stderr:
        sys.exit(f"{' '.join(command)} ended with status {done.returncode}: {done.stderr.strip()[-500:]}")
    return taken


def interleaved(runs: int, measures: dict[str, Callable[[], float]]) -> dict[str, list[float]]:
    """The values of each measure. The measures run alternately, so that a busy moment does not affect only one of them."""
    taken: dict[str, list[float]] = {name: [] for name in measures}
    for _ in range(runs):
        for name, measure in measures.items():
            taken[name].append(measure())
    return taken


def medians(runs: int, measures: dict[str, Callable[[], float]]) -> dict[str, float]:
    return {name: statistics.median(values) for name, values in interleaved(runs, measures).items()}


def ratio(taken: Sequence[float], beside: Sequence[float]) -> float:
    """The median of the ratios of interleaved runs: the speed of some machines changes from minute to minute."""
    return statistics.median(a / b for a, b in zip(taken, beside, strict=True))


def convert_speed(source: Path, scratch: Path, environment: dict[str, str], runs: int, *, whole: bool) -> None:
    package = scratch / "package"
    if whole:
        shutil.copytree(source, package, ignore=shutil.ignore_patterns("__pycache__"))
        texts = [path.read_bytes() for path in package.rglob("*.py")]
        lines, files = sum(text.count(b"\n") for text in texts), len(texts)
    else:
        lines, files = write_copies(programs(source), package, lines=LINES)

    def parse() -> float:
        done = subprocess.run([sys.executable, "-c", PARSE, str(package)], capture_output=True, text=True, check=True)
        return float(done.stdout)

    def convert(jobs: int, clock: Callable[[], float] = processor) -> float:
        shutil.rmtree(scratch / "cache", ignore_errors=True)
        shutil.rmtree(scratch / "converted", ignore_errors=True)
        command = [*NP2JAX, "convert", str(package), "-o", str(scratch / "converted"), "-j", str(jobs)]
        return seconds(command, environment, clock)

    taken = interleaved(
        runs,
        {
            "before": parse,
            "one": lambda: convert(1),
            "after": parse,
            "alone": lambda: convert(1, time.perf_counter),
            "two": lambda: convert(2, time.perf_counter),
        },
    )
    parsing = [(a + b) / 2 for a, b in zip(taken["before"], taken["after"], strict=True)]
    took = {name: statistics.median(values) for name, values in (*taken.items(), ("parse", parsing))}
    print(f"{lines} lines in {files} files")
    print(f"  libcst.parse_module     {took['parse']:7.3f} s     1.00")
    print(f"  np2jax convert -j 1     {took['one']:7.3f} s  {ratio(taken['one'], parsing):7.2f} times parsing")
    print(f"  np2jax convert -j 2     {took['two']:7.3f} s  {ratio(taken['two'], taken['alone']):7.2f} of -j 1, on the clock")


def nested_function(depth: int, lines: int) -> str:
    """A function with `lines` lines and `depth` nested loops, with an equal share of assignments and branches in each loop."""
    text = ["import numpy as np", "", "", "def nested(a, b, n: int):", "    out = np.zeros((n, n))", "    s = 0.0"]
    indent, count = "    ", 0
    for level in range(depth):
        while len(text) < lines * (level + 1) // depth:
            count += 1
            text += [f"{indent}t{count} = np.sin(s) + a[{count % 3}, {count % 2}] * b[{count % 3}]"]
            text += [f"{indent}if t{count} > {count}:", f"{indent}    s = s + t{count}"]
            text += [f"{indent}else:", f"{indent}    s = s * 0.5"]
        text.append(f"{indent}for i{level} in range(n):")
        indent += "    "
    return "\n".join([*text, f"{indent}out[i0, i1] += s", "    return out, s", ""])


def nest_speed(scratch: Path, environment: dict[str, str], runs: int) -> None:
    texts = {"nested": nested_function(10, 500), "single": "import numpy as np\n\n\ndef single(a):\n    return np.sin(a)\n"}

    def convert(name: str) -> float:
        shutil.rmtree(scratch / "cache", ignore_errors=True)
        shutil.rmtree(scratch / f"{name}.out", ignore_errors=True)
        return seconds([*NP2JAX, "convert", str(scratch / f"{name}.py"), "-o", str(scratch / f"{name}.out")], environment)

    for name, text in texts.items():
        (scratch / f"{name}.py").write_text(text)
    took = medians(runs, {name: partial(convert, name) for name in texts})
    print(f"convert of a function of {texts['nested'].count(chr(10))} lines, ten loops deep")
    print(f"  whole process           {took['nested']:7.3f} s")
    print(f"  a function of one line  {took['single']:7.3f} s")


def lint_speed(source: Path, scratch: Path, environment: dict[str, str], runs: int) -> bool:
    """Print the times. Returns whether lint imported numpy or jax."""
    tree = scratch / "tree"
    lines, files = write_copies(programs(source), tree, files=FILES)
    command = [*NP2JAX, "lint", str(tree)]
    first = seconds(command, environment)
    again = medians(runs, {"again": lambda: seconds(command, environment)})["again"]
    print(f"lint of {lines} lines in {files} files")
    print(f"  the first time          {first:7.3f} s")
    print(f"  again, unchanged        {again:7.3f} s  {again / first:7.3f} of the first time")

    small = scratch / "small"
    write_copies(programs(source), small, files=2)
    done = subprocess.run([sys.executable, "-c", LOADED_BY_LINT, str(small)], capture_output=True, text=True, env=environment)
    loaded = done.stderr.rpartition("imported:")[2].strip()
    print(f"  imports of numpy, jax   {loaded or 'none'}")
    return bool(loaded)


def start_speed(environment: dict[str, str], runs: int) -> None:
    took = interleaved(
        2 * runs,
        {
            "click": lambda: seconds([sys.executable, "-c", "import click"], environment),
            "help": lambda: seconds([*NP2JAX, "--help"], environment),
        },
    )
    median = {name: statistics.median(values) for name, values in took.items()}
    print("start")
    print(f"  python -c 'import click'{median['click']:7.3f} s     1.00")
    print(f"  np2jax --help           {median['help']:7.3f} s  {ratio(took['help'], took['click']):7.2f} times that")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--source", type=Path, default=Path(__file__).resolve().parents[1] / "examples")
    parser.add_argument("--package", type=Path)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    source = options.package or options.source
    if not programs(source):
        parser.error(f"{source}: no Python files")
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
        environment["NP2JAX_CACHE_DIR"] = str(scratch / "cache")
        convert_speed(source, scratch, environment, options.runs, whole=options.package is not None)
        nest_speed(scratch, environment, options.runs)
        imported = lint_speed(options.source, scratch, environment, options.runs)
        start_speed(environment, options.runs)
    sys.exit(imported)


if __name__ == "__main__":
    main()
