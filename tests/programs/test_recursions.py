"""Recursions over the parts of an argument: `t = x[1:]`, a size with a default, numbers that become floats."""

import warnings

import numpy as np
import pytest

from np2jax.tests.helpers.differential import compare_values, convert, run

LEVINSON = """
import numpy as np

def f(r, order=None, strict=True):
    t = r[1:]
    m = len(t)
    if order is None:
        m = len(t)
    else:
        assert order <= m, "order must be less than the size"
        m = order
    a = np.zeros(m)
    error = np.real(r[0])
    for k in range(0, m):
        save = t[k]
        if k == 0:
            last = -save / error
        else:
            for j in range(0, k):
                save = save + a[j] * t[k - j - 1]
            last = -save / error
        if strict:
            error = error * (1.0 - last**2.0)
        else:
            error = error * (1.0 - last * last)
        if error <= 0 and strict:
            raise ValueError("singular matrix")
        a[k] = last
        if k == 0:
            continue
        for j in range(0, (k + 1) // 2):
            other = k - j - 1
            save = a[j]
            a[j] = save + last * a[other]
            if j != other:
                a[other] += last * save
    return a, error
"""
REFLECTIONS = """
import numpy as np

def f(r, order=None, strict=True):
    t = r[1:]
    start = np.real(r[0])
    error = start
    a = np.zeros(len(t))
    for k in range(len(t)):
        last = -t[k] / error
        error = error * (1.0 - last**2.0)
        a[k] = last
    return a, error
"""
VALUES = [4.0, 2.0, 1.0, 0.5, 0.25, 0.3]
ARGUMENTS = (
    np.array(VALUES),
    VALUES,
    tuple(VALUES),
    np.array([4, 2, 1, 1]),
    [4, 2, 1, 1],
    np.array(VALUES, "float32"),
    np.array([1.0, 1.0, 1.0]),
)


@pytest.mark.parametrize("source", [LEVINSON, REFLECTIONS], ids=["levinson", "reflections"])
def test_recursions(source):
    text = convert(source, placement="fast")[0]
    assert "for k in range" not in text, text
    before, after = run(source)["f"], run(text)["f"]
    for given in ARGUMENTS:
        for options in ({}, {"order": 2}, {"strict": False}, {"order": 99}):
            with warnings.catch_warnings(action="ignore"):
                assert not differing(before, after, given, options), (given, options)


def differing(before, after, given, options):
    try:
        want = before(given, **options)
    except (ValueError, AssertionError) as error:
        with pytest.raises(type(error), match=str(error)):
            after(given, **options)
        return ""
    return compare_values(after(given, **options), want)


@pytest.mark.parametrize(
    "use",
    [
        "out[k] = t[k] * 2\n    return out, t",  # a list is returned
        "out[k] = t[k] * 2\n    return out, t * 2",  # a list is repeated
        "out[k] = t[k] * 2\n    t = t + t\n    return out, t",  # it is no part any more
    ],
)
def test_parts_that_are_used_otherwise(use):
    source = f"import numpy as np\n\n\ndef f(x):\n    t = x[1:]\n    out = np.zeros(len(t))\n    for k in range(len(t)):\n        {use}\n"
    text = convert(source, placement="fast")[0]
    before, after = run(source)["f"], run(text)["f"]
    assert not compare_values(after(np.array(VALUES)), before(np.array(VALUES)))
    try:
        made = after(VALUES)
    except TypeError:  # a list has no place in compiled code
        return
    assert not compare_values(made, before(VALUES))


LAGRANGE = """
import numpy as np

def f(xs, ys, x):
    total = 0.0
    for i in range(len(xs)):
        term = ys[i]
        for j in range(len(xs)):
            if i != j:
                term = term * (x - xs[j]) / (xs[i] - xs[j])
        total += term
    return total
"""


@pytest.mark.parametrize(
    "x", [1.5, 2, np.linspace(0, 3, 4), np.arange(6).reshape(2, 3)], ids=["float", "int", "vector", "matrix"]
)
def test_an_element_that_a_branch_makes_an_array(x):
    """`term` starts in the shape of `x`, whatever that is."""
    text = convert(LAGRANGE, placement="fast")[0]
    assert "lax.fori_loop" in text, text
    xs = np.arange(5.0)
    for ys in (xs**2, [1, 4, 2, 0, 3]):
        assert not compare_values(run(text)["f"](xs, ys, x), run(LAGRANGE)["f"](xs, ys, x))
