"""Numbers of which the iterations of a loop make arrays: they have the shape of the array from the start."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import check_agrees, compare_values, convert, run
from np2jax.tests.helpers.rule_examples import example_of

test_example = example_of(__name__)

ARRAYS = [
    np.array([0.5, -1.25, np.nan, np.inf]),
    np.array([[1.0, 2.0], [0.25, -3.0]]),
    np.array(1.5),
    np.array([2.5], np.float32),
    np.zeros(0),
]
GROWING = {
    "sum": "t = 1.0\n    s = 0.0\n    for k in range(1, n):\n        t = t * x / k\n        s = s / 2 + t\n    return s * x",
    "swap": "a, b = 0.0, x\n    for k in range(n):\n        a, b = b, a + b * x\n    return b",
    "temporary": "a = 0.0\n    b = 1.0\n    for k in range(n):\n        old = a\n        a = -b\n        b = old + b * x\n    return a - b * (x + 1)",
    "while": "p = 1.0\n    k = 0\n    while k < n:\n        p = p * np.sin(x + p) + 1\n        k += 1\n    return 2 - x / p",
    "nested": "p = 0.0\n    q = 2.0\n    for i in range(n):\n        for j in range(2):\n            p = p * q + x\n            q = -q\n    return p + x",
    "of two": "p = 0.0\n    q = 1.0\n    for i in range(n):\n        p = p * x + q\n        q = np.maximum(q, abs(x - x * p))\n    return p + x, q - x",
}
OTHERS = {
    "items": "p = 1.0\n    q = 0.0\n    for i in range(len(x)):\n        p = p * x[i] + q\n        q = p - q\n    return p + np.sum(x)",
    "rows": "p = 1.0\n    for v in x:\n        p = p * 0.5 + v\n        p = p - p * p / 2\n    return p * x",
    "seen": "p = 1.0\n    for i in range(2):\n        p = p * np.cos(p + np.sum(x))\n    return p",
    "products": "p = 1.0\n    for i in range(n):\n        p = x @ x * p + np.cos(p)\n    return p",
}


@pytest.mark.parametrize("name", GROWING)
def test_a_number_grows(name):
    source = f"import numpy as np\n\n\ndef f(x: np.ndarray, n: int):\n    {GROWING[name]}\n"
    text = check_agrees(source, *((x, n) for x in ARRAYS for n in (1, 4)))
    assert "jnp.zeros_like(x)" in text and "for i in" not in text and "jax.jit" in text


@pytest.mark.parametrize("name", OTHERS)
def test_a_number_that_stays_one(name):
    source = f"import numpy as np\n\n\ndef f(x: np.ndarray, n: int):\n    {OTHERS[name]}\n"
    text = check_agrees(source, (np.array([0.5, -1.25, 2.0]), 3))
    assert "zeros_like" not in text


def test_what_is_known_to_be_a_number_gets_no_shape():
    source = "import numpy as np\n\n\ndef f(y: np.ndarray, x: float, n: int):\n    p = 1.0\n    for k in range(n):\n        p = p * x + 1\n    return y * p\n"
    assert "zeros_like" not in convert(source)[0]


def test_a_number_that_is_seen_is_no_array_without_iterations():
    """NumPy returns the number: JAX raises where it would be another shape."""
    source = "import numpy as np\n\n\ndef f(x: np.ndarray, n: int):\n    p = 1.0\n    for k in range(n):\n        p = p * np.cos(x)\n        p = p * p\n    return p\n"
    assert "assert n > 0" in convert(source)[0]


def test_nobody_knows_how_many_iterations_there_are():
    body = "p = 1.0\n    for k in range(int(x[0])):\n        p = p * x\n    return p"
    assert "zeros_like" not in convert(f"import numpy as np\n\n\ndef f(x: np.ndarray):\n    {body}\n")[0]


VISIBLE = {
    "sum": "y = 0.0\n    for k in range(n):\n        y += np.cos(k * x) / (k + 1)\n    return y",
    "between": "y = 1\n    for k in range(1, n):\n        y = y * (x - k)\n    return np.sum(y / 2)",
    "after two turns": "t = 1.0\n    s = 0.0\n    for k in range(n):\n        s = s + t\n        t = t * x\n    return s, t",
    "backwards": "y = 0.5\n    for k in range(n, 0, -1):\n        y = c[0] / (x + y * k)\n    return y",
    "rows": "y = 0\n    for a in c[:n]:\n        y = y + a\n    y = 0\n    for a in c:\n        y = y * x + a\n    return y",
    "numbered": "y = 0.0\n    for k, a in enumerate(c):\n        y = y + a * x ** k\n    return y",
    "always": "y = 1.0\n    for _ in range(7):\n        y = 0.5 * (y + x / y)\n    return y",
}


@pytest.mark.parametrize("name", VISIBLE)
def test_a_number_that_is_seen_grows_where_iterations_are_counted(name):
    source = f"import numpy as np\n\n\ndef f(x: np.ndarray, c: np.ndarray, n: int):\n    {VISIBLE[name]}\n"
    c = np.array([0.5, 2.0, -1.5])
    iterations = (2, 3) if name in ("after two turns", "between") else (1, 2, 3)
    check_agrees(source, *((x, c[:k], n) for x in ARRAYS[:4] for n in iterations for k in (3, 1)))


def test_a_number_under_a_test_may_stay_one():
    body = "y = 0.0\n    for k in range(n):\n        if k > 2:\n            y = y + x\n    return y"
    assert "zeros_like" not in convert(f"import numpy as np\n\n\ndef f(x: np.ndarray, n: int):\n    {body}\n")[0]


ITEMS = {
    "Horner": "p = c[-1]\n    for k in range(1, len(c)):\n        p = p * x + c[-1 - k]\n    return p",
    "downwards": "p = c[len(c) - 1]\n    for k in range(len(c) - 2, -1, -1):\n        p = p * (x - c[k]) + c[k]\n    return p",
    "meets it afterwards": "p = c[0]\n    for k in range(3):\n        p = np.cos(p) + x\n    return p * x",
}


@pytest.mark.parametrize("name", ITEMS)
def test_an_item_that_becomes_an_array(name):
    text = f"import numpy as np\n\n\ndef f(c: np.ndarray, x: np.ndarray):\n    {ITEMS[name]}\n"
    c, x = np.array([1.0, -2.0, 0.5, 3.0]), np.array([0.5, 1.0, np.nan, 3.0, -2.0])
    made = check_agrees(text, (c, x), (c, np.array(2.0)), (np.array([1, 2, 3]), x), (c[:2], x[:4].reshape(2, 2)), (c, x[:0]))
    assert "jax.jit" in made


def test_items_that_stay_numbers():
    text = "import numpy as np\n\n\ndef f(c: np.ndarray, x: np.ndarray):\n    s = c[0]\n    p = 1.0\n    for k in range(1, len(c)):\n        s = s / 2 + c[k]\n        p = p * x + 1\n    return p * x, s\n"
    c, x = np.array([1.0, -2.0, 0.5]), np.array([0.5, 1.0])
    made = check_agrees(text, (c, x), (c[:1], x))
    assert "zeros_like(x)" in made and "zeros_like(c" not in made


CARRIED = {
    "added after it changes": "P = np.ones((2, 2))\n    S = 0.0\n    for k in range(n):\n        P = P @ A\n        S = S * 0.5 + P\n    return S",
    "added before": "P = np.eye(2)\n    S = 0.0\n    for k in range(n):\n        S = S + P\n        P = P @ A\n    return S",
    "an integer": "T = np.eye(2)\n    S = 0\n    for k in range(1, 20):\n        S = S + T\n        T = T @ A / k\n    return S",
}


@pytest.mark.parametrize("name", CARRIED)
def test_a_number_that_gets_the_shape_of_what_is_carried(name):
    text = f"import numpy as np\n\n\ndef f(A: np.ndarray, n: int):\n    {CARRIED[name]}\n"
    a = np.array([[0.5, 0.2], [-0.1, 0.3]])
    made = check_agrees(text, (a, 3), (a, 1), (a * np.nan, 2), ((a * 10).astype(int), 2))
    assert "jax.jit" in made and "+ jnp.zeros_like(" in made


ROWS = {
    "columns": "n = 0\n    while n < 3:\n        s = u[n, :, 0] + s - u[n + 1, :, 1]\n        n += 1",
    "columns of an array that the loop sets": "u = u.copy()\n    n = 0\n    while n < 3 and np.sum(u[n]) < 1e3:\n        s = u[n, :, 0] + s * 0.5\n"
    "        for k in range(2):\n            s = s + u[n + 1, :, k]\n            u[n + 1, :, k] = (x - s) / 2\n        n += 1",
}


@pytest.mark.parametrize("start", ["0", "0.5"])
@pytest.mark.parametrize("name", ROWS)
def test_a_number_that_becomes_a_part_of_an_array(name, start):
    text = f"import numpy as np\n\n\ndef f(u: np.ndarray, x: np.ndarray):\n    s = {start}\n    {ROWS[name]}\n    return n, u\n"
    u, x = np.arange(30.0).reshape(5, 3, 2) / 7, np.array([1.0, -2.0, 0.5])
    made = check_agrees(text, (u, x), (u * np.nan, x), (u[:, :1], x[:1]))
    assert "jax.jit" in made and "zeros_like(u[0, :, 0])" in made


def test_a_number_that_may_still_be_one_after_the_loop_is_not_carried():
    loop = ROWS["columns"].replace("n < 3", "n < 3 and np.sum(u[n]) < 1e3")
    text = f"import numpy as np\n\n\ndef f(u: np.ndarray, x: np.ndarray):\n    s = 0\n    {loop}\n    return n, s\n"
    u = np.arange(30.0).reshape(5, 3, 2)
    made = check_agrees(text, (u, np.ones(3)), (u * 1e3, np.ones(3)), keep=True)
    assert "jax.jit" not in made


USES = ["np.abs(s).sum()", "np.max(s * 0.5)", "np.linalg.norm(s)", "(s - 1.0).mean()"]


@pytest.mark.parametrize("use", USES)
def test_a_number_that_is_used_as_an_array_gets_the_shape_of_rows(use):
    text = f"import numpy as np\n\n\ndef f(u: np.ndarray):\n    s, size, n = 0.0, 1.0, 0\n    while n < 4 and size < 1e6:\n        s = u[n] + s * 0.5\n        size = {use}\n        n += 1\n    return n, size\n"
    u = np.arange(12.0).reshape(4, 3) / 7
    made = check_agrees(text, (u,), (u[:, 0],), (u * 1e7,))
    assert "jax.jit" in made and "zeros_like(u, shape=u.shape[1:])" in made


RETURNED = {
    "a sum": "s = s * 0.5 + np.sin(u[i])",
    "with a number": "s = a * u[i] + (1 - a) * s",
    "of two arrays": "s = s * 0.5 + u[i] * v[i]",
    "absolute values": "s = s / 2 + abs(u[i])",
    "swapped": "s, t = u[i] - t, s",
}


@pytest.mark.parametrize("start", ["0", "0.5"])
@pytest.mark.parametrize("loop", ["for i in range(n):", "while i < n:"])
@pytest.mark.parametrize("name", RETURNED)
def test_a_number_that_gets_the_shape_of_a_row_or_stays_a_number(name, loop, start):
    step = "" if loop.startswith("for") else "\n        i += 1"
    text = f"import numpy as np\n\n\ndef f(u, v, a, n):\n    s, t, i = {start}, {start}, 0\n    {loop}\n        {RETURNED[name]}{step}\n    return s\n"
    u = np.arange(12.0).reshape(4, 3) / 7
    few = u.astype("f4"), np.arange(12).reshape(4, 3), u * 1j, u.reshape(4, 3, 1), u[:, 0], np.arange(4)
    made = check_agrees(text, *((x, x + 1, 0.25, 4) for x in few), (u, u, 0.5, 1))
    assert "broadcast_to(s, " in made or name == "swapped"


@pytest.mark.parametrize(
    "loop", ["for i in range(len(c)):\n        a = c[i]", "for a in c:\n        pass", "for a in reversed(c):\n        pass"]
)
def test_a_polynomial_of_numbers_and_arrays(loop):
    text = (
        f"import numpy as np\n\n\ndef f(c: np.ndarray, x):\n    r = 0\n    {loop}\n        r = r * np.cos(x) + a\n    return r\n"
    )
    c, x = np.array([1.0, -2.0, 0.5]), np.array([[0.5, 2.0], [np.nan, 1.0]])
    made = check_agrees(text, (c, x), (c, 0.5), (c[:1], x), ((4 * c).astype(int), x))
    assert "broadcast_to(r, " in made and "c.shape[1:]" in made


def test_a_loop_over_nothing_reads_no_row():
    text = "import numpy as np\n\n\ndef f(u, a):\n    s = 0.0\n    rows = []\n    for x in u:\n        s = a * x + (1 - a) * s\n        rows.append(s)\n    return np.array(rows)\n"
    u = np.arange(12.0).reshape(4, 3)
    made = convert(text, placement="fast")[0]
    assert "zeros_like(u, shape" in made
    for x in (u, u[:, 0], u[:0, 0]):
        assert not compare_values(run(text)["f"](x, 0.5), run(made)["f"](x, 0.5))
