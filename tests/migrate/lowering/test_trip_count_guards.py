"""Compiled loops inside loops that Python runs: the call is made where the trip count makes it worth its time."""

import re

import numpy as np
import pytest

from np2jax.tests.helpers.differential import compare_values, convert, run

FARTHEST = """
import numpy as np


def f(points, epsilon):
    points = np.asarray(points, dtype=float)
    keep = np.zeros(len(points), dtype=bool)
    keep[0] = keep[-1] = True
    stack = [(0, len(points) - 1)]
    while stack:
        start, end = stack.pop()
        worst, index = 0.0, start
        p, q = points[start], points[end]
        for i in range(start + 1, end):
            d = abs((q[0] - p[0]) * (p[1] - points[i, 1]) - (p[0] - points[i, 0]) * (q[1] - p[1]))
            if d > worst:
                worst, index = d, i
        if worst > epsilon:
            keep[index] = True
            stack.extend([(start, index), (index, end)])
    return keep
"""
STATES = """
import numpy as np


def f(table, weights, counts, steps, m: int):
    total = np.zeros(len(counts))
    for s in range(steps):
        for i in range(m):
            for k in range({inner}):
                total[table[i, k]] += counts[i] * weights[k, s]{row}
        print(round(total.sum(), 6))
    return total
"""


def test_short_loops_stay_numpys():
    made = convert(FARTHEST, placement="fast")[0]
    assert "if end - start > " in made and "start <= end" not in made
    assert convert(made, placement="fast")[0] == made
    rng = np.random.default_rng(3)
    for n in (2, 3, 40, 200):
        points = np.stack([np.arange(float(n)), rng.normal(size=n).cumsum()], axis=1)
        assert not compare_values(run(made)["f"](points, 1.0), run(FARTHEST)["f"](points, 1.0))


def test_a_nest_of_loops(capsys):
    text = STATES.format(inner="n", row="").replace("m: int", "m: int, n: int")
    made = convert(text, placement="fast")[0]
    assert "if m * n > " in made
    rng = np.random.default_rng(3)
    for m, n in ((3, 2), (12, 10), (0, 4)):
        args = rng.integers(0, 5, size=(max(m, 5), n)), rng.normal(size=(n, 4)), rng.normal(size=max(m, 5)), 4, m, n
        want, wanted = run(text)["f"](*args), capsys.readouterr().out
        assert not compare_values(run(made)["f"](*args), want) and capsys.readouterr().out == wanted


@pytest.mark.parametrize(
    "text",
    [
        STATES.format(inner="n", row=" + np.sum(weights)").replace("m: int", "m: int, n: int"),
        STATES.format(inner="20", row=" * np.sin(s + k) ** 2 + np.cos(k) ** 3 - np.tan(s) + np.sqrt(k)"),
        FARTHEST.replace("(q[0] - p[0])", "np.sum(points * q)"),
        "import numpy as np\n\n\ndef f(x, n: int):\n    s = 0.0\n    for i in range(n):\n        s = np.tanh(s + x[i])\n    return s\n",
    ],
)
def test_others_get_no_test(text):
    """The trip count is known, the time of an iteration is not, or Python runs the loop once."""
    made = convert(text, placement="fast")[0]
    assert "jax.jit" in made and not re.search(r"(if|and) [\w* -]+ > [1-9]\d*[: ]", made.replace("if worst > ", ""))
