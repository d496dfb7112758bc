"""Lists and tuples that are stored in arrays, where NumPy makes arrays of them."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import body, check_agrees, compare_values, convert, function, run
from np2jax.tests.helpers.rule_examples import example_of

test_example = example_of(__name__)

X = np.array([1.5, -2.0, np.nan, 0.25])
BODIES = {
    "a row": "out[0] = [x[0], x[1]]",
    "a tuple": "out[1, :] = x[0], 3",
    "a part": "out[:2, 1] = (x[0], 0.1)",
    "rows": "out[:2] = [[x[0], 1], [2, x[1]]]",
    "one": "out[2] = [x[1]]",
    "turns": "for i in range(len(x)):\n        out[i] = [x[i], i]",
    "turns with tuples": "for i in range(len(x)):\n        out[i, :] = x[i], x[i] ** 2",
    "turns that go on": "s, t = 0.9, 0.1\n    for i in range(len(x)):\n        out[i] = [s, t]\n        s, t = s - 0.1 * t, t + 0.1 * s",
    "a tuple that goes on": "s = 0.0\n    for i in range(len(x)):\n        s = s * 0.5 + x[i]\n        out[i] = s, x[i]",
    "one in turns": "for i in range(len(x)):\n        out[i] = [x[i]]",
    "under a test": "for i in range(len(x)):\n        if x[i] > 0:\n            out[i] = [x[i], 1]",
    "columns": "for j in range(2):\n        out[:, j] = [x[j], j, 0.1, 7]",
}


@pytest.mark.quick(5)
@pytest.mark.parametrize("made", ["np.zeros((4, 2))", "np.zeros((4, 2), int)", "np.zeros((4, 2), np.float32)", "np.ones_like(y)"])
@pytest.mark.parametrize("name", BODIES)
def test_agrees(name, made):
    text = f"import numpy as np\n\n\ndef f(x: np.ndarray, y: np.ndarray):\n    out = {made}\n    {BODIES[name]}\n    return out\n"
    y = np.zeros((4, 2))
    check_agrees(text, *((np.nan_to_num(X).astype(dtype), y) for dtype in (float, int, np.float32)), keep=name == "rows")


A, B = np.array([[1.5, -2.0, 0.25], [3.0, 0.5, -1.0]]), np.array([4, 2, 7])


def converted(expression, **options):
    return body(convert(function(f"return {expression}"), **options)[0]).partition("return ")[2]


def test_documented_sequences_are_arrays():
    text = '''
        import numpy as np


        def f(q, other=None):
            """Square of the norm.

            Parameters
            ----------
            q : 4 element sequence
            """
            return norm2(q)


        def norm2(v):
            return np.dot(v, v)
    '''
    assert "jnp.dot(jnp.asarray(v), jnp.asarray(v))" in check_agrees(text, ([1.0, 2.0],), ((1, 2),), (B,))


def test_callers_that_give_lists():
    text = "import numpy as np\n\n\ndef f(v):\n    return np.dot(v[:2], v[:2])\n\n\nf([1, 2, 3])\nf(np.ones(3))\n"
    assert "v = jnp.asarray(v)" in check_agrees(text, ([1.0, 2.0, 4.0],), (B,))


@pytest.mark.parametrize("cut", ["v[: len(v) // n * n]", "v[1:][:-1]", "v"])
def test_a_slice_of_a_list_that_a_caller_gives(cut):
    """`np.reshape(v[:k], ...)` after `v = v[:k]`."""
    text = f"import numpy as np\n\n\ndef f(v, n):\n    v = {cut}\n    return np.reshape(v, (len(v) // n, n)).sum(axis=1)\n\n\n"
    text += "f([1, 2, 3], 1)\nf(np.ones(3), 1)\n"
    given = [1.0, 2.0, 4.0, 3.0]
    assert "jnp.asarray(v)" in check_agrees(text, (given, 2), (tuple(given), 2), (np.array(given), 2))


def test_ranges_become_arange():
    assert converted("x[range(4), :] + np.dot(x, range(3))") == "x[jnp.arange(4), :] + jnp.dot(x, jnp.arange(3))"
    assert converted("range(3) * x[0] + x[1]") == "jnp.arange(3) * x[0] + x[1]"


def test_ranges_that_are_put():
    text = "import numpy as np\n\n\ndef f(x: np.ndarray):\n    np.put(x, range(3), 0)\n    np.put(x, np.where(x > 1), 2)\n    return x"
    assert "jnp.arange(3)" in check_agrees(text, (B,), keep=True)


def test_tuples_that_converted_calls_give():
    text = """
        import numpy as np


        def f(x: np.ndarray):
            i = np.append(np.where(x[1:] != x[:-1]), len(x) - 1)
            return np.diff(np.append(-1, i)), x[i]
    """
    assert "jnp.asarray(jnp.where(" in check_agrees(text, (np.array([1, 1, 2, 2, 2, 0]),), (np.array([1.0]),), (A[0],))


def test_a_documented_array_that_a_call_gives_as_a_list():
    text = '''
        import numpy as np


        def f(at, x, y):
            """Parameters
            ----------
            at : float or array of floats
                Where.
            """
            return np.interp(at, x, y)


        f([0.2, 0.4], np.arange(3.0), np.ones(3))
    '''
    assert "jnp.interp(jnp.asarray(at), x, y)" in check_agrees(text, ([0.5, 1.5], A[0], A[1]), (0.5, A[0], A[1]))


def test_what_a_call_gives_as_a_number_an_array_or_a_list():
    text = """
        import numpy as np

        CODES = {"end": 0, "begin": 1, 0: 0, 1: 1}


        def convert(when):
            if isinstance(when, np.ndarray):
                return when
            try:
                return CODES[when]
            except (KeyError, TypeError):
                return [CODES[w] for w in when]


        def f(rate, when):
            codes = convert(when)
            rate, codes = np.broadcast_arrays(rate, codes)
            return rate * codes
    """
    assert "jnp.asarray(codes)" in check_agrees(text, (0.5, "end"), (A[0], ["end", "begin", 1]), (0.5, ["end", 0]), (2.0, B))


def test_an_array_on_some_ways_and_a_list_on_others():
    text = '''
        import numpy as np


        def f(shape, n):
            """Parameters
            ----------
            shape : array_like
                How much.
            """
            arr = np.asarray(shape)
            if arr.ndim < 2:
                arr = arr * n
            elif arr.shape[0] == n:
                arr = shape
            return np.round(arr)
    '''
    assert "jnp.round(jnp.asarray(arr))" in check_agrees(text, ([0.5, 1.7], 2), ([[0.5, 1.7]], 1), (0.5, 2))


def test_a_parameter_is_made_an_array_of_two_dimensions():
    text = '''
        import numpy as np


        def column(z, n):
            z = np.atleast_2d(z)
            if z.shape[1] == n:
                z = z.T
            return z


        def f(z):
            """Parameters
            ----------
            z : array_like
                What was measured.
            """
            return column(z, 2) + 1.0
    '''
    made = check_agrees(text, ([0.5, 1.5],), (np.array([0.5, 1.5]),), (0.5,))
    assert "z = jnp.atleast_2d(jnp.asarray(z))" in made and "where" not in made


ROWS = """
import numpy as np
from scipy.linalg import block_diag


def noise(dt=1.0, blocks=2, scale=1.0):
    q = [[0.25 * dt**4, 0.5 * dt**3], [0.5 * dt**3, dt**2]]
    return block_diag(*[q] * blocks) * scale + np.sqrt(dt)


def rows(dt: float):
    q = [dt, 2 * dt]
    return np.atleast_2d(*[q, q])[0] + np.sqrt(dt) * np.exp(dt)
"""


def test_starred_lists_of_lists():
    text = convert(ROWS)[0]
    old, new = run(ROWS), run(text)
    assert text.count("jnp.asarray(row) for row in ") == 2
    for name in ("noise", "rows"):
        assert not compare_values(new[name](0.5), old[name](0.5))


@pytest.mark.parametrize("times", ["edges[k + 1] - edges[k]", "edges[k]", "2 * edges[k] + 1"])
def test_a_list_that_may_be_repeated_stays(times):
    text = f"import numpy as np\n\n\ndef f(edges: np.ndarray, labels: list):\n    out = []\n    for k in range(2):\n        out += [labels[k]] * ({times})\n    return out\n"
    outcome = convert(text, placement="device")[1]["f"]
    assert "whether a list is repeated" in outcome.reason, outcome
