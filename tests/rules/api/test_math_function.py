"""Python's `math` on what JAX computes, on numbers of which shapes are made, and where an error of it is caught."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import body, check_agrees, convert
from np2jax.tests.helpers.rule_examples import example_of

test_example = example_of(__name__)

HEAD = "import math\nimport numpy as np\n\n"


@pytest.mark.quick(6)
@pytest.mark.parametrize(
    "name",
    ["sqrt", "exp", "expm1", "log", "log10", "log2", "log1p", "sin", "tanh", "atan", "asinh", "fabs", "degrees", "radians"],
)
def test_of_items(name):
    source = f"{HEAD}def f(x: np.ndarray):\n    out = np.zeros(len(x))\n    for i in range(len(x)):\n        out[i] = math.{name}(x[i])\n    return out\n"
    text = check_agrees(source, (np.array([0.5, 1.0, 2.25]),), (np.array([3, 1]),), (np.array([np.nan, np.inf]),))
    assert "jit" in text and f"math.{name}(" not in text


def test_of_two_numbers():
    source = f"{HEAD}def f(x: np.ndarray, y: np.ndarray):\n    s = 0.0\n    for i in range(len(x)):\n        s += math.hypot(x[i], y[i]) * math.atan2(y[i], x[i]) + math.pow(abs(x[i]), y[i])\n    return s * np.ones(1)\n"
    text = check_agrees(source, (np.array([0.5, -1.0]), np.array([2.0, 3.0])), (np.array([1, 2]), np.array([0, -1])))
    assert "jit" in text and "math." not in text.replace("import math", "")


def test_of_static_numbers_stays_pythons():
    source = (
        f"{HEAD}def f(x: np.ndarray, n: int):\n    k = math.ceil(math.sqrt(n)) + math.gcd(n, 6)\n    return x[:k] * math.log(n)\n"
    )
    text = check_agrees(source, (np.arange(9.0), 5), (np.arange(3.0), 12))
    assert "math.ceil(math.sqrt(n))" in text and 'static_argnames="n"' in text


def test_what_python_needs_of_values_keeps_jit_away():
    source = f"{HEAD}def f(x: np.ndarray):\n    return np.zeros(3) + math.floor(np.sum(x))\n"
    assert "jit" not in body(check_agrees(source, (np.array([0.5, 1.75]),)))


@pytest.mark.parametrize("error", ["ValueError", "(OverflowError, TypeError)", "Exception"])
def test_an_error_that_is_caught(error):
    source = f"{HEAD}def f(x: np.ndarray):\n    try:\n        return np.ones(2) * math.sqrt(np.sum(x))\n    except {error}:\n        return np.zeros(2)\n"
    _text, functions, _found = convert(source)
    assert functions["f"].label == "kept" and "caught" in functions["f"].reason


def test_a_number_of_pythons_gives_way_to_the_dtype_of_an_array():
    for made in ("math.sqrt(np.sum(x**2))", "math.exp(x[0])"):
        source = f"{HEAD}def f(x: np.ndarray):\n    y = np.ones(3, np.float32)\n    return y / {made}\n"
        check_agrees(source, (np.array([0.5, 1.5, 2.0]),))
    source = f"{HEAD}def f(x: np.ndarray, n):\n    return x * math.sqrt(2 / n)\n"
    text = check_agrees(source, (np.ones(2, np.float32), 3), (np.ones(2), 0.5))
    assert "jnp.sqrt" in text


def test_a_function_of_numpys_that_is_given_keeps_jit_away():
    text = """
    import numpy as np


    def area(f, a, b, n: int):
        x = np.linspace(a, b, n)
        return np.sum(f(x)) * (b - a) / n


    def both(g):
        h = g
        return area(h, 0.0, 1.0, 10) + 1.0


    def f(x: float):
        return area(np.sin, 0.0, x, 10) + area(f=np.cos, a=0.0, b=x, n=10) + both(np.exp)
    """
    assert "jit" not in check_agrees(text, (1.5,))
