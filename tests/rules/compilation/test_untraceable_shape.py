"""A shape that only the values tell keeps `jit` away, and a finding says so."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import check_agrees, convert

X = np.array([1.0, -2.0, 3.0, 0.5, -0.25])
REFUSED = {
    "sorted": (
        "return np.median(x[x > 0])",
        "what uses `x[x > 0]`, of varying length, may not accept a mask",
    ),
    "positions": (
        "i = np.where(x > 0)[0]\n    x[i] = 0\n    return i",
        "the shape of `numpy.nonzero`'s result depends on values",
    ),
    "method": ("return x.nonzero()[0]", "the shape of `.nonzero()`'s result depends on values"),
    "unique": ("return len(np.unique(x))", "the shape of `numpy.unique`'s result depends on values"),
    "another length": ("x[x > 0] = w\n    return x", "a masked selection is assigned a value of another length"),
    "other mask": ("return np.sum(x[x > 0] * x[x < 4])", "a masked selection is combined with something other than numbers"),
}
COMPILED = ["return x[x > 0].mean()", "x[x > 0] = 1\n    return x", "return np.where(x > 0, x, 0)", "return x[1:].sum()"]


def source(body):
    return f"import numpy as np\n\ndef f(x: np.ndarray, w):\n    {body}\n"


@pytest.mark.quick(3)
@pytest.mark.parametrize("name", REFUSED)
def test_it_says_why(name):
    body, why = REFUSED[name]
    found = [d for d in convert(source(body))[2] if d.code == "NJ420"]
    assert found and found[0].message.startswith("this prevents `jit`: ") and why in found[0].message, found
    assert found[0].safety == "manual" and not found[0].fixed
    assert "jit" not in check_agrees(source(body), (X.copy(), X[X > 0]))


@pytest.mark.parametrize("body", COMPILED)
def test_what_is_compiled_says_nothing(body):
    assert not [d for d in convert(source(body))[2] if d.code == "NJ420"]
