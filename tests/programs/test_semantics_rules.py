"""Silent differences between NumPy and JAX, row by row: mended, refused or reported. D: dtypes, E: errors, P: numbers."""

import jax.numpy as jnp
import numpy as np
import pytest

from np2jax.tests.helpers.differential import check_agrees, convert, function, refused, run
from np2jax.tests.helpers.observed import check_program, taped

I32, F32, U8 = np.array([1, 2, 3], np.int32), np.array([0.5, 1.5, -2.5], np.float32), np.array([7, 200, 255], np.uint8)
I64, F64 = np.array([4, 5, 6]), np.array([0.1, 0.2, 0.3])


def notes(text, **options):
    return {d.code for d in convert(text, **options)[2] if not d.fixed}


@pytest.mark.quick(8)
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


@pytest.mark.quick(3)
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
    assert "nearest" in refused(function(f'return np.{function_}(x, 0.5, method="nearest")'))
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
    assert "NJ108" in refused(function(body))


@pytest.mark.parametrize("body", ["return x.sum().hex()", "return np.max(x).as_integer_ratio()", "return np.sum(x).numerator"])
def test_p01_methods_of_scalars_that_jax_lacks(body):
    assert refused(function(body))


def test_p01_whole_numbers():
    check_agrees(function("return np.sum(x).is_integer()"), (F64,), (np.array([1.0, 2.0]),), (np.array([np.inf]),))


@pytest.mark.quick(6)
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
    assert "twice" in refused(text)


def test_arguments_that_jax_takes_by_position_only():
    check_agrees(
        function("return np.sinc(x=x), np.isneginf(x=x), np.add.reduce(array=x, axis=0), np.add.accumulate(array=x)"), (F64,)
    )
    text = check_agrees(function("return [g(x) for g in (np.sinc, np.isposinf, np.real)]"), (F64,))
    assert "(jnp.sinc, jnp.isposinf, jnp.real)" in text


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


@pytest.mark.quick(3)
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
