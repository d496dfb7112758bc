"""Random programs whose loops append to arrays: source text by a seed."""

import random

LOOPS = [
    "for i in range(len(x)):",
    "for i in range(1, n):",
    "for i in range(n - 1, -1, -1):",
    "for i, v in enumerate(x):",
    "for i in range(0, n, 2):",
]
ITEMS = ["x[i]", "c", "i", "x[i] > s", "2 * x[i] + i", "c * 1j", "y[0]", "n"]
ROWS = ["y * x[i]", "y", "y + i", "[c, s, 1.0]", "y > c"]
STARTS = [
    "np.array([])",
    "np.empty(0)",
    "np.zeros((0,), int)",
    "np.array([], dtype=float)",
    "np.array([], complex)",
    "np.array([1])",
    "np.array([0.5, 2])",
    "np.ones(2)",
    "np.zeros(1)",
]
GROWTHS = [
    "a = np.append(a, {})",
    "a = np.concatenate([a, [{}]])",
    "a = np.hstack((a, [{}]))",
    "a = np.r_[a, {}]",
    "a = np.concatenate((a, np.array([{}])))",
]
STEPS = ["c = 0.5 * c + x[i]", "y[0] = c", "y = y * 0.5 + x[i]", "s = s + 1"]


def program(seed):
    """The text of a program with a function `f(x, y, s, n)` of two vectors, a number and a size."""
    rng = random.Random(seed)
    rows = rng.random() < 0.3
    start = (
        rng.choice(["np.empty((0, 3))", "np.zeros((0, 3), int)", "np.empty((0, len(y)))", "np.ones((2, 3))", "np.zeros((1, 3))"])
        if rows
        else rng.choice(STARTS)
    )
    growth = rng.choice(["a = np.vstack([a, {}])", "a = np.vstack((a, {}))"]) if rows else rng.choice(GROWTHS)
    item = rng.choice(ROWS if rows or (growth.startswith("a = np.append") and rng.random() < 0.2) else ITEMS)
    loop = rng.choice(LOOPS)
    body = [[growth.format(item)], *([step] for step in rng.sample(STEPS, rng.randint(0, 2)))]
    kind = rng.random()
    if kind < 0.1:
        body.append(["if x[i] > s:", f"    {rng.choice(['break', 'continue'])}"])
    elif kind < 0.2:
        body.append(["c = c + len(a)"])
    rng.shuffle(body)
    lines = [
        "import numpy as np",
        "",
        "",
        "def f(x: np.ndarray, y: np.ndarray, s: float, n: int):",
        "    c = 0.0",
        f"    a = {start}",
    ]
    nested = rng.random() < 0.2
    margin = "        " if nested else "    "
    lines += ["    for t in range(2):"] if nested else []
    lines += [f"{margin}{loop}", *(f"{margin}    {line}" for part in body for line in part)]
    lines.append(f"    return {rng.choice(['a', 'a, c', 'a.sum(), a', 'a * 2, y'])}")
    return "\n".join(lines) + "\n"
