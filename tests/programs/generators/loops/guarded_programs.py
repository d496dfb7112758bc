"""Random programs of loops that sum, count or compare the elements that pass a test: source text by a seed."""

import random

LOOPS = [
    "for i in range(len(x)):",
    "for i in range(1, len(x)):",
    "for i in range(len(x) - 1, -1, -1):",
    "for i in range(0, len(x), 2):",
    "for v in x:",
    "for i, v in enumerate(x):",
    "for v, row in zip(x, A):",
]
TESTS = [
    "{v} > s",
    "{v} < 0",
    "{v} != {v}",
    "{v} > 0 and {v} < s",
    "not {v} > s",
    "abs({v}) <= s",
    "{v} + s >= 0",
    "np.isnan({v})",
    "{v}",
]
TERMS = [
    "c += {v}",
    "c -= {v} * s",
    "c += 1",
    "n += 1",
    "n += 2",
    "p *= {v}",
    "c = c + {v} ** 2",
    "n += k",
    "r += A[0] * {v}",
    "c += np.sin({v})",
]
BEST = [
    "if {v} > best: best = {v}",
    "if {v} < best: best = {v}",
    "if best < {v}: best = {v}",
    "if abs({v}) > best: best = abs({v})",
]


def program(seed):
    """The text of a program with a function `f(x, A, s)` of a vector, a matrix of as many rows and a number."""
    rng = random.Random(seed)
    loop = rng.choice(LOOPS)
    value = "v" if " v" in loop else "x[i]"
    lines = ["import numpy as np", "", "", "def f(x: np.ndarray, A: np.ndarray, s: float):"]
    lines += [
        f"    {line}"
        for line in (
            "c = 0.0",
            "n = 0",
            "p = 1.0",
            "r = np.zeros(A.shape[1])",
            "best = " + rng.choice(["-np.inf", "x[0]", "0.0", "s", "np.nan"]),
        )
    ]
    lines += ["    k = 4" if rng.random() < 0.5 else "    k = 2", "    " + loop]
    depth = 8
    if rng.random() < 0.25:
        lines.append(" " * depth + "for j in range(A.shape[1]):")
        value, depth = rng.choice([value, f"A[{'i' if 'for i' in loop else 0}, j]"]), 12
    terms = list({term[0]: term for term in rng.sample(TERMS, rng.randint(1, 3))}.values())
    for statement in terms + ([rng.choice(BEST)] if rng.random() < 0.5 else []):
        if statement.startswith("if") or rng.random() < 0.2:
            body = [statement]
        else:
            body = [f"if {rng.choice(TESTS)}:", f"    {statement}"]
            if rng.random() < 0.08:
                body += ["else:", "    c += 1"]
        lines += [" " * depth + line.replace("{v}", value) for line in body]
    text = "\n".join(lines[-20:])
    touched = [
        name
        for name in ("c", "n", "p", "best")
        if f"{name} = " in text.partition("for ")[2] or f" {name} " in text.partition("for ")[2]
    ]
    lines.append("    return " + ", ".join([*touched, "r"]))
    return "\n".join(lines) + "\n"
