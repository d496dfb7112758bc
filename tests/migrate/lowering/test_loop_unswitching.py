"""Tests that no iteration changes, asked before the loops; and rows that iterations add to arrays of unknown dtypes."""

import textwrap

import numpy as np
import pytest

from np2jax.tests.helpers.differential import agrees_on, body, check_agrees, convert, run

RNG = np.random.default_rng(0)

ROWS = """\
import numpy as np


def f(S, x, A: np.ndarray, c: int, w: float):
    for k in range(A.shape[0]):
        for j in range(A.shape[1]):
            for i in range(x.shape[0]):
                if {test}:
                    S[i, k] += A[k, j] @ x[i]
    return S
"""


def arguments(dtype=float, iterations=3, c=1, w=0.5):
    rows = RNG.normal(size=(iterations, 2)) * 3
    return (np.ones((3, 2, 2), dtype), rows.astype(dtype), (RNG.normal(size=(2, 4, 2, 2)) * 3).astype(dtype), c, w)


@pytest.mark.quick(3)
@pytest.mark.parametrize(
    "test", ["c > 0", "not c - 1 > 0", "c * 2 + 1 != 1", "0 < c <= 1 or w > 2.5", "k > c", "k - c >= 0 and w < 1"]
)
@pytest.mark.parametrize("c", [0, 1])
def test_numbers_are_asked_before_the_loops(test, c):
    made = check_agrees(ROWS.format(test=test), arguments(c=c), arguments(iterations=0, c=c), arguments(c=c, w=np.nan))
    assert made.count("jax.vmap") == 2 and "S.at[i" not in made, made


@pytest.mark.quick(3)
@pytest.mark.parametrize("test", ["i > c", "~c > -3", "x[0, 0] > w", "S[0, 0, 0] > 0", "k // c > 0", "A[k, 0, 0, 0] > 0"])
def test_what_changes_or_may_fail_is_asked_in_each_iteration(test):
    made = check_agrees(ROWS.format(test=test), arguments(), arguments(c=2))
    assert "fori_loop" in made, made


LEFT = {
    "the index after the loops": (
        "for i in range(3):\n        if c > 0:\n            S[0] += x[i] * A\n    return S, i",
        "import numpy as np\n\n\ndef f(S, x, A: np.ndarray, c: int):\n    S = S.astype(float)\n    ",
    ),
    "what a turn binds": (
        "for i in range(3):\n        if c > 0:\n            S[0] += x[i] @ A\n            c = c - 1\n    return S, c",
        "import numpy as np\n\n\ndef f(S, x, A: np.ndarray, c: int):\n    S = S.astype(float)\n    ",
    ),
    "an alternative": (
        "for i in range(3):\n        if c > 0:\n            S[0] += x[i] @ A\n        else:\n            S[0] -= x[i] @ A\n    return S",
        "import numpy as np\n\n\ndef f(S, x, A: np.ndarray, c: int):\n    S = S.astype(float)\n    ",
    ),
}


@pytest.mark.parametrize("name", LEFT)
def test_loops_that_stay(name):
    iterations, head = LEFT[name]
    for c in (0, 2):
        check_agrees(head + iterations, (np.ones((2, 2)), RNG.normal(size=(3, 2)), RNG.normal(size=(2, 2)), c))


def test_comments_stay_by_their_statements():
    text = (
        ROWS.format(test="c > 0")
        .replace("    for k in", "    # all of them\n    for k in")
        .replace("                if", "                # if asked for\n                if")
        .replace("@ x[i]", "@ x[i]  # a row")
    )
    made = convert(text)[0]
    assert made.index("# if asked for") < made.index("lax.cond") and "# all of them" in made and "# a row" in made, made


def test_known_flags_are_branches_of_python():
    text = """\
    import numpy as np


    def f(n: int, flag: bool):
        S = np.zeros((n, 3, 3))
        G = np.ones((n, 3, 3))
        for i in range(n):
            if flag:
                S[i] += G[i] @ G[0]
        return S
    """
    made = check_agrees(text, (2, True), (2, False))
    assert "if flag:" in made and "lax.cond" not in made and "jax.vmap" in made


SUMS = """\
import numpy as np


def f(S, a, b):
    for i in range(a.shape[0]):
        for j in range(b.shape[0]):
            S[i, 0] += a[i] @ b[j]
    return S
"""


@pytest.mark.quick(5)
@pytest.mark.parametrize("kept", [np.float64, np.float32, np.complex64, np.int64, np.int8, np.bool_])
@pytest.mark.parametrize("given", [np.float64, np.float32, np.int64, np.int32, np.int8, np.complex128, np.bool_])
@pytest.mark.parametrize("rows", [True, False])
def test_arrays_of_unknown_dtypes_hold_what_is_added_or_say_so(kept, given, rows):
    """NumPy raises for rows that cannot be cast; numbers it cuts off after each iteration, which one sum does not."""
    a = (RNG.normal(size=(2, 3)) * 5).astype(given)
    b = (RNG.normal(size=(4, 3, 2) if rows else (4, 3)) * 5).astype(given)
    given_to = np.ones((2, 1, 2) if rows else (2, 1), kept), a, b
    made, functions, _diagnostics = convert(SUMS)
    assert "jax.vmap" in made
    if np.can_cast(given, kept, "same_kind"):
        single = {np.float32, np.complex64}.intersection((kept, given))
        want = run(SUMS)["f"](*map(np.copy, given_to)) if kept is not np.int8 or rows else None  # NumPy may refuse the number
        if single:
            np.testing.assert_allclose(run(made)["f"](*given_to), want, rtol=1e-5, atol=1e-5)
        elif want is not None:
            assert agrees_on(SUMS, made, functions["f"], given_to, beside=1)
        return
    with pytest.raises(AssertionError):
        run(made)["f"](*given_to)


def test_a_function_of_the_project_says_so_too():
    text = textwrap.dedent(
        """\
        import numpy as np


        def g(x):
            return np.cumsum(x)


        def f(S, x):
            for i in range(x.shape[0]):
                S[0, :] += g(x[i])
            return S
        """
    )
    made, functions, _diagnostics = convert(text)
    x = RNG.normal(size=(4, 3))
    assert agrees_on(text, made, functions["f"], (np.zeros((2, 3)), x), beside=1)
    if "can_cast" in made:
        with pytest.raises(AssertionError):
            run(made)["f"](np.zeros((2, 3), int), x)


def test_deep_nests_are_mapped_one_loop_after_the_other():
    text = """\
    import numpy as np


    def f(S: np.ndarray, a: np.ndarray):
        for i in range(a.shape[0]):
            for j in range(a.shape[1]):
                for k in range(a.shape[2]):
                    S[j, k] += a[i, j, k] @ a[i, j, k].T
        return S
    """
    made = check_agrees(text, (np.ones((3, 4, 2, 2)), RNG.normal(size=(2, 3, 4, 2, 2))))
    assert "over_k = jax.vmap(S_at" in body(made) and "terms = over_i(" in made, made
