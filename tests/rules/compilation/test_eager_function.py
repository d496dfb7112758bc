"""A function of arrays that jit does not compile says why, unless a loop, a branch or a shape in it does."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import check_agrees, convert, printed
from np2jax.tests.helpers.observed import check_program, taped

X = np.array([1.0, -2.0, 3.0, 0.5])
COUNTS = np.array([3, 1, 2, 1])
EAGER = {
    "a comparison of what may be letters": (
        "def f(a, b):\n    d = np.zeros(len(a))\n    for i in range(len(a)):\n        if a[i] == b[i]:\n"
        "            d[i] = d[i - 1] + 1\n    return d",
        "Python needs `a[i] == b[i]`: np2jax cannot tell whether numbers are compared",
    ),
    "itself": ("def f(x: np.ndarray):\n    return f(x[1:]) + 1 if len(x) > 1 else np.sum(x)", "it calls itself"),
    "prints": ("def f(x: np.ndarray):\n    print(1)\n    return np.sin(x)", "it calls `print`"),
    "caller": (
        "def g(x: np.ndarray):\n    print(1)\n    return np.sin(x)\n\ndef f(x: np.ndarray):\n    return g(x) + np.cos(x)",
        "it calls `g`, which jit cannot trace",
    ),
    "size": (
        "def g(x, n: int):\n    return np.zeros(n) + np.sum(x)\n\ndef f(x: np.ndarray):\n    return g(x, int(np.sum(x > 0)))",
        "Python needs the `n` that it passes to `g`",
    ),
    "star": ("def f(*xs):\n    return np.sin(xs[0])", "it takes any number of arguments"),
    "variable": (
        "scale = 1.0\n\ndef g():\n    global scale\n    scale = 2.0\n\ndef f(x: np.ndarray):\n    return scale * np.sin(x)",
        "`scale` is bound or changed elsewhere, which jit would not see",
    ),
    "text": ("def f(x: np.ndarray):\n    return f'{np.sum(x)}'", "Python needs `np.sum(x)`: it is formatted into a string"),
    "dict": (
        "def f(x: np.ndarray):\n    return {'b': np.sin(x), 'a': np.cos(x)}",
        "it returns a dict, and JAX would sort its keys",
    ),
    "unknown": ("def f(d, x: np.ndarray):\n    return d, np.sin(x)", "it may return a dict from its caller"),
    "error": (
        "def f(x: np.ndarray):\n    if x[0] > 0:\n        raise ValueError\n    return np.sin(x)",
        "Python needs `x[0] > 0`: it contains `raise`",
    ),
}
ELSEWHERE = {
    "loop": "def f(x: np.ndarray):\n    for i in range(9):\n        if i > 0:\n            x = x + y\n        y = np.sin(x)\n    return y",
    "branch": "def f(x: np.ndarray):\n    if x.sum() > 0:\n        return x\n    return 0.0",
    "shape": "def f(x: np.ndarray):\n    return np.unique(x)",
}
NOTHING_TO_SAY = [
    "def f(x: np.ndarray):\n    return np.sin(x)",
    "def f(n: int):\n    return n * 2",
    "def f(d):\n    return [v for v in d]",
    "class A:\n    def f(self, x: np.ndarray):\n        self.x = np.sin(x)",
    "def f(x: np.ndarray):\n    try:\n        return np.linalg.inv(x)\n    except np.linalg.LinAlgError:\n        return x",
    "import jax.numpy as jnp\n\n\ndef f(x):\n    print(x)\n    return jnp.sin(x)",
    "x = np.zeros(3)\nx[0] = 1",
    "def f(x: np.ndarray):\n    yield np.sin(x)",
]


def said(text):
    return [d for d in convert(f"import numpy as np\n\n\n{text}\n")[2] if d.code == "NJ504"]


@pytest.mark.parametrize("name", EAGER)
def test_it_says_why(name):
    text, why = EAGER[name]
    found = said(text)
    assert found and found[-1].message.startswith("`f` runs without `jit`: ") and why in found[-1].message, found
    assert found[-1].safety == "manual" and not found[-1].fixed
    assert "jit\ndef f(" not in convert(f"import numpy as np\n\n\n{text}\n")[0]


@pytest.mark.parametrize("name", ELSEWHERE)
def test_the_place_says_why(name):
    found = convert(f"import numpy as np\n\n\n{ELSEWHERE[name]}\n")[2]
    assert {d.code for d in found} & {"NJ402", "NJ405", "NJ420"} and "NJ504" not in {d.code for d in found}, found


@pytest.mark.parametrize("text", NOTHING_TO_SAY)
def test_nothing_to_say(text):
    assert not said(text)


LIFE = """
    import numpy as np


    def step(grid):
        n, m = grid.shape
        new = grid.copy()
        for i in range(n):
            for j in range(m):
                new[i, j] = grid[i, (j + 1) % m] + grid[(i + 1) % n, j]
        return new


    def f(grid, steps):
        for _ in range(steps):
            grid = step(grid)
        return grid
"""


def test_what_a_function_that_takes_arrays_is_given_is_an_array():
    made = check_agrees(LIFE, (np.arange(6.0).reshape(2, 3), 3), (np.ones((2, 2), int), 0), (np.ones((1, 1)), 2))
    assert "@jax.jit\ndef f(grid, steps):" in made and "lax.fori_loop(0, steps" in made


@pytest.mark.parametrize(
    "text",
    [
        "def g(x):\n    return x.T\n\ndef f(x):\n    if isinstance(x, dict):\n        return x\n    return g(x)",
        "def g(x):\n    return np.sum(x)\n\ndef f(x):\n    y = g(x)\n    return x",  # a list will do
        "def g(x):\n    return x.T\n\ndef f(x):\n    x = make(x)\n    y = g(x)\n    return x",
        "def g(x):\n    x.append(1)\n\ndef f(x):\n    g(x)\n    return x, np.zeros(3)",
        'def g(x):\n    """Parameters\n    ----------\n    x : array_like\n    """\n    return x @ x\n\ndef f(x):\n    y = g(x)\n    return x',
    ],
)
def test_what_may_be_something_else_stays_unknown(text):
    assert "jit\ndef f(" not in convert(f"import numpy as np\n\n\n{text}\n")[0]


def test_a_list_that_a_call_gives_is_no_array():
    text = """
        import numpy as np


        def g(x):
            return x @ x


        def f(x):
            return g(x) + 0 * x[-1]


        f([1.0, 2.0])
    """
    check_agrees(text, ([1.0, 2.0],), (X,))


KEYS = {
    "store": ("d = {}\n    d[x] = 1\n    return np.sin(y) + len(d)", [2, "a"]),
    "get": ("d = {'a': 1}\n    return np.sin(y) + d.get(x, 3)", [2, "a"]),
    "pop": ("d = {'a': 1}\n    d.pop(x, None)\n    return np.sin(y) + len(d)", [2, "a"]),
    "setdefault": ("d = {}\n    d.setdefault(x, 3)\n    return np.sin(y) + len(d)", [2, "a"]),
    "display": ("d = {x, 1}\n    return np.sin(y) + len(d)", [2, 1]),
    "comprehension": ("d = {x + i: 1 for i in range(2)}\n    return np.sin(y) + len(d)", [2, 1]),
    "set": ("return np.sin(y) + len(set(x))", [[3, 1], (2, 1), [1, 1]]),
    "member": ("if 'a' in x:\n        return np.sin(y)\n    return y", [["a"], "abc", {"a": 1}]),
    "number in": ("if 2 in x:\n        return np.sin(y)\n    return y", [[1, 2], (3,), X]),
    "sorted": ("return sorted(x)[0] + np.sin(y)", [[3, 1], (2, 1), X]),
    "greatest": ("return max(x) + np.sin(y)", [[3, 1], (2, 1), X]),
    "list": ("return np.zeros(list(x)) + y", [[2, 4], (1, 4)]),
    "repeated": ("return np.array([1.0] * x) @ y[:x]", [2, 0]),
}


@pytest.mark.quick(6)
@pytest.mark.parametrize("name", KEYS)
def test_what_python_hashes_or_goes_through_is_not_traced(name):
    body, given = KEYS[name]
    text = f"import numpy as np\n\n\ndef f(x, y: np.ndarray):\n    {body}\n"
    check_agrees(text, *((x, X) for x in given))


@pytest.mark.parametrize(
    "body",
    [
        "return list(x).index(1) + x[0]",
        "return chr(x[0] + 64)",
        "return len(list(filter(lambda v: v > 1, x)))",
        "return len(set(x))",
        "t = 0.0\n    for c in set(x[1:]):\n        t += np.mean(x == c)\n    return t",
        "from collections import Counter\n    return Counter(x).most_common(1)[0][1]",
        "return [0] * x[0]",
        "n = x[0]\n    return (0, 1) * n",
        "k = 0\n    for v in x:\n        k += len([0] * v)\n    return k",
        "n = x.max()\n    return len([0] * n)",
        "return len('ab' * x.max() + 'c') + len([0] * (x.max() + 1))",
        "return [1, 2, 3, 4] * x",
        "return [1, 2] * x[1:3]",
        "y = x / 2\n    return [1, 2] * y[0]",
    ],
)
def test_what_python_does_with_items(body):
    check_agrees(f"import numpy as np\n\n\ndef f(x: np.ndarray):\n    {body}\n", (COUNTS,), keep=True)


def test_a_list_beside_rows_is_multiplied():
    text = "import numpy as np\n\n\ndef f(x: np.ndarray):\n    return [1, 2] * x[:, 0] + (3, 4) * x.astype(float)[1]\n"
    assert "jnp.array([1, 2]) * x[:, 0] + jnp.array((3, 4)) * x.astype(float)[1]" in check_agrees(text, (np.eye(2, dtype=int),))


ALSO_A_NUMBER = """\
import numpy as np


def f(p, opt=None):
    np.random.permutation(p)
    return p


a = np.arange(3)
v = f(a)
w = f(v, None)
"""


def test_a_parameter_that_calls_of_kept_code_give_an_array_is_not_static():
    """An array has no hash: a call raised. Found by random programs."""
    assert "static_argnames" not in convert(ALSO_A_NUMBER)[0]
    with taped():
        check_program({"m.py": ALSO_A_NUMBER}, random=True)


TEXTS = """\
import numpy as np


def same(a, b, names: list = None):
    if names is None:
        names = ["x", "y"]
    a, b = np.copy(a), np.copy(b)
    if a.shape != b.shape:
        raise ValueError(f"{names[0]} and {names[1]}")
    return a + b


def f(x: np.ndarray):
    return same(x, x, ["p", "q"])


def tell(x: np.ndarray, names):
    return x * len(names)


def told(x: np.ndarray, table):
    return x * table["scale"]


print(f(np.ones(2)), {call})
"""


@pytest.mark.parametrize(
    "call",
    [
        'same(np.ones(2), np.ones(2), ["p", "q"])',
        'tell(np.ones(2), ("a", "b")), tell(np.ones(2), ("a", "b", "c")), tell(np.ones(2), [1, 2])',
        'told(np.ones(2), {"scale": 2.0, "name": "t"}), told(np.ones(2), {"scale": 2.0})',
    ],
)
def test_containers_of_text_are_no_arguments_of_jit(call):
    """JAX raised TypeError for `check(x, y, ["acc", "mag"])`."""
    text = TEXTS.replace("{call}", call)
    made, functions, _diagnostics = convert(text)
    assert printed(made) == printed(text)
    assert functions["same"].transform == "eager"
