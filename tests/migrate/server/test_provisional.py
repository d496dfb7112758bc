"""Findings at once, without the whole analysis: they stay with their lines, and edited statements get new ones."""

import ast

from np2jax.migrate.server.analysis import analysed
from np2jax.migrate.server.edited_lines import compare
from np2jax.migrate.server.provisional import Base, Pace, provisional
from np2jax.migrate.server.statements import needed, only, statements

TEXT = '''"""Doc."""
import numpy as np


def scale(x):
    return np.sqrt(x)


class Grid:
    """A grid."""

    def __init__(self, n):
        self.values = np.zeros(n)

    class Inner:
        a = 1

        def f(self):
            return 1

    def total(self):
        return scale(self.values).sum()


def other(y): return y;  # one line
if other(1): z = np.cos(1.0)
'''


def test_lines_that_stay_keep_their_place():
    edited = compare(["a", "b", "c", "b"], ["a", "x", "b", "c", "b", ""])
    assert edited.moved == {1: 1, 2: 3, 3: 4, 4: 5}
    assert edited.new == {2, 6}
    assert compare([""], ["x", ""]).moved == {1: 2}


def test_any_line_leaves_code_that_can_be_read():
    every = statements(TEXT)
    assert [line for each in every for line in each.lines] == [*range(1, TEXT.count("\n") + 1)]
    for line in range(1, TEXT.count("\n") + 1):
        for most in (10, 15, 20, 100):
            kept = needed({line}, every, most)
            assert sum(len(each.lines) for each in kept) <= most
            ast.parse(only(TEXT, kept))
    total = next(line for line, text in enumerate(TEXT.split("\n"), 1) if "def total" in text)
    near = only(TEXT, needed({total}, every, 100))
    assert "def scale" in near and "class Grid" in near and "def other" not in near


def test_an_edit_changes_what_is_found_in_its_line_only(tree):
    root = tree({"a.py": TEXT, "pyproject.toml": ""})
    found = analysed(str(root / "a.py"), TEXT)
    base = Base(TEXT, found.diagnostics, found.options, found.file)
    after = TEXT.replace("\n\ndef scale", "\nPI = 3\n\n\ndef scale").replace("np.zeros(n)", "np.ones(n) + np.zeros(n)")
    new = provisional(after, base, Pace())
    whole = analysed(str(root / "a.py"), after)

    def places(items):
        return [(item.line, item.column, item.code) for item in items]

    assert places(new) == places(whole.diagnostics)
    assert places(new) != places(base.diagnostics)
