"""Random programs that learn from rows: branches compute loop-carried values of unknown dtypes. Source text by a seed."""

import random

SCORES = ["X[i] @ w + b", "np.dot(X[i], w) - b", "np.sum(X[i] * w)", "y[i] * b", "np.dot(w, w) - c"]
MATRICES = [
    "w += r * y[i] * X[i]",
    "w = w + r * X[i]",
    "w -= r * (0.5 * w)",
    "w = w - r * np.dot(X[i], y[i])",
    "w = np.maximum(w, X[i])",
    "w[0] += r * y[i]",
    "w = X[i]",
    "w *= 0.5",
]
NUMBERS = [
    "b += r * y[i]",
    "b = b - r",
    "b = -b",
    "c = c + 1",
    "c += y[i]",
    "b = r * y[i] + b",
    "b = b + c",
    "b = 0",
    "c = b",
    "b -= X[i, 0]",
]
HEADS = [
    "for i in range(len(X)):",
    "for i in range(X.shape[0]):",
    "for i in range(len(X) - 1, -1, -1):",
    "for i, row in enumerate(X):",
]


def program(seed):
    """The text of a program with a function `f(X, y, r, n)` of a matrix, a vector, a number and the number of passes."""
    rng = random.Random(seed)
    noted = rng.random() < 0.3
    params = "X: np.ndarray, y: np.ndarray, r: float, n: int" if noted else "X, y, r, n"
    lines = [
        "import numpy as np",
        "",
        "",
        f"def f({params}):",
        "    w = np.zeros(X.shape[1])",
        f"    b = {rng.choice(['0', '0.0', '1'])}",
    ]
    lines += ["    c = 0", *(["    for _ in range(n):"] if rng.random() < 0.6 else [])]
    margin = "        " if "for" in lines[-1] else "    "
    lines.append(margin + rng.choice(HEADS))
    margin += "    "
    test = f"{rng.choice(['', 'y[i] * '])}({rng.choice(SCORES)}) {rng.choice(['<=', '>', '<'])} {rng.choice(['0', '1', 'r'])}"
    if rng.random() < 0.3:
        lines.append(f"{margin}met = {test}")
        test = "met"
    lines += [f"{margin}if {test}:", *_block(rng, margin)]
    if rng.random() < 0.3:
        lines += [f"{margin}elif b > c:", *_block(rng, margin)]
    if rng.random() < 0.5:
        lines += [f"{margin}else:", *_block(rng, margin)]
    if rng.random() < 0.2:
        lines.append(margin + rng.choice(NUMBERS))
    return "\n".join([*lines, "    return w, 1.0 * b, 1.0 * c"]) + "\n"


def _block(rng, margin):
    found = rng.sample(MATRICES, rng.randint(0, 1)) + rng.sample(NUMBERS, rng.randint(1, 2))
    rng.shuffle(found)
    return [f"{margin}    {line}" for line in found]
