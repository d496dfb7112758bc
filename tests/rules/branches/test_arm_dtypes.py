"""Arms of `lax.cond` whose dtypes only the arguments tell: JAX needs one dtype, and gets the one to which NumPy promotes both."""

import warnings

import numpy as np
import pytest

from np2jax.tests.helpers.differential import compare_values, convert, run

LOOPS = {
    "an element and a sum": """
    for i in range(len(x)):
        if i == 0:
            v = x[i]
        else:
            v = x[i]
            for j in range(i):
                v = v + y[j] * x[i - j - 1]
        y[i] = v
    return y
""",
    "an element and a quotient": """
    for i in range(len(x)):
        if i == 0:
            v = x[i]
        else:
            s = 0.0
            for j in range(i):
                s += y[j] * w[i - j - 1]
            v = s / 2
        y[i] = v
    return y
""",
    "elements of two arrays": """
    for i in range(1, len(x)):
        if x[i] > 2:
            k = np.argmin(np.abs(w - x[i]))
            v = x[k] * 0.5
        else:
            k = np.argmax(np.cumsum(w))
            v = w[k]
        y[i] = v
    return y
""",
}
DTYPES = ("float64", "float32", "int64", "complex64")


@pytest.mark.parametrize("body", LOOPS.values(), ids=LOOPS)
def test_arms_of_unknown_dtypes(body):
    source = f"import numpy as np\n\n\ndef f(x, w):\n    y = np.zeros(len(x), complex)\n{body.lstrip(chr(10))}"
    text = convert(source, placement="fast")[0]
    assert "lax.cond" in text, text
    before, after = run(source)["f"], run(text)["f"]
    for x in DTYPES[:3]:
        for w in DTYPES[: 4 if "argmax" not in body else 3]:
            given = np.array([4, 2, 1, 3], x), np.array([1, 0, 2, 1], w)
            with warnings.catch_warnings(action="ignore"):
                assert not compare_values(after(*given), before(*given)), (x, w)


def test_arms_of_one_dtype_stay_as_they_are():
    body = LOOPS["an element and a sum"].replace("y[j] * x[i - j - 1]", "x[j]")
    text = convert(f"import numpy as np\n\n\ndef f(x):\n    y = np.zeros(len(x))\n{body}", placement="fast")[0]
    assert "result_type(x, y)" not in text, text


def test_a_variable_that_one_arm_binds_again():
    """What the dtype is promoted from must not have another one in the arm itself."""
    source = """
import numpy as np

def f(x: np.ndarray):
    y = np.outer(x, x)
    z = 0.0
    if x.sum() > 1:
        y = y @ y
        z = y.sum()
    return y, z
"""
    text = convert(source)[0]
    assert "lax.cond" in text and "result_type" not in text, text
