"""Random programs of positions where a condition holds: source text by a seed."""

import random

CONDITIONS = [
    "x > s",
    "x <= y",
    "(x > -1) & (x < 1)",
    "~np.isnan(x)",
    "x == x.max()",
    "np.abs(x) > s",
    "y > 0",
    "y <= s",
    "(y > s) & (x < 2)",
    "x[1:] > x[:-1]",
    "x",
    "x > 100",
]
FOUND = [
    "p = np.where({c})[0]",
    "p = np.nonzero({c})[0]",
    "p = np.flatnonzero({c})",
    "p = np.where({c})",
    "(p,) = np.where({c})",
    "p = np.argwhere({c})",
    "m = {c}\np = np.where(m)[0]",
    "m = {c}\np = np.nonzero(m)[0]",
]
STEPS = [
    "x[p] = s",
    "x[p] += 1",
    "x[p] *= x[p]",
    "x[p] = y[p]",
    "y[p] = 2 * x[p] - 1",
    "x[p] -= x[p].mean()",
    "x[np.where({c})] = 0",
    "y[np.flatnonzero({c})] = 1.5",
    "x = x + 1",
    "x = x[::-1]",
    "x = x[1:]",
    "m[0] = True",
    "m = x > 0",
    "n = len(p)",
    "if len(p) > 1: s = s + 1",
    "s = s + len(np.where({c})[0])",
    "for k in range(3): s = s + x[p].sum()",
    "if len(p) > 0: s = s + x[p[0]]",
    "if len(p) > 0: s = s + p[0] - p[-1]",
    "s = p[0] if p.size else -1",
    "if p.size > 1:\n    s = s + y[p[1]]\nelse:\n    s = 0.0",
    "s = s + np.sum(p)",
    "p[0] = 2",
    "p = p + 1",
    "p += 1",
    "for k in range(2):\n    q = np.where(x > k)[0]\n    x[q] = k",
    "p = p[:1]",
    "for i in p: s = s + x[i]",
    "for i in p: x[i] = y[i] + 1",
    "for i in p: x[i] = x[i - 1] * 0.5 + i",
    "for i in np.where({c})[0]: s = s + y[i] * i",
    "for i in np.flatnonzero({c}):\n    if x[i] > 1: break\n    y[i] -= 1",
    "for k in range(2):\n    for i in np.where(x > k)[0]:\n        y[i] += x[i - k]",
]
READS = [
    "x[p].sum()",
    "np.mean(x[p])",
    "x[p].std()",
    "len(p)",
    "p.size",
    "p.shape[0]",
    "x",
    "x, y",
    "np.sum(x[p] * y[p])",
    "y[p].sum()",
    "p[0]",
    "p[-1]",
    "p[-1] - p[0]",
    "p.max()",
    "np.min(p)",
    "p.mean()",
    "np.sum(p * 2)",
    "p.std() + s",
]
MORE = ["x[p]", "p", "x[p[0]]", "np.sort(x[p])", "x[p + 1].sum()", "n"]


def program(seed):
    """The text of a program with a function `f(x, y, s)` of two vectors of one length and a number."""
    rng = random.Random(seed)
    first = rng.choice(FOUND).replace("{c}", rng.choice(CONDITIONS))
    lines = ["n = 0", *(["y = x * 2 + 1"] if rng.random() < 0.7 else []), first]
    steps = [step for step in rng.sample(STEPS, rng.randint(0, 3)) if not step.startswith("m") or first.startswith("m")]
    if "argwhere" in first:  # rows of indices
        steps = [step for step in steps if "for i in p" not in step]
    lines += [step.replace("{c}", rng.choice(CONDITIONS)) for step in steps]
    reads = rng.sample([*READS, *MORE] if rng.random() < 0.2 else READS, rng.randint(1, 3))
    lines.append("return " + ", ".join([*reads, "s"]))
    text = "\n".join("    " + part for line in lines for part in line.split("\n"))
    return f"import numpy as np\n\n\ndef f(x: np.ndarray, y: np.ndarray, s: float):\n{text}\n"
