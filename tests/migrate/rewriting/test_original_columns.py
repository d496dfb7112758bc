"""Diagnostics about code that was moved stand where the code is in the file."""

import pytest

from np2jax.migrate.project.driver import CommandLine, analyse, gather
from np2jax.migrate.rewriting import original_columns
from np2jax.rules.core.diagnostic import Diagnostic

TEXT = """import numpy as np


class Chain:
    def __init__(self, n):
        self.x = np.zeros(n)

    def grow(self, n):
        for i in range(1, n):
            self.x[i] = self.x[i - 1] * 2.0 + np.sqrt(float(i))


def energy(x: np.ndarray, y: np.ndarray):
    print("start")
    a = np.exp(x) * np.sin(y) + np.cos(x) / (1 + y**2)
    b = np.sqrt(a * a + x * x) - np.tanh(a) * np.log1p(y * y)
    c = np.exp(-b) * a + b
    print(c.sum())
    return [np.max(c) for c in (a, b)]
"""


@pytest.mark.parametrize("placement", ["fast", "device"])
def test_names_are_found_where_the_file_has_them(tree, placement):
    root = tree({"a.py": TEXT})
    (file,) = analyse(*gather([root / "a.py"], CommandLine(placement=placement))).files
    lines = TEXT.splitlines()
    for item in file.diagnostics:
        assert (item.line, item.column) <= (item.end_line, item.end_column)
        assert item.column <= len(lines[item.line - 1]) + 1
        assert item.end_column <= len(lines[item.end_line - 1]) + 1
        assert lines[item.line - 1][item.column - 1 :][:1].strip(), item
    named = {(i.line, lines[i.line - 1][i.column - 1 : i.end_column - 1]) for i in file.diagnostics if i.code == "NJ101"}
    assert {(15, "np.exp"), (15, "np.sin"), (16, "np.log1p"), (6, "np.zeros")} <= named


def place(item):
    return item.line, item.column, item.end_line, item.end_column


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        ((2, 5, 2, 10), (3, 9, 3, 14)),  # the same code, further to the right
        ((3, 5, 3, 6), (4, 5, 4, 18)),  # other code: the whole line
        ((2, 5, 3, 6), (3, 9, 4, 18)),
        ((1, 1, 1, 1), (1, 1, 1, 1)),
        ((2, 5, 9, 1), (3, 9, 4, 18)),  # an end beyond the text
    ],
)
def test_columns_move_with_the_code(found, expected):
    changed, original = "import x\n    y = 1\n    z = g(2)\n", "import x\n\n        y = 1\n    z = [2 for 3]\n"
    moved = original_columns.of(changed, original, (1, 3, 4))
    assert place(moved(Diagnostic("a.py", *found, "NJ101", "m", "safe", False))) == expected
