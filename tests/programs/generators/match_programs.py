"""Random programs with `match` on values: source text by a seed."""

import random

SUBJECTS = ["k", "i % 3", "v", "c", "int(v)", "n", "k + 1", "y[0]"]
VALUES = ["0", "1", "-1", "2.0", "0 | 1", "1 | 2.0 | 3"]
GUARDS = ["", "", "", " if v > s", " if c < 1 or k > 2", " if w > 0"]
BODIES = ["c = c + v", "c = c * 0.5", "k = k + 1", "y[i] = v", "y = y * 2", "c = v if v > 0 else c", "c = c + w"]


def program(seed):
    """The text of a program with a function `f(x, y, s, n)` of two vectors, a number and a size."""
    rng = random.Random(seed)
    several = rng.random() < 0.25
    subjects = rng.sample(SUBJECTS, 2 if several else 1)
    cases, named = [], False
    for _case in range(rng.randint(1, 3)):
        if several:
            pattern = ", ".join(rng.choice([*VALUES[:5], "_"]).replace(" | ", " | ") for _part in subjects)
        else:
            pattern = rng.choice(VALUES)
        cases.append([f"case {pattern}{rng.choice(GUARDS[:5])}:", f"    {rng.choice(BODIES[:6])}"])
    kind = rng.random()
    if kind < 0.3 and not several:
        named = True
        cases.append([f"case w{rng.choice(GUARDS[3:])}:", f"    {rng.choice(BODIES)}"])
        if " if " in cases[-1][0] and rng.random() < 0.7:
            cases.append(["case _:", f"    {rng.choice(BODIES[:6])}"])
    elif kind < 0.7:
        cases.append(["case _:", f"    {rng.choice(BODIES[:6])}"])
    lines = ["import numpy as np", "", "", "def f(x: np.ndarray, y: np.ndarray, s: float, n: int):", "    c = 0.0", "    k = 0"]
    lines += ["    w = 0.5"] if named and rng.random() < 0.3 else []
    loop = rng.random() < 0.6
    margin = "        " if loop else "    "
    lines += ["    for i in range(n):", "        v = x[i]"] if loop else ["    i = 1", "    v = x[1]"]
    body = [f"match {', '.join(subjects)}:", *(f"    {line}" for case in cases for line in case)]
    lines += [f"{margin}{line}" for line in body]
    if loop and rng.random() < 0.3:
        lines += [f"{margin}if c > 2:", f"{margin}    {rng.choice(['break', 'continue'])}"]
    lines.append("    return c, k, y")
    return "\n".join(lines) + "\n"
