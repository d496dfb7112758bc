"""Random programs of loops that a `return` leaves: source text by a seed."""

import random

LOOPS = [
    "for i in range(len(x)):",
    "for i in range(n):",
    "for i in range(n - 1, -1, -1):",
    "for i in range(1, n, 2):",
    "for i in reversed(range(n)):",
    "for v in x:",
    "for i, v in enumerate(x):",
    "for v, w in zip(x, y):",
    "while k < n:",
    "while c < 2.0 and k < n:",
    "while True:",
]
STEPS = [
    "c = 0.5 * c + {item}",
    "c += abs({item})",
    "k += 1",
    "z = z * 0.5 + {item}",
    "y[0] += {item}",
    "y = y + c",
]
TESTS = [
    "{item} > s",
    "{item} < 0",
    "c > 1.0",
    "abs({item}) < s",
    "np.sum(y) > 1",
    "k > 2",
    "{item} == {item}",
    "np.isnan({item})",
]
RESULTS = [
    ["{item}", "c", "z", "1.5 * c", "y @ y", "0.0"],
    ["k", "i", "-1", "2 * k"],
    ["True", "False", "c > s"],
    ["y", "x", "y * c"],
    ["(c, k)", "(z, -1)", "(0.0, k)"],
    ["np.sqrt(abs(c)), True", "c, False"],
]


def program(seed):
    """The text of a program with a function `f(x, y, s, n)` of two vectors, a number and a size."""
    rng = random.Random(seed)
    loop = rng.choice(LOOPS)
    items = [
        item
        for item, here in (("x[i]", "for i in r" in loop), ("v", " v" in loop), ("w", "w in" in loop), ("x[k]", "while" in loop))
        if here
    ]
    lines = [
        "import numpy as np",
        "",
        "",
        "def f(x: np.ndarray, y: np.ndarray, s: float, n: int):",
        "    c = 0.0",
        "    k = 0",
        "    z = 1.0",
    ]
    if rng.random() < 0.2:
        lines.append("    i = 7")
    lines.append("    " + loop)
    steps = rng.sample(STEPS, rng.randint(0, 3))
    if "while" in loop and "k += 1" not in steps:
        steps.append("k += 1")
    tests = ["k >= len(x) - 1"] if loop == "while True:" else []
    tests += rng.sample(TESTS, rng.choice([1, 1, 1, 2]))
    results = rng.choice(RESULTS)
    result = rng.choice(results)
    returns = []
    for test in tests:
        before = [rng.choice(STEPS)] if rng.random() < 0.2 else []
        kind = rng.random()
        if kind < 0.85:
            returns.append([f"if {test}:", *("    " + b for b in before), f"    return {result}"])
        elif kind < 0.92:
            returns.append([f"if {test}:", f"    return {result}", "else:", f"    {rng.choice(STEPS)}"])
        else:
            returns.append(
                [f"if {test}:", "    continue"] if "for" in loop else [f"if {test}:", f"    return {rng.choice(results)}"]
            )
    body = [[step] for step in steps] + returns
    rng.shuffle(body)
    item = rng.choice(items)
    lines += ["        " + line.format(item=rng.choice(items) if rng.random() < 0.3 else item) for part in body for line in part]
    if loop != "while True:":
        lines.append(
            "    return " + rng.choice([result, *(r for r in results if "{" not in r)] if "{" not in result else results[1:])
        )
    return "\n".join(lines).replace("{item}", item) + "\n"
