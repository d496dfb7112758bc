"""Random programs with selections by masks: source text by a seed."""

import random

MASKS = [
    "x > 0",
    "x > s",
    "x < y",
    "~np.isnan(x)",
    "(x > -1) & (x < 1)",
    "np.abs(x) > np.abs(y)",
    "x == x.max()",
    "y > 0",
    "np.logical_or(x < s, y > 1)",
]
HELD = [
    "v = x[{mask}]",
    "m = {mask}\nv = x[m]",
    "m = {mask}\nv = 2 * x[m] + 1",
    "v = np.sqrt(np.abs(x[{mask}]))",
    "m = {mask}\nv = x[m] * y[m]",
    "x = x[{mask}]\nv = x",
    "x = x[{mask}]\nv = x - 1",
    "p = x / 2\np = p[{mask}]\nv = p",
]
STEPS = [
    "d = v - v.mean()",
    "d = v * s",
    "c = len(v)",
    "c = v.size + 1",
    "m = x > 1",
    "m[0] = False",
    "x[0] = 3.0",
    "x = x + 1",
    "y[{mask}] = 0",
    "y[y > x] = y[y > x] / 2",
    "y[{mask}] += 1",
    "if len(v) > 2: s = s + 1",
    "if v.size == 0: return 0.0, s",
    "s = v.sum() if len(v) else 0.0",
    "s = np.sum(np.exp(v)) / 8",
    "z = x[{mask}].mean()",
    "z = np.max(y[y > -9])",
    "for k in range(2): s = s + np.sum(v > k)",
    "for i in range(len(y)):\n    if y[i] > 0: s = s + y[i]",
]
READS = [
    "v.sum()",
    "np.mean(v)",
    "v.std()",
    "np.sum(v ** 2)",
    "np.prod(v / 2)",
    "v.max()",
    "v.min()",
    "len(v)",
    "v.size",
    "np.any(v > 1)",
    "np.all(v > -1)",
    "np.count_nonzero(v > s)",
    "np.sum(v) / len(v)",
    "np.sum(1 / (v + 3))",
    "np.sort(v)",
    "v",
    "np.var(v, ddof=1)",
    "np.sum(np.where(v > 0, v, 1))",
]


def program(seed):
    """The text of a program with a function `f(x, y, s)` of two vectors of one length and a number."""
    rng = random.Random(seed)

    def mask():
        return rng.choice(MASKS)

    lines = ["c, z = 0, 0.0", rng.choice(HELD).replace("{mask}", mask())]
    steps = [step for step in rng.sample(STEPS, rng.randint(0, 3)) if "m[0]" not in step or "m =" in lines[1]]
    lines += [step.replace("{mask}", mask()) for step in steps]
    reads = [*rng.sample(READS[:14] if rng.random() < 0.8 else READS, rng.randint(1, 3)), "s"]
    if any(line.startswith("if v.size") for line in lines):
        reads = [reads[0], "s"]
    reads += [
        name
        for name in ("c", "z", "y")
        if rng.random() < 0.4 and len(reads) != 2 and (name == "y" or any(step.startswith(name) for step in steps))
    ]
    reads += ["np.sum(d)"] if any(line.startswith("d =") for line in lines[1:]) and len(reads) > 2 else []
    lines.append("return " + ", ".join(reads))
    text = "\n".join("    " + part for line in lines for part in line.split("\n"))
    return f"import numpy as np\n\n\ndef f(x: np.ndarray, y: np.ndarray, s: float):\n{text}\n"
