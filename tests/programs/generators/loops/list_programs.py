"""Random programs of loops that append to lists, from which arrays are made afterwards: source text by a seed."""

import random
import re

COUNTED = [
    "for i in range(n):",
    "for i in range(1, n):",
    "for i in range(n - 1, -1, -1):",
    "for i in range(0, n, 2):",
    "for i in range(len(x)):",
    "for i in reversed(range(n)):",
    "for _ in range(n):",
]
ROWS = [
    "for v in x:",
    "for i, v in enumerate(x):",
    "for v in reversed(x):",
    "for v, row in zip(x, A):",
    "for i, row in enumerate(A):",
    "for v in x[1:]:",
    "for i, (v, row) in enumerate(zip(x, A)):",
]
STATES = ["c = 0.0", "c = x[0]", "y = x.copy()", "y = x", "y = np.zeros(len(x))", "k = 0", "c = s"]
STEPS = [
    "c = 0.5 * c + {item}",
    "c += {item}",
    "y = y * 0.5 + {item}",
    "y += {item}",
    "y[0] = {item}",
    "k += 1",
    "k = k + 2",
    "t = {item} * 2",
]
ITEMS = [
    "{item}",
    "{item} * s",
    "c",
    "y",
    "y.copy()",
    "y * c",
    "k",
    "1.0",
    "3",
    "{item} > 0",
    "np.sin({item})",
    "y[0]",
    "A[0] * {item}",
    "np.sum(y)",
    "t",
]
ENDS = [
    "np.array({0})",
    "np.asarray({0})",
    "np.stack({0})",
    "np.array({0}) * 2",
    "np.sum({0})",
    "np.mean(np.array({0}, dtype=float), axis=0)",  # for bools it is a float32 in JAX, if their type is unknown
    "np.vstack({0})",
    "np.array({0}, dtype=float)",
    "np.max({0})",
    "len({0})",
    "{0}",
]


def program(seed):
    """The text of a program with a function `f(x, A, s, n)` of a vector, a square matrix, a number and a size."""
    rng = random.Random(seed)
    loop = rng.choice(COUNTED + ROWS)
    items = ["s"] + [
        name
        for name, here in (("x[i]", "i in range" in loop), ("v", "v" in loop), ("row[0]", "row" in loop), ("i", "for i" in loop))
        if here
    ] * 3
    states = rng.sample(STATES, rng.randint(0, 3))
    lists = rng.choice([["out"], ["out"], ["out", "more"]])
    lines = ["import numpy as np", "", "", "def f(x: np.ndarray, A: np.ndarray, s: float, n: int):"]
    makers = [f"{name} = {rng.choice(['[]', '[]', 'list()'])}" for name in lists]
    if len(lists) == 2 and rng.random() < 0.5:
        makers = ["out, more = [], []"]
    lines += ["    " + line for line in (makers + states if rng.random() < 0.5 else states + makers)]
    lines.append("    " + loop)
    known = {line[0] for line in states}
    steps = [s for s in rng.sample(STEPS, rng.randint(0, 4)) if s[0] in known or s[0] == "t"]
    body = steps + [f"{name}.append({pick(rng, known, steps)})" for name in lists]
    rng.shuffle(body)
    if rng.random() < 0.06:
        body.insert(rng.randrange(len(body)), rng.choice(["if s > 1: continue", "if s > 0.6: break"]))
    lines += ["        " + line.format(item=rng.choice(items)) for line in body]
    ends = [rng.choice(ENDS[: 9 if rng.random() < 0.9 else None]).format(name) for name in lists]
    if rng.random() < 0.2:
        lines.append(f"    out = {ends[0]}")
        ends[0] = rng.choice(["out", "out + 1", "np.sum(out)"])
    rest = [line[0] for line in states if rng.random() < 0.5]
    lines.append("    return " + ", ".join(dict.fromkeys([*ends, *rest])))
    return "\n".join(lines) + "\n"


def pick(rng, known, steps):
    while True:
        item = rng.choice(ITEMS)
        names = set(re.findall(r"\b[cykt]\b", item))
        if names <= known | {s[0] for s in steps}:
            return item
