"""List comprehensions of which arrays are made are loops that fill lists."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import check_agrees, convert

X = np.array([1.5, -2.0, 0.25, 3.0, -1.0])
A = np.outer(X, X)[:, :3]
COMPILED = {
    "items": "return np.array([x[i] + x[i + 1] for i in range(len(x) - 1)])",
    "rows": "return np.array([np.sum(A[i]) for i in range(len(A))])",
    "rows themselves": "return np.array([np.sum(row) for row in A])",
    "enumerated": "return np.array([i * v for i, v in enumerate(x)])",
    "two at a time": "return np.asarray([a - b for a, b in zip(x[:-1], x[1:])])",
    "windows": "return np.array([np.median(x[i:i + 3]) for i in range(len(x) - 2)])",
    "growing": "return np.array([np.sum(x[:i]) for i in range(len(x))])",
    "of arrays": "return np.array([x * k for k in range(3)])",
    "nested": "return np.array([[A[i, j] * x[j] for j in range(3)] for i in range(5)])",
    "a mean": "return np.mean([np.linalg.norm(row) for row in A])",
    "stacked": "return np.stack([row - row.mean() for row in A])",
    "a list of its own": "rows = [row * 2 for row in A]\n    return np.array(rows)",
    "in arithmetic": "y = 2 * np.array([np.sin(v) for v in x]) + x\n    return y",
    "a name again": "i = 2\n    y = np.array([x[i] * 2 for i in range(len(x))])\n    return y[i] * y",
    "after another": "y = np.array([v + 1 for v in x])\n    z = np.array([v * 2 for v in y])\n    return y, z",
    "a number": "best = np.max([np.abs(v) for v in x])\n    return x / best",
}
OTHERS = {
    "a list": "return [v + 1 for v in x]",
    "filtered": "return np.array([v for v in x if v > 0])",
    "a choice": "return np.array([v for v in x]) if len(x) > 3 else x",
    "later": "f = lambda: np.array([v for v in x])\n    return f() + 1",
    "a walrus": "return np.array([(t := v * 2) + t for v in x])",
    "text": "return len([str(v) for v in x]) * x",
    "both": "return len(x) and np.array([v for v in x])",
    "printed": "y = print('') or np.array([v for v in x])\n    return y",
}


def text_of(body):
    return f"import numpy as np\n\n\ndef f(x: np.ndarray, A: np.ndarray):\n    {body}\n"


@pytest.mark.quick(7)
@pytest.mark.parametrize("name", COMPILED)
def test_they_are_compiled(name):
    made = check_agrees(text_of(COMPILED[name]), (X, A), (X * np.nan, A + 1), (X[:5].astype(int), A))
    assert "@jax.jit" in made and " for " not in made.partition("def f")[2].partition("return")[2]


@pytest.mark.parametrize("name", OTHERS)
def test_others_agree(name):
    check_agrees(text_of(OTHERS[name]), (X, A), keep=True)


def test_draws_come_in_their_order():
    text = "import numpy as np\n\n\ndef f(x: np.ndarray, n: int):\n    rng = np.random.default_rng(0)\n    return rng.normal() + np.array([rng.normal() for _ in range(n)])\n"
    made = convert(text)[0]
    assert "append" not in made


def test_nothing_is_written_plainly_in_vain():
    text = text_of("print(x)\n    return np.array([v for v in x])")
    assert "append" not in convert(text)[0]


def test_of_two_comprehensions_one_stays():
    text = """
import numpy as np

QUALITIES = {"maj": [1, 0, 1], "min": [0, 1, 1]}


def f(labels, x: np.ndarray):
    print(labels)
    valid = np.array([QUALITIES[name] for name in labels])
    return np.array([np.all(np.equal(x, v), axis=1) for v in valid])
"""
    made = convert(text, placement="fast")[0]
    assert "np.array([QUALITIES[name] for name in labels])" in made and "jax.vmap" in made
