"""Numbers that an array of small integers cannot hold, beside an array whose dtype nobody knows, in programs that name such dtypes."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import check_agrees, convert, function, kept
from np2jax.tests.helpers.rule_examples import example_of

test_example = example_of(__name__)

DTYPES = ("uint8", "int8", "uint16", "int16", "int32", "int64", "float16", "float32", "float64", "bool")
SMALL = "\n\nSMALL = np.zeros(3, np.uint8)\n"


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
    assert kept(function(SEARCH.format(-1, ">")) + SMALL).startswith("NJ610")
    assert kept(function(SEARCH.format(1000, "<")) + SMALL).startswith("NJ610")
    assert kept(function("best = -1\nfor v in x:\n    best = max(best, v)\nreturn best") + SMALL).startswith("NJ610")


@pytest.mark.parametrize("start, test", [("0", ">"), ("255", "<"), ("x[0]", ">")])
def test_a_search_that_may_begin_so(start, test):
    check_agrees(
        function(SEARCH.format(start, test)) + SMALL, *((np.array([3, 7, 7, 1]).astype(d),) for d in ("uint8", "float64"))
    )


def test_programs_without_unsigned_integers():
    for other in ("", SMALL.replace("uint8", "int16")):
        check_agrees(function(SEARCH.format(-1, ">")) + other, (np.array([3.0, -7, 7, 1]),), (np.array([3, 7], np.int32),))
