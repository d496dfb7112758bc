"""A compiled loop that changes an array and gives it back to the only name that the array has, and one whose array has other names."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import compare_values, convert, run

LOOP = """
import numpy as np


def f(G: np.ndarray, n=30):
    total = G.copy()
    length = G.copy()
    total[np.where(G)] = 1
    power = G.copy()
    BEFORE
    d = 1
    while np.any(power) and d < n:
        d += 1
        power = np.dot(power, G)
        total += power
        length = length + d * (power != 0)
    length[np.nonzero(G)] = 3
    total[0] -= 1
    return AFTER
"""

GRAPH = (np.random.default_rng(0).random((6, 6)) < 0.2).astype(float)
OTHER_NAMES = {  # before the loop, and what is returned after it
    "a name": ("other = length", "length, total, other"),
    "a name of the array that is changed": ("other = total", "length, total, other"),
    "each other's": ("length = total", "length, total"),
    "two names": ("length = total = G * 2.0", "length, total"),
    "a view": ("other = total[1:]", "length, total, other"),
    "a list": ("other = [total, length]", "length, total, other[0], other[1]"),
    "a function": ("other = (lambda: total)", "length, total, other()"),
    "rows": ("for other in total: pass", "length, total, other"),
}


def result(text, n):
    return run(text)["f"](GRAPH.copy(), n)


@pytest.mark.parametrize("n", [1, 30])  # no iteration, some
def test_an_array_with_one_name(n):
    source = LOOP.replace("BEFORE", "count = len(G)").replace("AFTER", "length, total, count")
    text, functions, _found = convert(source, placement="fast")
    assert "_f_loop(" in text and "@jax.jit" in text, functions["f"].reason
    assert not compare_values(result(source, n), result(text, n))


@pytest.mark.parametrize("which", OTHER_NAMES)
@pytest.mark.parametrize("n", [1, 30])
def test_an_array_with_other_names(which, n):
    before, after = OTHER_NAMES[which]
    source = LOOP.replace("BEFORE", before).replace("AFTER", after)
    text, _functions, _found = convert(source, placement="fast")
    assert not compare_values(result(source, n), result(text, n))


def test_lines_that_end_in_a_backslash():
    source = (
        LOOP.replace("BEFORE", "")
        .replace("AFTER", "length, total")
        .replace("np.dot(power, G)", "np.dot(power, G) * \\\n            (G < 2)")
    )
    text, functions, _found = convert(source, placement="fast")
    assert "@jax.jit" in text, functions["f"].reason
    assert not compare_values(result(source, 30), result(text, 30))
