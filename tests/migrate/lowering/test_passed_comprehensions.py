"""List comprehensions that functions of the project get, and make arrays of."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import compare_values, convert, convert_project, run

LOG_SUM = """
import numpy as np


def logsumexp(values, axis=None):
    most = np.max(values)
    return most + np.log(np.exp(values - most).sum(axis=axis))


"""
FORWARD = """
def f(A, B, seen, eps):
    n = len(A)
    forward = np.zeros((n, len(seen)))
    for t in range(1, len(seen)):
        for s in range(n):
            forward[s, t] = logsumexp([forward[r, t - 1] + np.log(A[r, s] + eps) + np.log(B[s, seen[t]]) for r in range(n)])
    return forward
"""
METHOD = """
class Model:
    def __init__(self, A, B):
        self.parameters = {"A": A, "B": B}

    def f(self, seen, eps):
        A, B = self.parameters["A"], self.parameters["B"]
        n = len(A)
        backward = np.zeros((n, len(seen)))
        for t in reversed(range(len(seen) - 1)):
            for s in range(n):
                backward[s, t] = logsumexp([np.log(A[s, r] + eps) + np.log(B[r, seen[t + 1]]) + backward[r, t + 1] for r in range(n)])
        return backward
"""


def arguments(n, t):
    rng = np.random.default_rng(n)
    return rng.random((n, n)), rng.random((n, 3)) + 0.1, rng.integers(0, 3, t)


@pytest.mark.parametrize("n, t", [(3, 7), (1, 2), (4, 1)])
def test_a_function_gets_an_array(n, t):
    made, functions, _diagnostics = convert(LOG_SUM + FORWARD + METHOD, placement="fast")
    assert functions["f"].transform == "jit" and functions["Model.f"].transform == "outlined"
    A, B, seen = arguments(n, t)
    before, after = run(LOG_SUM + FORWARD + METHOD), run(made)
    assert not compare_values(after["f"](A, B, seen, 1e-8), before["f"](A, B, seen, 1e-8))
    assert not compare_values(after["Model"](A, B).f(seen, 1e-8), before["Model"](A, B).f(seen, 1e-8))


def test_a_function_of_another_file():
    made = convert_project(
        {"pkg/__init__.py": "", "pkg/a.py": LOG_SUM, "pkg/b.py": "import numpy as np\nfrom pkg.a import logsumexp\n\n" + FORWARD},
        placement="fast",
    )
    assert "lax.fori_loop" in str(made)


@pytest.mark.quick(4)
@pytest.mark.parametrize(
    "uses",
    [
        "return np.max(values) * len(values * 2)",  # longer, for a list
        "return len(values + values)",
        "values.append(1.0)\n    return np.max(values)",
        "return other(values)",
        "KEPT.append(values)\n    return np.max(values)",
        "return values[0] if values == [1.0] else 2.0",
        "return np.max(values) if isinstance(values, list) else 0.0",
        "return sum(values, [])",
        "return 1.0 if values else 0.0",
    ],
)
def test_what_uses_a_list_as_such_gets_one(uses):
    text = (
        f"import numpy as np\n\nKEPT = []\n\n\ndef other(x):\n    return len(x * 2)\n\n\ndef logsumexp(values):\n    {uses}\n\n"
        + FORWARD
    )
    assert "np.array(items" not in convert(text, placement="fast")[0]
    assert "items_at" not in convert(text, placement="fast")[0]


@pytest.mark.parametrize(
    "call", ["logsumexp(axis=None, values=[{}])", "logsumexp(*[{}])", "logsumexp([{} if A[r, s] > 0 else None])"]
)
def test_other_calls_stay_as_they_are(call):
    item = "A[r, s] * forward[r, t - 1] for r in range(n)"
    text = LOG_SUM + FORWARD[: FORWARD.index("logsumexp([")] + call.format(item) + "\n    return forward\n"
    if "None]" in call:
        text = text.replace(" for r in range(n) if A[r, s] > 0 else None", " if A[r, s] > 0 else None for r in range(n)")
    assert "items_at" not in convert(text, placement="fast")[0]
