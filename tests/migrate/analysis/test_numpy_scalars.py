"""`m += v` where m may be a number of NumPy's: it is bound again, with the dtype that comes out, where an array keeps its own."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import body, check_agrees, convert, run

X = np.array([3, -5, 1, 7])
ARRAYS = [X, X.reshape(2, 2), X / 4, (X / 4).astype(np.float32), (X / 4).astype(np.float32).reshape(2, 2)]
MADE = {
    "a number of a row": "m = x[0] * 2",
    "an extreme": "m = np.maximum(x[0], 2)",
    "a function": "m = np.abs(x[1])",
    "a reduction": "m = np.sum(x, axis=0)",
    "a product": "m = x[0] @ x[0] if x.ndim > 1 else x[0] * x[1]",
    "of a sum": "s = x[0] + x[1]\n    m = s * 3",
    "of what was made": "q = x * 2\n    m = q[0]",
    "of what a function made": "q = np.sort(x, axis=0)\n    m = q[-1]",
    "of an expression": "m = (x + 1)[0]",
    "of a copy": "m = np.array(x)[1]",
    "the last row": "for m in x * 2:\n        pass",
    "unpacked": "m, *_ = x * 2",
    "the whole": "m = x + 1",
    "a copy": "m = x.copy()",
    "an array": "m = np.array(x)",
}
CHANGES = ["m += 0.5", "m /= 4", "m *= 2", "m -= v", "m *= v", "m += v[0]", "m += 1", "m += w", "m /= w", "m **= 2"]


def program(made, change, annotation):
    return f"import numpy as np\n\n\ndef f(x{annotation}, v, w):\n    {made}\n    {change}\n    return m\n"


@pytest.mark.quick(7)
@pytest.mark.parametrize("annotation", ["", ": np.ndarray"])
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("made", MADE.values(), ids=MADE)
def test_the_dtype_is_that_of_a_number_or_of_an_array(made, change, annotation):
    """An integer stayed one: of `m = x[0] * 2; m += 0.5` was left what has no fraction."""
    calls = [(x, v, 0.25) for x in ARRAYS for v in (x[0] / 8, np.full_like(x[0], 2))]
    check_agrees(program(made, change, annotation), *calls, keep=True)


@pytest.mark.parametrize("change", ["m += 0.5", "m -= v", "m *= w"])
def test_numbers_that_are_given(change):
    text = "import numpy as np\n\n\ndef f(k, v, w):\n    m = np.abs(k)\n    " + change + "\n    return m\n"
    check_agrees(text, (3, 2.5, 0.5), (-2.5, 2, 1), (np.int64(3), np.float64(0.5), 2), (X, X, 2))


def test_how_it_is_written():
    def made(*lines):
        return body(convert("import numpy as np\n\n\n" + "\n    ".join(lines) + "\n")[0])

    assert "    m = m + 0.5\n" in made("def f(x: np.ndarray):", "m = x[0] * 2", "m += 0.5", "return m")
    kept = made("def f(x: np.ndarray, v: np.ndarray):", "m = x * 2", "m += v", "return m")
    assert "    m = (m + v).astype(m.dtype)\n" in kept
    either = made("def f(x: np.ndarray, v: np.ndarray):", "m = np.sum(x, axis=0)", "m += v[0]", "return m")
    assert "    m = (m + v[0]).astype(m.dtype) if m.ndim else m + v[0]\n" in either
    used = made("def f(x: np.ndarray, v: np.ndarray):", "m = np.sum(x, axis=0)", "m += v", "return m[0]")
    assert "    m = (m + v).astype(m.dtype)\n" in used


def test_what_a_kept_function_made_with_an_array_is_no_number():
    """It was left as `v *= w`, which binds a jax.Array of float64. Found by random programs."""
    text = """\
import numpy as np


def f(p):
    rng = np.random.default_rng([1, 2])
    return p


a = np.array([0.0, 3.0], dtype=np.float32)
v = a + f(a)
f(v)
v *= np.ones(2)
"""
    assert "v = (v * jnp.ones(2)).astype(v.dtype)" in convert(text)[0]


@pytest.mark.parametrize("given", ["x[1:]", "x.T[0:2]", "x[0][0:1]", "(x[0] * 2)[0:1]", "x[:, 0:1]", "w.T[0:1]", "w[0:2]"])
def test_a_slice_is_an_array_and_no_number(given):
    """The function that changes it was kept, as if it were given a number."""
    text = "import numpy as np\n\n\ndef shift(a, by):\n    a += by\n\n\ndef f(x: np.ndarray):\n"
    text += f"    w = x[0] * 3\n    shift({given}, 1)\n    return x.sum(), w\n"
    check_agrees(text, (X.reshape(2, 2) / 4,))


@pytest.mark.parametrize("given", ["x[0]", "x[0:2][1]", "x[0] * 2", "x[0].T", "x[0][...]", "w"])
def test_what_may_be_a_number_is_left_as_it_was(given):
    text = "import numpy as np\n\n\ndef shift(a, by):\n    a += by\n\n\ndef f(x: np.ndarray):\n"
    text += f"    w = x[0] * 3\n    shift({given}, 1)\n    return x.sum(), w\n"
    check_agrees(text, (X / 4,), (X.reshape(2, 2) / 4,), keep=True)


@pytest.mark.parametrize("start", ["x[0] > 0", "x[0] > x[1]"])
@pytest.mark.parametrize("given", ["y[0]", "0.25", "2"])
def test_a_bool_of_one_element_is_bound_again(start, given):
    """It was taken for an array of bools, which `+=` keeps."""
    text = (
        "import numpy as np\nfrom numpy.typing import NDArray\n\n\n"
        f"def f(x: NDArray[np.float32], y: NDArray[np.float32]):\n    s = {start}\n    if x[0] > 1:\n        s += {given}\n    return s * 2\n"
    )
    made = convert(text, placement="device")[0]
    for first in (0.0, 2.0):
        x, y = np.float32([first, 1]), np.float32([0.7, 1])
        assert np.asarray(run(made)["f"](x, y)) == run(text)["f"](x, y), made


@pytest.mark.parametrize("update", ["s //= 2", "s += 1", "s *= 2", "s *= 0.5", "s /= 2"])
def test_a_number_takes_the_dtype_that_an_array_could_not_hold(update):
    """`s *= 2` raises for an array of bools, so that `s` is a number here, an int64 afterwards."""
    text = (
        "import numpy as np\nfrom numpy.typing import NDArray\n\n\n"
        f"def f(x: NDArray[np.uint8], y: NDArray[np.float32]):\n    s = x[0] > 0\n    {update}\n    return s + x, s * y\n"
    )
    check_agrees(text, (np.uint8([1, 2]), np.float32([0.1, 0.7])))
