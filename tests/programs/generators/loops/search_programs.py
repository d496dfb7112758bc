"""Random programs of loops that search for the first iteration in which a test is true: source text by a seed."""

import random

LOOPS = [
    ("for i in range(len(x)):", "x[i]", "i"),
    ("for i in range(n):", "x[i]", "i"),
    ("for i in range(1, n):", "x[i]", "i"),
    ("for i in range(len(x) - 1):", "x[i + 1]", "i"),
    ("for i in range(n, len(x)):", "x[i]", "i"),
    ("for i in range(0, n, 2):", "x[i]", "i"),
    ("for i in range(n - 1, -1, -1):", "x[i]", "i"),
    ("for i, v in enumerate(x):", "v", "i"),
    ("for i, (v, w) in enumerate(zip(x, y)):", "v", "i"),
    ("for v in x:", "v", ""),
    ("for v, w in zip(x, y):", "w", ""),
]
TESTS = [
    "{item} > s",
    "{item} > s and {item} < 1",
    "{item} < -s or {item} != {item}",
    "np.isnan({item})",
    "{item}",
    "d > s",
    "{item} == {item}",
    "{item} > y[0]",
    "n > 2 and {item} > s",
    "{item} * 2 > np.exp(s)",
    "not {item} > s",
]
WHOLE = ["{index}", "{index} + 1", "2 * {index} - n", "7", "n"], ["-1", "0", "n"]
REAL = ["{item}", "-1.0", "s", "{item} * 2"], ["0.5", "s", "np.inf"]


def program(seed):
    """The text of a program with a function `f(x, y, s, n)` of two vectors, a number and a size."""
    rng = random.Random(seed)
    loop, item, index = rng.choice(LOOPS)

    def pair():
        """The value of a variable in the loop, and its initial value: both integers, or both floats."""
        values, starts = rng.choice([WHOLE, REAL])
        return rng.choice([v for v in values if index or "index" not in v]), rng.choice(starts)

    test = rng.choice(TESTS)
    lines = ["import numpy as np", "", "", "def f(x: np.ndarray, y: np.ndarray, s: float, n: int):"]
    body = [f"d = abs({item} - s)"] if test.startswith("d ") or rng.random() < 0.1 else []
    kind = rng.choice(["flag", "values", "values", "values", "return", "return", "truth", "else"])
    if kind == "flag":
        before, end, result = ["found = False"], ["found = True", "break"], "found"
    elif kind == "truth":
        truth = rng.choice(["True", "False"])
        before, end, result = [], [f"return {truth}"], "False" if truth == "True" else "True"
    elif kind == "return":
        value, result = pair()
        before, end = [], [f"return {value}"]
    elif kind == "else":
        value, start = pair()
        before, end, result = [], [f"found = {value}", "break"], "found"
    else:
        count = rng.randint(1, 3)
        pairs = [pair() for _k in range(count)]
        before = [f"a{k} = {start}" for k, (_value, start) in enumerate(pairs)]
        end = [*(f"a{k} = {value}" for k, (value, _start) in enumerate(pairs) if rng.random() < 0.9), "break"]
        if rng.random() < 0.3:
            before.append("found = False")
            end.insert(rng.randint(0, len(end) - 1), "found = True")
        result = ", ".join(line.split(" ")[0] for line in before)
    body += [f"if {test}:", *(f"    {line}" for line in end)]
    if rng.random() < 0.15:
        body.append("y[0] = 3.0")
    lines += [f"    {line}" for line in [*before, loop]] + [f"        {line}" for line in body]
    if kind == "else":
        lines += ["    else:", f"        found = {start}"]
    if index and rng.random() < 0.1 and "return" not in end[-1]:
        result += ", i"
    lines.append(f"    return {result}")
    return "\n".join(lines).replace("{item}", item).replace("{index}", index) + "\n"


def nested(seed):
    """The text of a program with a function `f(x, y, s, n)` that searches in each iteration of another loop."""
    rng = random.Random(seed)
    loop, item, index = rng.choice([each for each in LOOPS if each[2] or rng.random() < 0.5])
    bar = rng.choice(["y[r]", "y[r] + c", "c", "s + r", "Y[r, 0]", "Y[r, 1] * y[r]"])
    test = rng.choice([test for test in TESTS if not test.startswith("d ")]).replace("s", bar)
    test = test.replace(f"i{bar}nan", "isnan").replace(f"np.exp({bar})", bar)
    values, starts = rng.choice([WHOLE, REAL])
    value = rng.choice([v for v in values if index or "index" not in v])
    end = [f"a = {value}"] if rng.random() < 0.8 else []
    if rng.random() < 0.3:
        end.append("found = True")
    store = rng.random() < 0.2
    if store:
        end = [f"out[r] = {value}"]
    lines = ["c, t = 0.0, 0", "out = np.zeros(len(y))", "Y = np.outer(y, y)", "for r in range(len(y)):"]
    inner = [
        f"a = {rng.choice(starts)}",
        "found = False",
        loop,
        f"    if {test}:",
        *(f"        {line}" for line in end),
        "        break",
    ]
    inner += ["out[r] = a"] if rng.random() < 0.6 and not store else []
    inner += ["c = 0.5 * c + a"] if rng.random() < 0.4 else []
    inner += ["if found:", "    t += 1"] if "found = True" in end else []
    lines += [f"    {line}" for line in inner]
    lines.append(f"return {rng.choice(['out, c, t', 'out', 'c, t', 'out.sum(), t'])}")
    text = "\n".join(f"    {line}" for line in lines).replace("{item}", item).replace("{index}", index)
    return f"import numpy as np\n\n\ndef f(x: np.ndarray, y: np.ndarray, s: float, n: int):\n{text}\n"
