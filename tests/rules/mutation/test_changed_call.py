"""A call of a function that changes its arguments."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import compare_values, convert, run
from np2jax.tests.helpers.rule_examples import example_of, leaves

test_example = example_of(__name__)
test_left = leaves(
    __name__,
    "import numpy as np\n\n\ndef g(x: np.ndarray):\n    return x + 1\n\n\ndef f(x: np.ndarray):\n    x = g(x)\n    return x\n",
)

A_NUMBER = """
import numpy as np


def put(a, b):
    a += b


def f(x, y):
    u = y[0]
    put(u, x)
    np.add(x, u, out=x)
    v = x.T
    v = x[1]
    return x, y
"""


@pytest.mark.parametrize("y", [np.array([1.0, 2.0]), np.array([[1.0, 2.0], [3.0, 4.0]])])
def test_a_number_that_numpy_code_passes_is_not_filled(y):
    text, _functions, _found = convert(A_NUMBER)
    x = np.array([0.5, 0.25])
    assert not compare_values(run(text)["f"](x.copy(), y.copy()), run(A_NUMBER)["f"](x.copy(), y.copy()))


COPIED = """
import numpy as np


def relax(w, steps, copy=True):
    if copy:
        w = w.copy()
    for _ in range(steps):
        w[1:-1, 1:-1] = 0.25 * (w[:-2, 1:-1] + w[2:, 1:-1] + w[1:-1, :-2] + w[1:-1, 2:])
    return w
"""


@pytest.mark.parametrize("copy", [True, False])
def test_an_array_or_its_copy_whose_elements_a_loop_stores_is_filled(copy):
    text = convert(COPIED, placement="fast")[0]
    assert "w[...] = _relax_loop(" in text
    before, after = np.arange(30.0).reshape(5, 6) ** 2, np.arange(30.0).reshape(5, 6) ** 2
    assert not compare_values(run(text)["relax"](after, 3, copy), run(COPIED)["relax"](before, 3, copy))
    assert not compare_values(after, before)


def test_what_may_be_a_number_or_its_copy_is_not_filled():
    text = convert(COPIED.replace("w[1:-1, 1:-1] = 0.25", "w += 0.25"), placement="fast")[0]
    assert "w[...] =" not in text
