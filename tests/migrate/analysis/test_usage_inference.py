"""Which use of a parameter says that it is an array: so that changes in place can be converted."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import check_agrees, compare_values, convert, run

MATRIX = np.array([[0.0, 3.0, np.inf, 7.0], [8.0, 0.0, 2.0, np.inf], [5.0, np.inf, 0.0, 1.0], [2.0, np.inf, np.inf, 0.0]])

ARRAYS = {
    "a copy, by two numbers": "    D = W.copy()\n    n = len(D)\n    for k in range(n):\n        for i in range(n):\n            for j in range(n):\n                if D[i, k] + D[k, j] < D[i, j]:\n                    D[i, j] = D[i, k] + D[k, j]\n    return D",
    "the length, and two numbers": "    for k in range(len(W)):\n        W[k, k] = 1\n    return W",
    "a copy of another dtype": "    R = W.copy().astype(float)\n    R[0] -= 1\n    return R",
    "the length of what is scaled": "    n = len(W)\n    V = W - 1\n    V[0] = n\n    return V",
}

NOT_KNOWN = {
    "a copy, by one number": "    y = W.copy()\n    y[0] = 3.0\n    return y, np.pi",
    "two numbers alone": "    W[0, 1] = 2\n    return np.sqrt(W[0, 1])",
    "the length alone": "    W[len(W) - 1] = 2\n    return np.sqrt(len(W))",
    "two names": "    W[a, b] = 2\n    return np.sqrt(len(a))",
}


def written(lines):
    return f"import numpy as np\n\n\ndef f(W, a=None, b=None):\n{lines}\n"


@pytest.mark.parametrize("name", ARRAYS)
def test_use_tells(name):
    made = check_agrees(written(ARRAYS[name]), (MATRIX.copy(),), (MATRIX[:1, :1].copy(),), (np.arange(9).reshape(3, 3),))
    assert "jax.jit" in made


@pytest.mark.parametrize("name", NOT_KNOWN)
def test_use_that_does_not_tell(name):
    made, functions, _diagnostics = convert(written(NOT_KNOWN[name]))
    assert "jnp" not in made and "NJ202" in str(functions["f"])


def test_methods_that_are_not_called_are_data_of_an_object():
    text = "import numpy as np\n\n\ndef norm(x):\n    return np.sqrt(np.sum(np.square(x)))\n\n\ndef f(state):\n    return norm(state.mean) / state.scale\n"
    made = convert(text)[0]
    assert "@jax.jit\ndef norm(x):" in made  # `state.mean` is no method, which would be a static argument


METHODS = (
    "((x - y) ** 2).sum() / np.abs(x).max() + np.exp(-(x * y).mean())",
    "np.sqrt(((x - y) ** 2).sum(axis=1)) * (x == y).all() + (-x).max()",
    "(x * y).sum() / np.sqrt((x * x).sum() * (y * y).sum())",
    "np.sqrt(np.abs(x.sum(axis=0))) + np.exp(x) * 3 + np.sin(y) * np.cos(x)",
    "x.any() + (x + y).round(2) * x.max(1, keepdims=True) + x.sum(0)",
)


@pytest.mark.parametrize("value", METHODS)
def test_what_has_a_method_of_arrays_is_an_array(value):
    """Python's numbers have no `sum`, so that `(x - y).sum()` is an array's, whatever is known of `x` and of `y`."""
    source = f"import numpy as np\n\n\ndef f(x, y):\n    return {value}\n"
    text = convert(source, placement="fast")[0]
    assert "@jax.jit" in text, text
    x = np.random.default_rng(0).normal(size=(3, 4))
    for given in ((x, x[::-1].copy()), (np.arange(12).reshape(3, 4), x)):
        assert not compare_values(run(text)["f"](*given), run(source)["f"](*given))


@pytest.mark.parametrize(
    "source",
    [
        "import numpy as np\nimport pandas as pd\n\n\ndef f(x, y):\n    return ((x - y) ** 2).sum() + np.exp(2.0)\n",
        "import numpy as np\n\n\nclass Series:\n    def sum(self):\n        return 1\n\n    def __sub__(self, other):\n        return self\n\n\ndef f(x, y):\n    return (x - y).sum() + np.exp(2.0)\n",
    ],
    ids=["pandas", "a class of the project"],
)
def test_what_may_be_another_object_is_none(source):
    assert "jit" not in convert(source, placement="fast")[0]


def test_bounds_of_slices_are_integers():
    """`.loc` of pandas takes labels of any type."""
    source = "import numpy as np\n\n\ndef f(W, h, k):\n    return np.sqrt(W{}[1 : 1 + h, k:3])\n"
    found = [dict(convert(source.format(part))[1]["f"].kinds) for part in ("", ".loc")]
    assert [(kinds.get("h", ""), kinds.get("k", "")) for kinds in found] == [("scalar:int:0", "scalar:int:0"), ("", "")]
