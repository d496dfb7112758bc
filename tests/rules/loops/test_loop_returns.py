"""Loops that `return` leaves."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import agrees_on, check_agrees, convert
from np2jax.tests.programs.generators.loops.return_programs import program

X = np.array([1.0, -2.0, 0.5, np.nan, 3.0])


def test_the_first_index_that_is_looked_for():
    text = check_agrees(
        """
        import numpy as np

        def f(x: np.ndarray, limit: float):
            c = 0.0
            for i in range(len(x)):
                c = c * 0.5 + x[i]
                if c > limit:
                    return i
            return -1
        """,
        (X, 2.0),
        (X, 9.0),
        (X, -9.0),
        (X[:1], 0.5),
    )
    assert "i, done, c = lax.while_loop(running, update_c, (-1, False, c))\n    return jnp.where(done, i, -1)\n" in text


def test_true_or_false():
    text = check_agrees(
        """
        import numpy as np

        def f(x: np.ndarray):
            c = 0.0
            for i in range(len(x) - 1):
                c = c + x[i]
                if c > x[i + 1]:
                    return False
            return True
        """,
        (X,),
        (np.arange(3.0),),
        (X[:1],),
    )
    assert text.endswith("    return ~done\n")


def test_the_same_result_in_the_loop_and_after_it():
    text = check_agrees(
        """
        import numpy as np

        def f(x: float, tol: float):
            for k in range(50):
                step = (x * x - 2.0) / (2.0 * x)
                x = x - step
                if abs(step) < tol:
                    return x
            return x
        """,
        (1.0, 1e-9),
        (1.0, -1.0),
        (1.0, 10.0),
    )
    assert "_, _, x = lax.while_loop(" in text and text.endswith("    return x\n")


def test_several_results_and_how_many_iterations_it_took():
    text = check_agrees(
        """
        import numpy as np

        def f(A: np.ndarray, b: np.ndarray, tol: float):
            x = np.zeros_like(b)
            for it in range(100):
                r = b - A @ x
                if np.linalg.norm(r) < tol:
                    return x, it
                x = x + 0.5 * r
            return x, 100
        """,
        (np.eye(2), np.ones(2), 1e-6),
        (np.eye(2), np.ones(2), -1.0),
    )
    assert "return x, jnp.where(done, it, 100)" in text


def test_while_loops_and_an_endless_one():
    source = """
        import numpy as np

        def f(low: float, high: float, tol: float):
            while high - low > tol:
                mid = 0.5 * (low + high)
                value = mid**3 - mid - 2
                if value == 0:
                    return mid
                if value > 0:
                    high = mid
                else:
                    low = mid
            return 0.5 * (low + high)

        def g(x: float):
            while True:
                y = 0.5 * (x + 2.0 / x)
                if abs(y - x) < 1e-10:
                    return y
                x = y
        """
    text = check_agrees(source, (1.0, 2.0, 1e-6), (1.0, 2.0, 5.0), (1.0, 2.0421379, 1e-12))
    assert "return jnp.where(done, mid, 0.5 * (low + high))" in text
    check_agrees(source, (1.0,), (3.0,), function="g")


def test_an_argument_that_is_changed_is_handed_back_by_both():
    text = check_agrees(
        """
        import numpy as np

        def f(x: np.ndarray, lim: float):
            for i in range(len(x) - 1, 0, -1):
                x[i] += x[i - 1]
                if x[i] > lim:
                    return 2 * i
            return -1
        """,
        (np.arange(5.0), 4.0),
        (np.arange(5.0), 40.0),
        (np.arange(1.0), 40.0),
    )
    assert "return jnp.where(done, 2 * i, -1), x" in text


def test_results_that_may_have_other_shapes_are_not_stretched():
    source = """
        import numpy as np

        def f(x: np.ndarray, y: np.ndarray):
            c = 0.0
            for v in x:
                c += v
                if c > 1:
                    return y
            return c
        """
    text = convert(source)[0]
    assert "jnp.where(done" not in text


@pytest.mark.parametrize("end", ["return None", "return", "c = c + 1\n            return c", "return [c]"])
def test_other_ends_stay(end):
    text = check_agrees(
        f"""
        import numpy as np

        def f(x: np.ndarray):
            c = 0.0
            for v in x:
                c += v
                if c > 2:
                    return c
            {end}
        """,
        (X[:3] + 1,),
        keep=True,
    )
    assert "for v in x:" in text or "lax.cond" in text


@pytest.mark.parametrize("use", ["x[: first(x)]", "np.zeros(first(x) + 2)", "x.sum() if first(x) > 0 else x", "range(first(x))"])
def test_python_needs_the_result(use):
    check_agrees(
        f"""
        import numpy as np

        def first(x: np.ndarray):
            for i in range(len(x)):
                if x[i] < 0:
                    return i
            return -1

        def f(x: np.ndarray):
            return {use}
        """,
        (X,),
        keep=True,
    )


def check(seed):
    """Whether a program ran in NumPy and agreed, and whether its loop was compiled."""
    text = program(seed)
    made, functions, _diagnostics = convert(text)
    rng = np.random.default_rng(seed)
    ran = False
    for n in (3, 1, 0):
        x = rng.normal(size=max(n, 2))
        if rng.random() < 0.3:
            x[0] = np.nan
        ran |= agrees_on(text, made, functions["f"], (x, rng.normal(size=max(n, 2)), 0.5, n))
    return ran, "lax.while_loop(" in made


def test_random_loops_that_return():
    assert any(check(seed)[0] for seed in range(5))


@pytest.mark.slow
@pytest.mark.parametrize("start", range(1000, 1120, 20))
def test_many_random_loops_that_return(start):
    ran, compiled = zip(*(check(seed) for seed in range(start, start + 20)), strict=True)
    assert sum(ran) > 10 and sum(compiled) > 8
