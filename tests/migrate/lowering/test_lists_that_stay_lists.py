"""Lists to which a loop appends numbers or arrays, which are needed as lists after it: the loop is compiled, and gives the items."""

import textwrap

import numpy as np
import pytest

from np2jax.tests.helpers.differential import compare_values, convert, run

HEAD = "import numpy as np\n\n\ndef f(x: np.ndarray, n: int):\n"
STEP = "for i in range(n):\n    x = x * -0.5\n"
COMPILED = {
    "the item before the last": f"xs = [x, x * 2]\n{STEP}    xs.append(x + xs[-2])\nreturn xs",
    "arrays": f"xs = []\n{STEP}    xs.append(x)\nreturn xs",
    "copies": f"xs = []\n{STEP}    xs.append(x.copy())\nreturn xs, x",
    "before the update": "xs = []\nfor i in range(n):\n    xs.append(x)\n    x = x * 0.5\nreturn xs",
    "sums, of unknown dtype": f"xs = []\n{STEP}    xs.append(x.sum())\nreturn xs, x",
    "indices": f"xs = []\n{STEP}    xs.append(np.count_nonzero(x > 0))\nreturn xs",
    "bools": f"xs = []\n{STEP}    xs.append(np.any(x > 0))\nreturn xs, x",
    "numbers of Python": f"xs = []\n{STEP}    xs.append(i * i)\nreturn xs, x",
    "float()": f"xs = []\n{STEP}    xs.append(float(x.sum()))\nreturn xs, x",
    "float() of integers": f"xs = []\n{STEP}    xs.append(float(np.count_nonzero(x)))\nreturn xs, x",
    "item()": f"xs = []\n{STEP}    xs.append(x.sum().item())\nreturn xs, x",
    "two, started in one line": f"xs, ys = [], []\n{STEP}    xs.append(x)\n    ys.append(x.mean())\nreturn xs, ys",
    "one of which becomes an array": f"xs, ys = [], []\n{STEP}    xs.append(x)\n    ys.append(x.mean())\nreturn xs, np.array(ys)",
    "with a time": f"xs, ts = [], []\nt = 0.0\n{STEP}    xs.append(x)\n    ts.append(t)\n    t += 0.1\nreturn xs, ts, t",
    "the last item": f"xs = []\n{STEP}    xs.append(x.sum())\n    x = x + xs[-1]\nreturn xs, x",
    "until the last is small": f"xs = []\n{STEP}    xs.append(np.mean(x**2))\n    if xs[-1] < 0.1:\n        break\nreturn xs, x",
    "the sum is small": f"xs = []\n{STEP}    xs.append(x.sum())\n    if abs(xs[-1]) < 0.1:\n        break\nreturn xs, x",
    "from the last item on": "xs, ts = [x], [0.0]\nfor i in range(n):\n    xs.append(np.sin(xs[-1]) + ts[-1])\n    ts.append(ts[-1] + 0.5)\nreturn xs, ts",
    "inner loops": f"xs = []\n{STEP}    for k in range(2):\n        x = x + 1.0\n    xs.append(x)\nreturn xs",
    "a list that goes on": f"xs = []\n{STEP}    xs.append(x)\nxs.append(x)\nreturn xs",
}
STAYS = {
    "one array, again and again": "xs = []\nfor i in range(n):\n    x += 0.5\n    xs.append(x)\nreturn xs",
    "views of an array that is changed": f"xs = []\n{STEP}    xs.append(x[:1])\nx[0] = 9.0\nreturn xs",
    "arrays of different lengths": f"xs = []\n{STEP}    xs.append(x[:i])\nreturn xs",
    "in some iterations": f"xs = []\n{STEP}    if i % 2:\n        xs.append(x)\nreturn xs",
    "tuples": f"xs = []\n{STEP}    xs.append((i, x))\nreturn xs",
    "lists": f"xs = []\n{STEP}    xs.append([i, x.sum()])\nreturn xs",
    "its length": f"xs = []\n{STEP}    xs.append(x * len(xs))\nreturn xs",
    "an earlier item": f"xs = [x, x, x]\n{STEP}    xs.append(x + xs[-3])\nreturn xs",
    "the last of no items": "xs = []\nfor i in range(n):\n    x = x + (xs[-1] if xs else 0.0)\n    xs.append(x)\nreturn xs",
    "an item that is replaced": f"xs = [x]\n{STEP}    xs[-1] = x\n    xs.append(x)\nreturn xs",
    "passed on": f"xs = []\n{STEP}    xs.append(x)\n    print(xs)\nreturn xs",
}
VALUES = (np.array([[1.0, 2.0], [3.0, -4.0]]), np.array([0.5, np.nan, -np.inf]), np.zeros((0, 2)))


def called(text, x, n):
    try:
        return run(text)["f"](x.copy(), n)
    except (ValueError, IndexError) as error:
        return type(error)


def kinds(result):
    """The types of the items of lists, with their dtypes."""
    parts = result if isinstance(result, tuple) else (result,)
    return [
        [(type(item), getattr(item, "dtype", None)) for item in part] if isinstance(part, list) else type(part) for part in parts
    ]


def check(body):
    source = HEAD + textwrap.indent(body, "    ") + "\n"
    made, functions, _diagnostics = convert(source, placement="fast")
    for x in VALUES:
        for n in (0, 1, 5):
            one, other = called(source, x, n), called(made, x, n)
            if isinstance(one, type):
                assert one is other
                continue
            assert not compare_values(other, one), (x, n)
            assert kinds(other) == kinds(one), (x, n)
    return made, functions["f"]


@pytest.mark.quick(7)
@pytest.mark.parametrize("name", COMPILED)
def test_the_loop_is_compiled(name):
    made, function = check(COMPILED[name])
    assert function.transform == "outlined", function.reason
    assert "lax." in made or "vmap" in made


@pytest.mark.parametrize("name", STAYS)
def test_the_loop_stays(name):
    made, _function = check(STAYS[name])
    assert "lax." not in made


def test_single_precision_is_kept():
    source = HEAD + textwrap.indent(COMPILED["two, started in one line"], "    ") + "\n"
    made = convert(source, placement="fast")[0]
    one, other = (run(text)["f"](np.ones(3, np.float32), 3) for text in (source, made))
    assert not compare_values(other, one) and kinds(other) == kinds(one)


MODEL = """
import numpy as np


class Linear:
    def __init__(self, rate=0.1, n=20):
        self.rate, self.n = rate, n

    def fit(self, X, y):
        rng = np.random.RandomState(1)
        self.w = rng.normal(scale=0.01, size=X.shape[1])
        self.b = 0.0
        self.losses = []
        for k in range(self.n):
            error = self.output(X) - y
            self.w -= self.rate * (X.T @ error / len(y))
            self.b -= self.rate * error.mean()
            {line}
        return self

    def output(self, X):
        {seen}return X @ self.w + self.b


class Squared(Linear):
    def output(self, X):
        return np.tanh(super().output(X))


def f(name, n):
    class Mine(Linear):
        def output(self, X):
            return X @ self.w * (1 + 0.1 * len(self.losses))

    X, y = np.array([[1.0, 2.0], [0.5, -1.0], [0.0, 3.0], [2.0, 0.25]]), np.array([1.0, 0.0, 2.0, -1.0])
    model = {{"Linear": Linear, "Squared": Squared, "Mine": Mine}}[name](n=n).fit(X, y)
    return model.losses, model.w, float(model.b)
"""


@pytest.mark.parametrize("line", ["self.losses.append((error**2).sum() / 2.0)", "self.losses.append(np.mean(error**2))"])
def test_a_list_in_an_attribute_beside_calls_of_methods(line):
    source = MODEL.format(line=line, seen="")
    made = convert(source, placement="fast")[0]
    assert made.count("lax.scan") == 2, made
    for name in ("Linear", "Squared", "Mine"):
        for n in (0, 1, 5):
            one, other = (run(text)["f"](name, n) for text in (source, made))
            assert not compare_values(other, one), (name, n)
            assert kinds(other) == kinds(one)


def test_a_method_that_looks_at_the_list():
    source = MODEL.format(line="self.losses.append(np.mean(error**2))", seen="X = X * (1.0 + 0.01 * len(self.losses))\n        ")
    made = convert(source, placement="fast")[0]
    assert "lax." not in made
    assert not compare_values(run(made)["f"]("Linear", 4), run(source)["f"]("Linear", 4))
