"""Random functions with a loop that stores an element in each iteration and continues from the previous iteration's value."""

from __future__ import annotations

import random

import numpy as np

RANGES = (
    "range(n)",
    "range(n)",
    "range(1, n)",
    "range(1, n)",
    "range(n - 1)",
    "range(2, n - 1)",
    "range(n - 1, -1, -1)",
    "range(n - 2, -1, -1)",
    "range(n - 2, 0, -1)",
    "range(0, n, 2)",
)
MAKERS = ("np.zeros(n)", "np.ones(n)", "np.zeros(n, dtype=int)", "np.zeros_like(x)", "x.copy()")
ROWS = ("np.zeros((n, 3))", "np.ones((n, 3), dtype=int)", "rows.copy()", "np.zeros_like(rows)")


def program(seed: int) -> str:
    """One function `f(x, rows, a, n)`; `n` is the length of both `x` and `rows`."""
    dice = random.Random(seed)
    iterations = dice.choice(RANGES)
    rowwise = dice.random() < 0.4
    lines = [
        dice.choice(["n = len(x)", "n = x.shape[0]", "n = n + 0"]),
        f"y = {dice.choice(ROWS if rowwise else MAKERS)}",
        f"s = {dice.choice(['0.0', '1.5', 'x[0]', '0'])}",
    ]
    if dice.random() < 0.6:
        lines.append(f"y[{dice.choice(['0', '-1'])}] = {'rows[0] * 2' if rowwise else dice.choice(['x[0]', '3.7', 'a'])}")
    body = []
    item = "rows[i]" if rowwise else "x[i]"
    back = dice.choice(["y[i - 1]", "y[i - 1]", "y[i - 1]", "y[i + 1]", "y[i]", "y[i - 2]", "", ""])
    first, second = dice.choice([("x[i]", "a"), ("s", "x[i]"), ("a", "s"), ("x[i - 1]", "s"), ("i", "s")])
    state = [f"s = s * 0.5 + {first}", f"s = {second} - s / 3", f"s += {first}", f"s = max(s, {first} * 1.0)"]
    value = dice.choice([item, f"{item} * a", "s", "s + a", f"np.sin({item}) + s", "s * i", "2"])
    if back:
        value = dice.choice([f"{back} + {value}", f"0.5 * {back} - {value}", f"np.maximum({back}, {value})", f"{back}"])
    store = f"y[{dice.choice(['i', 'i', 'i', 'i + 1' if 'n - 1)' in iterations else 'i', '-i'])}] = {value}"
    if dice.random() < 0.7:
        body.append(dice.choice(state))
    body.append(store)
    if dice.random() < 0.3:
        body.append(dice.choice([*state, "t = y[i] * 2\n        s = s + np.sum(t)", "y[0] = s" if not rowwise else "pass"]))
    if dice.random() < 0.15:
        body[-1] = f"if x[i] > 0:\n            {body[-1]}"
    result = dice.choice(["y", "y, s", "y, np.sum(y) + s", "s, y[1:]"])
    code = "\n".join(f"    {line}" for line in lines)
    inner = "\n".join(f"        {line}" for line in body)
    return f"""import numpy as np


def f(x: np.ndarray, rows: np.ndarray, a: float, n: int):
{code}
    for i in {iterations}:
{inner}
    return {result}
"""


def arguments(seed: int) -> tuple[object, ...]:
    dice = np.random.default_rng(seed)
    n = int(dice.integers(3, 7))
    x = dice.normal(size=n)
    if dice.random() < 0.2:
        x[dice.integers(n)] = np.nan
    return x, dice.normal(size=(n, 3)), float(dice.normal()), n
