"""Random programs with loops over grids: source text by a seed."""

import random

HEADS = [
    ("for i, j in itertools.product(range(n), range(m)):", "[i, j]", "i"),
    ("for i, j in product(range(1, n), range(m - 1)):", "[i, j]", "j"),
    ("for i, j in product(range(x.shape[0]), range(x.shape[1] - 1, -1, -1)):", "[i, j]", "i"),
    ("for p in product(range(n), range(m)):", "[p]", "p[0]"),
    ("for i, j in product(range(n), repeat=2):", "[i % n, j % m]", "j"),
    ("for i, j in itertools.combinations(range(n), 2):", "[i, j % m]", "j"),
    ("for i, j in itertools.combinations_with_replacement(range(n), 2):", "[j, i % m]", "i"),
    ("for i, j in np.ndindex(n, m):", "[i, j]", "i"),
    ("for i, j in np.ndindex((n, m)):", "[i, j]", "j"),
    ("for i, j in np.ndindex(x.shape):", "[i, j]", "i"),
    ("for (i, j) in np.ndindex(*x.shape):", "[i, j]", "j"),
    ("for p in np.ndindex(x.shape):", "[p]", "p[1]"),
    ("for p in np.ndindex(*x.shape):\n    i, j = p", "[p]", "i"),
    ("for (i, j), v in np.ndenumerate(x):", "[i, j]", "i"),
    ("for p, v in np.ndenumerate(x):", "[p]", "p[0]"),
    ("for i, j, k in product(range(n), range(2), range(m)):", "[i, k]", "k + j"),
    ("for (i, j, k) in np.ndindex(n, m, 2):", "[i, j]", "k"),
    ("for v in np.nditer(x):", "", ""),
    ("for v in np.nditer(x, order='C'):", "", ""),
    ("for v in np.nditer(x.T, flags=['zerosize_ok']):", "", ""),
]
STEPS = [
    "c += {item}",
    "y{place} = {item} * 2",
    "y{place} += {index}",
    "c += {item} * {index}",
    "c = 0.5 * c + {item}",
    "count += 1",
]
TESTS = ["{item} > s", "{item} < 0", "np.isnan({item})", "{index} > 0", "c > 2"]
STARTS = ["y = np.zeros((n, m))", "y = np.zeros(x.shape)", "y = x * 0", "y = np.zeros_like(x)", "y = np.empty((n, m)); y[:] = 1"]


def program(seed):
    """The text of a program with a function `f(x, s)` of a matrix and a number."""
    rng = random.Random(seed)
    head, place, index = rng.choice(HEADS)
    item = f"x{place}" if place else "v"
    if " v in np.nd" in head and rng.random() < 0.7:
        item = "v"
    steps = [s for s in STEPS if place or ("place" not in s and "index" not in s)]
    tests = [t for t in TESTS if index or "index" not in t]
    body = [[step] for step in rng.sample(steps, rng.randint(1, 3))]
    kind = rng.random()
    if kind < 0.25:
        body.append([f"if {rng.choice(tests)}:", "    continue"])
    elif kind < 0.6:
        body.append([f"if {rng.choice(tests)}:", *(["    found = count"] if rng.random() < 0.5 else []), "    break"])
    elif kind < 0.7:
        body.append([f"if {rng.choice(tests)}:", f"    {rng.choice(steps)}"])
    rng.shuffle(body)
    lines = ["import itertools", "from itertools import product", "", "import numpy as np", "", ""]
    lines += ["def f(x: np.ndarray, s: float):"]
    shape = ["    n, m = x.shape"] if rng.random() < 0.6 else ["    n = x.shape[0]", "    m = x.shape[1]"]
    lines += [*shape, "    c = 0.0", "    count = 0", "    found = -1", f"    {rng.choice(STARTS)}"]
    outer, *more = head.split("\n")
    lines += [f"    {line}" for line in (outer, *more)]
    lines += [f"        {line}" for part in body for line in part]
    if rng.random() < 0.2:
        lines += ["    else:", "        found = -2"]
    ends = ["c", "y", "count", "found"]
    if rng.random() < 0.1 and " i, j " in head:
        ends.append("i")
    if rng.random() < 0.1 and "v in np" in head:
        ends.append("v")
    lines.append(f"    return {', '.join(ends)}")
    return "\n".join(lines).replace("{item}", item).replace("{index}", index).replace("{place}", place) + "\n"
