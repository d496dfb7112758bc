"""Integers of Python that need more than 64 bits keep code in Python; the number of digits of `round` is known when JAX traces."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import compare_values, convert, run

LOOP = "    out = np.zeros(len(x))\n    for i in range(len(x)):\n        {}\n    return out\n"
BIG = {
    "a mask": LOOP.format("h = (h ^ int(x[i])) * 1099511628211 & 0xFFFFFFFFFFFFFFFF\n        out[i] = h / 3"),
    "a power": LOOP.format("h = (h * 6364136223846793005 + 1) % 2**64\n        out[i] = h / 2**64"),
    "a shift": LOOP.format("h = (h * 25214903917 + 11) % (1 << 64)\n        out[i] = h / 3"),
}
X = np.array([3.0, 1.0, 2.5, -4.0])


@pytest.mark.parametrize("name", BIG)
def test_integers_of_more_than_64_bits(name):
    text = f"import numpy as np\n\n\ndef f(x, h=1):\n{BIG[name]}"
    made = convert(text, placement="fast")[0]
    assert "jit" not in made
    assert not compare_values(run(text)["f"](X), run(made)["f"](X))


def test_integers_of_64_bits_and_what_numpy_makes_of_bigger_ones():
    body = LOOP.format("out[i] = (x[i] * 3 + 9223372036854775807) % 7 + np.uint64(2**64 - 1)")
    assert "jit" in convert(f"import numpy as np\n\n\ndef f(x: np.ndarray):\n{body}", placement="fast")[0]


@pytest.mark.parametrize("digits", [0, 1, 2, -1])
def test_digits(digits):
    text = "import numpy as np\n\n\ndef f(x: np.ndarray, digits):\n" + LOOP.format("out[i] = round(np.sin(x[i]) * 100, digits)")
    made = convert(text, placement="fast")[0]
    assert 'static_argnames="digits"' in made
    assert not compare_values(run(text)["f"](X, digits), run(made)["f"](X, digits))
