"""Random programs of loops over windows whose length and stride are arguments: source text by a seed."""

import random

COUNTS = [
    "len(x) // b",
    "len(x) // b",
    "1 + (len(x) - k) // b",
    "(len(x) - k) // b + 1",
    "(len(x) + b - 1) // b",
    "k",
    "len(x) // (b + 1)",
]
STARTS = ["i * b", "i * b", "b * i", "i * b + 1", "(i + 1) * b - 1", "i * (b + 1)", "i * k", "len(x) - (i + 1) * b", "i * b + k"]
LENGTHS = ["b", "b", "k", "k", "b + 1", "2 * b", "b - 1", "3", "b * k", "i"]
REDUCED = [
    "np.sum({w})",
    "{w}.max()",
    "np.median({w})",
    "{w}.mean()",
    "np.dot({w}, {w})",
    "{w}.sum() + s",
    "np.abs({w}).sum() / b",
]


def program(seed):
    """The text of a program with a function `f(x, y, b, k, s)` of two vectors, two Python numbers and one number of any kind."""
    rng = random.Random(seed)
    lines = ["import numpy as np", "", "", "def f(x: np.ndarray, y: np.ndarray, b: int, k: int, s):"]
    lines.append(f"    n = {rng.choice(COUNTS)}")
    row, total = rng.choice(["b", "k"]), rng.random() < 0.5
    lines += ["    out = np.zeros(n)", f"    rows = np.zeros((n, {row}))", "    t = 0.0"]
    start = rng.choice(STARTS)
    if rng.random() < 0.25:
        lines += [f"    for p in range({rng.choice(['0', '0', 'b', 'k'])}, len(x) - k + 1, b):", "        i = p // b"]
        start = rng.choice(["p", "p", "p + 1", "p - i"])
    else:
        lines.append(f"    for i in {rng.choice(['range(n)', 'range(n)', 'range(1, n)', 'range(n - 1, -1, -1)'])}:")
    if rng.random() < 0.3:
        lines.append(f"        j = {start}")
        start = "j"
    for _ in range(rng.randint(1, 2)):
        lines += [f"        {line}" for line in statement(rng, start, row, total).splitlines()]
    lines.append("    return out, rows, t, x, y")
    return "\n".join(lines) + "\n"


def window(rng, start, length=""):
    length = length or rng.choice(LENGTHS)
    return rng.choice(["x", "x", "x", "y"]) + f"[{start}:{start} + {length}]"


def statement(rng, start, row, total):
    kind = rng.random()
    if kind < 0.4:
        return f"out[i] = {rng.choice(REDUCED).format(w=window(rng, start))}"
    if kind < 0.55:
        return f"t += {rng.choice(REDUCED).format(w=window(rng, start))}"
    if kind < 0.8:
        return f"rows[i] = {window(rng, start, row)}" + rng.choice(
            ["", " * s", " + rows[i]", " - out[i]", f" * {window(rng, start, row)}"]
        )
    if kind < 0.9:
        return f"{window(rng, start, row)} {rng.choice(['=', '+=', '*='])} {rng.choice(['s', 'rows[i]', 'i', window(rng, start, row)])}"
    return f"if out[i] > s:\n    out[i] += {rng.choice(REDUCED).format(w=window(rng, start))}"
