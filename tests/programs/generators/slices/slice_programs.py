"""Random programs of loops over slices with bounds that depend on the indices: source text by a seed."""

import random

LOOPS = [
    "for {i} in range({n}):",
    "for {i} in range(1, {n}):",
    "for {i} in range({n} - 1):",
    "for {i} in range({n} - 1, -1, -1):",
    "for {i} in range(0, {n}, 2):",
    "for {i} in reversed(range({n})):",
]
INNER = ["for {j} in range({i}):", "for {j} in range({i}, {n}):", "for {j} in range({i} + 1, {n}):", "for {j} in range({n}):"]
REDUCTIONS = [
    "np.sum({})",
    "{}.sum()",
    "np.mean({})",
    "np.prod({})",
    "np.max({})",
    "{}.min()",
    "np.count_nonzero({} > 0.5)",
    "np.std({})",
]
MAPS = [
    "{}",
    "{}",
    "2 * {}",
    "-{}",
    "np.abs({})",
    "np.sin({})",
    "{} ** 2",
    "({} + s)",
    "np.where({0} > 0, {0}, s)",
    "x[{i}] * {}",
]


def program(seed):
    """The text of a program with a function `f(A, x, y, s)` of a square matrix, two vectors and a number."""
    rng = random.Random(seed)
    size = rng.choice(["A.shape[0]", "len(x)", "n", "n", "x.shape[0]"])
    lines = ["import numpy as np", "", "", "def f(A: np.ndarray, x: np.ndarray, y: np.ndarray, s):"]
    if size == "n":
        lines.append("    n = " + rng.choice(["A.shape[0]", "len(x)", "y.shape[0]"]))
    if rng.random() < 0.3:
        lines.append("    z = " + rng.choice(["np.zeros_like(x)", "x.copy()", "np.ones(x.shape[0])"]))
    else:
        lines.append("    z = y")
    indices = ["i"]
    lines.append("    " + rng.choice(LOOPS).format(i="i", n=size))
    depth = 2
    if rng.random() < 0.4:
        if rng.random() < 0.5:
            lines += ["    " * depth + line for line in statement(rng, indices, size).splitlines()]
        lines.append("    " * depth + rng.choice(INNER).format(i="i", j="j", n=size))
        indices, depth = ["i", "j"], 3
    if rng.random() < 0.25:
        name = rng.choice(indices)
        lines.append(
            "    " * depth + f"k = {rng.choice([f'{name} + 1', f'{size} - {name}', f'max({name} - 1, 0)', f'{name} // 2'])}"
        )
        indices = [*indices, "k"]
    for _ in range(rng.randint(1, 3)):
        lines += ["    " * depth + line for line in statement(rng, indices, size).splitlines()]
    lines.append("    return A, x, y, z")
    return "\n".join(lines) + "\n"


def bounds(rng, indices, size):
    """A lower and an upper bound, as text."""
    i = rng.choice(indices)
    pairs = [
        ("", i),
        ("", f"{i} + 1"),
        (i, ""),
        (f"{i} + 1", ""),
        (i, size),
        ("", f"{size} - {i}"),
        (f"{size} - {i}", ""),
        (i, f"{size} - 1"),
        (i, "-1"),
        ("1", i),
        (i, f"{i} + 2"),
        (f"{i} - 1", f"{i} + 1"),
        (f"-{i}", ""),
        ("", f"{i} - 1"),
    ]
    if len(indices) > 1:
        pairs += [("i", "j"), ("j", "i"), ("i", f"{size} - j")]
    return rng.choice(pairs[:9]) if rng.random() < 0.7 else rng.choice(pairs)


def vector(rng, indices, low, high):
    """A slice of a vector, or of a row or a column of the matrix."""
    i = rng.choice(indices[:2])
    form = rng.choice(["x[{}]", "y[{}]", "z[{}]", f"A[{i}, {{}}]", f"A[{{}}, {i}]", "x[{}]", "z[{}]"])
    if rng.random() < 0.08 and low == "" and high:
        return f"x[{high} - 1::-1]"
    made = form.format(f"{low}:{high}")
    return f"np.flip({made})" if rng.random() < 0.12 else made


def mapped(rng, indices, low, high):
    inner = vector(rng, indices, low, high)
    template = rng.choice(MAPS)
    made = template.replace("{i}", rng.choice(indices[:2])).format(inner)
    return f"{made} * {vector(rng, indices, low, high)}" if rng.random() < 0.25 else made


def scalar(rng, indices, size):
    low, high = bounds(rng, indices, size)
    if rng.random() < 0.35:
        left, right = mapped(rng, indices, low, high), vector(rng, indices, low, high)
        return f"({left}) @ {right}" if rng.random() < 0.5 else f"np.dot({left}, {right})"
    return rng.choice(REDUCTIONS).format(f"({mapped(rng, indices, low, high)})")


def statement(rng, indices, size):
    i = rng.choice(indices[:2])
    kind = rng.random()
    op = rng.choice(["=", "=", "+=", "-=", "*="])
    if kind < 0.4:
        place = rng.choice([f"x[{i}]", f"y[{i}]", f"z[{i}]", f"A[{i}, {rng.choice(indices[:2])}]"])
        if kind < 0.08:
            held = mapped(rng, indices, *bounds(rng, indices, size))
            reads = " + ".join(rng.choice(REDUCTIONS).format(rng.choice(["v", "v", "(v - s)"])) for _ in range(rng.randint(1, 2)))
            return f"v = {held}\n{place} {op} {reads}"
        return f"{place} {op} {scalar(rng, indices, size)}"
    low, high = bounds(rng, indices, size)
    if kind < 0.85:
        place = rng.choice(["x[{}]", "y[{}]", "z[{}]", f"A[{i}, {{}}]", f"A[{{}}, {i}]"]).format(f"{low}:{high}")
        value = rng.choice([mapped(rng, indices, low, high), mapped(rng, indices, low, high), "s", scalar(rng, indices, size)])
        return f"{place} {op} {value}"
    if kind < 0.93:
        return f"A[{low}:{high}, {low}:{high}] {op} 0.5 * np.outer({vector(rng, indices, low, high)}, {vector(rng, indices, low, high)})"
    return f"{rng.choice('xyz')}[{i}] {op} A[{low}:{high}, {i}:].sum()"


def filling(seed):
    """The text of a program with a function `f(A, x, y, s)` that fills rows and columns of a new matrix."""
    rng = random.Random(seed)
    lines = ["import numpy as np", "", "", "def f(A: np.ndarray, x: np.ndarray, y: np.ndarray, s):", "    n = len(x)"]
    lines.append(
        "    C = " + rng.choice(["np.zeros((n, n))", "np.eye(n)", "np.ones((n, n), dtype=A.dtype)", "np.full((n, n), 3.0)"])
    )
    lines.append(
        "    "
        + rng.choice(["for i in range(n):", "for i in range(1, n):", "for i in range(n - 1):", "for i in range(n - 1, -1, -1):"])
    )
    for _ in range(rng.choice([1, 1, 1, 2])):
        low, high = rng.choice(
            [("i", ""), ("", "i"), ("i + 1", ""), ("", "i + 1"), ("i", "n"), ("1", "i"), ("i", "n - 1"), ("i - 1", "")]
        )
        places = [f"C[i, {low}:{high}]", f"C[{low}:{high}, i]", f"C[{low}:{high}, n - 1 - i]", f"C[i // 2, {low}:{high}]"]
        targets = rng.choices(places, [6, 6, 1, 1], k=rng.choice([1, 2, 2]))
        parts = [
            f"x[{low}:{high}]",
            f"A[i, {low}:{high}]",
            f"A[{low}:{high}, i]",
            f"C[i, {low}:{high}]",
            f"(A[i] @ A[:, {low}:{high}])",
            "s",
            "x[i]",
            "i",
        ]
        value = rng.choice(["*", "+", "-"]).join(rng.choices(parts, [4, 4, 4, 1, 3, 1, 2, 1], k=2))
        if rng.random() < 0.3:
            lines += [f"        v = {value}", *(f"        {target} = v" for target in targets)]
        else:
            lines.append(f"        {' = '.join(targets)} = {value}")
    lines.append("    return C")
    return "\n".join(lines) + "\n"
