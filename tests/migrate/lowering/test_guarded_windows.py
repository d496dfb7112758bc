"""Windows of constant length that may end beyond their array: NumPy cuts them, and code on the host tests for it before compiled code."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import convert
from np2jax.tests.helpers.guarded_calls import guarded

RNG = np.random.default_rng(7)
U, D = RNG.normal(size=12), RNG.normal(size=12)
NAN = np.where(U > 1, np.nan, U)
IMAGE = RNG.normal(size=(6, 7))


def test_a_number_of_windows_that_the_caller_may_choose():
    text = guarded(
        """
        def f(u, d, m, n=None):
            if n is None:
                n = len(u) - m + 1
            y = np.zeros(n)
            w = np.zeros(m)
            for k in range(n):
                x = np.flipud(u[k : k + m])
                y[k] = np.dot(x, w)
                w = w + 0.1 * x * (d[k + m - 1] - y[k])
            return y, w
        """,
        (U, D, 3),
        (U, D, 3, 4),
        (NAN, D, 2),
        (U, D, 12),
        (U, D, 3, 0),
        (list(U), list(D), 3),
        (U.astype(np.float32), D, 3),
        (np.arange(12), np.arange(12), 3),
        (U, D, 5, 11),
    )
    assert "m + n <= u.shape[0] + 1" in text and "lax.dynamic_slice_in_dim(u" in text


def test_windows_that_numpy_cuts():
    text = guarded(
        """
        def f(x, n, m):
            x = np.asarray(x, float)
            y = np.zeros(n)
            for k in range(n):
                y[k] = np.median(x[k : k + m])
            return y
        """,
        (U, 4, 3),
        (U, 12, 3),
        (U, 10, 3),
        (U, 12, 1),
        (NAN, 10, 3),
        (list(U), 12, 2),
        (np.arange(12), 11, 3),
    )
    assert "if m >= 0 and m + n <= x.shape[0] + 1" in text


def test_windows_of_an_image():
    text = guarded(
        """
        def f(image: np.ndarray, h, size):
            out = np.zeros((size, size))
            for i in range(size):
                for j in range(size):
                    patch = image[i : i + h, j : j + h]
                    out[i, j] = patch.std()
            return out
        """,
        (IMAGE, 3, 3),
        (IMAGE, 3, 5),
        (IMAGE, 6, 1),
        (IMAGE, 2, 0),
    )
    assert "h + size <= image.shape[0] + 1" in text and "jax.vmap" in text


def test_what_the_code_before_shows_is_not_tested():
    text = guarded(
        """
        class Filter:
            def __init__(self, order, rate):
                self.order = order
                self.rate = rate
                self.w = np.zeros(order)

            def run(self, d, x):
                n = len(x)
                y = np.zeros(n)
                for k in range(self.order, n):
                    part = x[k - self.order : k]
                    y[k] = np.dot(self.w, part)
                    self.w += self.rate * (d[k] - y[k]) * part
                return y

        def f(d, x, order):
            return Filter(order, 0.1).run(d, x)
        """,
        (D, U, 3),
        (D, NAN, 2),
        (D, U, 0),
        (D, U, 12),
    )
    assert "if self.order >= 0 and self.order < n" in text


def test_an_optional_array_of_a_dtype_that_the_arguments_tell():
    text = guarded(
        """
        def f(u, m, keep=False):
            dtype = np.complex128 if np.iscomplexobj(u) else np.double
            n = len(u) - m + 1
            y = np.zeros(n, dtype=dtype)
            print(dtype.__name__)
            if keep:
                kept = np.zeros((n, m), dtype=dtype)
            for k in range(n):
                x = np.flipud(u[k : k + m])
                y[k] = np.dot(x, x) - y[k - 1]
                if keep:
                    kept[k] = x * y[k]
            return (y, kept) if keep else y
        """,
        (U, 3),
        (U, 3, True),
        (U + 1j * D, 3),
        (U + 1j * D, 3, True),
        (np.arange(12), 4, True),
        (U, 13, True),
    )
    assert "kept = None" in text and "_f_loop(keep, " in text


def test_what_only_copies_stays():
    """NumPy copies slices in less time than it takes to move them to the device and back."""
    source = (
        "import numpy as np\n\n\ndef f(x: np.ndarray, n, m):\n    y = np.empty((n, m))\n    for k in range(n):\n"
        "        y[k] = x[k : k + m]{}\n    return y\n"
    )
    assert "jax" not in convert(source.format(""), placement="fast")[0]
    assert "lax.dynamic_slice" in convert(source.format(" ** 3 * 2"), placement="fast")[0]


@pytest.mark.parametrize("placement", ["fast", "device"])
def test_masks_of_whole_arrays_take_no_test(placement):
    """`x[:-k]` and `x[k:]` have no constant length."""
    source = (
        "import numpy as np\n\n\ndef f(x, lags):\n    n = len(x)\n    r = np.zeros(lags)\n    for k in range(lags):\n"
        "        r[k] = np.dot(x[: n - k], x[k:])\n    return r\n"
    )
    assert "lags <=" not in convert(source, placement=placement)[0]
