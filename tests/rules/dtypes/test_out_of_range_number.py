"""Numbers that an array of small integers cannot hold, beside an array whose dtype nobody knows, in programs that name such dtypes."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import check_agrees, convert, function, refused
from np2jax.tests.helpers.rule_examples import example_of

test_example = example_of(__name__)

DTYPES = ("uint8", "int8", "uint16", "int16", "int32", "int64", "float16", "float32", "float64", "bool")
SMALL = "\n\nSMALL = np.zeros(3, np.uint8)\n"


@pytest.mark.quick(3)
@pytest.mark.parametrize("test", ["x > 300", "x == 256", "1000 >= x", "x < -1", "x != -1", "x > 70000"])
def test_numbers_are_compared_as_they_are(test):
    text = function(f"return {test}") + SMALL
    check_agrees(text, *((np.array([0, 1, 44, 100, 1]).astype(d),) for d in DTYPES), (np.array([np.nan, 1e9, -1.0]),))


def test_numbers_that_fit_stay():
    assert "x > 255\n" in convert(function("return x > 255") + SMALL)[0]
    assert "x > 300\n" in convert(function("return x > 300"))[0]
    assert "x > 300\n" in convert(function("return x > 300") + SMALL.replace("uint8", "int32"))[0]
    assert "y > 300\n" in convert(function("y = x.astype(float)\nreturn y > 300") + SMALL)[0]


SEARCH = """\
best, place = {}, 0
for i in range(len(x)):
    if x[i] {} best:
        best, place = x[i], i
return best, place
"""


def test_a_search_that_begins_with_what_no_item_may_be():
    assert refused(function(SEARCH.format(-1, ">")) + SMALL).startswith("NJ610")
    assert refused(function(SEARCH.format(1000, "<")) + SMALL).startswith("NJ610")
    assert refused(function("best = -1\nfor v in x:\n    best = max(best, v)\nreturn best") + SMALL).startswith("NJ610")


@pytest.mark.parametrize("start, test", [("0", ">"), ("255", "<"), ("x[0]", ">")])
def test_a_search_that_may_begin_so(start, test):
    check_agrees(
        function(SEARCH.format(start, test)) + SMALL, *((np.array([3, 7, 7, 1]).astype(d),) for d in ("uint8", "float64"))
    )


def test_programs_without_unsigned_integers():
    for other in ("", SMALL.replace("uint8", "int16")):
        check_agrees(function(SEARCH.format(-1, ">")) + other, (np.array([3.0, -7, 7, 1]),), (np.array([3, 7], np.int32),))


def notes(text, **options):
    return {d.code for d in convert(text, **options)[2] if not d.fixed}


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


@pytest.mark.quick(7)
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
    assert "NJ610" in refused(function(f"return {expression}"))


def test_d05_arithmetic_that_numpy_refuses():
    assert "NJ610" in notes(function("return x.astype(np.uint8) + 300"))
    assert "NJ610" not in notes(function("return x.astype(np.uint8) + 3, x.astype(np.uint8) / 300, x + 300, x > 2.5"))


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


@pytest.mark.quick(3)
@pytest.mark.parametrize(
    ("start", "iteration", "dtype"),
    [
        ("-1", "if v > m:\n            m = v", "uint8"),
        ("1000", "if v < m:\n            m = v", "int8"),
        ("-1", "m = max(m, v)", "uint16"),
        ("300", "m = min(v, m)", "uint8"),
        ("0", "m = m + min(v, 300)", "uint8"),
        ("-1", "if v > m:\n            m = v", "uint64"),
    ],
)
def test_d05_searches_that_begin_with_what_no_item_can_be(start, iteration, dtype):
    """-1 became 255, which no item is above, silently."""
    source = (
        f"import numpy as np\nimport numpy.typing as npt\n\n\ndef f(x: npt.NDArray[np.{dtype}]):\n"
        f"    m = {start}\n    for v in x:\n        {iteration}\n    return m\n"
    )
    assert "NJ610" in refused(source)
    fits = source.replace(f"[np.{dtype}]", "[np.int16]")
    assert convert(fits)[1]["f"].label != "kept"
    check_agrees(fits, (np.array([3, 7, 2], np.int16),))
