"""Arrays of whose items numbers are made: an `assert` says how many dimensions they have, where that lets jit compile a function."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import check_agrees, compare_values, convert, refused, run

X = np.array([3.0, -1.5, 2.0, 0.25, -4.0])
FORMS = {
    "sums": "out = np.zeros(len(x))\n    for i in range(len(x)):\n        s = x[i]\n        for j in range(i):\n            s -= out[j]\n        out[i] = s / 2\n    return out",
    "best": "best = cur = x[0]\n    for i in range(1, len(x)):\n        if cur < 0:\n            cur = x[i]\n        else:\n            cur += x[i]\n        if cur > best:\n            best = cur\n    return np.sqrt(abs(best))",
    "swap": "for i in range(len(x) // 2):\n        t = x[i]\n        x[i] = x[len(x) - 1 - i]\n        x[len(x) - 1 - i] = t\n    return np.sum(x)",
    "sort": "for i in range(1, len(x)):\n        key = x[i]\n        j = i - 1\n        while j >= 0 and x[j] > key:\n            x[j + 1] = x[j]\n            j -= 1\n        x[j + 1] = key\n    return x * 2",
    "running": "c = x[0]\n    for i in range(1, len(x)):\n        c += np.abs(x[i])\n    return c",
    "two at a time": "for k in range(1, len(x)):\n        a, b = m[k, 0], m[k, 1]\n        m[k, 0] = 0.6 * a - 0.8 * b\n        m[k, 1] = 0.8 * a + 0.6 * b\n    return np.sum(m)",
    "a matrix": "s = m[0, 0]\n    for i in range(len(m)):\n        s += m[i, 1] * x[i]\n    return s",
}
ARRAYS = {
    "a row that changes": "for i in range(len(x)):\n        r = m[i]\n        r -= r.mean()\n    return m",
    "a row that nobody reads": "for i in range(len(x)):\n        r = m[i]\n        r *= 2\n    return np.sum(m)",
    "items of rows": "for i in range(len(x)):\n        r = m[i]\n        r += x[0]\n        r[0] = 1\n    return m",
    "rows too": "s = m[0, 0]\n    s += 1\n    t = m[1]\n    t += s\n    return m, t",
    "rows of a loop": "for r in m:\n        r += 1\n    return m",
    "returned": "y = m[1]\n    m[1] = 50\n    return y",
    "returned beside another": "y = m[1]\n    m[1] = 50\n    return y, m",
    "two rows that are returned": "a, b = m[0], m[1]\n    m[0] = 50\n    return a, b, m",
    "given on": "r = m[0]\n    r += 1\n    return np.sum(r), m",
}


def text_of(body, params="x: np.ndarray, m: np.ndarray"):
    return f"import numpy as np\n\n\ndef f({params}):\n    {body}\n"


@pytest.mark.quick(3)
@pytest.mark.parametrize("name", FORMS)
def test_items_are_numbers(name):
    made = check_agrees(text_of(FORMS[name]), (X, np.outer(X, X)), (X[:2], np.ones((2, 2))))
    assert "ndim == " in made and "@jax.jit" in made


@pytest.mark.parametrize("name", FORMS)
def test_rows_are_refused_aloud(name):
    given = (np.outer(X, X), np.ones((5, 5, 2)))
    function = run(convert(text_of(FORMS[name]))[0])["f"]
    with pytest.raises(AssertionError):
        function(*given)


@pytest.mark.parametrize("name", ARRAYS)
def test_items_may_be_rows(name):
    text = text_of(ARRAYS[name])
    assert ".ndim" not in convert(text)[0]
    check_agrees(text, (X, np.outer(X, X)), keep=True)


def test_a_list_is_given():
    body = "out = np.zeros(len(x))\n    for i in range(len(x)):\n        s = x[i]\n        for j in range(i):\n            s -= out[j]\n        out[i] = s / 2\n    return out"
    made = check_agrees(text_of(body, "x"), (X,), ([1.0, 2.0, 3.5],))
    assert "x = jnp.asarray(x)" in made


def test_nothing_is_said_where_it_does_not_help():
    body = "t = x[0]\n    t += 1\n    print(open(str(t)).read())\n    return t"
    assert refused(text_of(body)).startswith("NJ203")
    assert "ndim" not in convert(text_of(body))[0]


@pytest.mark.parametrize("rank", [1, 2])
def test_what_the_text_says_is_known(rank):
    item = ", ".join("0" * rank)
    text = f"import numpy as np\n\n\ndef f(x: np.ndarray):\n    assert x.ndim == {rank}\n    t = x[{item}]\n    t += 1\n    return t, np.sum(x)\n"
    check_agrees(text, (np.ones((2,) * rank),))


UNPACKED = """
import numpy as np


def f(x):
    {first}
    {second}
    for i in range(1, n):
        for j in range(1, m):
            old = u[i, j]
            u[i, j] = (u[i - 1, j] + x[i, j - 1]) / 2
            u[i - 1, j] += u[i, j] - old
    return u
"""


@pytest.mark.parametrize("order", [1, -1])
def test_a_shape_that_is_unpacked_tells_the_rank_before_that_too(order):
    first, second = ["u = np.ones_like(x)", "n, m = x.shape"][::order]
    text = check_agrees(UNPACKED.format(first=first, second=second), (np.sin(np.arange(12.0)).reshape(3, 4),))
    assert "lax.fori_loop" in text and "assert" not in text


def test_a_shape_that_is_unpacked_later_or_of_another_array_tells_nothing():
    for first, second in [("u = np.ones_like(x); x = x[0]", "n, m = x.shape"), ("u = np.ones_like(x)", "n, *_, m = x.shape")]:
        assert "fori_loop" not in convert(UNPACKED.format(first=first, second=second))[0]


SOLVER = """
import numpy as np


def f(A, b, x=None, most=50):
    n = len(b)
    if x is None:
        x = np.zeros(n)
    rounds = 0
    while True:
        rounds += 1
        change = 0.0
        for i in range(n):
            old = x[i]
            x[i] = (b[i] - A[i, :i] @ x[:i] - A[i, i + 1 :] @ x[i + 1 :]) / A[i, i]
            change = max(change, abs(x[i] - old))
        if change < 1e-9:
            return x, rounds
        if rounds >= most:
            raise RuntimeError("no convergence")
"""


def test_code_on_the_host_asserts_nothing():
    """None, a list and rows are as good as an array of numbers there: it tests what the compiled loop supposes."""
    after = convert(SOLVER, placement="fast")[0]
    assert "assert" not in after and "and x.ndim == 1 and n > 0:" in after
    A, b = np.array([[4.0, 1.0], [2.0, 5.0]]), np.array([1.0, 2.0])
    for start in (None, np.ones(2), [0.0, 0.0]):
        want, got = (run(text)["f"](A, b, None if start is None else start[:].copy()) for text in (SOLVER, after))
        assert not compare_values(got, want)
