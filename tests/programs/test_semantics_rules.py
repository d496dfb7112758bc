"""Silent differences between NumPy and JAX, row by row: mended, refused or reported. D: dtypes, E: errors, P: numbers."""

import jax.numpy as jnp
import numpy as np
import pytest

from np2jax.tests.helpers.differential import check_agrees, convert, kept, run
from np2jax.tests.helpers.observed import check_program, taped

I32, F32, U8 = np.array([1, 2, 3], np.int32), np.array([0.5, 1.5, -2.5], np.float32), np.array([7, 200, 255], np.uint8)
I64, F64 = np.array([4, 5, 6]), np.array([0.1, 0.2, 0.3])


def function(body, params="x", hint="x: np.ndarray"):
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    return f"import numpy as np\n\n\ndef f({hint if params == 'x' else params}):\n{lines}"


def notes(text, **options):
    return {d.code for d in convert(text, **options)[2] if not d.fixed}


@pytest.mark.parametrize(
    "expression",
    [
        "x.astype(np.int32) * x.astype(np.float32)",
        "x.astype(np.float32) - np.arange(3)",
        "x.astype(np.uint32) + x.astype(np.float32)",
        "x.astype(np.float16) * x.astype(np.int16)",
        "x.astype(np.int32) / 2",
        "2 / x.astype(np.int32)",
        "x.astype(np.uint8) / 255",
        "x.astype(np.int16) / x.astype(np.int8)",
        "(x > 1) / (x < 9)",
        "x.astype(np.float32) @ np.arange(3)",
        "x.astype(np.float32) > np.arange(3)",
        "np.add(x.astype(np.float32), np.arange(3))",
        "np.divide(x.astype(np.int32), 2)",
        "np.where(x > 1, x.astype(np.float32), np.arange(3))",
        "np.concatenate([x.astype(np.float32), np.arange(3)])",
        "np.dot(x.astype(np.float32), np.arange(3))",
        "np.hypot(x.astype(np.float32), np.arange(3))",
        "-x.astype(np.float32) * x.astype(np.int64)",
    ],
)
def test_d02_integers_with_narrow_floats(expression):
    check_agrees(function(f"return {expression}"), (I64,))


def test_d02_augmented_of_a_scalar():
    check_agrees(function("total = 0.5\nfor i in range(2):\n    total += x.astype(np.int32)[i] / 2\nreturn total"), (I64,))


@pytest.mark.parametrize("expression", ["x.astype(np.uint64) + x.astype(np.int64)", "np.add(x.astype(np.uint64), np.arange(3))"])
def test_d03_unsigned_with_signed(expression):
    check_agrees(function(f"return {expression}"), (I64,))


@pytest.mark.parametrize(
    "expression",
    [
        "x.astype(np.float32) * np.exp(t)",
        "x.astype(np.float32) * np.float64(3)",
        "x.astype(np.float32) + np.float64(t)",
        "x.astype(np.float32) * np.sqrt(2)",
        "x.astype(np.float32) * np.where(x > 1, 1.0, 0.0)",
        "x.astype(np.float32) * np.full(3, 0.5)",
        "(x.astype(np.uint8) * 0.5) * x.astype(np.float32)",
        "x.astype(np.float32) * np.array(0.5)",
        "np.append(x.astype(np.float32), 0.5)",
        "np.maximum(x.astype(np.float32), np.exp(t))",
        "x.astype(np.int8) & np.full(3, 3)",
        "np.full(3, 300) | x.astype(np.uint8)",
        "x.astype(np.int32) ^ np.where(x > 1, 1, 0)",
        "x.astype(np.int8) << np.full(3, 9)",
        "np.array(1025) >> x.astype(np.uint16) % 3",
        "np.bitwise_and(x.astype(np.int16), np.full(3, 70000))",
    ],
)
def test_d04_numbers_are_strong(expression):
    check_agrees(function(f"return {expression}", "x: np.ndarray, t: float"), (I64, 0.25))


@pytest.mark.parametrize("expression", ["x.astype(np.float32) * 2.5", "x.astype(np.float32) * np.pi", "x.astype(np.uint8) + 3"])
def test_d04_python_numbers_give_way(expression):
    assert "float64" not in check_agrees(function(f"return {expression}"), (I64,)).partition("def f")[2]


@pytest.mark.parametrize("dtype", ["np.uint8", "np.int16", "int", "'u1'", "np.int64", "'int32'"])
def test_d07_floats_become_integers(dtype):
    assert "NJ603" in notes(function(f"return x.astype({dtype})"))
    assert "NJ603" in notes(function(f"return np.asarray(x, {dtype})"))
    assert "NJ603" in notes(function(f"return np.array(x * 0.5, dtype={dtype})"))


@pytest.mark.parametrize(
    "expression",
    [
        "x.astype(float)",
        "np.arange(3).astype(np.uint8)",
        "(x > 0).astype(int)",
        "np.clip(x, 0, 255).astype(np.uint8)",
        "x.astype(np.float32)",
    ],
)
def test_d07_what_is_in_range(expression):
    assert "NJ603" not in notes(function(f"return {expression}"))


@pytest.mark.parametrize(
    "expression",
    ["np.arange(3) // x.astype(int)", "np.arange(3) % x.astype(int)", "np.floor_divide(np.arange(3), x.astype(int))"],
)
def test_d08_integer_division(expression):
    assert notes(function(f"return {expression}")) & {"NJ602", "NJ604"}


@pytest.mark.parametrize(
    "expression", ["np.arange(3) // 2", "x / 2", "x // 0.5", "np.arange(3) % 7", "len(x) // x.ndim", "x % 2.0"]
)
def test_d08_what_cannot_divide_by_zero(expression):
    assert not notes(function(f"return {expression}")) & {"NJ602", "NJ604"}


def test_d09_negative_powers():
    assert "NJ605" in notes(function("return np.arange(3) ** x.astype(int)"))
    assert "NJ605" in notes(function("return np.power(np.arange(3), x.astype(int))"))
    assert "NJ605" not in notes(function("return np.arange(3) ** 2 + x ** 3"))


@pytest.mark.parametrize(
    "expression",
    [
        "np.cumsum(x.astype(np.int8))",
        "np.cumprod(x.astype(np.uint8))",
        "x.astype(np.int16).cumsum()",
        "np.log(x.astype(np.int8))",
        "np.sqrt(x.astype(np.int32))",
        "np.digitize(x, np.arange(3))",
        "np.searchsorted(np.arange(9), x)",
        "np.arange(9).searchsorted(x)",
        "np.mean(x.astype(np.int32))",
        "x.astype(np.uint8).mean()",
        "(x > 4).mean()",
        "np.std(x.astype(np.int16))",
        "x.astype(np.int32).var(ddof=1)",
        "np.median(x.astype(np.int32))",
        "np.linalg.norm(x.astype(np.int32))",
        "np.argmax(x)",
        "x.argsort()",
        "np.average(x.astype(np.int32), weights=[1, 2, 3])",
        "np.interp(x.astype(np.float32), [1.0, 9.0], [2.0, 3.0])",
        "np.trapezoid(x.astype(np.int32))",
    ],
)
def test_d12_dtypes_of_results(expression):
    check_agrees(function(f"return {expression}"), (I64,))


def test_d12_counts_of_a_histogram():
    check_agrees(function("return np.histogram(x, 3)"), (np.arange(5.0),), (np.arange(5),))


def test_d13_symmetric_matrices():
    matrix = np.array([[4.0, 99.0], [1.0, 3.0]])
    check_agrees(function("return np.linalg.cholesky(x)"), (matrix,))
    check_agrees(function("return np.linalg.eigvalsh(x)"), (matrix,))
    check_agrees(function("return np.linalg.eigh(x)[0]"), (matrix,))


@pytest.mark.parametrize("comparison", ["x == None", "x != None", "None == x", "x == 'a'"])
def test_d17_arrays_compared_with_none(comparison):
    assert "NJ606" in kept(function(f"return {comparison}"))


def test_d17_arguments_compared_with_none():
    assert "NJ606" in notes("import numpy as np\n\ndef f(x=None):\n    if x == None:\n        return 0\n    return np.sum(x)\n")
    assert "NJ606" not in notes(
        "import numpy as np\n\ndef f(x=None):\n    if x is None:\n        return 0\n    return np.sum(x)\n"
    )


@pytest.mark.parametrize(
    "body",
    [
        "try:\n    return x[i]\nexcept IndexError:\n    return 0.0",
        "try:\n    return np.linalg.inv(x)\nexcept np.linalg.LinAlgError:\n    return x",
        "try:\n    return np.linalg.inv(x)\nexcept ValueError:\n    return x",
        "try:\n    return np.take(x, i)\nexcept (IndexError, TypeError):\n    return x",
        "try:\n    return np.log(x)\nexcept FloatingPointError:\n    return x",
        "try:\n    return np.log(x)\nexcept RuntimeWarning:\n    return x",
        "with np.errstate(all='raise'):\n    return x / i",
        "np.seterr(invalid='raise')\nreturn np.log(x)",
    ],
)
def test_e02_exceptions_that_jax_does_not_raise(body):
    assert kept(function(body, "x: np.ndarray, i"))


def test_e02_other_exceptions_are_still_raised():
    body = "try:\n    return np.sum(x) / len(name)\nexcept (TypeError, KeyError):\n    return 0.0"
    check_agrees(function(body, "x: np.ndarray, name"), (F64, "abc"), (F64, 3))


@pytest.mark.parametrize(
    "expression",
    [
        "np.nanargmax(x)",
        "np.bincount(x)",
        "np.unravel_index(x, (3, 3))",
        "np.linalg.inv(x)",
        "np.linalg.solve(x, x)",
        "np.take(x, 5)",
    ],
)
def test_e03_errors_that_disappear(expression):
    assert "NJ602" in notes(function(f"return {expression}"))


@pytest.mark.parametrize("test", ["isinstance(y, float)", "isinstance(y, (int, np.floating))", "type(y) is np.float64"])
def test_p01_results_are_no_python_numbers(test):
    assert "NJ108" in kept(function(f"y = np.sum(x)\nif {test}:\n    return 1.0\nreturn y"))


def test_p01_numbers_that_callers_give():
    text = function("if not isinstance(n, (int, np.integer)):\n    return 0\nreturn np.sum(x) * n", "x: np.ndarray, n")
    assert "np.integer" in check_agrees(text, (F64, 3), (F64, np.int64(2)), (F64, 2.5))
    assert "isinstance(_number(n), (int, np.integer))" in convert(text)[0]


TYPE_TESTS = [
    "isinstance(v, float)",
    "isinstance(v, (int, float))",
    "isinstance(v, np.floating)",
    "isinstance(v, numbers.Real)",
    "isinstance(v, complex)",
    "not isinstance(v, np.ndarray)",
    "not isinstance(v, (list, np.ndarray))",
    "isinstance(v, np.generic)",
    "not isinstance(v, Iterable)",
    "not hasattr(v, '__len__')",
    "type(v) in (float, np.float64)",
    "type(v) is np.float64",
    "np.isscalar(v)",
]


@pytest.mark.parametrize("test", TYPE_TESTS)
@pytest.mark.parametrize("given", ["x[0], x, x.sum(), np.mean(x) + 1, 3, 2.5", "x[0], x, 3, [1.5]", "x[1:], x[1]", "2.5, -1.0"])
def test_numbers_that_other_functions_give_are_numbers(test, given):
    """An item, or a sum, of JAX's is an array of rank 0: no `float`, but one with a length."""
    text = f"""
    import numbers
    from collections.abc import Iterable

    import numpy as np

    def g(v):
        if {test}:
            return 1.0
        return 0.0

    def f(x: np.ndarray):
        return [g(v) for v in ({given})], [g(x[i]) for i in range(len(x))], g(np.max(x))
    """
    check_agrees(text, (np.arange(1.0, 5.0),), (np.arange(1, 5),), (np.array([1j, 2.0]),), keep=True)


def test_what_is_made_an_array_of_may_be_one_already():
    text = (
        "import numpy as np\n\ndef f(v):\n    if not isinstance(v, np.ndarray):\n        v = np.asarray(v)\n    return v.sum()\n"
    )
    assert "_number" not in check_agrees(text, (F64,), ([1.0, 2.0],), (2.5,))
    for plain in ("isinstance(v, (str, dict))", "isinstance(v, int)", "hasattr(v, 'fit')", "isinstance(v, list)"):
        text = f"import numpy as np\n\ndef f(v):\n    if {plain}:\n        return 1.0\n    return np.sum(v)\n"
        assert "_number" not in check_agrees(text, (F64,), keep=True)


def test_float32_asks_for_no_64_bits():
    text = "return np.zeros(3, np.float64), x.astype('float64'), np.mean(np.arange(3)), np.arange(3, dtype=np.int64) / 2"
    assert "64" not in convert(function(text), precision="float32")[0]


@pytest.mark.parametrize(
    "expression",
    [
        "x.astype(np.uint8) == -1",
        "x.astype(np.uint8) != -1",
        "x.astype(np.uint8) < 300",
        "-1 < x.astype(np.uint8)",
        "300 >= x.astype(np.int8)",
        "x.astype(np.uint16) > -5",
        "x.astype(np.int32) < 5000000000",
        "x.astype(np.uint32) == -1",
        "np.sum(x).astype(np.uint8) > -1",
        "x.astype(np.uint8) == 255",
        "x.astype(np.int8) > -128",
        "(x > 2) == 1",
    ],
)
def test_d05_comparisons_with_numbers_out_of_range(expression):
    check_agrees(function(f"return {expression}"), (np.array([7, 100, 127, 255]),))


UNSIGNED = (np.array([0, 1, 200, 255], np.uint8), np.array([0, 2**53 + 1, 2**64 - 1], np.uint64), np.array([1, 2**31], np.uint32))
SIGNED = (np.array([-1, 0, 5]), np.array([-1.0, np.nan, -np.inf, -2.5]), np.array([True, False]), np.array([], np.uint8))


@pytest.mark.parametrize(
    "expression",
    [
        *(f"x {operator} {number}" for operator in ("<", "<=", ">", ">=", "==", "!=") for number in (-1, -1000)),
        "-1 < x",
        "np.where(x != -1, x, 7)",
        "x[x > -1]",
        "np.sum(x[:2] > -1)",
        "(x == -1) | (x > -2)",
        "x.T[...] > -1",
    ],
)
def test_d05_negative_numbers_beside_arrays_of_any_dtype(expression):
    text = check_agrees(function(f"return {expression}"), *((x,) for x in UNSIGNED + SIGNED))
    assert "-1.0" in text or "-1000.0" in text or "-2.0" in text


def test_d05_negative_numbers_beside_an_item():
    body = "count = 0\nfor i in range(len(x)):\n    if x[i] > -1:\n        count += 1\nreturn count"
    check_agrees(function(body), *((x,) for x in UNSIGNED + SIGNED))


@pytest.mark.parametrize(
    "expression",
    [
        "x.astype(np.float64) > -1",
        "x.astype(np.int64) == -1",
        "x > -1.5",
        "len(x) > -1",
        "x.shape[0] != -1",
        "x > 1",
        "x * -1",
        "x[-1]",
    ],
)
def test_d05_numbers_that_stay_integers(expression):
    assert "-1.0" not in convert(function(f"return {expression}"))[0]


@pytest.mark.parametrize(
    "expression",
    [
        "x.astype(np.uint64) == -1",
        "np.clip(x.astype(np.int8), 0, 300)",
        "x.astype(np.uint8).clip(-1, 20)",
        "np.less(x.astype(np.uint8), 300)",
        "np.isclose(x.astype(np.uint8), -1)",
        "np.searchsorted(x.astype(np.uint8), 300)",
    ],
)
def test_d05_what_no_cast_mends_is_kept(expression):
    assert "NJ610" in kept(function(f"return {expression}"))


def test_d05_arithmetic_that_numpy_refuses():
    assert "NJ610" in notes(function("return x.astype(np.uint8) + 300"))
    assert "NJ610" not in notes(function("return x.astype(np.uint8) + 3, x.astype(np.uint8) / 300, x + 300, x > 2.5"))


@pytest.mark.parametrize(
    "name", ["trapezoid(x)", "interp(y, x, x)", "percentile(x, 50)", "quantile(x, 0.5)", "nanpercentile(x, 5)"]
)
def test_p_infinities_that_the_code_names_are_reported(name):
    """NumPy gives NaN, or none, where JAX gives other results: said where infinities are seen."""
    call = f"return np.{name}"
    for line in ("y = np.where(x > 0, x, np.inf)", 'y = x / float("-inf")', "from math import inf as inf\ny = x + inf"):
        said = convert(function(f"{line}\n{call}"))[2]
        assert any(d.code == "NJ602" and "infinit" in d.message and not d.fixed for d in said)
    assert not any("infinit" in d.message for d in convert(function(f"y = x + 1\n{call}"))[2])
    said = convert(f"import numpy as np\n\nx = y = np.array([np.inf, 1.0])\nz = np.{name}\n")[2]
    assert any("infinit" in d.message for d in said)


@pytest.mark.parametrize("function_", ["percentile", "quantile", "nanpercentile", "nanquantile"])
def test_p_of_two_that_are_as_near_numpy_takes_the_even_one(function_):
    assert "nearest" in kept(function(f'return np.{function_}(x, 0.5, method="nearest")'))
    for method in ("linear", "lower", "higher", "midpoint"):
        check_agrees(function(f'return np.{function_}(x, 0.5, method="{method}")'), (F64,), (np.array([1.0, 2.0, 4.0, 8.0]),))


MATRICES = (
    np.array([[1.0, 2, 3], [0, 1, 4], [0, 0, -2]]),
    np.array([[2.0, 1, 0], [1, 3, 1], [0, 1, -1]]),
    np.array([[0.0, -1], [1, 0]]),
    -np.eye(2),
)


@pytest.mark.parametrize(
    "body", ["(w < 0).all()", "w.max()", "np.sort(w)", "w[np.argsort(w)]", "w[0] > w[1]", "np.where(w > 0, w, 0)"]
)
def test_p_eigenvalues_compare_as_numpys_do(body):
    """They are complex in JAX also where NumPy's are real, and are compared by their real parts first, as NumPy compares complex ones."""
    text = convert(function(f"w = np.linalg.eigvals(x)\nreturn {body}"))[0]
    for matrix in MATRICES:
        want, got = run(function(f"w = np.linalg.eigvals(x)\nreturn {body}"))["f"](matrix), run(text)["f"](jnp.asarray(matrix))
        np.testing.assert_allclose(np.asarray(got), np.asarray(want), atol=1e-12)
    assert "NJ602" in notes(function(f"w = np.linalg.eigvals(x)\nreturn {body}"))


@pytest.mark.parametrize("value", ["x * 0.5", "x", "np.sqrt(x)"])
def test_d07_floats_written_into_integers(value):
    assert "NJ603" in notes(function(f"y = np.zeros(3, np.uint8)\ny[:] = {value}\nreturn y"))


@pytest.mark.parametrize("value", ["3", "2.7", "np.arange(3)", "np.clip(x, 0, 9)", "x > 2"])
def test_d07_what_fits_is_written_without_a_word(value):
    assert "NJ603" not in notes(function(f"y = np.zeros(3, np.uint8)\ny[:] = {value}\nreturn y"))


@pytest.mark.parametrize(
    "body",
    [
        "return hash(np.sum(x))",
        "return {v: 1 for v in x}",
        "return {v for v in x}",
        "s = set()\nfor v in x:\n    s.add(v)\nreturn len(s)",
        "d = {}\nreturn d.get(np.max(x), 0)",
        "return np.allclose(x, 1) is True",
        "return np.any(x) is not False",
    ],
)
def test_p01_arrays_have_no_hash_and_are_never_true_itself(body):
    assert "NJ108" in kept(function(body))


@pytest.mark.parametrize("body", ["return x.sum().hex()", "return np.max(x).as_integer_ratio()", "return np.sum(x).numerator"])
def test_p01_methods_of_scalars_that_jax_lacks(body):
    assert kept(function(body))


def test_p01_whole_numbers():
    check_agrees(function("return np.sum(x).is_integer()"), (F64,), (np.array([1.0, 2.0]),), (np.array([np.inf]),))


@pytest.mark.parametrize(
    ("body", "calls"),
    [
        ("return np.polynomial.chebyshev.chebval(np.sqrt(x), np.array([[1.0, 2.0], [3.0, 4.0]]))", [(np.array([1.0, 4.0]),)]),
        ("return np.polynomial.legendre.leggrid2d(x * 2, x, np.eye(2))", [(F64,)]),
        ("return np.polynomial.hermite.hermval(x, [1.0, 2.0])", [(F64,), (I64,)]),
        ("np.testing.assert_equal(np.sqrt(x), np.sqrt(x))\nreturn x * 2", [(F64,)]),
        ("np.testing.assert_allclose(np.sqrt(x) ** 2, x)\nreturn x * 2", [(F64,)]),
        ("p = np.polynomial.Polynomial([1, 2, 3])\nreturn p(np.sqrt(x))", [(F64,)]),
        ("return np.polynomial.polynomial.polyval(x + 1, [1, 2])", [(F64,), (np.ones((2, 2)),)]),
        ("return np.polynomial.laguerre.lagdomain * x[0]", [(F64,)]),
        ("return np.lib.stride_tricks.sliding_window_view(x, 2).sum(axis=-1)", [(F64,), (I64,)]),
        ("return np.lcm.reduce(np.arange(1, 8)) + x", [(I64,)]),
        ("return np.hypot.reduce(x), np.hypot.reduce(x.astype(np.int32))", [(F64,)]),
        ("return x.view(np.int64)", [(F64,)]),
        (
            "total = 0.0\nfor index, value in np.ndenumerate(np.sqrt(x)):\n    total = total + value * index[0]\nreturn total",
            [(F64,)],
        ),
        ("y = np.zeros(x.shape)\nfor index in np.ndindex(x.shape):\n    y[index] = x[index] * 2\nreturn y", [(np.ones((2, 2)),)]),
        ("return np.emath.sqrt(np.sqrt(x) - 1)", [(F64,)]),
    ],
)
def test_names_beyond_numpy_itself(body, calls):
    """Templates, and what stays NumPy and is given JAX's arrays."""
    check_agrees(function(body), *calls)


def test_what_a_template_repeats_is_computed_once():
    text = (
        "import numpy as np\nfrom other import read\n\ndef f():\n    return np.lib.stride_tricks.sliding_window_view(read(), 2)\n"
    )
    assert "twice" in kept(text)


def test_arguments_that_jax_takes_by_position_only():
    check_agrees(
        function("return np.sinc(x=x), np.isneginf(x=x), np.add.reduce(array=x, axis=0), np.add.accumulate(array=x)"), (F64,)
    )
    text = check_agrees(function("return [g(x) for g in (np.sinc, np.isposinf, np.real)]"), (F64,))
    assert "(jnp.sinc, jnp.isposinf, jnp.real)" in text


def powers(body, params="x: float"):
    return f"import numpy as np\n\n\ndef f({params}, y: np.ndarray):\n    return {body}\n"


@pytest.mark.parametrize(
    ("body", "written"),
    [
        ("2 ** x * np.sin(y)", "2.0 ** x"),
        ("2 ** (x - 1) * y", "2.0 ** (x - 1)"),
        ("x ** -1 * y", "x ** -1.0"),
        ("y * (1 - x) ** -2", "(1 - x) ** -2.0"),
        ("10 ** (x / 20) * y", "10 ** (x / 20)"),
        ("x ** 2 * y", "x ** 2"),
        ("y ** -1 + x", "y ** -1"),
    ],
)
def test_powers_of_numbers_that_may_be_given_as_integers(body, written):
    y = np.array([1.0, 2.0])
    assert written in check_agrees(powers(body), *((x, y) for x in (-1, 3, -2.5, 2)))


@pytest.mark.parametrize(("params", "noted"), [("x", True), ("x: float", False), ("x: np.ndarray", False), ("*, x=2.0", False)])
def test_an_exponent_of_which_nothing_is_known_is_noted(params, noted):
    found = [d for d in convert(powers("2 ** x * np.sin(y)", params))[2] if d.code == "NJ605" and not d.fixed]
    assert bool(found) == noted


def test_an_exponent_that_is_static_stays():
    text = "import numpy as np\n\n\ndef f(x: np.ndarray, n: int):\n    return np.zeros(2 ** n) + x[0]\n"
    assert "jnp.zeros(2 ** n)" in check_agrees(text, (np.arange(3.0), 2), (np.arange(3.0), 0))


BOUND_ANEW = """\
import numpy as np

g = np.array([1.0, 0.0, -2.0], dtype=np.float32)


def change():
    global g
    g = np.ones(3)


def f(p):
    q = g[1:]
    if q.shape[0] == 2:
        return np.clip(q, -1, 2)
    return q + q


a = np.array([0.5, -2.0], dtype=np.float32)
v = a - f(a)
{bind}
w = f(v) * a
"""


@pytest.mark.parametrize(
    "bind",
    [
        "g = np.ones(3)",
        "change()",
        "for g in (np.ones(3), g):\n    u = f(a) - a",
        "if v[0] < 9:\n    g = g.astype(float)",
        "g = [4.0, 5.0, 6.0]\ng = np.array(g)",
    ],
)
def test_a_variable_of_a_module_is_whatever_it_is_bound_to(bind):
    """Functions were taken to see what it holds at the end: float32 became float64. Found by random programs."""
    with taped():
        check_program({"m.py": BOUND_ANEW.format(bind=bind)})


@pytest.mark.parametrize(
    "test", ["x < -n", "-n <= x", "x == len(x) * 100", "x[0] > -n", "np.array([v > -n for v in x])", "np.sum(x[x < -n])"]
)
@pytest.mark.parametrize("dtype", ["uint8", "int8", "uint32", "int16"])
def test_d05_comparisons_with_variables(test, dtype):
    """A variable that the dtype of an array cannot hold wrapped round before it was compared, silently."""
    source = (
        f"import numpy as np\nimport numpy.typing as npt\n\n\ndef f(x: npt.NDArray[np.{dtype}], n: int):\n    return {test}\n"
    )
    check_agrees(source, (np.array([3, 44, 100, 0], dtype), 5), (np.array([3, 44, 100], dtype), -300))


@pytest.mark.parametrize(
    "turn",
    [
        "out[i] = x[i] * y[i]",
        "out[i] = x[i] / 2 + y[i]",
        "out[i] += y[i] - x[i]",
        "if x[i] > 2:\n            out[i] = y[i] / x[i]",
    ],
)
def test_d02_casts_inside_of_turns_that_are_taken_at_once(turn):
    """The cast and the slice met in one place, and the function was kept."""
    source = (
        "import numpy as np\nimport numpy.typing as npt\n\n\ndef f(x: npt.NDArray[np.int32], y: npt.NDArray[np.float32]):\n"
        f"    out = np.zeros(len(x))\n    for i in range(len(x)):\n        {turn}\n    return out\n"
    )
    text = check_agrees(source, (np.array([3, 2**25 + 1, -7], np.int32), np.array([0.1, 1.5, np.inf], np.float32)))
    assert "astype" in text and ("out.at[:]" in text)


@pytest.mark.parametrize(
    ("start", "turn", "dtype"),
    [
        ("-1", "if v > m:\n            m = v", "uint8"),
        ("1000", "if v < m:\n            m = v", "int8"),
        ("-1", "m = max(m, v)", "uint16"),
        ("300", "m = min(v, m)", "uint8"),
        ("0", "m = m + min(v, 300)", "uint8"),
        ("-1", "if v > m:\n            m = v", "uint64"),
    ],
)
def test_d05_searches_that_begin_with_what_no_item_can_be(start, turn, dtype):
    """-1 became 255, which no item is above, silently."""
    source = (
        f"import numpy as np\nimport numpy.typing as npt\n\n\ndef f(x: npt.NDArray[np.{dtype}]):\n"
        f"    m = {start}\n    for v in x:\n        {turn}\n    return m\n"
    )
    assert "NJ610" in kept(source)
    fits = source.replace(f"[np.{dtype}]", "[np.int16]")
    assert convert(fits)[1]["f"].label != "kept"
    check_agrees(fits, (np.array([3, 7, 2], np.int16),))
