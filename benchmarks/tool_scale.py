"""How the cost of a conversion grows with the size of a project: seconds and peak memory over lines.

usage: python benchmarks/tool_scale.py [--lines 10000 30000 100000] [--real DIR ...] [--one-file] [--jobs N] [--limit SECONDS]

Each project is converted in a separate process, with an empty cache:

  generated   packages of that many lines; one file in sixteen uses NumPy (a copy of a program in examples/), the others are
              synthetic: classes, dicts and text, which call each other and never use an array
  real        with --real, that many lines of the Python files below each DIR, in the order of their paths (any `site-packages`
              serves)
  one file    with --one-file, the generated code in a single file

Printed for each: lines, files, elapsed seconds, processor seconds, the peak memory of the largest process, microseconds per
line, and the growth of the processor time from the previous size: 1.0 is linear, 2.0 quadratic. A conversion that exceeds the
limit is stopped, and larger ones of its kind are skipped. The exit status is 1 if one grows by more than the power 1.4.
"""

from __future__ import annotations

import argparse
import math
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from tool_speed import NP2JAX, programs

WITH_NUMPY = 16  # one file in this many uses NumPy
STEEPEST = 1.4
START = 10_000  # lines: with fewer, the start of Python dominates the measurement
ORDERS = '''
class Order{n}:
    """What one customer of shop {n} bought."""

    def __init__(self, customer, lines=None):
        self.customer = customer
        self.lines = list(lines or [])
        self.notes = {{}}

    def add(self, name, price, count=1):
        if count <= 0:
            raise ValueError(f"{{name}}: {{count}} is no count")
        self.lines.append((name, price, count))
        return self

    def total(self, discounts=()):
        total = sum(price * count for _name, price, count in self.lines)
        for code, share in sorted(discounts):
            if code in self.notes:
                total -= total * share
        return round(total, 2)

    def note(self, key, value):
        self.notes.setdefault(key, []).append(value)
        for other in self.notes.get("also", []):
            other.note(key, value)


def parse{n}(text, separator=";"):
    """Orders by customer, from lines of text."""
    found = {{}}
    for number, line in enumerate(text.splitlines()):
        customer, _, rest = line.strip().partition(separator)
        if not customer:
            continue
        try:
            name, price, count = rest.split(separator)
        except ValueError as error:
            raise ValueError(f"line {{number}}: {{error}}") from None
        found.setdefault(customer, Order{n}(customer)).add(name, float(price), int(count))
    return found


def report{n}(orders, discounts=()):
    rows = []
    for customer, order in sorted(orders.items()):
        order.note("reported", customer.upper())
        rows.append(f"{{customer:<20}} {{order.total(discounts):>10}}")
    return "\\n".join(rows + {calls})
'''


class Taken(NamedTuple):
    """The cost of one conversion; `seconds` is 0 if it was stopped."""

    seconds: float
    processor: float
    megabytes: float


def orders(number: int, before: str) -> str:
    """Sixty lines that call the part before them."""
    return ORDERS.format(n=number, calls=f"[{before}(parse{number}(str(row))) for row in rows[:1]]" if before else "[]")


def generated(lines: int, folder: Path) -> tuple[int, int]:
    """Write a package with that many lines; return its number of lines and of files."""
    texts = [text for _place, text in sorted(programs(Path(__file__).resolve().parents[1] / "examples").items())]
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text("")
    written = number = 0
    while written < lines:
        number += 1
        if number % WITH_NUMPY == 0:
            text = f"{texts[number // WITH_NUMPY % len(texts)]}\nCOPY = {number}\n"
        else:
            before = number - (2 if number % WITH_NUMPY == 1 else 1)
            head = f"from .part{before} import report{before}\n\n" if before > 0 else ""
            text = f'"""Shop {number}."""\n\n{head}{orders(number, f"report{before}" if head else "")}'
        (folder / f"part{number}.py").write_text(text)
        written += text.count("\n")
    return written, number + 1


def one_file(lines: int, folder: Path) -> tuple[int, int]:
    """Write the same code as a single file, preceded by a function that uses NumPy."""
    parts = ["import numpy as np\n\n\ndef norm(x):\n    return np.sqrt(np.sum(x * x))\n"]
    each = orders(1, "report0").count("\n") + 1
    parts += [orders(number, f"report{number - 1}" if number > 1 else "") for number in range(1, lines // each + 1)]
    folder.mkdir(parents=True)
    (folder / "whole.py").write_text(text := "\n".join(parts))
    return text.count("\n"), 1


def real(source: Path) -> Callable[[int, Path], tuple[int, int]]:
    def copied(lines: int, folder: Path) -> tuple[int, int]:
        """Copy that many lines of the files below a folder; return (0, 0) if it has too few."""
        written = made = 0
        for path in sorted(source.rglob("*.py")):
            if written >= lines:
                break
            target = folder / "code" / path.relative_to(source)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
            written += path.read_bytes().count(b"\n")
            made += 1
        return (written, made) if written >= lines else (0, 0)

    return copied


def converted(project: Path, scratch: Path, jobs: int, limit: float) -> Taken:
    environment = {**os.environ, "NP2JAX_CACHE_DIR": str(scratch / "cache")}
    command = [*NP2JAX, "convert", str(project), "-o", str(scratch / "out"), "-j", str(jobs)]
    start = time.perf_counter()
    with (scratch / "said").open("wb") as said:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=said, env=environment)
        while True:
            ended, status, used = os.wait4(process.pid, os.WNOHANG)
            if ended:
                break
            if time.perf_counter() - start > limit:
                process.kill()
                os.wait4(process.pid, 0)
                return Taken(0, 0, 0)
            time.sleep(0.05)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1) or b"Traceback" in (scratch / "said").read_bytes():
        sys.exit(f"{' '.join(command)} ended with status {process.returncode}: {(scratch / 'said').read_text()[-500:]}")
    return Taken(time.perf_counter() - start, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def curve(
    name: str, make: Callable[[int, Path], tuple[int, int]], sizes: Sequence[int], jobs: int, limit: float
) -> Iterator[float]:
    """Print a line for each size. Yields the exponent with which the processor time grows from each size to the next."""
    print(name)
    before: tuple[int, float] | None = None
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            scratch = Path(folder)
            lines, files = make(size, scratch / "project")
            if not lines:
                return
            taken = converted(scratch / "project", scratch, jobs, limit)
        if not taken.seconds:
            print(f"  {lines:9,} lines  {files:6,} files  more than {limit:.0f} s")
            return
        power = math.log(taken.processor / before[1]) / math.log(lines / before[0]) if before is not None else None
        print(
            f"  {lines:9,} lines  {files:6,} files  {taken.seconds:7.1f} s  processor {taken.processor:7.1f} s  "
            f"{taken.megabytes:7.0f} MB  {taken.processor / lines * 1e6:6.0f} us a line"
            + ("" if power is None else f"  power {power:.2f}"),
            flush=True,
        )
        if power is not None and before is not None and before[0] >= START:
            yield power
        before = lines, taken.processor


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lines", type=int, nargs="+", default=[10_000, 30_000, 100_000])
    parser.add_argument("--real", type=Path, nargs="*", default=[])
    parser.add_argument("--one-file", action="store_true")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--limit", type=float, default=600)
    options = parser.parse_args()
    kinds = {"generated": generated} | ({"one file": one_file} if options.one_file else {})
    kinds |= {str(source): real(source) for source in options.real}
    powers = [
        power for name, make in kinds.items() for power in curve(name, make, sorted(options.lines), options.jobs, options.limit)
    ]
    sys.exit(any(power > STEEPEST for power in powers))


if __name__ == "__main__":
    main()
