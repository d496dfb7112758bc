"""`float()`, `int()`, `bool()` and `.item()` of numbers that JAX computes."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import check_agrees, convert, function, run
from np2jax.tests.helpers.rule_examples import example_of

test_example = example_of(__name__)

VECTOR = np.array([3.0, -1.5, 0.5, 2.0])
VECTORS = (VECTOR, np.array([np.nan, 1.0, 2.0, 0.0]), np.array([np.inf, 1.0, -np.inf, 2.0]), np.array([1, 2, 3, 4]))
INTEGERS = np.array([3, -1, 2, 5])


def compiled(body, *calls, params="x: np.ndarray"):
    text = check_agrees(function(body, params), *calls)
    assert "@jax.jit" in text or "jax.jit, static" in text, text
    return text


@pytest.mark.quick(4)
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


COLUMN = np.array([[3.0], [-1.5], [0.5]])
ONLY_ITEMS = [
    "s = 0.0\nfor _ in range(3):\n    a = (x.T @ x).item()\n    x = x / (1 + a)\n    s = s + a\nreturn x, s",
    "n, a = 0, 9.0\nwhile np.sqrt(a) > 1e-3 and n < 50:\n    a = (x.T @ x).item()\n    x = 0.5 * x\n    n = n + 1\nreturn x, n",
    "for k in range(4):\n    if (x.T @ x).item() > 2 * k:\n        x = x - 1 / (1 + np.abs(x).sum().item())\nreturn x",
    "s = 0.0\nfor k in range(3):\n    v = x.ravel()\n    s = s + v.dot(v).item() - x.max().item() * k\nreturn s",
]


@pytest.mark.parametrize("body", ONLY_ITEMS)
def test_the_only_item_of_an_array_in_a_loop(body):
    for params in ("x: np.ndarray", "x"):
        calls = ((COLUMN,), (COLUMN * np.nan,), (np.array([[np.inf], [1.0]]),), (np.array([[2]]),), (np.zeros((2, 1)),))
        assert ".item()" not in compiled(f"x = x + 0.0\n{body}", *calls, params=params)


def test_only_items_of_narrow_dtypes():
    """A Python integer has no limits, and a Python float 64 bits."""
    body = "s = 0\nfor k in range(3):\n    s = s + x.max().item() * 2 + k\nreturn s"
    calls = [
        (np.array([200, 3], dtype=np.uint8),),
        (np.array([100, -3], dtype=np.int8),),
        (np.array([True, False]),),
        (INTEGERS,),
    ]
    assert ".item()" not in compiled(body, *calls)
    cast = "y = x.astype(np.{})\ns = 0.0\nfor k in range(3):\n    s = s + (y.T @ y).item()\nreturn s"
    for dtype in ("float32", "int16", "complex128"):
        assert ".item()" in check_agrees(function(cast.format(dtype)), (COLUMN,), keep=True)


def test_several_items_have_no_only_one():
    text = compiled("x = x + 0.0\ns = 0.0\nfor k in range(3):\n    s = s + (x.T @ x).item()\nreturn s", (COLUMN,))
    with pytest.raises(TypeError):
        run(text)["f"](np.ones((2, 2)))


ITEMS_THAT_STAY = [
    "s = [0.0]\nfor k in range(3):\n    s.append((x.T @ x).item() + k)\nreturn s",
    "for k in range(3):\n    print((x.T @ x).item())\nreturn x",
    "d = {}\nfor k in range(3):\n    d[(x.T @ x).item() + k] = k\nreturn len(d)",
    "for k in range(int((x.T @ x).item())):\n    x = x + [0.0] * int(x[0].item() % 2 + 1)\nreturn x",
    "for k in range(3):\n    x = x * x.item(0)\nreturn x",
    "i = np.arange(3)\nfor k in range(3):\n    i = i * (x.T @ x).item()\nreturn i",
]


@pytest.mark.quick(3)
@pytest.mark.parametrize("body", ITEMS_THAT_STAY)
def test_items_that_python_needs(body):
    check_agrees(function(body, "x"), (COLUMN,), (np.array([[2.0]]),), keep=True)
    check_agrees(function(body), (COLUMN,), (np.array([[2.0]]),), keep=True)


def test_numbers_leave_a_loop_as_numbers():
    """A method of conjugate gradients, whose checks and start stay NumPy's."""
    before = """
import numpy as np


def f(a, b, tolerance: float = 1e-9, rounds: int = 100):
    assert np.allclose(a, a.T)
    x = np.zeros_like(b)
    r = b - a @ x
    p, old, count = r.copy(), (r.T @ r).item(), 0
    while np.sqrt(old) > tolerance and count < rounds:
        ap = a @ p
        alpha = old / (p.T @ ap).item()
        x = x + alpha * p
        r = r - alpha * ap
        new = (r.T @ r).item()
        p = r + new / old * p
        old, count = new, count + 1
    return x, count, old
"""
    text, functions, _diagnostics = convert(before, placement="fast")
    assert functions["f"].transform == "outlined" and "while_loop" in text, text
    root = np.random.default_rng(0).normal(size=(5, 5))
    for dtype in ("float64", "float32"):
        a, b = (root @ root.T + np.eye(5)).astype(dtype), np.arange(5.0).reshape(5, 1).astype(dtype)
        x, count, old = run(text)["f"](a, b, 1e-3)
        want, steps, rest = run(before)["f"](a, b, 1e-3)
        assert np.allclose(x, want, rtol=1e-4) and x.dtype == want.dtype and type(x) is np.ndarray
        assert count == steps and np.isclose(old, rest, rtol=1e-2, atol=1e-8)
        assert type(count) is type(steps) is int and isinstance(old, np.floating)
