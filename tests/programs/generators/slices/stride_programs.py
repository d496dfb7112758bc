"""Random programs of loops over slices with a step, where the step or a bound depends on the indices: source text by a seed."""

import random

from np2jax.tests.programs.generators.slices.slice_programs import MAPS, REDUCTIONS

LOOPS = [
    "for i in range(1, n):",
    "for i in range(1, n + 1):",
    "for i in range(2, n + 2):",
    "for i in range(n, 0, -1):",
    "for i in range(1, n, 2):",
    "for i in range(n):",
]
STEPS = ["i", "i", "i", "i", "i", "2", "3", "2 * i", "i + 1", "i * i", "n", "max(i, 1)", "i - 1", "i % 3 + 1", "j", "k"]
LOWS = ["", "", "", "i", "i", "i", "2 * i", "i * i", "i - 1", "1", "i % 2", "-i", "-2 * i", "n - i", "i - 2", "j", "k"]
HIGHS = ["", "", "", "", "", "n", "n - 1", "-1", "i", "i + 1", "n + 2", "n - i", "-i", "i - 2", "3 * i"]


def program(seed):
    """The text of a program with a function `f(A, x, y, s)` of a square matrix, two vectors and a number."""
    rng = random.Random(seed)
    lines = ["import numpy as np", "", "", "def f(A: np.ndarray, x: np.ndarray, y: np.ndarray, s):"]
    lines.append("    n = " + rng.choice(["A.shape[0]", "A.shape[1]", "len(x)", "y.shape[0]"]))
    lines.append("    z = " + rng.choice(["np.zeros_like(x)", "x.copy()", "np.ones(n)", "np.sin(x)", "y", "np.arange(n)"]))
    lines.append("    k = 1")
    lines.append("    t = 0.0")
    counted = rng.random() < 0.2
    names = {"i"}
    if counted:
        lines += ["    i = 1", "    while i < n:"]
    else:
        lines.append("    " + rng.choice(LOOPS))
    depth = 2
    if rng.random() < 0.2:
        lines.append("    " * depth + rng.choice(["for j in range(1, i + 1):", "for j in range(i, n):", "for j in range(1, n):"]))
        names, depth = {"i", "j"}, 3
    if rng.random() < 0.2:
        lines.append("    " * depth + rng.choice(["k = i + 1", "k = n - i", "k = max(i - 1, 1)", "k = i // 2 + 1", "k += 1"]))
    lines.append("    " * depth + "A[0, 0] += s")  # determines its number of dimensions
    for _ in range(rng.randint(1, 3)):
        lines += ["    " * depth + line for line in statement(rng, names).splitlines()]
    if counted:
        lines.append("        i += 1")
    lines.append("    return A, x, y, z, t")
    return "\n".join(lines) + "\n"


def part(rng, names):
    """The text of a slice with a step."""

    def chosen(texts):
        return rng.choice([t for t in texts if t != "j" or "j" in names])

    return f"{chosen(LOWS)}:{chosen(HIGHS)}:{chosen(STEPS)}"


def read(rng, inner):
    return (
        rng.choice(["x[{}]", "x[{}]", "y[{}]", "z[{}]", "A[i - 1, {}]", "A[{}, i - 1]", "w[{}]"]).format(inner).replace("w", "y")
    )


def mapped(rng, inner):
    made = rng.choice(MAPS).replace("{i}", "i - 1").format(read(rng, inner))
    return f"{made} {rng.choice('+*-')} {read(rng, inner)}" if rng.random() < 0.3 else made


def scalar(rng, inner):
    if rng.random() < 0.2:
        return f"np.dot({read(rng, inner)}, {read(rng, inner)})"
    return rng.choice(REDUCTIONS).format(f"({mapped(rng, inner)})")


def statement(rng, names):
    inner, op, kind = part(rng, names), rng.choice(["=", "=", "+=", "-=", "*="]), rng.random()
    test = rng.choice(["if x[i - 1] > 0:\n    ", "if i % 3:\n    "]) if rng.random() < 0.2 else ""
    if inner.endswith(":i - 1"):  # where a test protects NumPy from a step of 0, JAX computes with it
        test = ""
    if kind < 0.2:
        return f"{test}t += {scalar(rng, inner)}"
    if kind < 0.4:
        return f"{test}{rng.choice(['x[i - 1]', 'y[i - 1]', 'z[i - 1]', 'A[i - 1, i - 1]'])} {op} {scalar(rng, inner)}"
    if kind < 0.45:
        return f"v = {mapped(rng, inner)}\nt += {rng.choice(REDUCTIONS).format('v')} + np.sum(v)"
    if kind < 0.55:
        ahead, behind = rng.choice([("1:n:i", "0:n - 1:i"), ("i % 2 + 1:n:2", "i % 2:n - 1:2"), ("1:n:2", "0:n - 1:2")])
        return f"{test}x[{ahead}] {op} y[{behind}] * s"
    place = rng.choice(["x[{}]", "y[{}]", "z[{}]", "A[i - 1, {}]", "A[{}, i - 1]", "A[{}]", "A[:, {}]"]).format(inner)
    value = rng.choice([mapped(rng, inner), "s", "i", scalar(rng, inner)])
    return f"{test}{place} {op} {value}"
