"""Sums and extremes of all terms so far, and the best so far with its place."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import body, check_agrees
from np2jax.tests.helpers.rule_examples import example_of

test_example = example_of(__name__)

X = np.array([1.0, -2.0, 0.5, np.nan, 3.0, -np.inf, np.inf])
Y = np.array([3.0, -1.0, -1.0, 4.0, 4.0])
NOTHING = np.array([], dtype=float)


@pytest.mark.quick(3)
@pytest.mark.parametrize(
    ("value", "function"),
    [
        ("y[i - 1] + x[i]", "jnp.cumsum(x[1:], dtype=y.dtype)"),
        ("x[i] + y[i - 1]", "jnp.cumsum("),
        ("y[i - 1] - x[i] * a", "y[0] - jnp.cumsum("),
        ("y[i - 1] * (1 + x[i - 1])", "jnp.cumprod("),
        ("np.maximum(y[i - 1], x[i])", "lax.cummax("),
        ("np.minimum(x[i], y[i - 1])", "lax.cummin("),
        ("y[i - 1] + i", "jnp.cumsum(i"),
    ],
)
def test_all_terms_so_far(value, function):
    iterations = "range(len(x))" if value == "x[i] + y[i - 1]" else "range(1, len(x))"
    text = check_agrees(
        f"""
        import numpy as np

        def f(x: np.ndarray, a: float):
            y = np.zeros(len(x))
            y[0] = x[0] * 2
            for i in {iterations}:
                y[i] = {value}
            return y
        """,
        (Y, 0.5),
        (X, 2.0),
        (Y[:1], 0.5),
    )
    assert function in text and "lax.scan" not in text


@pytest.mark.parametrize(
    "value", ["max(y[i - 1], x[i])", "y[i - 1] / x[i]", "y[i - 1] + y[i - 1]", "x[i] - y[i - 1]", "y[i - 1] + np.sum(x[:i])"]
)
def test_others_go_on_from_iteration_to_iteration(value):
    text = check_agrees(
        f"""
        import numpy as np

        def f(x: np.ndarray):
            y = np.ones(len(x))
            for i in range(1, len(x)):
                y[i] = {value}
            return y
        """,
        (Y,),
        (X,),
    )
    assert "cum" not in text


def test_integers_keep_their_arithmetic():
    for dtype, term in (("int", "x[i]"), ("int", "i"), ("np.int8", "i"), ("float", "x[i] > 0"), ("int", "x[i] * 0.5")):
        check_agrees(
            f"""
            import numpy as np

            def f(x: np.ndarray):
                y = np.ones(len(x), dtype={dtype})
                for i in range(1, len(x)):
                    y[i] = y[i - 1] + ({term})
                return y
            """,
            (Y,),
            (np.array([2, 5, -7]),),
        )


@pytest.mark.parametrize(
    ("update", "start"),
    [("total += x[i]", "0"), ("total = total + x[i] * a", "0.0"), ("total -= x[i]", "2.5"), ("total *= i", "1.0")],
)
def test_a_variable_that_is_stored(update, start):
    text = check_agrees(
        f"""
        import numpy as np

        def f(x: np.ndarray, a: float):
            y = np.empty(len(x))
            total = {start}
            for i in range(len(x)):
                {update}
                y[i] = total
            return y
        """,
        (Y, 0.5),
        (Y.astype(np.float32), 0.5),
        (np.array([2, 5, -7]), 2.0),
    )
    assert "cumsum" in text or "cumprod" in text


def test_a_variable_that_is_read_after_the_loop_is_carried():
    text = check_agrees(
        """
        import numpy as np

        def f(x: np.ndarray):
            y = np.empty(len(x))
            total = 0.0
            for i in range(len(x)):
                total += x[i]
                y[i] = total
            return y, total
        """,
        (Y,),
    )
    assert "lax.scan" in text


@pytest.mark.quick(3)
@pytest.mark.parametrize(
    ("test", "start", "iterations"),
    [
        ("x[i] < best", "np.inf", "range(len(x))"),
        ("best > x[i]", "x[0]", "range(1, len(x))"),
        ("x[i] > best", "-np.inf", "range(len(x))"),
        ("best < x[i]", "np.nan", "range(1, len(x))"),
        ("x[i] < best", "-1", "range(len(x))"),
    ],
)
def test_the_first_of_the_best(test, start, iterations):
    text = check_agrees(
        f"""
        import numpy as np

        def f(x: np.ndarray):
            best = {start}
            place = -1
            for i in {iterations}:
                if {test}:
                    best = x[i]
                    place = i
            return best * 1.0, place
        """,
        (X,),
        (Y,),
        (-Y,),
        (Y[:1],),
        (np.full(3, np.nan),),
        (np.full(3, np.inf),),
    )
    assert ("argmin" in text) is (test in ("x[i] < best", "best > x[i]")) and "lax.fori_loop" not in text


@pytest.mark.parametrize("test", ["x[i] <= best", "x[i] < best + 1", "x[i] < best and i > 0"])
def test_others_stay_in_a_loop(test):
    text = check_agrees(
        f"""
        import numpy as np

        def f(x: np.ndarray):
            best = 5.0
            place = -1
            for i in range(len(x)):
                if {test}:
                    best = x[i]
                    place = i
            return best, place
        """,
        (X,),
        (Y,),
        (-Y,),
    )
    assert "argmin" not in text


@pytest.mark.quick(3)
@pytest.mark.parametrize(
    "loop",
    [
        "for i in range(len(x) - 1, -1, -1):\n                if x[i] < best:\n                    best = x[i]\n                    place = i",
        "for i in range(0, len(x), 2):\n                if x[i] < best:\n                    best = x[i]\n                    place = i",
        "for i in range(len(x)):\n                if x[i] < best:\n                    best = x[i]\n                    place = i + 1",
        "for i in range(len(x)):\n                if x[i] < best:\n                    best = x[i]\n                    place = place + 1",
        "for i, v in enumerate(x):\n                if v < best:\n                    best = v\n                    place = i",
        "for i in range(len(x)):\n                d = abs(x[i] - 0.25)\n                if d < best:\n                    place = i\n                    best = d",
        "for i in range(len(x)):\n                d = np.sum(np.outer(x, x)[i] ** 2)\n                if best > d:\n                    place = i\n                    best = d",
    ],
)
def test_other_ways_to_say_it(loop):
    check_agrees(
        f"""
        import numpy as np

        def f(x: np.ndarray):
            best = np.inf
            place = -1
            {loop}
            return best, place
        """,
        (X,),
        (Y,),
        (-Y,),
    )


def test_what_an_iteration_computes_is_taken_for_all_iterations():
    text = check_agrees(
        """
        import numpy as np

        def f(points: np.ndarray, p: np.ndarray):
            best = np.inf
            nearest = 0
            for k in range(points.shape[0]):
                d = np.linalg.norm(points[k] - p)
                if d < best:
                    best = d
                    nearest = k
            return nearest, best
        """,
        (np.arange(12.0).reshape(4, 3), np.array([3.0, 4.0, 6.0])),
        (np.full((4, 3), 2.0), np.array([3.0, np.nan, 6.0])),
    )
    assert "jax.vmap(term)(points)" in body(text)
