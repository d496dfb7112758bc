"""`float()`, `int()`, `bool()` and `.item()` of numbers that JAX computes."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import check_agrees, function
from np2jax.tests.helpers.rule_examples import example_of

test_example = example_of(__name__)

VECTOR = np.array([3.0, -1.5, 0.5, 2.0])
VECTORS = (VECTOR, np.array([np.nan, 1.0, 2.0, 0.0]), np.array([np.inf, 1.0, -np.inf, 2.0]), np.array([1, 2, 3, 4]))
INTEGERS = np.array([3, -1, 2, 5])


def compiled(body, *calls, params="x: np.ndarray"):
    text = check_agrees(function(body, params), *calls)
    assert "@jax.jit" in text or "jax.jit, static" in text, text
    return text


@pytest.mark.parametrize(
    "body",
    [
        "return float(x.sum()) / len(x)",
        "s = float(np.sum(x ** 2))\nif s > 1.0:\n    s = 1.0\nreturn s * x",
        "return bool(np.any(x > 0))",
        "if bool((x > 0).all()):\n    return np.log(x).sum()\nreturn 0.0",
        "return np.array([float(x[0]), float(x[1])])",
        "return float(x[0] > 1)",
        "return float(x @ x) + float(np.dot(x, x))",
        "return bool(x[0]), bool(x[3])",
        "return float(np.argmax(x)) / 2",
        "m = x - float(x.mean())\nreturn m",
    ],
)
def test_floats_and_bools(body):
    compiled(body, *((v,) for v in VECTORS))


@pytest.mark.parametrize(
    "body",
    [
        "return int(x[0] * 2.9) + int(-2.7 * x[1])",
        "i = int(np.argmax(x))\nreturn x[i], i",
        "return int(x.min() < 0)",
        "return x[int(x[2])] ** 2",
        "k = int(x[0])\nreturn k // 2, k % 2, k / 2, -k",
    ],
)
def test_integers(body):
    compiled(body, (VECTOR,), (INTEGERS,), (-VECTOR,))


def test_a_number_that_is_an_index_stays_traced():
    text = compiled("i = int(t * (len(x) - 1))\nreturn x[i]", (VECTOR, 0.4), (VECTOR, 1.0), params="x: np.ndarray, t: float")
    assert "static" not in text


def test_a_number_that_is_a_size_is_static():
    text = compiled("half = int(n / 2)\nreturn x[:half]", (VECTOR, 3), params="x: np.ndarray, n: int")
    assert 'static_argnames="n"' in text
    assert "int(n / 2)" in text


def test_a_complex_number_is_made_of_two():
    """The imaginary part was traced, and complex() of Python's refuses it."""
    text = compiled("c = complex(a, b)\nreturn x * c", (VECTOR, 0.5, -2.0), params="x: np.ndarray, a: float, b: float")
    assert 'static_argnames=("a", "b")' in text


def test_a_size_that_values_tell_stays():
    text = check_agrees(function("return np.zeros(int(x.sum()))"), (VECTOR,))
    assert "jit" not in text


def test_a_flag_stays_pythons():
    text = compiled(
        "if bool(flag):\n    return np.zeros(3)\nreturn x", (VECTOR, True), (VECTOR, False), params="x: np.ndarray, flag: bool"
    )
    assert "static" in text


def test_a_float64_is_one_already():
    assert "return x.sum() / 2" in compiled("x = np.zeros(3) + 1\nreturn float(x.sum()) / 2", (VECTOR,))


def test_narrow_arrays_keep_their_dtype():
    """A Python float gives way to float32, one of JAX does not."""
    for body in (
        "y = x.astype(np.float32)\nreturn y * float(y.sum())",
        "y = x.astype(np.float32)\ns = 2 * float(y.sum())\nreturn np.maximum(y, s)",
        "y = x.astype(np.int16)\nreturn y + int(y[0])",
    ):
        assert "jit" not in check_agrees(function(body), (VECTOR,))


def test_the_key_of_a_dict_stays():
    check_agrees(function("d = {0: 1.0, 1: 2.0}\nreturn d[int(np.argmax(x)) % 2] * x"), (VECTOR,), keep=True)


def test_items():
    assert ".item()" not in compiled("y = np.cumsum(x.astype(np.float64))\nreturn y.max().item() - y.min().item()", (VECTOR,))
    assert ".item()" in check_agrees(function("return x.max().item()"), (VECTOR,))  # int32 or int64, for all that is known


def test_in_a_loop():
    body = "counts = np.zeros(4)\nfor v in x:\n    k = int(v / w)\n    if 0 <= k < 4:\n        counts[k] += 1\nreturn counts"
    text = compiled(body, (VECTOR, 1.0), (VECTOR, 0.7), (INTEGERS * 1.0, 2.0), params="x: np.ndarray, w: float")
    assert "reshape" not in text


def test_text_is_no_number():
    check_agrees(function("return float(x) * 2", "x"), ("1.5",), (2,), keep=True)


def test_an_array_of_one_element():
    compiled("return float(x @ y)", (np.ones((1, 4)), VECTOR), (VECTOR, VECTOR), params="x: np.ndarray, y: np.ndarray")


@pytest.mark.parametrize("iterations", ["int(n)", "int(n) + 1", "int(2 * n)", "int(n), 0, -1"])
def test_the_number_of_iterations_is_an_integer_of_pythons(iterations):
    """JAX may count the iterations, but cannot make Python's number: the parameter is static."""
    source = f"""
    import numpy as np

    def f(x: np.ndarray, n):
        for _ in range({iterations}):
            x = 0.5 * x + 1
        return x
    """
    text = check_agrees(source, (VECTOR, 3), (VECTOR, 2.7), (VECTOR, np.float64(0.0)), (VECTOR, np.int64(2)))
    assert 'static_argnames="n"' in text
