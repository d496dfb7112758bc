"""Random programs with selections by masks along one axis of a matrix: source text by a seed."""

import random

MASKS = [
    "y == k",
    "y != 1",
    "y > 0",
    "(y == k) | (y == 0)",
    "x > s",
    "~np.isnan(x)",
    "np.abs(x) < 1",
    "x <= x.max()",
    "A[:, 0] > s",
]
HELD = [
    "v = A[{mask}]",
    "m = {mask}\nv = A[m]",
    "m = {mask}\nv = A[m, :]",
    "m = {mask}\nv = 2 * A[m] - 1",
    "m = {mask}\nv = A[m] - A.mean(axis=0)",
    "m = {mask}\nv = A[m] * x[m][:, None]",
    "m = {mask}\nv = A[m] - A[m].mean(axis=0)",
    "A = A[{mask}]\nv = A",
    "m = {mask}\nv = A.T[:, m].T",
]
STEPS = [
    "mu = v.mean(axis=0)",
    "c = len(v)",
    "c = v.shape[0]",
    "x[0] = 3.0",
    "A[0] = 1.0",
    "A = A + 1",
    "A[{mask}] = 0",
    "A[{mask}] += 1",
    "A[{mask}, 0] = s",
    "A[{mask}, 1] *= 2",
    "A[{mask}] = A.sum(axis=0)",
    "A[{mask}] /= x[{mask}][:, None]",
    "x[{mask}] = 0",
    "m = x > 1",
    "z = np.sum(A[{mask}, 1])",
    "if len(v) > 2: s = s + 1",
    "for j in range(2): z = z + v[:, j].sum()",
    "for k in range(3): B[k] = A[y == k].sum(axis=0)",
    "for k in range(3): B[k % 2] += A[y == k].mean(axis=0)",
]
READS = [
    "v.mean(axis=0)",
    "v.sum(axis=0)",
    "v.sum(axis=1).sum()",
    "np.mean(v, axis=0)",
    "np.sum(v, axis=-1).max()",
    "v.std(axis=0)",
    "v.var(axis=0, ddof=1)",
    "v.max(axis=0)",
    "v[:, 1].min()",
    "v[:, 0].sum()",
    "v[:, :2].mean(axis=0)",
    "v.sum()",
    "v.mean()",
    "np.any(v > 1, axis=0)",
    "np.prod(v, axis=0)",
    "v.T @ v",
    "(v - v.mean(axis=0)).T @ (v - v.mean(axis=0)) / len(v)",
    "v.shape[0]",
    "len(v)",
    "np.count_nonzero(v > s, axis=0)",
    "np.sum((v - s) ** 2, axis=0)",
    "np.sqrt(np.abs(v)).sum(axis=0)",
    "v[:, None].sum(axis=0)",
    "np.sort(v, axis=0).sum(axis=0)",
    "v @ B[0]",
    "v",
    "np.sum(v @ B[0])",
    "v.sum(0)",
]


def program(seed):
    """The text of a program with a function `f(A, x, y, s, k)` of a matrix, two vectors, a number and a label."""
    rng = random.Random(seed)

    def mask():
        return rng.choice(MASKS)

    first = rng.choice(HELD).replace("{mask}", mask())
    lines = ["n, d = A.shape"] if rng.random() < 0.85 else ["d = A.shape[1]"]
    if rng.random() < 0.6:
        lines += ["x = A.sum(axis=1)", "y = np.where(A[:, 0] > 0, 1, 0) + np.where(A[:, 1] > s, 1, 0)"]
    lines += ["c, z, B = 0, 0.0, np.zeros((3, d))", first]
    calm = [step for step in STEPS if not step.startswith(("A", "x", "y", "m ="))]
    steps = [
        step
        for step in rng.sample(calm if rng.random() < 0.6 else STEPS, rng.randint(0, 3))
        if "m =" not in step or "m =" in first
    ]
    reads = rng.sample(READS if rng.random() < 0.25 else READS[:23], rng.randint(1, 3))
    if first.rpartition("= ")[2].count("A") != 1 or rng.random() < 0.3:  # its length is not a mask count
        steps = [step for step in steps if "len(" not in step and "shape" not in step]
        reads = [read for read in reads if "len(" not in read and "shape" not in read] or ["v.sum()"]
    lines += [step.replace("{mask}", mask()) for step in steps]
    reads += ["mu"] if "mu = v.mean(axis=0)" in steps else []
    reads += [name for name in ("c", "z", "A", "B", "x", "s") if rng.random() < 0.4]
    lines.append("return " + ", ".join(reads))
    notes = ": np.ndarray" if rng.random() < 0.9 else ""
    text = "\n".join("    " + part for line in lines for part in line.split("\n"))
    head = f"def f(A{notes}, x{notes}, y{notes}, s{': float' if notes else ''}, k{': int' if notes else ''}):"
    return f"import numpy as np\n\n\n{head}\n{text}\n"
