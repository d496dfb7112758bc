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
STEP = "h = (h * 6364136223846793005 + 1) % {0}\n        out[i] = h / {0}"
DRAWS = LOOP.format(STEP.format("m"))
NAMED = {  # the constant has a name
    "a default": f"def f(x, h=1, m=2**64):\n{DRAWS}",
    "a default of a constant": f"M = 2**64\n\n\ndef f(x, h=1, m=M):\n{DRAWS}",
    "a variable": f"def f(x, h=1):\n    m = 2**64\n{DRAWS}",
    "a variable, in a function of which loops are compiled": f"def f(x, h=1):\n    m = 1 << 64\n    print(m)\n{DRAWS}",
    "a constant": f"M = 2**64\n\n\ndef f(x, h=1):\n{LOOP.format(STEP.format('M'))}",
    "a copy of a constant": f"M = 2**64\n\n\ndef f(x, h=1):\n    m = M\n    print(m)\n{DRAWS}",
    "an argument": f"def g(x, m, h=1):\n{DRAWS}\n\ndef f(x):\n    return g(x, 2**64)\n",
    "an argument by keyword": f"def g(x, *, m, h=1):\n{DRAWS}\n\ndef f(x):\n    return g(x, m=2 * 2**63 + 1)\n",
    "an attribute": "class C:\n    def __init__(self):\n        self.m, self.h = 2**64, 1\n\n"
    "    def draw(self, x):\n        out = np.zeros(len(x))\n        for i in range(len(x)):\n"
    "            self.h = (self.h * 6364136223846793005 + 1) % self.m\n            out[i] = self.h / self.m\n        return out\n\n\n"
    "def f(x):\n    return C().draw(x)\n",
}
X = np.array([3.0, 1.0, 2.5, -4.0])


def check_stays(code):
    """That a function stays Python, and computes what it did."""
    text = f"import numpy as np\n\n\n{code}"
    made = convert(text, placement="fast")[0]
    assert "jit" not in made
    assert not compare_values(run(text)["f"](X), run(made)["f"](X))


@pytest.mark.parametrize("name", BIG)
def test_integers_of_more_than_64_bits(name):
    check_stays(f"def f(x, h=1):\n{BIG[name]}")


@pytest.mark.parametrize("name", NAMED)
def test_constants_of_more_than_64_bits(name):
    check_stays(NAMED[name])


PRODUCTS = {
    "a prime": f"def f(x, h=1):\n{LOOP.format('h = (h * 1000003 + int(x[i])) % (2**61 - 1)')}",
    "a default": f"def f(x, h=1, a=6364136223846793005, m=2**63 - 1):\n{LOOP.format('h = (a * h + 11) % m')}",
    "a wide factor": f"def f(x, h=1):\n{LOOP.format('h = (6364136223846793005 * h + 11) % 1000000007')}",
    "a wide factor and any modulus": f"def g(x, h, m):\n{LOOP.format('h = (6364136223846793005 * h + 11) % m')}\n\ndef f(x):\n    return g(x, 1, 97)\n",
    "a parameter": f"def g(x, h):\n{LOOP.format('h = (h * 1000003 + 1) % (2**61 - 1)')}\n\ndef f(x):\n    return g(x, 5)\n",
}
SMALL = {
    "a power of two": f"def f(x, h=1):\n{LOOP.format('h = (25214903917 * h + 11) % 2**48')}",
    "a small prime": f"def f(x, h=1):\n{LOOP.format('h = (h * h + 7) % 1000000007')}",
}


@pytest.mark.parametrize("name", [*PRODUCTS, *SMALL])
def test_products_modulo_wide_constants(name):
    text = f"import numpy as np\n\n\n{(PRODUCTS | SMALL)[name]}".replace(
        "    return out", "        out[i] = h / 3\n    return out"
    )
    made = convert(text, placement="fast")[0]
    assert ("jit" in made) == (name in SMALL)
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
