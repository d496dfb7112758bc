"""Random programs whose loops have an `else`: source text by a seed."""

import random

LOOPS = [
    "for i in range(n):",
    "for i in range(1, n, 2):",
    "for i in range(n - 1, -1, -1):",
    "for i, v in enumerate(x):",
    "while k < n:",
    "while c < 2.0 and k < n:",
]
TESTS = ["{item} > s", "{item} < 0", "c > 1.0", "np.isnan({item})", "k > 2", "{item} != {item}", "{item}"]
STEPS = ["c = 0.5 * c + {item}", "y[0] += {item}", "z = z * 0.5 + {item}", "k += 1", "best = max(best, k)"]
ENDS = ["found = {place}", "found = {place}\nc = c + 1", "c = 7.0", "", "z = {item}; found = 3", "found = 1\nfound = {place}"]
OTHERS = [
    "found = -1",
    "found = -1\nc = 9.0",
    "c = c * 2",
    "y = y * 2",
    "found = k",
    "c = np.inf; found = -2",
    "return c",
    "y[0] = 5.0",
]
ENCLOSING = ["", "", "", "nest", "nest", "continue", "try"]


def program(seed):
    """The text of a program with a function `f(x, y, s, n)` of two vectors, a number and a size."""
    rng = random.Random(seed)
    lines = ["import numpy as np", "", "", "def f(x: np.ndarray, y: np.ndarray, s: float, n: int):"]
    lines += ["    c = 0.0", "    z = 1.0", "    best = 0"]
    lines += ["    found = 5"] if rng.random() < 0.5 else []
    enclosing = rng.choice(ENCLOSING)
    margin = "    "
    if enclosing in ("nest", "continue"):
        lines += ["    for t in range(n):"]
        margin += "    "
    loop = rng.choice(LOOPS)
    lines.append(f"{margin}k = 0")
    item = "x[k]" if "while" in loop else "v" if "v in" in loop and rng.random() < 0.5 else "x[i]"
    place = "k" if "while" in loop else "i"
    body = [[step] for step in rng.sample(STEPS, rng.randint(0, 2))]
    for _exit in range(rng.choice([0, 1, 1, 1, 1, 2])):
        end = rng.choice(ENDS).split("\n")
        body.append([f"if {rng.choice(TESTS)}:", *(f"    {line}" for line in [*end, "break"] if line)])
    rng.shuffle(body)
    if "while" in loop:
        body.insert(rng.randint(0, len(body)), ["k += 1"])
    other = rng.choice(OTHERS).split("\n")
    made = [loop, *(f"    {line}" for part in body or [["c = c + 1"]] for line in part), "else:"]
    made += ["    continue", "break"] if enclosing == "continue" else [f"    {line}" for line in other]
    lines += [f"{margin}{line}" for line in made]
    names = ["c", "z", "y", "best"]
    if any("found = 5" in line for line in lines) or (sum("found = " in line for line in made) > 1 and rng.random() < 0.5):
        names.append("found")
    if enclosing == "" and rng.random() < 0.2 and "for" in loop:
        names.append("i")
    lines.append(f"    return {', '.join(names)}")
    return "\n".join(lines).replace("{item}", item).replace("{place}", place) + "\n"
