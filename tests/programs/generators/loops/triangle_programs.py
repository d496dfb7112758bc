"""Random programs with loops whose trip count depends on an enclosing loop: source text by a seed."""

import numpy as np

OUTER = (
    (
        "range(n)",
        ("range(i)", "range(i + 1)", "range(i, n)", "range(i + 1, n)", "range(n - i)", "range(n - i - 1)", "range(1, i + 1)"),
    ),
    (
        "range(1, n)",
        ("range(i)", "range(i, n)", "range(n - i)", "range(i - 1, n)", "range(n - 1, i - 1, -1)", "range(n - 1, i, -1)"),
    ),
    ("range(n - 1, -1, -1)", ("range(i)", "range(i + 1)", "range(i + 1, n)", "range(i, -1, -1)", "range(i - 1, -1, -1)")),
    ("range(n - 1)", ("range(i + 1, n)", "range(i)", "range(n - i - 1)", "range(i + 1)")),
    (
        "range(n)",
        ("range(max(0, i - 2), n)", "range(min(i + 2, n))", "range(i, i + 2)", "range(0, i, 2)", "range(2 * i)", "range(i // 2)"),
    ),
)
TERMS = (
    "x[i] * x[j]",
    "np.abs(x[i] - x[j])",
    "A[i, j]",
    "A[j, i] * x[j]",
    "x[j] / (1 + abs(j - i))",
    "1.0 / x[j]",
    "np.sqrt(x[j]) * y[i]",
    "j * x[i]",
    "A[i, j] * A[j, j]",
    "max(x[i], x[j])",
    "y[j] - y[i]",
)
BODIES = (
    ("", "t += {t}"),
    ("", "t -= {t}"),
    ("", "B[i, j] = {t}"),
    ("", "B[i, j] += {t}"),
    ("", "B[j, i] = {t} - x[0]"),
    ("", "y[i] += {t}"),
    ("", "y[j] += {t}"),
    ("", "y[j] = {t}"),
    ("", "y[j] = y[j] - {t}"),
    ("", "A[i, j] = A[i, j] - x[0] * {t}"),
    ("", "if x[j] > 0:\n                t += {t}"),
    ("", "v = {t}\n            B[i, j] = v * v"),
    ("", "v = {t}\n            if v > 0.5:\n                count += 1"),
    ("s = 0.0", "s += {t}", "y[i] = s"),
    ("s = y[i]", "s -= {t}", "y[i] = s / 2"),
    ("s = 1.0", "s *= 1 + {t}", "t += s"),
    ("y[i] = 0.0", "y[i] += {t}", "y[i] /= 3"),
    ("", "y[j] = y[j] + y[j - 1]"),
    ("", "y[j] = {t} if x[j] > x[i] else y[j]"),
)
PARAMETERS = ("A, x, y", "A: np.ndarray, x: np.ndarray, y: np.ndarray")


def program(seed):
    """The text of a program: `f(A, x, y)`."""
    rng = np.random.default_rng(seed)

    def one_of(choices):
        return choices[rng.integers(len(choices))]

    outer, inner = one_of(OUTER)
    iterations, body, term = one_of(inner), one_of(BODIES), one_of(TERMS)
    enclosing = rng.random() < 0.2
    ahead, each, *after = (part.format(t=term) for part in body)
    lines = [ahead, f"for j in {iterations}:\n            {each}", *after]
    head = f"    for i in {outer}:\n" + "".join(f"        {line}\n" for line in lines if line)
    if enclosing:
        head = "    for step in range(2):\n" + "".join(f"    {line}\n" for line in head.splitlines())
    copied = "    y = y.copy()\n    A = A.copy()\n" if rng.random() < 0.5 else ""
    return (
        f"import numpy as np\n\n\ndef f({one_of(PARAMETERS)}):\n    n = {one_of(('len(x)', 'A.shape[0]', 'x.shape[0]'))}\n{copied}"
        f"    t, count = 0.0, 0\n    B = np.zeros((n, n))\n{head}    return t, count, B, y, A\n"
    )
