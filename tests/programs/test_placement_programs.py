"""Random programs that cross the border between the host and compiled code: aliases, updates in place, numbers, containers."""

import contextlib
import io
import random

import numpy as np
import pytest

from np2jax.tests.helpers.differential import compare_values, convert, run

COMPILED = """
import numpy as np


def smooth(x: np.ndarray):
    y = np.zeros_like(x)
    for i in range(1, len(x) - 1):
        y[i] = (x[i - 1] + 2 * x[i] + x[i + 1]) / 4
    return y


def sweep(x: np.ndarray):
    for i in range(1, len(x)):
        x[i] = 0.5 * x[i] + 0.25 * x[i - 1]


def split(x: np.ndarray):
    total = 0.0
    y = np.empty_like(x)
    for i in range(len(x)):
        total += x[i] * x[i]
        y[i] = x[i] - 0.125 * total
    return y, total


def product(x: np.ndarray, y: np.ndarray):
    total = 0.0
    for i in range(len(x)):
        total += x[i] * y[i]
    return total


def swept(x: np.ndarray):
    total = 0.0
    for i in range(1, len(x)):
        x[i] += 0.5 * x[i - 1]
        total += x[i]
    return total


class Store:
    def __init__(self, w):
        self.w = w


"""
STATEMENTS = (
    "{a} = smooth({b})",
    "sweep({a})",
    "{a}, s = split({b})",
    "s += 1.5",
    "s = product({a}, {b})",
    "s = swept({a})",
    "{a}[0] = s",
    "{a} += 1",
    "{a}[1:] *= 0.5",
    "v = {a}[::2]",
    "v += 0.25",
    "{a} = {b}",
    "{a} = {b}.copy()",
    "items.append(smooth({a}))",
    "items.append({a})",
    "items[-1][0] = 5.0",
    "sweep(items[-1])",
    "store.w = smooth({a})",
    "store.w = {a}",
    "store.w += 1.0",
    "sweep(store.w)",
    "table['k'] = smooth({a})",
    "table['k'][1] = 2.0",
    "{a} = smooth(smooth({b}))",
    "{a} = np.sqrt(np.abs(smooth({b})))",
    "pair = split({a})",
    "{a} = pair[0]",
    "s = pair[1]",
    "for i in range(3):\n        {a} = smooth({a})\n        {a}[i] += 1.0",
    "if s > 0.5:\n        {a} = smooth({b})",
    "sweep({a}[1:])",
)


def program(seed):
    """A function that nothing compiles, as it prints, and that calls compiled functions."""
    draw = random.Random(seed)
    lines = [
        "a, b = x * 1.0, x + 1.0",
        "s, v, items = 0.0, a[1:], [a]",
        "pair, store, table = (b, 1.0), Store(b), {'k': a}",
        "print(len(x))",
    ]
    for _ in range(draw.randint(4, 12)):
        first, second = draw.choice(["ab", "ba", "aa"])
        lines.append(draw.choice(STATEMENTS).format(a=first, b=second))
    lines.append("return a, b, s, v, items, pair, store.w, table['k']")
    return COMPILED + "def f(x: np.ndarray):\n" + "".join(f"    {line}\n" for line in lines)


def outcome(text, x):
    with contextlib.redirect_stdout(io.StringIO()), np.errstate(all="ignore"):
        return run(text)["f"](x.copy())


def check(seed):
    before = program(seed)
    text, functions, _diagnostics = convert(before, placement="fast")
    for x in (np.linspace(-1.0, 2.0, 6), np.array([1.0, np.nan, np.inf, -0.5])):
        want = outcome(before, x)
        difference = compare_values(outcome(text, x), want)
        assert not difference, f"{difference}\n{text}"
    return {name for name, each in functions.items() if each.transform == "jit"}


@pytest.mark.quick(5)
@pytest.mark.parametrize("seed", range(12))
def test_the_border(seed):
    check(seed)


@pytest.mark.slow
def test_many_borders():
    compiled = [check(seed) for seed in range(1000, 1040)]
    assert sum(map(bool, compiled)) > 25, "most programs compile something"
