"""Running sums of arrays whose dtype nobody knows: of integers, NumPy's have 64 bits."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import check_agrees, convert
from np2jax.tests.helpers.rule_examples import example_of

test_example = example_of(__name__)

PROGRAM = """\
import numpy as np


def f(x: np.ndarray, k=-1):
    return {}
"""
DTYPES = ("bool", "int8", "uint8", "int16", "uint32", "int64", "float16", "float32", "float64", "complex64")
SUMS = ("np.cumsum(x)", "x.cumsum()", "np.cumsum(x, axis=0)", "np.cumsum(x, 1)", "x.cumsum(k)", "np.cumsum(x, axis=None)")
SUMS += ("np.cumprod(x)", "x.cumprod(0)", "np.cumprod(x, axis=1)", "np.nancumsum(x)", "np.nancumprod(x, 0)")
SUMS += ("np.add.accumulate(x)", "np.multiply.accumulate(x, axis=1)", "np.cumsum(x, 0, None)")
SUMS += ("np.cumsum(np.cumsum(x, 0), 1)", "np.cumsum(x[0])", "x[:, 1].cumsum()[::-1]", "np.cumsum(-x.T, axis=0)")


@pytest.mark.quick(7)
@pytest.mark.parametrize("used", SUMS)
def test_as_wide_as_numpys(used):
    values = np.array([[100, 90, 3], [0, 77, 120]])
    arrays = [values.astype(d) for d in DTYPES if d != "bool" or "-" not in used] + [np.zeros((2, 3), np.int8)]
    check_agrees(PROGRAM.format(used), *((a,) for a in arrays))


def test_a_vector_needs_no_axis():
    assert "jnp.cumulative_sum(v)" in check_agrees(
        PROGRAM.format("0").replace("return 0", "v = x.ravel()\n    return np.cumsum(v)"), (np.ones((2, 3), np.int8),)
    )
    assert "jnp.cumulative_sum(x, axis=0)" in convert(PROGRAM.format("np.cumsum(x, 0)"))[0]
    assert "jnp.cumulative_sum(jnp.ravel(x))" in convert(PROGRAM.format("np.cumsum(x)"))[0]


@pytest.mark.quick(4)
@pytest.mark.parametrize(
    "used",
    [
        "np.cumsum(x / x.sum())",
        "np.cumsum(0.5 * x)",
        "np.cumsum(np.log(x))",
        "np.cumsum(np.exp(-x[0]) + x[1])",
        "np.cumsum(x.astype(float))",
        "np.cumsum(x > 1)",
        "np.cumsum(np.ones(3))",
        "np.cumsum(x, dtype=float)",
        "np.cumsum(x, 0, int)",
    ],
)
def test_floats_and_what_the_call_says_stay_as_they_are(used):
    made = check_agrees(PROGRAM.format(used), (np.arange(1, 7).reshape(2, 3),), (np.ones((2, 3), np.float32),))
    assert "cumulative" not in made


@pytest.mark.quick(3)
@pytest.mark.parametrize(
    "call", ["np.cumsum(x, out=y)", "x.cumsum(out=y)", "np.cumprod(x, None, None, y)", "np.add.accumulate(x, out=y)"]
)
def test_an_output_says_how_wide(call):
    """NumPy sums up in what the array and the output have in common."""
    arrays = [(np.array([100, 90, 3], d), np.zeros(3, e)) for d in ("int8", "uint8", "int64") for e in ("int64", "float64")]
    arrays += [(np.array([1e8, 1.0, -1e8], "float32"), np.zeros(3)), (np.array([100, 100], "int8"), np.zeros(2, "int8"))]
    check_agrees(f"import numpy as np\n\n\ndef f(x: np.ndarray, y: np.ndarray):\n    {call}\n    return y\n", *arrays)


def test_segments():
    source = (
        "import numpy as np\n\n\ndef f(x: np.ndarray):\n    return np.add.reduceat(x, [0, 2]), np.multiply.reduceat(x, [1, 0])\n"
    )
    check_agrees(source, *((np.array([100, 90, 3], d),) for d in DTYPES if d != "bool"))
