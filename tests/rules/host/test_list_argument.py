"""Lists that functions on the host pass to their compiled parts."""

import io

import numpy as np
import pytest

from np2jax.tests.helpers.differential import compare_values, convert, run
from np2jax.tests.helpers.rule_examples import example_of, leaves

FAST = {"placement": "fast"}
test_example = example_of(__name__, **FAST)

X = [[1.0, 2.0, 3.0], [0.5, -1.0, 2.0]]
Y = [[0.0, 1.0, 1.5], [2.0, 2.0, -2.0]]

CORE = """
import numpy as np

def f(x, y, scale=2.0):
    if np.isnan(y).any():
        raise ValueError("missing")
    return np.cross(x, np.cross(x, y)) * scale + np.cross(y, np.cross(y, x))
"""
LOOP = """
import numpy as np

def f(x, y, scale=2.0):
    print(len(x))
    total = np.zeros(3)
    for k in range(len(x)):
        total += np.dot(x[k], y[k]) * scale
    return total
"""
METHOD = """
import numpy as np

class Model:
    def __init__(self, gain: float):
        self.gain = gain

    def run(self, x, y):
        z = np.cross(x, np.cross(x, y)) * self.gain + np.cross(y, np.cross(y, x))
        print(len(z))
        return z

def f(x, y, scale=2.0):
    return Model(scale).run(x, y)
"""


@pytest.mark.quick(3)
@pytest.mark.parametrize("source", [CORE, LOOP, METHOD], ids=["core", "loop", "method"])
@pytest.mark.parametrize("make", [np.array, list, tuple, lambda rows: [np.array(row) for row in rows]])
def test_array_likes(source, make):
    text = convert(source, placement="fast")[0]
    assert "jax.jit" in text
    for arguments in ((make(X), make(Y)), (make(X), make(Y), 3), (make(X), make(Y), np.float64(0.5))):
        want = run(source)["f"](*arguments)
        assert not compare_values(run(text)["f"](*arguments), want)


def test_annotated_arrays_are_passed_as_they_are():
    text = convert(CORE.replace("(x, y,", "(x: np.ndarray, y: np.ndarray,"), placement="fast")[0]
    assert "jax.jit" in text and "_as_array" not in text


test_left = leaves(
    __name__,
    # an array for certain, and an array by annotation
    "import numpy as np\n\n\ndef f(n, log):\n    x = np.ones(3 * n)\n    for _ in range(9):\n        x = np.sqrt(x + np.sin(x))\n    print(x, file=log)\n    return x\n",
    "import numpy as np\nfrom numpy.typing import NDArray\n\n\ndef f(x: NDArray[np.float64], log):\n    for _ in range(9):\n        x = np.sqrt(x + np.sin(x))\n    print(x, file=log)\n    return x\n",
    # a part of a list would be repeated
    "import numpy as np\n\n\ndef f(x, k, log):\n    out = np.zeros((len(x), 2))\n    for i in range(len(x)):\n        out[i] = x[i:] * k\n    print(out, file=log)\n    return out\n",
    **FAST,
)

PROGRAMS = (
    "    for _ in range(300):\n        x = 0.5 * (x + np.sqrt(np.abs(x)))\n    print(k, file=log)\n    return x\n",
    "    out = np.zeros(len(x))\n    for i in range(1, len(x)):\n        out[i] = k * x[i] + (1 - k) * out[i - 1]\n    print(k, file=log)\n    return out\n",
    "    out = np.zeros(len(x))\n    for i in range(1, len(x)):\n        out[i] += x[i - 1] + out[i - 1]\n    print(k, file=log)\n    return out\n",
    "    if k < 0:\n        raise ValueError(f'{k}')\n    print(k, file=log)\n    for _ in range(300):\n        x = np.where(np.greater(x, k), np.sqrt(np.abs(x)), np.cos(x))\n    return x\n",
)
VALUES = (np.array([0.5, 2.0, -1.0]), [0.5, 2.0, -1.0], (1.0, 2.0, 3.0), [1, 2, 3], range(4), np.array([0.5, 2.0, -1.0], ">f8"))


@pytest.mark.parametrize("body", PROGRAMS)
def test_lists_and_ranges_are_accepted(body):
    text = f"import numpy as np\n\n\ndef f(x, k, log):\n{body}"
    made, functions, _diagnostics = convert(text, **FAST)
    assert functions["f"].transform == "outlined" and "_as_array(x)" in made, made
    before, after = run(text)["f"], run(made)["f"]
    values = VALUES if "np.zeros" in body else [x for x in VALUES if np.asarray(x).dtype.kind == "f"]
    for x in (*values, values[-1]):  # once more, when the call is compiled
        for k in (0.5, 2, np.float64(0.25)):
            one, other = before(x, k, io.StringIO()), after(x, k, io.StringIO())
            assert np.shape(one) == np.shape(other)
            np.testing.assert_allclose(other, one, rtol=1e-12)


def test_rows_of_lists_are_not_made_arrays():
    """Where a row of a list would be repeated, the call raises: it returns nothing else."""
    text = "import numpy as np\n\n\ndef f(x, k, log):\n    out = np.zeros((len(x), 2))\n    for i in range(len(x)):\n        out[i] = x[i] * k\n    print(out, file=log)\n    return out\n"
    before, after = run(text)["f"], run(convert(text, **FAST)[0])["f"]
    assert np.array_equal(before([[1.0], [2.0]], 2, io.StringIO()), [[1.0, 1.0], [2.0, 2.0]])
    try:
        result = after([[1.0], [2.0]], 2, io.StringIO())
    except (TypeError, ValueError, IndexError):
        return
    assert np.array_equal(result, [[1.0, 1.0], [2.0, 2.0]])


def test_a_list_that_would_be_repeated():
    text = "import numpy as np\n\n\ndef f(x, k, log):\n    for _ in range(9):\n        x = np.sqrt(np.abs(k * x)) + np.sin(k * x)\n    print(x, file=log)\n    return x\n"
    made = convert(text, **FAST)[0]
    assert "_as_array" not in made and "_f_loop(_as_float(x), k)" in made, made
    for x in (np.array([1, 2, 3]), np.array([0.5, 2.0, -1.0])):
        assert np.allclose(run(made)["f"](x, 2, io.StringIO()), run(text)["f"](x, 2, io.StringIO()))


def test_items_that_are_compared():
    source = """
import numpy as np

def f(x, height):
    if height < 0:
        raise ValueError("no height")
    count, total = 0, 0.0
    for i in range(1, len(x) - 1):
        if x[i] > height and x[i] > x[i - 1] and x[i] >= x[i + 1]:
            count += 1
            total += np.sqrt(x[i]) - x[i - 1] / 2
    return count, total
"""
    text = convert(source, placement="fast")[0]
    assert "jax.jit" in text
    values = [0.0, 2.0, 1.0, 3.0, 3.0, 0.5, 4.0, 1.0]
    for given in (values, np.array(values), tuple(values)):
        assert not compare_values(run(text)["f"](given, 0.5), run(source)["f"](given, 0.5))


def test_a_list_that_the_function_itself_needs():
    """Only the compiled loop gets an array: what else the function does with a list, it does with the list."""
    source = """
import numpy as np

def f(data, log):
    if isinstance(data, list):
        print("repeated", data * 2, file=log)
    total, last = np.zeros(3), len(data) - 1
    for k in range(len(data)):
        total += np.sin(data[k]) * 2.0 + data[last - k] * np.cos(data[k])
    return total
"""
    made = convert(source, **FAST)[0]
    assert "jax.jit" in made
    for data in ([1.0, 2.0, 0.5, 3.0], (1, 2, 3), np.array([0.5, 2.0]), []):
        logs = io.StringIO(), io.StringIO()
        assert not compare_values(run(made)["f"](data, logs[0]), run(source)["f"](data, logs[1]))
        assert logs[0].getvalue() == logs[1].getvalue()


def test_integers_in_arrays_that_become_floats():
    """An annotation as an array says nothing of the dtype; a loop-carried value keeps the one that it starts with."""
    source = """
import numpy as np

def f(x: np.ndarray, log):
    print("start", file=log)
    for _ in range(9):
        x = np.sqrt(x + np.sin(x))
    return x
"""
    made = convert(source, **FAST)[0]
    assert "lax.fori_loop" in made
    for x in (np.array([1, 2, 3]), np.array([1, 2, 3], "int32"), np.array([0.5, 2.0]), np.array([0.5, 2.0], "float32")):
        assert not compare_values(run(made)["f"](x, io.StringIO()), run(source)["f"](x, io.StringIO())), x.dtype


WHILE = """
import numpy as np

class Model:
    def decay(self, c):
        out = np.zeros((len(c), 2))
        k = 0
        i = 0
        while i < len(c):
            out[i, k] += c[i] / 2.0
            if i % 2 == 0:
                k = 1 - k
            i += 1
        return out

    def _halves(self, c):
        out = np.zeros(len(c))
        t = 0.0
        for i in range(len(c)):
            t = 0.5 * t + c[i] / 2.0
            out[i] = t
        return out

    def run(self, x, coefficients):
        return np.sum(self.decay(coefficients)) * x + self._halves(coefficients)[0]
"""


@pytest.mark.parametrize("given", [[1.0, 2.0, 3.0], (0.5,), np.arange(1.0, 5.0)])
def test_list_through_methods(given):
    """Neither the loop that stays for empty arrays nor its guard asks a list for its shape; a private method gets it from a public
    one."""
    made, _functions, _diagnostics = convert(WHILE, **FAST)
    assert made.count("_as_array(c)") == 2 and ".shape" not in made
    ours, theirs = run(made)["Model"](), run(WHILE)["Model"]()
    compare_values(ours.run(2.0, given), theirs.run(2.0, given))
    compare_values(ours.decay([]), theirs.decay([]))


SUMS = """
import numpy as np

def f(x, width):
    out = np.zeros(len(x))
    print(width)
    for k in range(width, len(x)):
        total = x[k]
        for j in range(width):
            total = total + x[k - j - 1]
        out[k] = total
    return out
"""


def test_items_that_are_stored_by_way_of_a_variable_are_numbers():
    made = convert(SUMS, **FAST)[0]
    assert "_as_array(x)" in made
    for x in ([1, 2, 3, 4, 5], (1.0, 2.0, 3.0, 4.0), np.arange(6.0)):
        compare_values(run(SUMS)["f"](x, 2), run(made)["f"](x, 2))


KEPT = SUMS.replace("    return out", "    return out, total")


def test_items_that_are_returned_may_be_lists():
    assert "_as_array(x)" not in convert(KEPT, **FAST)[0]
