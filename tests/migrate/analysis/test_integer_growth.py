"""Integers of Python that a loop multiplies: they have any size, those of compiled code 64 bits."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import compare_values, convert, run

LOOP = """
import numpy as np


def f(n, x: np.ndarray):
    out = np.zeros(n)
    a, b, r = 0, 1, 1
    for i in range(n):
        out[i] = float(a + r) + b + x.sum()
{}
    return out
"""
X = np.array([0.5, 2.0])
GROWING = [
    "r *= i + 1",
    "r = 3 * r + 1",
    "r += r",
    "r <<= 1",
    "a, b = b, a + b",
    "c = a + b\na = b\nb = c",
    "if i % 2:\n    r = r * 3\nelse:\n    r = r + 1",
    "r = -r * 2 if i else r",
]
CHECKED = ["r = r // 2 if r % 2 == 0 else 3 * r + 1", "if r % 2 == 0:\n    r //= 2\nelse:\n    r = 3 * r + 1"]
BOUNDED = [
    "r += i",
    "b += r\nr += 1",
    "r = (r * 5 + 3) % 101",
    "a, b = b, (a + b) % 1000",
    "r = 1 * r + i",
    "r = min(r * 2, 50)",
    "r *= -1",
    "r = -1 * r",
    "r = i * i + 2",
    "x = x * 2.0\nr = r + 2",
]


def body(lines):
    return LOOP.format("\n".join(" " * 8 + line for line in lines.split("\n")))


@pytest.mark.parametrize("lines", GROWING)
def test_they_stay_in_python(lines):
    source = body(lines)
    made, functions, _diagnostics = convert(source, placement="fast")
    assert not functions["f"].transform and "may grow beyond 64 bits" in functions["f"].reason
    assert not compare_values(run(made)["f"](100, X), run(source)["f"](100, X))


@pytest.mark.parametrize("lines", CHECKED)
def test_those_that_also_shrink_are_a_condition(lines):
    _made, functions, _diagnostics = convert(body(lines), placement="fast")
    assert functions["f"].label == "assumed"
    assert "`r` has 64 bits at most" in [c.words for c in functions["f"].conditions]


@pytest.mark.quick(4)
@pytest.mark.parametrize("lines", BOUNDED)
def test_others_are_compiled(lines):
    source = body(lines)
    made, functions, _diagnostics = convert(source, placement="fast")
    assert functions["f"].transform == "jit", functions["f"]
    assert not any("64 bits at most" in c.words and c.words.startswith("`r` has") for c in functions["f"].conditions)
    assert not compare_values(run(made)["f"](100, X), run(source)["f"](100, X))


def test_one_that_ends_the_loop():
    source = """
import numpy as np


def f(x: np.ndarray):
    step = 1
    while step < len(x):
        x = x + np.roll(x, step)
        step *= 2
    return x
"""
    made, functions, _diagnostics = convert(source, placement="fast")
    assert "while_loop" in made and functions["f"].transform == "jit"
    x = np.arange(9.0)
    assert not compare_values(run(made)["f"](x), run(source)["f"](x))


NUMBERS = """
import numpy as np


def binomial(n, k):
    result = 1
    k = min(k, n - k)
    for i in range(k):
        result *= n - i
        result //= i + 1
    return result


def is_prime(n):
    if n < 2:
        return False
    d = 2
    while d * d <= n:
        if n % d == 0:
            return False
        d += 1
    return True


def clamp(x, low, high):
    return low if x < low else high if x > high else x


def f(x: np.ndarray):
    for _ in range(100):
        x = np.sin(x) + 0.5
    return x
"""


def test_functions_without_arrays_stay_python():
    """Also in a file, or a project, that uses NumPy elsewhere."""
    made, functions, _diagnostics = convert(NUMBERS, placement="fast")
    assert functions["f"].transform == "jit"
    assert [functions[name].label for name in ("binomial", "is_prime", "clamp")] == ["host"] * 3
    assert made.count("@jax.jit") == 1 and "jnp.minimum" not in made
    assert run(made)["binomial"](100, 50) == run(NUMBERS)["binomial"](100, 50)
