"""Conditional expressions one of whose values is a float, while the other has the dtype of an argument: NumPy promotes what is made of them."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import compare_values, convert, run

R = np.random.default_rng(1)
X, LABEL = R.integers(0, 9, (10, 3)), R.integers(0, 3, 10)
BODIES = {
    "stored": "    out = np.zeros((k, X.shape[1]))\n    for j in range(k):\n"
    "        out[j] = X[label == j].mean(axis=0) if np.any(label == j) else X[j]\n    return out\n",
    "listed": "    return np.array([X[label == j].mean(axis=0) if np.any(label == j) else X[j] for j in range(k)])\n",
    "the other way round": "    out = np.zeros((k, X.shape[1]))\n    for j in range(k):\n"
    "        out[j] = X[j] if (label != j).all() else X[label == j].mean(axis=0)\n    return out\n",
}


@pytest.mark.parametrize("placement", ["fast", "device"])
@pytest.mark.parametrize("name", BODIES)
def test_a_mean_or_a_row(name, placement):
    text = f"import numpy as np\n\n\ndef f(X, label: np.ndarray, k: int):\n{BODIES[name]}"
    made = convert(text, placement=placement)[0]
    assert "_promoted_cond" in made or placement == "fast"
    for given in (X, X * 0.5, (X * 0.5).astype("f4")):
        rounded = 2e-5 if given.dtype == "f4" else 0
        for k in (3, 5):
            assert not compare_values(run(made)["f"](given, LABEL, k), run(text)["f"](given, LABEL, k), rounded=rounded), made


def test_arms_of_known_dtypes_are_as_before():
    body = "    for j in range(k):\n        out[j] = X[label == j].mean(axis=0) if np.any(label == j) else X[j]\n    return out\n"
    text = "import numpy as np\nimport numpy.typing as npt\n\n\n"
    text += f"def f(X: npt.NDArray[np.float64], out: np.ndarray, label: np.ndarray, k: int):\n{body}"
    assert "_promoted_cond" not in convert(text)[0]


MEANS = """import numpy as np


def f(X, label: np.ndarray, k: int, n: int):
    C = X[:k].copy()
    for _ in range(n):
        C = np.array([X[label == j].mean(axis=0) if np.any(label == j) else {kept} for j in range(k)])
    return C
"""


def test_an_arm_that_the_loop_makes_a_float_is_as_before():
    text = MEANS.format(kept="C[j]")
    made = convert(text)[0]
    assert "lax.cond(" in made and "_promoted_cond" not in made
    for given in (X, X * 0.5):
        assert not compare_values(run(made)["f"](given, LABEL, 4, 2), run(text)["f"](given, LABEL, 4, 2)), made
    assert "_promoted_cond" in convert(MEANS.format(kept="X[j]"))[0]
