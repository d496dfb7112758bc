"""Random functions of which some statements move into jitted functions: checks, modes, prints, aliases, updates in place around them."""

import contextlib
import io
import random

import numpy as np
import pytest

from np2jax.migrate.linking import cost_model, placement
from np2jax.migrate.lowering import statement_outlining
from np2jax.tests.helpers.differential import compare_values, convert, run

STATEMENTS = (
    "{a} = {b} * 2.0 + np.sin({a})",
    "{a} = np.where({a} > {b}, {a}, -{b})",
    "{a} += {b}",
    "{a} += 1.0",
    "{a} -= {a}.mean()",
    "{a}[0] = {b}[1]",
    "{a}[1:] *= 0.5",
    "{a}[{b} > 0] = 0.25",
    "{a} = {b}",
    "{a} = {b}.copy()",
    "{a} = {b}[::-1]",
    "{a} = {b}.reshape(2, -1).ravel()",
    "{a} = np.asarray({b})",
    "v = {a}[1:]",
    "v = {a}[1:] * 1.0",
    "v += 0.5",
    "v = {a}.T",
    "s = {a}.sum()",
    "s = {a}.max() - {b}.min()",
    "s += 1.0",
    "n = len({a})",
    "n = {a}.shape[0] // 2",
    "{a} = {a}[:n] if n > 100 else {a} * n",
    "{a} = np.cumsum({b}) / n",
    "{a}, {b} = {b}, {a}",
    "{a}, {b} = {a} + {b}, {a} - {b}",
    "m = np.outer({a}, {b})",
    "m = m @ m.T / n**4",
    "{a} = m[0] + m[:, 1]",
    "m[0] = {a}",
    "if mode == 'a':\n        {a} = {a} * 3.0\n    elif mode == 'b':\n        {a} = {a} - {b}\n    else:\n        raise ValueError(f'no {{mode}}')",
    "if mode == 'a':\n        v = {a} * 2.0",
    "if flag:\n        {a} = np.sqrt(np.abs({b}))",
    "if extra is not None:\n        {a} = {a} + extra",
    "if np.any({a} > 1e3):\n        raise ArithmeticError(f'large: {{s:.3f}}')",
    "if s > 1:\n        {a} = {a} * 0.5",
    "for i in range(3):\n        {a} = np.cos({a}) + {b} * i\n        {b}[i] += 0.5",
    "for i in range(n):\n        s += {a}[i]",
    "while s > 1.0:\n        s = s / 2 - {a}[0] * 0",
    "print(n, {a}.shape)",
    "items.append({a})",
    "items.append({a} * 2.0)",
    "items[0][0] = 2.0",
    "box.w = {a}",
    "box.w = {a} * 2.0 - {b}",
    "box.w += 1.0",
    "{a} = box.w * 0.5 + {b}",
    "{a} = helper({b})",
    "touch({a})",
    "k = {a} > 0",
    "{a} = np.where(k, {a}, 0.25)",
)

HEAD = """
import numpy as np


class Box:
    def __init__(self, w):
        self.w = w


def helper(x):
    print(len(x))
    return x * 2.0


def touch(x):
    print(x.shape)
    x[0] = 7.0


"""


def program(seed):
    draw = random.Random(seed)
    lines = [
        "items, box = [x], Box(y)",
        "a, b = x, y" if draw.random() < 0.5 else "a, b = np.abs(x), y * 1.5",
        "s, n, v, k, m = 0.5, 2, a[1:], a > 0, np.eye(len(a))",
        "print(len(a))",
    ]
    for _ in range(draw.randint(4, 14)):
        first, second = draw.choice(["ab", "ba", "aa"])
        lines.append(draw.choice(STATEMENTS).format(a=first, b=second))
    lines.append(draw.choice(["return a, b, s, n, v, k, m, items, box.w", "return np.stack([a, b]) + s", "return a"]))
    return (
        HEAD
        + "def f(x: np.ndarray, y: np.ndarray, mode='a', flag=False, extra=None):\n"
        + "".join(f"    {line}\n" for line in lines)
    )


def outcome(text, x, y, options):
    """What is printed, what is returned or raised, and what became of the arguments."""
    x, y = x.copy(), y.copy()
    with contextlib.redirect_stdout(io.StringIO()) as out, np.errstate(all="ignore"):
        try:
            result = run(text)["f"](x, y, **options)
        except (ValueError, ArithmeticError, UnboundLocalError, IndexError, TypeError) as error:
            result = f"{type(error).__name__}: {error}"
    return result, x, y, out.getvalue()


@pytest.fixture
def everything_pays(monkeypatch):
    """As if compiled code were faster for any number of operations."""
    monkeypatch.setattr(statement_outlining, "cost_of", lambda *_: cost_model.Cost(1e9, 1.0))
    monkeypatch.setattr(statement_outlining, "cost_of_large", lambda *_: cost_model.Cost(1e9, 1.0))
    monkeypatch.setattr(placement, "loses", lambda *_: "")


OPTIONS = ({}, {"mode": "b", "flag": True}, {"mode": "c"}, {"extra": 0.5})


def check(seed):
    before = program(seed)
    text, functions, _diagnostics = convert(before, placement="fast")
    assert functions["f"].transform in ("", "outlined")
    for number, options in enumerate(OPTIONS):
        x, y = (
            (np.linspace(-1.0, 2.0, 6), np.arange(6.0) - 2) if number % 2 else (np.array([1.0, np.nan, np.inf, -0.5]), np.ones(4))
        )
        want, got = outcome(before, x, y, options), outcome(text, x, y, options)
        if isinstance(want[0], str) and "Error" in want[0] and isinstance(got[0], str):
            want, got = (want[0].split(":")[0], *want[3:]), (got[0].split(":")[0], *got[3:])
        difference = compare_values(got, want)
        assert not difference, f"{difference}\n{options}\n{before}\n{text}"
    return functions["f"].transform == "outlined"


@pytest.mark.quick(5)
@pytest.mark.parametrize("seed", range(12))
def test_runs_of_statements(seed, everything_pays):
    check(seed)


@pytest.mark.slow
def test_many_runs_of_statements(everything_pays):
    moved = [check(seed) for seed in range(1000, 1040)]
    assert sum(moved) > 10, "in a third of the programs something moves"
