"""Functions that change an array in place: NumPy before and JAX after agree, or the function is kept."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import check_agrees, convert, refused
from np2jax.tests.helpers.in_place import DTYPES, function, sample
from np2jax.tests.helpers.rule_examples import example_of

test_example = example_of(__name__)

pytestmark = pytest.mark.slow

# --- copyto ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
def test_copyto(dtype):
    check_agrees(
        function("np.copyto(a, b)", "a, b: np.ndarray"),
        *[(sample(dtype), sample(e, seed=1)) for e in (np.float64, np.int8, np.bool_)],
    )
    check_agrees(
        function("np.copyto(a, b, casting='unsafe')", "a, b: np.ndarray"),
        (sample(dtype), np.array([0.5, 1.5, 2.0, 3.7, 4.0, 5.0])),
    )
    check_agrees(function("np.copyto(a, 1)\n    return a"), (sample(dtype),), (sample(dtype, ()),), (sample(dtype, (0,)),))


def test_copyto_broadcasts():
    check_agrees(
        function("np.copyto(a, b)", "a: np.ndarray, b: np.ndarray"),
        (np.zeros((2, 3)), np.arange(3.0)),
        (np.zeros((2, 3)), np.ones(())),
        (np.zeros((2, 3)), np.ones((2, 1))),
    )
    check_agrees(function("np.copyto(a, [1, 2, 3])\n    np.copyto(a[1:], 7)"), (np.zeros(3),))


@pytest.mark.parametrize("dtype", DTYPES)
def test_copyto_where(dtype):
    for call in (
        "np.copyto(a, b, where=a > b)",
        "np.copyto(a, 1, where=b == a)",
        "np.copyto(a, b, 'unsafe', a != 0)",
        "np.copyto(a, b, where=[True, False, True, True, False, False])",
    ):
        check_agrees(function(call, "a: np.ndarray, b: np.ndarray"), (sample(dtype), sample(dtype, seed=1)))


def test_copyto_where_broadcasts():
    check_agrees(
        function("np.copyto(a, b, where=m)", "a: np.ndarray, b: np.ndarray, m: np.ndarray"),
        (np.zeros((2, 3)), np.arange(3.0), np.array([[True], [False]])),
        (np.zeros(3), np.ones(()), np.array(True)),
    )
    check_agrees(
        function("np.copyto(a, 0, where=np.isnan(a))\n    return a"),
        (np.array([1.0, np.nan]),),
        (np.array([np.nan], np.float32),),
    )


# --- put, place, putmask --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "call",
    [
        "np.put(a, [0, 2], [7, 8])",
        "np.put(a, -1, 9)",
        "np.put(a, [0, -1, 0], [1, 2, 3])",
        "np.put(a, i, [5, 6])",
        "np.put(a, i, v=3)",
        "np.put(a, [8, -8], 4, mode='wrap')",
        "np.put(a, [8, -8], 4, 'clip')",
    ],
)
def test_put(call):
    for dtype in (np.float64, np.int8, np.complex128):
        check_agrees(
            function(call, "a: np.ndarray, i: np.ndarray"),
            (sample(dtype), np.array([1, 1, 4])),
            (sample(dtype, (2, 3)), np.array([5])),
        )


@pytest.mark.parametrize("dtype", DTYPES)
def test_place_and_putmask(dtype):
    for call in (
        "np.place(a, a > 0, [7, 8])",
        "np.place(a, b, 1)",
        "np.putmask(a, a != 0, [1, 0, 1])",
        "np.putmask(a, b, a * 1)",
        "np.putmask(a, b, 1)",
        "np.putmask(a, [1, 0, 1, 1, 0, 1], a)",
    ):
        check_agrees(function(call, "a: np.ndarray, b: np.ndarray"), (sample(dtype), sample(np.bool_, seed=2)))


def test_putmask_counts_places_not_hits():
    check_agrees(
        function("np.putmask(a, m, v)", "a: np.ndarray, m: np.ndarray, v: np.ndarray"),
        (np.arange(5), np.array([False, True, True, False, True]), np.array([-33, -44])),
    )
    check_agrees(
        function("np.putmask(a, m, v)", "a: np.ndarray, m: np.ndarray, v: np.ndarray"),
        (np.arange(6).reshape(2, 3), np.ones((2, 3), bool), np.array([1, 2, 3, 4])),
    )
    check_agrees(
        function("np.putmask(a, m, v)", "a: np.ndarray, m: np.ndarray, v: np.ndarray"),
        (np.arange(3).reshape(1, 3), np.array([[True], [False], [True]]), np.array([7])),
    )
    check_agrees(
        function("np.place(a, m, v)", "a: np.ndarray, m: np.ndarray, v: np.ndarray"),
        (np.arange(6.0).reshape(2, 3), np.arange(6).reshape(2, 3) % 2, np.array([7.5, 8.5])),
    )


def test_putmask_of_a_whole_array_is_plain():
    assert "a = jnp.where(a > 2, 0, a)" in convert(function("a = np.arange(5)\n    np.putmask(a, a > 2, 0)\n    return a"))[0]


# --- along an axis, diagonal, nan -----------------------------------------------------------------------------------------


def test_put_along_axis():
    for call in (
        "np.put_along_axis(a, i, v, 0)",
        "np.put_along_axis(a, i, v, axis=1)",
        "np.put_along_axis(a, i, 9, 1)",
        "np.put_along_axis(a, np.argmax(a, axis=1)[:, None], 0, axis=1)",
    ):
        check_agrees(
            function(call, "a: np.ndarray, i: np.ndarray, v: np.ndarray"),
            (sample(np.float64, (3, 3)), np.array([[0, 2, 1]]), np.array([[5.0, 6.0, 7.0]])),
            (sample(np.int64, (3, 3)), np.array([[0], [-1], [1]]), np.array([[5]])),
        )


@pytest.mark.parametrize("value", ["0", "2.5", "[1, 2, 3]", "v"])
def test_fill_diagonal(value):
    for shape in ((3, 3), (2, 4), (4, 2), (2, 2, 2)):
        check_agrees(
            function(f"np.fill_diagonal(a, {value})", "a: np.ndarray, v: np.ndarray"),
            (sample(np.float64, shape), np.array([5.0, 6.0])),
            (sample(np.int64, shape), np.array([5])),
        )


def test_fill_diagonal_that_wraps():
    assert "wrap" in refused(function("np.fill_diagonal(a, 1, wrap=True)"))
    check_agrees(function("np.fill_diagonal(a, 1, False)\n    np.fill_diagonal(a[1:], 2, wrap=False)"), (np.zeros((5, 3)),))


def test_nan_to_num():
    for body in (
        "np.nan_to_num(a, copy=False)",
        "np.nan_to_num(a, False)",
        "b = np.nan_to_num(a, copy=False, nan=1.0)\n    return b.sum()",
        "b = np.nan_to_num(a, copy=False)\n    b[0] = 5\n    return a.sum()",
        "return np.nan_to_num(a[1:], copy=False, posinf=3.0)",
        "a = np.nan_to_num(a, copy=False)\n    a[0] = 1\n    return a",
    ):
        check_agrees(
            function(body),
            (np.array([np.nan, 1.0, np.inf, -np.inf]),),
            (np.array([np.nan, 1.0, np.inf], np.float32),),
            (np.array([1, 2, 3]),),
            (np.array([1j, np.nan]),),
        )


def test_nan_to_num_that_copies():
    check_agrees(function("b = np.nan_to_num(a)\n    b[0] = 5\n    return b"), (np.array([np.nan, 1.0]),))
    check_agrees(function("b = np.nan_to_num(a, copy=True)\n    b += 5\n    return b"), (np.array([np.nan, 1.0]),))
    assert "NJ222" in refused(function("return np.nan_to_num(a, copy=flag)", "a: np.ndarray, flag"))


# --- ufunc.at -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "maximum", "minimum"])
def test_at_accumulates(name):
    source = function(f"np.{name}.at(a, i, v)", "a: np.ndarray, i: np.ndarray, v: np.ndarray")
    for dtype in (np.float64, np.float32, np.int64, np.int8, np.complex128):
        if name in ("maximum", "minimum") and dtype is np.complex128:
            continue
        check_agrees(
            source,
            (sample(dtype), np.array([0, 0, 2, -1, 0]), sample(dtype, (5,), 1)),
            (sample(dtype), np.array([], int), sample(dtype, (0,))),
            (sample(dtype), np.array([[0, 1], [1, 1]]), sample(dtype, (2, 2), 3)),
        )
    check_agrees(source, (np.array([1.0, np.nan, 2.0]), np.array([0, 0, 1]), np.array([np.nan, 1.0, 5.0])))


@pytest.mark.parametrize("name", ["logical_or", "logical_and", "logical_xor"])
def test_at_of_logic(name):
    check_agrees(
        function(f"m = a > 0\n    np.{name}.at(m, i, v)\n    return m", "a: np.ndarray, i: np.ndarray, v: np.ndarray"),
        (sample(np.int64), np.array([0, 0, 2, -1]), sample(np.bool_, (4,), 1)),
    )
    assert "boolean" in refused(function(f"np.{name}.at(a, i, True)", "a: np.ndarray, i"))


@pytest.mark.parametrize("name", ["bitwise_or", "bitwise_and", "bitwise_xor"])
def test_at_of_bits(name):
    source = function(f"np.{name}.at(a, i, v)", "a: np.ndarray, i: np.ndarray, v: np.ndarray")
    for dtype in (np.bool_, np.int64, np.int8):
        check_agrees(source, (sample(dtype), np.array([0, 0, 2, -1]), sample(dtype, (4,), 1)))


def test_indices_of_at():
    for index in ("[0, 1, 0]", "1", "(1,)", "slice(1, 3)", "np.array([0, 0])", "[]", "np.s_[1:]", "...", "-1"):
        check_agrees(function(f"np.add.at(a, {index}, 1)"), (sample(np.float64),), (sample(np.int64),))
    for index in ("(0, 1)", "([0, 0, 1], [1, 1, 2])", "(slice(None), 1)", "([0, 0],)", "(0, [1, 1])", "(..., [0, 0])"):
        check_agrees(function(f"np.add.at(a, {index}, 2)"), (sample(np.float64, (2, 3)),))
    check_agrees(
        function("np.add.at(a, a > 0, 1)\n    np.add.at(a, (i, j), 1)", "a: np.ndarray, i: np.ndarray, j: np.ndarray"),
        (sample(np.float64, (2, 3)), np.array([0, 0, 1]), np.array([1, 1, 2])),
    )


def test_at_of_a_part_and_in_a_loop():
    check_agrees(function("np.add.at(a[1:], [0, 0], 1)\n    for k in range(3):\n        np.add.at(a, k, k)"), (sample(np.int64),))
    check_agrees(function("np.add.at(a.T, ([0, 0], [0, 1]), 1)"), (sample(np.int64, (2, 3)),))


def test_at_of_a_narrower_array():
    check_agrees(function("a = np.zeros(3, np.float32)\n    np.add.at(a, [0, 0], np.array([0.1, 0.2]))\n    return a", ""), ())


def test_at_that_does_not_accumulate_in_jax_is_refused():
    for name in ("equal", "logical_not", "ldexp"):
        assert "NJ102" in refused(function(f"np.{name}.at(a, [0, 0], 2)"))


def test_at_of_other_functions_counts_every_index():
    for name, other in (
        ("floor_divide", ", 2"),
        ("fmax", ", 2.5"),
        ("negative", ""),
        ("sqrt", ""),
        ("floor", ""),
        ("fmod", ", b"),
    ):
        body = f"np.{name}.at(a, [0, 0, 2]{other})\n    return a"
        check_agrees(function(body, "a: np.ndarray, b: float"), (np.array([9.5, 2.0, 4.0]), 2.0))


# --- places and aliases ---------------------------------------------------------------------------------------------------


def test_views_and_aliases_see_the_change():
    for body in (
        "v = a[1:]\n    np.copyto(a, 3)\n    return v",
        "v = a[1:]\n    np.copyto(v, 3)\n    return v",
        "b = a\n    np.put(b, 0, 7)\n    return a + b",
        "v = a[::2]\n    np.add.at(v, [0, 0], 1)\n    return v",
        "w = a[::-1]\n    np.putmask(a, a > 0, 0)\n    return w, a",
    ):
        check_agrees(function(body), (sample(np.float64),))


def test_of_a_parameter_is_handed_back_by_every_caller():
    check_agrees(
        """
        import numpy as np

        def count(bins, where):
            np.add.at(bins, where, 1)

        def f(bins: np.ndarray, where):
            count(bins, where)
            count(bins[1:], where)
            total = bins.sum()
            return total
        """,
        (np.zeros(5, int), np.array([0, 0, 3])),
    )


def test_kept_where_the_object_is_not_known():
    refused(
        "import numpy as np\n\n"
        "def f(box, flag):\n    b = box.data if flag else box.other\n    c = b[0]\n    np.copyto(c, 1)\n    return b\n"
    )
    refused(function("b = a if n > 2 else a * 2\n    np.fill_diagonal(a, 0)\n    return b", "a: np.ndarray, n"))


def test_kept_where_the_value_is_used():
    refused(function("return np.put(a, 0, 1)"))


def test_kept_with_unknown_arguments():
    refused(function("np.copyto(*a)"))
    refused(function("np.putmask(a, **kw)", "a: np.ndarray, kw"))


def test_the_sources_stay():
    text = check_agrees(
        function("np.copyto(a, b)\n    a[0] = 5\n    return b", "a: np.ndarray, b: np.ndarray"), (np.zeros(3), np.ones(3))
    )
    assert "b = b.at" not in text
