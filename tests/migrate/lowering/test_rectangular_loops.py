"""Loops whose trip count differs from one iteration to the next of a loop around, taken at once under a mask."""

import warnings

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from np2jax.tests.helpers.differential import agrees_on, check_agrees, convert, run
from np2jax.tests.helpers.drawn_programs import seeds
from np2jax.tests.programs.generators.loops import triangle_programs

RNG = np.random.default_rng(0)


def check(seed):
    """Whether a random program ran in NumPy and agreed, and whether no loop is left of those inside."""
    text = triangle_programs.program(seed)
    made, functions, _diagnostics = convert(text)
    rng = np.random.default_rng(seed)
    ran = False
    for n in (5, 3, 1):
        x, y = rng.normal(size=n).round(2), rng.normal(size=n)
        if rng.random() < 0.3:
            x[int(rng.integers(n))] = rng.choice([np.nan, np.inf, 0.0])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ran |= agrees_on(text, made, functions["f"], (rng.normal(size=(n, n)), x, y), beside=1)
    return ran, "lax." not in made


def matrix(n):
    made = RNG.normal(size=(n, n))
    return made @ made.T + n * np.eye(n)


IN_PARALLEL = {
    "pairs": (
        "t = 0.0\n    for i in range(n):\n        for j in range(i + 1, n):\n            t += np.abs(A[i, 0] - A[j, 0])\n    return t",
        0,
    ),
    "a triangle": (
        "B = np.zeros((n, n))\n    for i in range(n):\n        for j in range(i + 1):\n            B[i, j] = A[i, j] * 2\n    return B",
        0,
    ),
    "the other triangle, downwards": (
        "B = np.ones((n, n))\n    for i in range(n - 1, -1, -1):\n        for j in range(n - 1, i - 1, -1):\n            B[j, i] = A[i, j]\n    return B",
        0,
    ),
    "what a test asks": (
        "c = 0\n    for i in range(n):\n        for j in range(i):\n            if A[i, j] > 0:\n                c += 1\n    return c",
        0,
    ),
    "substitution": (
        "y = np.zeros(n)\n    for i in range(n):\n        s = 0.0\n        for j in range(i):\n            s += A[i, j] * y[j]\n        y[i] = (1 - s) / A[i, i]\n    return y",
        1,
    ),
    "elimination": (
        "U = A.copy()\n    for k in range(n - 1):\n        for i in range(k + 1, n):\n            m = U[i, k] / U[k, k]\n            for j in range(k, n):\n                U[i, j] -= m * U[k, j]\n    return U",
        2,
    ),
    "a row that shrinks": (
        "v = A[0].copy()\n    for k in range(1, n):\n        for i in range(n - k):\n            v[i] = (v[i] + v[i + 1]) / 2\n    return v",
        1,
    ),
    "from the last on": (
        "v = A[0].copy()\n    for k in range(1, n):\n        for i in range(n - 1, k - 1, -1):\n            v[i] = v[i] - v[i - 1]\n    return v",
        1,
    ),
    "the row before": (
        "C = np.zeros((n, n))\n    for i in range(n):\n        C[i, 0] = 1\n        for j in range(1, i + 1):\n            C[i, j] = C[i - 1, j] + C[i - 1, j - 1]\n    return C",
        1,
    ),
}

ONE_BY_ONE = {
    "a turn needs the last one": "v = A[0].copy()\n    for k in range(1, n):\n        for i in range(1, k):\n            v[i] = v[i] + v[i - 1]\n    return v",
    "downwards, needs the last one": "v = A[0].copy()\n    for k in range(1, n):\n        for i in range(n - 2, k - 1, -1):\n            v[i] = v[i] + v[i + 1]\n    return v",
    "both bounds differ": "t = 0.0\n    for i in range(n):\n        for j in range(max(0, i - 1), min(n, i + 2)):\n            t += A[i, j]\n    return t",
    "a bound that changes": "t = 0.0\n    for i in range(n):\n        m = i\n        for j in range(m):\n            m += 1\n            t += A[i, j] * m\n    return t",
    "of what is looked up": "t = 0.0\n    p = np.argsort(A[0])\n    for i in range(n):\n        for j in range(p[i]):\n            t += A[i, j]\n    return t",
}


def written(body):
    return f"import numpy as np\n\n\ndef f(A):\n    n = A.shape[0]\n    {body}\n"


@pytest.mark.quick(4)
@pytest.mark.parametrize("name", IN_PARALLEL)
def test_iterations_are_taken_at_once(name):
    body, left = IN_PARALLEL[name]
    calls = [(matrix(n),) for n in (1, 2, 6)]
    odd = matrix(4)
    odd[1, 2], odd[3, 0] = np.nan, np.inf
    made = check_agrees(written(body), *calls, (odd,))
    assert made.count("fori_loop") == left, made


@pytest.mark.parametrize("name", ONE_BY_ONE)
def test_iterations_that_stay_one_by_one(name):
    made = check_agrees(written(ONE_BY_ONE[name]), (matrix(5),), (matrix(2),))
    assert " & " not in made and "jnp.where" not in made, made


def test_what_vectors_do_is_mapped():
    """`x[i]` may be a row: nothing is said of how many dimensions it has."""
    text = "import numpy as np\n\n\ndef f(x):\n    t = 0.0\n    for i in range(len(x)):\n        for j in range(i):\n            t += np.abs(x[i] - x[j])\n    return t\n"
    made = check_agrees(text, (RNG.normal(size=6),), (RNG.normal(size=(4, 2)),), (np.arange(3),))
    assert "jax.vmap" in made and "ndim" not in made


def test_derivatives_go_backwards():
    for name in ("pairs", "substitution", "a row that shrinks"):
        made = run(convert(written(IN_PARALLEL[name][0]))[0])["f"]
        a = matrix(4)
        given, step = jax.grad(lambda x, f=made: jnp.sum(f(x)))(a), 1e-6 * RNG.normal(size=a.shape)
        np.testing.assert_allclose(np.sum(given * step), np.sum(made(a + step)) - np.sum(made(a)), rtol=1e-3, atol=1e-9)


PAIRS = "import numpy as np\n\n\ndef f(x, k: float):\n    e = 0.0\n    for i in range(len(x)):\n        for j in range(i + 1, len(x)):\n            r = np.linalg.norm(x[i] - x[j])\n            e += k / r**3 - 1 / r\n    return e\n"


def test_distances_of_pairs():
    """The derivative of the distance of a point to itself is 0 / 0, and must not be seen."""
    made = check_agrees(PAIRS, (RNG.normal(size=(5, 3)), 2.0), (RNG.normal(size=(1, 3)), 2.0))
    assert "jax.vmap" in made and "fori_loop" not in made
    energy, x = run(made)["f"], RNG.normal(size=(4, 2))
    given, step = jax.grad(energy)(x, 2.0), 1e-6 * RNG.normal(size=x.shape)
    np.testing.assert_allclose(np.sum(given * step), energy(x + step, 2.0) - energy(x, 2.0), rtol=1e-3)


def test_loops_stay_as_they_are_where_nothing_is_taken_at_once():
    made, _functions, _diagnostics = convert(written(IN_PARALLEL["pairs"][0]), ignore=("NJ410",))
    assert "fori_loop(i + 1, n" in made and "where" not in made


def test_pixels_are_no_numbers():
    text = "import numpy as np\n\n\ndef f(image):\n    n = image.shape[0]\n    t = 0.0\n    for i in range(n):\n        for j in range(i):\n            t += np.sum(image[i, j])\n    return t\n"
    made = check_agrees(text, (RNG.normal(size=(4, 4)),), (RNG.normal(size=(4, 4, 3)),))
    assert "ndim" not in made


def test_comments_stay_and_lines_are_those_of_the_file():
    text = "import numpy as np\n\n\ndef f(A):\n    n = A.shape[0]\n    t = 0.0\n    # all pairs\n    for i in range(n):\n        for j in range(i):  # below\n            # the term\n            t += A[i, j]\n    return t\n"
    made, _functions, diagnostics = convert(text)
    assert "# all pairs" in made
    assert {d.line for d in diagnostics if d.code.startswith("NJ4")} == {8}, diagnostics


@pytest.mark.parametrize("seed", seeds(range(12), quick=4))
def test_random_programs(seed):
    check(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12, 48))
def test_more_random_programs(seed):
    check(seed)
