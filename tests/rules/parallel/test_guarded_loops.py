"""Loops that add up, count or compare what a test lets pass."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import agrees_on, check_agrees, convert
from np2jax.tests.programs.generators.loops.guarded_programs import program

X = np.array([1.0, -2.0, 0.5, np.nan, np.inf, 3.0])


def test_sums_counts_and_products():
    text = check_agrees(
        """
        import numpy as np

        def f(x: np.ndarray, s: float):
            total = 0.0
            n = 0
            p = 1.0
            for v in x:
                if abs(v) <= s:
                    total += v
                if v > s:
                    n += 1
                if v < 0:
                    p *= v
            return total, n, p
        """,
        (X, 1.0),
        (X[:1], 0.0),
        (X[:0], 0.0),
    )
    assert "total = total + jnp.sum(jnp.where(abs(x) <= s, x, 0), axis=0)" in text
    assert "n = n + jnp.sum(x > s)" in text


@pytest.mark.parametrize("test", ["x[i] > best", "best < x[i]", "x[i] < best", "best > x[i]"])
@pytest.mark.parametrize("start", [-np.inf, 0.75, np.nan])
def test_the_best_so_far(test, start):
    text = check_agrees(
        f"""
        import numpy as np

        def f(x: np.ndarray, start: float):
            best = start
            for i in range(len(x)):
                if {test}:
                    best = x[i]
            return best
        """,
        (X, start),
        (X[:0], start),
    )
    assert "initial=best)" in text


def test_rows_of_one_number_each_are_counted_by_a_number():
    check_agrees(
        """
        import numpy as np

        def f(x: np.ndarray):
            n = 0
            for v in x:
                if v > 0:
                    n += 2
            return n
        """,
        (X[:3].reshape(3, 1),),
    )


def test_a_nest():
    text = check_agrees(
        """
        import numpy as np

        def f(a: np.ndarray, b: np.ndarray):
            s = 0.0
            for i in range(a.shape[0]):
                for j in range(a.shape[1]):
                    if i != j:
                        s += a[i, j] * b[j]
            return s
        """,
        (np.arange(6.0).reshape(2, 3), np.array([1.0, np.inf, 2.0])),
        (np.zeros((0, 3)), np.ones(3)),
    )
    assert "fori_loop" not in text


@pytest.mark.parametrize(
    "iteration",
    [
        "if x[i] > total: total += x[i]",
        "if x[i] > 0: total += np.sqrt(x[i])",
        "if x[i] > best: best = x[i] + 1",
        "if x[i] >= best: best = x[i]",
        "if x[i] > 0: total += x[i]\n                else: total -= 1",
    ],
)
def test_what_depends_on_the_iterations_before_or_is_undefined_stays(iteration):
    text = check_agrees(
        f"""
        import numpy as np

        def f(x: np.ndarray, best: float):
            total = 0.5
            for i in range(len(x)):
                {iteration}
            return x + total + best
        """,
        (X, 0.0),
    )
    assert "lax.scan(" in text


def check(seed):
    """Whether a program ran in NumPy and agreed, and whether no loop is left."""
    text = program(seed)
    made, functions, _diagnostics = convert(text)
    rng = np.random.default_rng(seed)
    ran = False
    for n in (4, 1):
        x = rng.normal(size=n)
        if rng.random() < 0.5:
            x[rng.integers(n)] = rng.choice([np.nan, np.inf, -np.inf])
        ran |= agrees_on(text, made, functions["f"], (x, rng.normal(size=(n, 3)), 0.5))
    return ran, "lax." not in made


def test_random_loops_with_guards():
    assert any(check(seed)[0] for seed in range(5))


@pytest.mark.slow
@pytest.mark.parametrize("start", range(1000, 1120, 20))
def test_many_random_loops_with_guards(start):
    ran, reduced = zip(*(check(seed) for seed in range(start, start + 20)), strict=True)
    assert sum(ran) > 10 and sum(reduced) > 3
