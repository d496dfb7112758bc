"""Loops that fill lists, of which arrays are made afterwards."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import agrees_on, body, check_agrees, convert
from np2jax.tests.programs.generators.loops.list_programs import program

X = np.array([1.0, -2.0, 0.5, np.nan, 3.0])


def test_items_of_iterations_that_need_no_other_iteration():
    text = check_agrees(
        """
        import numpy as np

        def f(x: np.ndarray, rows: np.ndarray):
            # the differences
            out = []
            for i in range(len(x) - 1):
                out.append(x[i + 1] - x[i])
            norms = []
            for row in rows:
                norms.append(np.linalg.norm(row))
            return np.array(out), np.mean(norms)
        """,
        (X, np.arange(6.0).reshape(3, 2)),
        (X[:1], np.ones((1, 4))),
    )
    assert "    # the differences\n    out = x[1:] - x[:-1]\n" in text
    assert "norms = jax.vmap(norms_at)(rows)\n    return out, jnp.mean(norms)\n" in text


def test_several_lists_and_what_is_carried():
    text = check_agrees(
        """
        import numpy as np

        def f(x: np.ndarray, n: int):
            heights, signs = [], []
            h = 0.0
            for i in range(n):
                signs.append(h > 0)
                h = 0.9 * h + x[i]
                heights.append(h)
            return np.stack(heights), np.array(signs), h
        """,
        (X, 5),
        (X, 1),
    )
    assert "return h, (jnp.asarray(h > 0, bool), " not in text, "the item was made before `h` was bound again"
    assert "h, (signs, heights) = lax.scan(step, h, x[: max(n, 0)])" in text or "(heights, signs)" in text


@pytest.mark.parametrize("iterations", ["range(n - 1, -1, -1)", "range(0, n, 2)", "range(2, n)", "reversed(range(n))"])
def test_items_stand_in_the_order_of_the_iterations(iterations):
    text = check_agrees(
        f"""
        import numpy as np

        def f(x: np.ndarray, n: int):
            out = []
            rows = []
            s = 0.0
            for i in {iterations}:
                s = s * 0.5 + x[i]
                out.append(s)
            for i in {iterations}:
                rows.append(x[i] * x)
            return np.array(out), np.vstack(rows), i
        """,
        (X, 5),
        (X, 3),
    )
    assert "lax.scan(" in text


@pytest.mark.parametrize(
    "iterations", ["for v in reversed(x)", "for i, v in enumerate(x)", "for v, w in zip(x, y)", "for v in x[1:]"]
)
def test_rows(iterations):
    check_agrees(
        f"""
        import numpy as np

        def f(x: np.ndarray, y: np.ndarray):
            out, more = [], []
            s = y[0]
            {iterations}:
                more.append(v * 2)
                s = max(s, v)
                out.append(s)
            squares = []
            {iterations}:
                squares.append(v * v)
            return np.array(out), np.sum(more), np.concatenate([np.array(squares), y])
        """,
        (X[:3], X[2:]),
    )


def test_numbers_of_python_have_the_dtypes_that_numpy_gives_them():
    check_agrees(
        """
        import numpy as np

        def f(x: np.ndarray, s: float):
            ints, floats, bools = [], [], []
            for i in range(len(x)):
                ints.append(i)
                floats.append(s)
                bools.append(x[i] > s)
            return np.array(ints), np.array(floats) * np.ones(1, dtype=np.float32), np.mean(bools)
        """,
        (X, 0.25),
    )


def test_an_array_that_is_changed_later_is_in_the_list_itself():
    source = """
        import numpy as np

        def f(x: np.ndarray, n: int):
            y = x.copy()
            out = []
            for _ in range(n):
                out.append(y)
                y += 1
            return np.array(out)
        """
    check_agrees(source, (X, 3), keep=True)


@pytest.mark.parametrize(
    "end",
    [
        "return out",
        "return len(out), np.array(out)",
        "return np.array(out), out[0]",
        "out.sort()\n            return np.array(out)",
    ],
)
def test_a_list_that_is_seen_as_one_is_made_after_the_loop(end):
    text = check_agrees(
        f"""
        import numpy as np

        def f(x: np.ndarray):
            out = []
            for v in x:
                out.append(v * 2)
            {end}
        """,
        (X[:3],),
        keep=True,
    )
    assert "out.append(" not in text and "out = list(" in text


@pytest.mark.parametrize(
    "iteration",
    ["if v > 0:\n                    out.append(v)", "out.append(v)\n                out.append(1.0)", "out.append((v, 1))"],
)
def test_other_items_stay(iteration):
    text = check_agrees(
        f"""
        import numpy as np

        def f(x: np.ndarray):
            out = []
            for v in x:
                {iteration}
            return np.array(out)
        """,
        (X[:3],),
        keep=True,
    )
    assert "out.append(" in text


def test_an_array_whose_shape_changes_is_not_carried():
    source = """
        import numpy as np

        def f(x: np.ndarray, n: int):
            out = np.array([])
            for i in range(n):
                out = np.append(x[i], out)
            while len(x) > 2:
                x = x[1:]
            return out, x
        """
    check_agrees(source, (X, 3), keep=True)
    messages = [d.message for d in convert(source)[2] if d.code == "NJ402"]
    assert "the shape of `out` changes from one iteration to the next" in messages[0]


def test_from_the_last_row_to_the_first():
    text = check_agrees(
        """
        import numpy as np

        def f(x: np.ndarray):
            s = 0.0
            for v in reversed(x):
                s += np.sin(v)
            return s
        """,
        (X,),
        (X[:0],),
    )
    assert "sin(reversed" not in text, body(text)


def check(seed):
    """Whether a program ran in NumPy and agreed, and whether its loop was compiled."""
    text = program(seed)
    made, functions, _diagnostics = convert(text)
    rng = np.random.default_rng(seed)
    ran = False
    for n in (3, 2):
        x = rng.normal(size=n)
        if rng.random() < 0.3:
            x[0] = np.nan
        ran |= agrees_on(text, made, functions["f"], (x, rng.normal(size=(n, n)), 0.5, n))
    return ran, "    for " not in made


def test_random_loops_that_fill_lists():
    assert any(check(seed)[0] for seed in range(5))


@pytest.mark.slow
@pytest.mark.parametrize("start", range(1000, 1120, 20))
def test_many_random_loops_that_fill_lists(start):
    ran, compiled = zip(*(check(seed) for seed in range(start, start + 20)), strict=True)
    assert sum(ran) > 10 and sum(compiled) > 8
