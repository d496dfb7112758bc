"""Names of NumPy become those of `jax.numpy`."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import agrees_on, body, check_agrees, check_transformed, convert, function
from np2jax.tests.helpers.rule_examples import example_of, leaves

test_example = example_of(__name__)
test_left = leaves(__name__, function("return x[0]"), "import math\n\n\ndef f(x: float):\n    return math.pi * x\n")


A, B = np.array([[1.5, -2.0, 0.25], [3.0, 0.5, -1.0]]), np.array([4, 2, 7])


def converted(expression, **options):
    return body(convert(function(f"return {expression}"), **options)[0]).partition("return ")[2]


def test_numpy_1_names():
    pairs = [
        ("np.float(1)", "1.0"),
        ("np.bool8(1)", "np.bool_(1)"),
        ("np.NaN", "np.nan"),
        ("np.PINF", "np.inf"),
        ("np.NINF", "-np.inf"),
        ("np.trapz(x[0])", "np.trapezoid(x[0])"),
        ("np.product(x)", "np.prod(x)"),
        ("np.product(x.shape)", "np.prod(x.shape)"),
        ("np.in1d(x[0], [0.5])", "np.isin(x[0], [0.5])"),
        ("np.row_stack([x, x])", "np.vstack([x, x])"),
    ]
    old, new = (", ".join(pair[i] for pair in pairs) for i in (0, 1))
    text = convert(function(f"return {old}"))[0]
    namespace = {}
    exec(text, namespace)
    expected = {}
    exec(function(f"return {new}"), expected)
    for mine, theirs in zip(namespace["f"](A), expected["f"](A), strict=True):
        assert np.array_equal(mine, theirs, equal_nan=True)


def test_names_as_values():
    check_transformed(
        "import numpy as np\n\n\ndef f(x, reduce=np.sum):\n    g = np.sin\n    return reduce(g(x)) + np.cos(x)\n",
        "def f(x, reduce=jnp.sum):\n    g = jnp.sin\n    return reduce(g(x)) + jnp.cos(x)",
    )


@pytest.mark.parametrize(
    "style", ["import numpy", "import numpy as xp", "from numpy import sqrt, sum as total", "from numpy import *"]
)
def test_ways_to_import(style):
    calls = {
        "import numpy": "numpy.sqrt(numpy.sum(x))",
        "import numpy as xp": "xp.sqrt(xp.sum(x))",
        "from numpy import *": "sqrt(sum(x))",
    }
    expression = calls.get(style, "sqrt(total(x))")
    check_agrees(f"{style}\n\n\ndef f(x):\n    return {expression}\n", (A,), keep=style.endswith("*"))


def test_aliases_are_not_names_of_numpy():
    check_transformed(
        "import numpy as np\n\nroot = np.sqrt\n\n\ndef f(x: np.ndarray):\n    return root(x) + np.sum(x)\n",
        "root = jnp.sqrt\n\n\n@jax.jit\ndef f(x: jax.Array):\n    return root(x) + jnp.sum(x)",
    )


def test_constants_of_calls_that_stay_numpy_stay():
    assert converted("x * np.sqrt(2.0 * np.pi)") == "x * np.sqrt(2.0 * np.pi)"
    assert converted("x * np.log(-np.pi / np.e) + np.pi") == "x * np.log(-np.pi / np.e) + jnp.pi"
    assert converted("np.maximum(x, np.pi)") == "jnp.maximum(x, jnp.pi)"
    check_agrees(function("return x * np.sqrt(2.0 * np.pi)"), (A,))


@pytest.mark.parametrize("function", ["np.exp", "special.ndtr"])
def test_function_that_a_variable_of_the_module_names(function):
    """The code of the module stays NumPy, so that compiled code calls the function of JAX by its own name."""
    before = f"import numpy as np\nfrom scipy import special\n\nshape = {function}\n\n\n" + (
        "def f(x: np.ndarray):\n    y = (x - x.mean()) / x.std()\n    return np.sin(y) * shape(y) - np.sqrt(y * y)\n"
    )
    after, functions, _diagnostics = convert(before, placement="fast")
    assert f"shape = {function}" in after and functions["f"].transform == "jit"
    agrees_on(before, after, functions["f"], (A,), "f")
