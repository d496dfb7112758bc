"""Callers outside of the project pass what NumPy accepts, and get what NumPy returns or raises, with its text."""

import textwrap
from decimal import Decimal

import numpy as np
import pytest

from np2jax.tests.helpers.differential import convert, run

HEAD = "import numpy as np\n\n\n"
CALLS = {"np": np, "Decimal": Decimal, "A": np.array([0.5, 2.0, -1.0]), "M": np.arange(6.0).reshape(2, 3)}
OPERATION = (
    "unsupported operand",
    "can't multiply",
    "loop of ufunc",
    "bad operand",
    "ufunc ",
)  # how Python and NumPy refuse an operand


def outcome(namespace, call):
    """The result as NumPy arrays, or the exception."""
    try:
        result = eval(call, namespace | CALLS)
    except Exception as error:
        return type(error).__name__, str(error)
    return "returns", [np.asarray(part) for part in (result if isinstance(result, tuple) else (result,))]


def check_interface(text, calls, compiled=()):
    """Compare the calls before and after the conversion; the functions in `compiled` must be."""
    text = HEAD + textwrap.dedent(text).strip() + "\n"
    made, functions, _diagnostics = convert(text, placement="fast")
    assert all(functions[name].transform in ("jit", "outlined") for name in compiled), made
    before, after = run(text), run(made)
    for call in calls:
        (kind, result), (expected_kind, expected) = outcome(after, call), outcome(before, call)
        assert kind == expected_kind, (call, result, made)
        if kind != "returns":
            assert result == expected or expected.startswith(OPERATION), (call, result, expected)
            continue
        for one, other in zip(result, expected, strict=True):
            assert one.shape == other.shape and one.dtype == other.dtype, (call, made)
            np.testing.assert_allclose(one, other, rtol=1e-12, err_msg=call)


BODY = "return np.sum(np.sqrt(x**2 + y**2)) * np.cumsum(x) + np.sin(np.exp(y))"


@pytest.mark.parametrize(
    "check",
    [
        "if not isinstance(x, (list, tuple, np.ndarray)):\n        raise TypeError(f'no array: {type(x)}')",
        "if not isinstance(x, np.ndarray):\n        raise TypeError('no array')",
        "if isinstance(x, float):\n        raise TypeError('a number')",
        "if isinstance(x, str):\n        x = np.array([float(c) for c in x])",
        "if callable(x):\n        x = x(y)",
        "if isinstance(x, (list, tuple)):\n        x = np.array(x) * 2",
    ],
)
@pytest.mark.parametrize("annotation", ["", ": np.ndarray"])
def test_the_type_of_an_argument_is_tested(check, annotation):
    text = f"""
    def check(x{annotation}):
        {check.replace(chr(10), chr(10) + "    ")}
        return x


    def f(x{annotation}, y):
        {check.replace(chr(10), chr(10) + "    ")}
        {BODY}


    def g(x{annotation}, y):
        x = np.copy(check(x))
        {BODY}
    """
    calls = [f"{f}({x}, A)" for f in "fg" for x in ("A", "3.0", "3", "'123'", "[1.0, 2.0, 3.0]", "np.float64(2.0)", "np.sin")]
    check_interface(text, calls)


def test_containers_keep_their_type_when_compiled():
    text = f"""
    def f(x, y):
        if isinstance(x, (list, tuple)):
            x = np.array(x) * 2
        {BODY}
    """
    check_interface(text, ["f(A, A)", "f([1.0, 2.0, 3.0], A)", "f((1, 2, 3), A)"], compiled="f")


def test_text_in_a_list_that_an_annotation_calls_a_list():
    text = """
    def same_shapes(a, b, names: list = None) -> None:
        if names is None:
            names = ["a", "b"]
        a, b = np.cumsum(np.sqrt(a)), np.cumsum(np.sqrt(b))
        if a.shape != b.shape:
            raise ValueError(f"{names[0]} and {names[1]}: {a.shape}, {b.shape}")
        return np.cumsum(np.sqrt(a) * np.exp(b))


    class Pair:
        def __init__(self, a: np.ndarray, b: np.ndarray):
            self.a, self.b = a, b
            self.c = self.compute()

        def compute(self):
            self.a = np.copy(self.a)
            return same_shapes(self.a, self.b, ["a", "b"])
    """
    check_interface(text, ["Pair(A, A).c", "Pair(A, M).c", "same_shapes(A, M)", "same_shapes(A, A)"])
