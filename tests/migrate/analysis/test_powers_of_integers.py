"""`pow` of Python: with a modulus it takes Python integers alone, of any size."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import check_agrees, convert, run

LOOP = "import numpy as np\n\n\ndef f(x: np.ndarray, m):\n    s = 1\n    for j in range(len(x)):\n        s = {}\n    return s\n"
X = np.array([3, 5, 2, 7])


@pytest.mark.parametrize("call", ["(s * pow(int(x[j]), m - 2, m)) % m", "pow(s + int(x[j]), 2, mod=m)"])
def test_a_modulus(call):
    before, (after, functions, _diagnostics) = LOOP.format(call), convert(LOOP.format(call), placement="fast")
    assert functions["f"].label == "host" and "jax.jit" not in after
    assert run(after)["f"](X, 2**61 - 1) == run(before)["f"](X, 2**61 - 1)


def test_no_modulus():
    text = check_agrees(LOOP.format("s * 0.5 + pow(x[j], 2)"), (X * 0.5, 3), (X, 2))
    assert "jax.jit" in text
