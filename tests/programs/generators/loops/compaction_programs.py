"""Random programs whose loops compact arrays by a mask, in the form that np2jax compiles and in similar forms. By a seed."""

import random

UPDATES = [
    "z = z + x",
    "z = z * x + 1",
    "z += x",
    "z *= 0.5",
    "np.add(z, x, z)",
    "np.multiply(z, x, z)",
    "z = np.where(z > x, z - 1, z + i)",
    "y = z - x",
    "y = np.abs(z) + y",
    "z = y * 0.5",
    "x = -x",
    "z = z + s",
    "z = np.maximum(z, -3) + i",
]
TESTS = ["z < 4", "abs(z) <= 3", "~(z > x)", "z * z < 20", "np.logical_not(z > 5)", "x > i - 2", "(z < 9) & (x > -2)", "z != 2"]
STORES = [
    "out[place[{m}]] = i",
    "out[place[{m}]] = z[{m}]",
    "out[place] = z",
    "out[place] = 3",
    "out[place[{m}]] = y[{m}]",
    "out[place - 1] = z",
]
TROUBLE = [
    "z = z + z.sum()",
    "z = z[::-1] + x",
    "z = z + len(x)",
    "out[place] = out[place] + z",
    "y = np.cumsum(z)",
    "if len(z) < 3:\n            break",
    "other[0] = z[0] if len(z) else 0",
]
EMPTY = ["if not len(z):", "if len(x) == 0:", "if z.size == 0:", "if not place.size:"]


def program(seed):
    """The text of a program with a function `f(x, s, n)` of a vector, a number and a trip count."""
    rng = random.Random(seed)
    lines = ["import numpy as np", "", "", "def f(x: np.ndarray, s: float, n: int):", "    x = x.ravel() * 1.0"]
    lines += [
        "    z = np.zeros(len(x))",
        "    y = np.ones(len(x))",
        "    place = np.arange(len(x))",
        "    out = np.full(len(x) + 1, -1.0)",
    ]
    lines += ["    other = np.zeros(2)"] if rng.random() < 0.2 else []
    lines.append("    " + rng.choice(["for i in range(n):", "for i in range(1, n):", "for i in range(n, 2 * n):"]))
    body = [rng.choice(UPDATES) for _ in range(rng.randint(1, 3))]
    body += [f"keep = {rng.choice(TESTS)}"]
    masks = ["keep"]
    if rng.random() < 0.4:
        body.append("gone = ~keep")
        masks.append("gone")
    body += [rng.choice(STORES).format(m=rng.choice(masks)) for _ in range(rng.randint(1, 2))]
    if rng.random() < 0.15:
        body.append(rng.choice(UPDATES))
    if rng.random() < 0.4:
        body.insert(rng.choice([0, len(body)]), f"{rng.choice(EMPTY)}\n            break")
    if rng.random() < 0.25:
        body.insert(rng.randrange(len(body)), rng.choice(TROUBLE))
    names = ["z", "x", "y", "place"]
    rng.shuffle(names)
    mask = rng.choice([*masks, *(f"~{m}" for m in masks)]) if rng.random() < 0.4 else "keep"
    if rng.random() < 0.5:
        body.append(f"{', '.join(names)} = {', '.join(f'{n}[{mask}]' for n in names)}")
    else:
        body += [f"{n} = {n}[{mask}]" for n in names]
    lines += [f"        {line}" for line in body]
    lines.append("    return " + rng.choice(["out", "out", "out", "out, len(z)"]))
    return "\n".join(lines) + "\n"
