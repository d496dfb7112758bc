"""Loops that store an item in each iteration and go on from the iteration before: `lax.scan` stacks the items."""

import jax
import numpy as np
import pytest

from np2jax.tests.helpers.differential import agrees_on, body, check_agrees, convert, run
from np2jax.tests.helpers.drawn_programs import seeds
from np2jax.tests.helpers.rule_examples import example_of
from np2jax.tests.programs.generators.loops import recurrence_programs

test_example = example_of(__name__)

X = np.array([1.0, -2.0, 0.5, np.nan, 3.0, np.inf])
Y = np.array([0.5, -1.0, 2.0, 4.0])


def scanned(source, *calls):
    """The converted text, which agrees and carries no array."""
    text = check_agrees(source, *calls)
    assert "lax.scan(" in text and "lax.fori_loop" not in text, text
    return body(text)


def carried(source, *calls):
    """The converted text, which agrees and goes on carrying the array."""
    text = check_agrees(source, *calls)
    assert "lax.scan(" not in text, text
    return text


def test_what_is_carried_is_stacked():
    text = scanned(
        """
        import numpy as np

        def f(x: np.ndarray, a: float):
            y = np.zeros(len(x))
            s = 0.0
            for i in range(len(x)):
                s = a * s + x[i]
                y[i] = s
            return y, s
        """,
        (X, 0.5),
        (X[:1], 0.5),
    )
    assert "def step(s, x_i):\n        s = a * s + x_i\n        return s, s\n" in text
    assert "s, y_items = lax.scan(step, s, x)\n    y = y_items.astype(float)\n" in text


def test_the_item_before_is_carried():
    text = scanned(
        """
        import numpy as np

        def f(x: np.ndarray, a: float):
            y = np.zeros(len(x))
            y[0] = x[0]
            for i in range(1, len(x)):
                y[i] = a * y[i - 1] + np.tanh(x[i] - x[i - 1])
            return y
        """,
        (X, 0.5),
        (X[:1], 0.5),
    )
    assert "lax.scan(step, y[0], (x[1:], x[:-1]))" in text


@pytest.mark.quick(3)
@pytest.mark.parametrize(
    ("iterations", "before"),
    [
        ("range(1, len(x))", "i - 1"),
        ("range(len(x))", "i - 1"),
        ("range(len(x) - 2, -1, -1)", "i + 1"),
        ("range(len(x) - 2, 0, -1)", "i + 1"),
    ],
)
@pytest.mark.parametrize("dtype", ["float", "int", "np.float32"])
def test_every_direction_and_dtype(iterations, before, dtype):
    scanned(
        f"""
        import numpy as np

        def f(x: np.ndarray, a: float):
            y = np.ones(len(x), dtype={dtype})
            z = np.zeros_like(y)
            for i in {iterations}:
                y[i] = a * y[{before}] + x[i]
                z[i] = y[{before}] * 2 - z[{before}]
            return y, z
        """,
        (Y, 0.5),
        (Y[:3], 2.5),
    )


def test_rows_and_their_items():
    text = scanned(
        """
        import numpy as np

        def f(start: np.ndarray, A: np.ndarray, n: int):
            xs = np.zeros((n + 1, 3))
            xs[0] = start
            speed = np.zeros(n)
            for i in range(n):
                xs[i + 1, :] = xs[i] + 0.1 * (A @ xs[i, :])
                speed[i] = xs[i, 0] - xs[i][2]
            return xs, speed
        """,
        (Y[:3], np.arange(9.0).reshape(3, 3), 4),
        (Y[:3], np.arange(9.0).reshape(3, 3), 0),
    )
    assert "xs_before[0] - xs_before[2]" in text


def test_values_that_are_broadcast():
    check_agrees(
        """
        import numpy as np

        def f(x: np.ndarray, h: np.ndarray, n: int):
            xs = np.zeros((n, 4))
            for i in range(n):
                h = 0.5 * h + x[0]
                xs[i] = h
            return xs
        """,
        (Y, np.array([1.0]), 3),
        (Y, Y, 3),
        (Y, np.array(2.0), 3),
    )


@pytest.mark.quick(5)
@pytest.mark.parametrize(
    "statement",
    [
        "y[i] = y[i - 2] + x[i]",
        "y[i] = y[-1] + x[i]",
        "y[i] = y[i - 1] + y[0]",
        "y[i] = np.sum(y) + x[i]",
        "y[i] = y[i - 1] + x[i]; y[0] = i",
        "y[-i] = y[i - 1] + x[i]",
        "y[i // 2] = y[i - 1] + x[i]",
        "y[i] += y[i - 1]",
        "y[i] = z[i - 1] + 1.0",
        "y[i] = y[i - 1] + x[i]; s = s + y[i]",
        "y[i] = y[i - 1] + y[i]",
        "z[i - 1] = x[i]; y[i] = y[i - 1] * 2",
    ],
)
def test_anything_else_that_is_read_or_stored(statement):
    source = f"""
        import numpy as np

        def f(x: np.ndarray):
            y = np.ones(len(x))
            z = y
            s = 0.0
            for i in range(1, len(x)):
                {statement}
            return y, s
        """
    check_agrees(source.replace("z = y\n", "z = y[1:]\n") if "z[" in statement else source, (Y,), (Y[:1],), keep=True)


@pytest.mark.parametrize(
    "lines",
    [
        ("if x[i] > 0:", "    y[i] = y[i - 1] + x[i]"),
        ("if x[i] > 2:", "    break", "y[i] = y[i - 1] + x[i]"),
        ("if x[i] > 2:", "    continue", "y[i] = y[i - 1] + x[i]"),
    ],
)
def test_stores_behind_tests_and_breaks_carry_the_array(lines):
    iteration = "\n".join(f"        {line}" for line in lines)
    carried(
        f"""import numpy as np


def f(x: np.ndarray):
    y = np.ones(len(x))
    for i in range(1, len(x)):
{iteration}
    return y
""",
        (Y,),
    )


def test_inner_loops_and_branches_in_an_iteration():
    scanned(
        """
        import numpy as np

        def f(x: np.ndarray, n: int):
            y = np.zeros(len(x))
            s = 1.0
            for i in range(len(x)):
                if x[i] > 0:
                    s = s + x[i]
                else:
                    s = s * 0.5
                y[i] = s
            return y
        """,
        (Y, 3),
    )


def test_derivatives():
    source = """
        import numpy as np

        def f(x: np.ndarray, a: float):
            y = np.zeros(len(x))
            y[0] = x[0]
            for i in range(1, len(x)):
                y[i] = a * y[i - 1] + x[i] ** 2
            return y
        """
    text = convert(source)[0]
    f = run(text)["f"]
    gradient = jax.grad(lambda a: f(jax.numpy.asarray(Y), a).sum())(0.5)
    step = 1e-6
    numerical = (f(jax.numpy.asarray(Y), 0.5 + step).sum() - f(jax.numpy.asarray(Y), 0.5 - step).sum()) / (2 * step)
    assert np.allclose(gradient, numerical)


def test_constants_for_all_iterations_have_the_shape_of_the_array():
    check_agrees(
        """
        import numpy as np

        def f(n: int):
            y = np.zeros(n)
            c = np.float64(2.0)
            for i in range(n):
                y[i] = c
            z = np.zeros((n, 2))
            for i in range(n):
                z[i, 0] = 3
            return y, z
        """,
        (3,),
    )


@pytest.mark.parametrize("seed", seeds(range(0, 144, 12), quick=3))
def test_random_programs(seed):
    text = recurrence_programs.program(seed)
    converted, functions, _diagnostics = convert(text)
    for number in range(2):
        agrees_on(text, converted, functions["f"], recurrence_programs.arguments(2 * seed + number))


def test_a_range_that_ends_before_it_starts():
    """`lax.scan` takes no negative `length`."""
    source = """
    import numpy as np

    def f(y: float, n: int):
        out = np.zeros(n)
        s = 0.0
        for i in range(n - 1):
            s = np.sin(s + y)
            out[i] = s
        return out
    """
    text = check_agrees(source, (0.5, 3), (0.5, 1), (0.5, 0))
    assert "length=max(n - 1, 0)" in text
