"""Loops whose iterations give a variable another shape, and slices that meet what nobody knows the shape of: they stay Python's."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import check_agrees, convert

RNG = np.random.default_rng(3)
V = RNG.normal(size=7)

COMPACTION = {
    "mean of neighbours": "x = (x[1:] + x[:-1]) / 2",
    "weighted": "x = np.exp(-a) * (a * x[:-1] + (1 - a) * x[1:])",
    "extremes": "x = np.maximum(x[:-1], x[1:])",
    "negative": "x = -x[1:]",
    "differences of differences": "x = x[1:] - x[:-1]",
    "other array": "x = y[: len(x) - 1] * x[1:]",
    "part with a name": "part = x[1:]; x = part * 2",
    "parts with names": "p, q = x[1:], x[:-1]; r = p + q; x = r / 2",
    "several at once": "x, y = x[1:] - a * y[1:], y[:-1] - a * x[:-1]",
}
GROWTH = {
    "joined twice": "x = np.r_[np.r_[x, 1.0], y]",
    "rows and columns": "m = np.r_[np.c_[m, np.zeros(m.shape[0])], np.ones((1, m.shape[1] + 1))]",
    "nested": "x = np.concatenate([np.append(x, a), y])",
    "convolution": "x = np.convolve(x, y)",
    "products": "m = np.kron(m, np.ones((2, 2)))",
}
STAYING = {
    "first": "x = x - x[:1]",
    "last": "x = x - x[-1:]",
    "one": "x = y * x[:1]",
    "reversed": "x = (x[::-1] + 1) / 2",
    "items": "x = x * x[0]",
}


def source(body):
    return f"import numpy as np\n\n\ndef f(x: np.ndarray, y: np.ndarray, a: float, n: int):\n    for i in range(n):\n        {body}\n    return x\n"


@pytest.mark.quick(3)
@pytest.mark.parametrize("body", COMPACTION.values(), ids=COMPACTION)
def test_an_array_that_gets_shorter_stays_in_a_loop_of_pythons(body):
    text = check_agrees(source(body), (V, V[::-1].copy(), 0.25, 3), (V, V, 0.5, 0), (V[:1], V, 0.5, 1))
    assert "fori_loop" not in text
    assert any("the shape of `x` changes from one iteration to the next" in d.message for d in convert(source(body))[2])


@pytest.mark.quick(3)
@pytest.mark.parametrize("body", GROWTH.values(), ids=GROWTH)
def test_an_array_that_grows_stays_in_a_loop_of_pythons(body):
    text = source(body).replace("    for", "    m = np.eye(2)\n    for").replace("return x", "return x, m")
    made = check_agrees(text, (V, V[::-1].copy(), 0.25, 3), (V, V, 0.5, 0))
    assert "fori_loop" not in made


@pytest.mark.parametrize("body", STAYING.values(), ids=STAYING)
def test_an_array_that_meets_one_of_its_elements_keeps_its_shape(body):
    text = check_agrees(source(body), (V, V[::-1].copy(), 0.25, 3), (V, V, 0.5, 0))
    assert "fori_loop" in text


CONVOLUTION = """
import numpy as np


def f({parameters}):
    kh, kw = k.shape
    padded = np.pad(img, ((kh // 2, kh // 2), (kw // 2, kw // 2)))
    out = np.zeros(img.shape)
    for i in range(img.shape[0]):
        for j in range(img.shape[1]):
            out[i, j] = np.sum(padded[i : i + kh, j : j + kw] * k)
    return out
"""


@pytest.mark.parametrize("parameters", ["img, k", "img: np.ndarray, k: np.ndarray"])
def test_a_slice_of_constant_length_meets_an_array_as_long(parameters):
    """It was read whole under a mask, which the other array does not fit."""
    check_agrees(CONVOLUTION.format(parameters=parameters), (RNG.normal(size=(5, 6)), RNG.normal(size=(3, 3))))


def test_a_slice_whose_length_varies_meets_numbers_that_nobody_annotated():
    text = check_agrees(
        """
        import numpy as np

        def f(x: np.ndarray, scale):
            out = np.zeros(len(x))
            for i in range(len(x)):
                out[i] = np.sum(x[:i] * scale)
            return out
        """,
        (V, 2.0),
    )
    assert "for i in" not in text


def test_a_rate_to_the_power_of_the_index_does_not_tell_that_iterations_are_few():
    """jit would unroll all of them."""
    text = """
    import numpy as np

    def f(x: np.ndarray, rate: float, n: int):
        base = np.arange(n)
        for i in range(n):
            x = (x[1:] + x[:-1]) / 2 * {}
        return x, base
    """
    for power in (
        "rate**i",
        "np.sum(base ** np.arange(i, n))",
        "np.sum(x[i:] ** (1 / (n - i)))",
        "2 ** (1 / (n - i))",
        "rate[i:] ** i",
    ):
        assert "jit" not in convert(text.format(power), placement="fast")[0]
    assert "jit" in convert(text.format("2**i"), placement="fast")[0]
    check_agrees(text.format("2**i"), (np.sin(np.arange(7.0)), 0.5, 4))
