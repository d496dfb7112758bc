"""Draws from what may be a number or an array: `choice(n)` and `choice(x)`."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import convert, run

X = np.array([0.5, -1.5, 2.0, 4.0])
UNKNOWN = {  # nothing tells what `x` is
    "by a generator": "def f(x, n, rng):\n    s = 0.0\n    for i in range(n):\n        s = 0.5 * s + rng.choice(x)\n    return s\n",
    "stored": "def f(x, n, rng):\n    out = np.empty(n)\n    for i in range(n):\n        out[i] = rng.choice(x)\n    return out\n",
    "permuted": "def f(x, n, rng):\n    out = np.empty(n)\n    for i in range(n):\n        out[i] = rng.permutation(x)[0]\n    return out\n",
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_numbers_and_arrays(name):
    made = run(convert(f"import numpy as np\n\n\n{UNKNOWN[name]}", placement="fast")[0])["f"]
    for given in (X, 4, np.int64(3), X.tolist()):
        drawn = np.asarray(made(given, 50, np.random.default_rng(0)))
        assert drawn.dtype == float and drawn.shape in ((), (50,))
        if drawn.ndim:
            assert set(drawn.tolist()) <= {*(X.tolist() if np.ndim(given) else range(given))}


def test_arrays():
    """The length of `x` tells that it is no number."""
    body = "    rng = np.random.default_rng(seed)\n    out = np.empty(n)\n    for i in range(n):\n"
    body += "        out[i] = rng.choice(x, size=len(x)).mean()\n    return out\n"
    text = f"import numpy as np\n\n\ndef f(x, n, seed):\n{body}"
    made = convert(text, placement="fast")[0]
    assert 'static_argnames="n"' in made
    for given in (X, X.tolist(), X.astype("f4"), np.arange(4)):
        drawn = run(made)["f"](given, 500, 0)
        assert drawn.dtype == float and abs(drawn.mean() - np.mean(given)) < 0.25
