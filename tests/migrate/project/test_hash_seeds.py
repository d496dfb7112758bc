"""A conversion gives the same files and reports, whatever order Python gives to sets."""

import os
import subprocess
import sys
from pathlib import Path

SERIES = """\
import numpy as np


def as_series(alist):
    arrays = [np.array(a, ndmin=1, copy=False) for a in alist]
    return [trim(a) for a in arrays]


def trim(seq):
    if len(seq) == 0 or seq[-1] != 0:
        return seq
    for i in range(len(seq) - 1, -1, -1):
        if seq[i] != 0:
            break
    return seq[: i + 1]


def sub(c1, c2):
    [c1, c2] = as_series([c1, c2])
    if len(c1) > len(c2):
        c1[: c2.size] -= c2
        ret = c1
    else:
        c2 = -c2
        c2[: c1.size] += c1
        ret = c2
    return trim(ret)
"""
SHARED = """\
import numpy as np

from pkg.series import sub

TABLE = np.zeros(4)


class First:
    def __init__(self, data):
        self.data = data
        self.rest = data

    def scale(self, other):
        self.data[:] = other
        return sorted(self.data)

    def update(self, a, b):
        a[0] = b[1] = TABLE[2]
        return a, b


class Second(First):
    def scale(self, other):
        return other.update(self.data, self.rest)


def change(table, rows, cols):
    table[rows] = cols
    memoryview(table)[0] = 1.0
    return table


def everything(x, y, z):
    first, second = First(x), Second(y)
    x[0] = y[0] = z
    for function in (change, sub):
        function(x, y)
    return change(TABLE, x, y), change(first.data, z, z), change(second.rest, x, x)
"""


def test_two_hash_seeds_give_the_same_report(tmp_path):
    package = tmp_path / "pkg"
    package.mkdir()
    for name, text in {"__init__": "", "series": SERIES, "shared": SHARED}.items():
        (package / f"{name}.py").write_text(text)
    assert len({converted(package, tmp_path, seed) for seed in range(1, 7)}) == 1


def converted(package: Path, folder: Path, seed: int) -> tuple[tuple[str, str], ...]:
    """The report and the files that one run gives."""
    output, report = folder / f"out{seed}", folder / f"report{seed}.json"
    environment = {**os.environ, "PYTHONHASHSEED": str(seed)}
    command = [sys.executable, "-m", "np2jax", "convert", str(package), "-o", str(output), "--report", str(report)]
    subprocess.run(command, env=environment, check=True, capture_output=True)
    files = sorted(output.rglob("*.py"))
    return (("report", report.read_text()), *((str(file.relative_to(output)), file.read_text()) for file in files))
