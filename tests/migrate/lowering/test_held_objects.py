"""Loops that call methods of objects in attributes, `self.loss.gradient(y, p)`, or read what these hold."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import compare_values, convert, run

PARTS = """
import numpy as np

class L2:
    def __init__(self, alpha):
        self.alpha = alpha
        self.buffer = np.ones(3)

    def __call__(self, w):
        return self.alpha * 0.5 * w.T.dot(w)

    def grad(self, w):
        return self.alpha * w

    def counted(self, w):
        self.alpha = self.alpha * 0.5
        return self.alpha * w

class Sigmoid:
    def __call__(self, x):
        return 1 / (1 + np.exp(-x))

    def gradient(self, x):
        return self.__call__(x) * (1 - self.__call__(x))

class Model:
    def __init__(self, n=20, lr=0.05):
        self.n = n
        self.lr = lr
        self.penalty = L2(0.1)
        self.act = Sigmoid()

    def fit(self, X, y):
        self.w = np.ones(X.shape[1])
{loop}
        return self
"""
WHOLE = """
        self.errors = []
        for _ in range(self.n):
            p = self.act(X @ self.w)
            self.errors.append(np.mean(0.5 * (y - p) ** 2 + self.penalty(self.w)))
            g = -((y - p) * self.act.gradient(p)) @ X + self.penalty.grad(self.w)
            self.w = self.w - self.lr * g
"""
READ = """
        for _ in range(self.n):
            g = X.T @ (X @ self.w - y) / len(y) + self.penalty.alpha * self.w
            self.w = self.w - self.lr * g
"""
STEP = "            self.w = self.w - self.lr * X.T @ (X @ self.w - y)\n"
OTHERWISE = {
    "a method that changes the object": "        for _ in range(self.n):\n            self.w = self.w - self.penalty.counted(self.w)\n",
    "an attribute that the loop changes": f"        for _ in range(self.n):\n{STEP}            self.penalty.alpha = self.penalty.alpha / 2\n            self.w = self.w - self.penalty.alpha * self.w\n",
    "another object": f"        for k in range(self.n):\n{STEP}            self.w = self.w - self.penalty.grad(self.w)\n            self.penalty = L2(k)\n",
    "an array that the loop changes": f"        for _ in range(self.n):\n{STEP}            self.penalty.buffer += self.w\n            self.w = self.w - self.penalty.buffer * 1e-3\n",
    "an array under another name": f"        self.buffer = self.penalty.buffer\n        for _ in range(self.n):\n{STEP}            self.buffer += self.w\n            self.w = self.w - self.penalty.buffer * 1e-3\n",
    "a method that is passed": f"        for _ in range(self.n):\n{STEP}            self.w = self.w - np.array(list(map(self.penalty.grad, self.w)))\n",
}
R = np.random.default_rng(0)
X, Y = R.normal(size=(12, 3)), (R.normal(size=12) > 0) * 1.0


def fitted(names, change=None, n=20):
    model = names["Model"](n)
    if change is not None:
        change(model, names)
    model.fit(X, Y)
    return {name: value for name, value in vars(model).items() if not hasattr(value, "__dict__")}


def check(loop, change=None, n=20):
    source = PARTS.format(loop=loop)
    text = convert(source, placement="fast")[0]
    assert not compare_values(fitted(run(text), change, n), fitted(run(source), change, n)), text
    return text


@pytest.mark.parametrize("loop", [WHOLE, READ], ids=["methods", "attributes"])
@pytest.mark.parametrize("n", [0, 1, 20])
def test_the_loop_is_compiled(loop, n):
    assert "_fit_loop(" in check(loop, n=n)


def subclass(model, names):
    class Doubled(names["L2"]):
        def grad(self, w):
            return 2 * self.alpha * w

        def __call__(self, w):
            return 7.0

    model.penalty = Doubled(0.3)


def other_number(model, names):
    model.penalty.alpha = 3


@pytest.mark.parametrize("change", [subclass, other_number])
def test_what_the_object_is_when_it_runs(change):
    assert "type(self.penalty) is L2" in check(WHOLE, change)


@pytest.mark.parametrize("name", OTHERWISE)
def test_objects_that_the_loop_changes_or_passes_on(name):
    assert "type(self.penalty)" not in check(OTHERWISE[name])
