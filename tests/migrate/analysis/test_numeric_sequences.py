"""Parameters of which only the use of their items says that they hold numbers: arrays, or lists, of which arrays are made."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import body, check_agrees, convert, run

TOTAL = """
import numpy as np

def f(x, y):
    total = 0.0
    for i in range(1, len(x)):
        total += (x[i] - x[i - 1]) * (y[i] + y[i - 1]) / 2
    return total
"""

HOLD_NUMBERS = {
    "neighbours": "    s = 0.0\n    for i in range(1, len(x)):\n        s = max(s, abs(x[i] - x[i - 1]))\n    return np.sqrt(s)",
    "added up": "    s = 0\n    for v in x:\n        s += v\n    return np.float64(s)",
    "added up, numbered": "    s = 0\n    for k, v in enumerate(x):\n        s = s + k * v\n    return np.float64(s)",
    "stored": "    out = np.zeros(len(x))\n    for i in range(len(x)):\n        out[i] = 2 * x[i]\n    return out",
    "several at once": "    out = np.zeros(len(x))\n    for i in range(len(x)):\n        t, u = x[i] - 1, 2 - x[i - 1]\n        out[i] = t * u\n    return out",
    "tested": "    n = np.zeros(3)\n    for v in x:\n        if v > 0:\n            n[1] += v\n    return n",
    "tested, by another name": "    n = np.zeros(3)\n    for i in range(len(x)):\n        v = x[i]\n        if v > 1.5:\n            n[2] += 1\n    return n",
    "backwards": "    s = 0.0\n    for v in reversed(x):\n        s = s / 2 + v / 3\n        if v < 0:\n            s = s + np.sin(v)\n    return s",
    "math": "    s = np.zeros(2)\n    for v in x:\n        s[0] += math.atan(v)\n    return s",
}

STAY_AS_THEY_ARE = {
    "text": '    n = np.zeros(2)\n    for c in x:\n        if c == "a":\n            n[0] += 1\n    return n',
    "order of anything": "    k = 0\n    for i in range(len(x)):\n        if x[i] > x[k]:\n            k = i\n    return np.zeros(3)[k:]",
    "layers": "    loss = 0.0\n    for i in range(len(x)):\n        loss += np.sum(x[i] ** 2)\n    return loss",
    "layers that are changed": "    for i in range(len(x)):\n        x[i] = x[i] - 0.5 * x[i]\n    return np.zeros(2)",
    "bound anew": "    x = sorted(x)\n    s = 0.0\n    for v in x:\n        s += v\n    return np.float64(s)",
    "a number that is copied": "    v = x\n    out = np.zeros(3)\n    for i in range(3):\n        v -= 0.5\n        out[i] = v\n    return out",
    "by name": '    s = np.zeros(1)\n    s[0] = x["a"] - x["b"]\n    return s',
}


COPY = """
import numpy as np

def f(x):
    y = x.copy()
    for i in range(1, len(y)):
        if np.isnan(y[i]):
            y[i] = y[i - 1]
    return y
"""


def test_what_decides_after_a_function_of_numpy_is_a_number():
    text = check_agrees(COPY, (np.array([1.5, np.nan, np.nan, 3.0]),), (np.array([np.nan]),), (np.array([3, -1]),))
    assert "x = jnp.asarray(x)" in text and "jax.jit" in text
    np.testing.assert_array_equal(run(text)["f"]([1.0, np.nan]), [1.0, 1.0])


def test_a_copy_of_a_copy_holds_numbers_too():
    source = """
    import numpy as np

    def f(u0, alpha, steps):
        u = u0.copy()
        for _ in range(steps):
            old = u.copy()
            for i in range(1, len(u) - 1):
                u[i] = old[i] + alpha * (old[i + 1] - 2 * old[i] + old[i - 1])
        return u
    """
    text = check_agrees(source, (np.array([0.0, 2.0, 1.0, np.nan, 4.0]), 0.1, 3), (np.arange(4.0), 0.5, 0))
    assert "lax.fori_loop" in text
    other = source.replace("old = u.copy()", "old = u.copy() if alpha else names.copy()").replace("f(u0,", "f(u0, names,")
    assert "jnp" not in convert(other)[0]


def written(lines):
    return f"import math\nimport numpy as np\n\n\ndef f(x):\n{lines}\n"


@pytest.mark.parametrize("name", HOLD_NUMBERS)
def test_an_array_is_made_of_what_holds_numbers(name):
    source = written(HOLD_NUMBERS[name])
    inputs = [np.array([1.5, -2.0, np.nan, 3.0]), np.array([3, -1, 2]), np.array([2.5]), np.array([0.25, np.inf, -1.0])]
    text = check_agrees(source, *((x,) for x in inputs))
    assert "x = jnp.asarray(x)" in text and "jax.jit" in text, text
    for given in ([1.0, -2.5, 4.0], (3, 1, 2), [7.0]):
        with np.errstate(all="ignore"):
            np.testing.assert_allclose(run(text)["f"](given), run(source)["f"](given))


@pytest.mark.parametrize("name", STAY_AS_THEY_ARE)
def test_what_may_hold_something_else_is_left(name):
    assert "jnp.asarray(x)" not in convert(written(STAY_AS_THEY_ARE[name]))[0]


def test_what_the_calls_give_is_more_than_a_guess():
    known = TOTAL + "\n\ndef main():\n    print(f(np.arange(3.0), np.ones(3)))\n"
    assert "asarray" not in convert(known)[0] and "jax.jit" in convert(known)[0]
    lists = TOTAL + "\n\ndef main():\n    print(f([1.0, 2.0], [3.0, 4.0]))\n"
    assert "jit" not in body(convert(lists)[0])


def test_a_list_keeps_its_numbers():
    text = check_agrees(TOTAL, (np.array([0.0, 1.0, 3.0]), np.array([1.0, 2.0, 5.0])))
    assert float(run(text)["f"]([0.0, 1.0, 3.0], [1, 2, 5])) == 8.5


@pytest.mark.parametrize("copy", ["u.copy()", "np.copy(u)", "np.array(u)"])
def test_what_is_changed_in_place_beside_a_copy(copy):
    source = f"""
    import numpy as np

    def f(u, alpha, steps):
        for _ in range(steps):
            un = {copy}
            for i in range(1, len(u) - 1):
                u[i] = un[i] + alpha * (un[i + 1] - 2 * un[i] + un[i - 1])
        return u
    """
    text = check_agrees(source, (np.array([0.0, 2.0, 1.0, np.nan, 4.0]), 0.1, 3), (np.arange(4.0), 0.5, 0))
    assert ("u = jnp.asarray(u)\n\n    def" in text) is (copy == "u.copy()")


def test_only_an_array_takes_a_list_as_an_index():
    source = """
    import numpy as np

    def f(b, k):
        b = b.copy()
        b[[0, k]] = b[[k, 0]]
        return b
    """
    check_agrees(source, (np.array([1.0, 2.0, 3.0]), 2), (np.arange(6).reshape(3, 2), 1))


@pytest.mark.parametrize("eager", ["print('at work')\n    ", ""])
def test_a_list_whose_part_is_given_to_a_function_of_arrays(eager):
    text = f'''
import numpy as np


def f(point, normal):
    """Mirror at a plane.

    point : sequence of floats
    normal : array_like
    """
    {eager}M = np.identity(4)
    M[:3, 3] = (2.0 * np.dot(point[:3], normal)) * np.asarray(normal)
    return M
'''
    check_agrees(text, ([1.0, 2.0, 3.0, 1.0], np.array([0.5, 0.25, 1.0])), (np.arange(4.0), np.ones(3)))


DEFAULTS = [
    ("w=(0.25, 0.5, 0.25)", "np.convolve(x, w) * len(w)"),
    ("w=[1, 0, 1]", "np.sum(w) + x * np.dot(w, w)"),
    ("w: np.ndarray = (3.0, 4.0)", "x / np.linalg.norm(w)"),
    ("w=(2, 3)", "x.reshape(w) * np.prod(w)"),
    ("*, w=(0, 1)", "x.sum(axis=0) * (w[1] - w[0])"),
]


@pytest.mark.parametrize("default, result", DEFAULTS)
def test_a_default_that_is_a_tuple_is_made_an_array_where_numpy_takes_it_for_one(default, result):
    check_agrees(f"import numpy as np\n\ndef f(x: np.ndarray, {default}):\n    return {result}\n", (np.arange(6.0),))
