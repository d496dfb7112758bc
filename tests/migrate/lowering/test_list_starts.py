"""Lists that start in one assignment with other variables, before the loop that appends to them."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import compare_values, convert, run

LOOP = """
import numpy as np


def f(u: np.ndarray, a: float):
    START
    for i in range(len(u)):
        s = a * u[i] + (1 - a) * s
        rows.append(s)
    return np.array(rows), s
"""
COMPILED = [
    "s, rows = 0.0, []",
    "rows, s = [], 0.0",
    "s, rows, t = 0.0, [], 2.0",
    "s, rows = u[0], [u[0]]",
    "s, rows, lines = u[0] * 2.0, [u[0] * 0.5], []",
]
STAYS = [
    "s = rows = 0.0\n    s, rows = s, [s]",
    "s, rows = np.sum(u[0]), [np.sin(u[0])]",  # calls, whose order might matter
]
U = np.arange(12.0).reshape(4, 3) / 7


@pytest.mark.quick(3)
@pytest.mark.parametrize("start", COMPILED)
def test_a_list_that_starts_beside_other_variables(start):
    text = LOOP.replace("START", start)
    made, functions, _found = convert(text, placement="fast")
    assert "lax.scan" in made, functions["f"].reason
    for u in (U, U[:, 0], U[:1], U.astype("f4")):
        assert not compare_values(run(text)["f"](u.copy(), 0.25), run(made)["f"](u.copy(), 0.25)), made


@pytest.mark.parametrize("start", STAYS)
def test_a_list_that_stays_beside_others(start):
    text = LOOP.replace("START", start)
    made, _functions, _found = convert(text, placement="fast")
    assert start.splitlines()[-1].replace("np.", "") in made.replace("jnp.", "").replace("np.", "")
    assert not compare_values(run(text)["f"](U[:, 0], 0.25), run(made)["f"](U[:, 0], 0.25)), made


def test_a_function_of_which_nothing_is_compiled_keeps_its_text_beside_others():
    source = """\
import numpy as np


def steps(force, x, n):
    path = [x]
    a = force(x)
    for _ in range(n):
        x = x + a
        a = force(x)
        path.append(x)
    return np.array(path)


def cholesky(a):
    a = np.array(a, dtype=float)
    n = len(a)
    factor = np.zeros_like(a)
    for j in range(n):
        square = a[j, j] - np.dot(factor[j, :j], factor[j, :j])
        if square <= 0:
            raise np.linalg.LinAlgError("not positive definite")
        factor[j, j] = np.sqrt(square)
        for i in range(j + 1, n):
            factor[i, j] = (a[i, j] - np.dot(factor[i, :j], factor[j, :j])) / factor[j, j]
    return factor
"""
    text, _functions, _diagnostics = convert(source, placement="fast")
    assert "_cholesky_loop" in text and source.partition("\n\n\ndef cholesky")[0].partition("def steps")[2] in text, text
