"""`self.bias = 0` before a loop with `self.bias -= step`: no array is changed in place, so that the loop moves to compiled code."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import compare_values, convert, run

MACHINE = """
import numpy as np


class Machine:
    def __init__(self, rate=0.01, rounds=20):
        self.rate, self.rounds = rate, rounds
        self.kept = []

    def reset(self):
        self.bias = np.zeros(3)

    def fit(self, x, y):
        n, m = x.shape
        signs = np.where(y <= 0, -1, 1)
        {start}
        for _ in range(self.rounds):
            for k, row in enumerate(x):
                if signs[k] * (np.dot(row, self.weights) - self.bias) >= 1:
                    self.weights -= self.rate * self.weights
                else:
                    self.weights -= self.rate * (self.weights - np.dot(row, signs[k]))
                    {update}
        return self
"""
UPDATE = "self.bias -= self.rate * signs[k]"
R = np.random.default_rng(0)
X = R.normal(size=(12, 3))
Y = (X[:, 0] > 0) * 1


def check(text, *given):
    made = convert(text, placement="fast")[0]
    before, after = run(text)["Machine"]().fit(*given), run(made)["Machine"]().fit(*given)
    assert not compare_values(vars(after), vars(before))
    return made


@pytest.mark.quick(3)
@pytest.mark.parametrize(
    "start",
    [
        "self.weights = np.zeros(m)\n        self.bias = 0",
        "self.bias = 0.0\n        self.weights = np.zeros(m)",
        "self.weights, self.bias = np.zeros(m), 0",
    ],
)
@pytest.mark.parametrize(
    "update", [UPDATE, "self.bias += 0.5 * (signs[k] - self.bias)", "self.bias *= 1.0 + self.rate * signs[k]"]
)
def test_a_number_that_the_loop_updates(start, update):
    text = MACHINE.format(start=start, update=update)
    made = check(text, X, Y)
    assert "jit" in made and "self.bias -=" not in made
    for x, y in ((X.astype("float32"), Y), ((X * 5).astype(int), Y), (X, Y > 0), (X[:0], Y[:0])):
        check(text, x, y)


@pytest.mark.parametrize(
    ("start", "update"),
    [
        ("self.weights, self.bias = np.zeros(m), np.zeros(())", UPDATE),  # an array of its own
        ("self.weights, self.bias = np.zeros(m), 0\n        self.reset()", UPDATE),  # a method binds it
        ("self.weights, self.bias = np.zeros(m), self.rate", UPDATE),
        ("self.weights, self.bias = np.zeros(m), 0", f"{UPDATE}\n                    self.kept.append(self.bias)"),
        ("self.weights, self.bias = np.zeros(m), 0\n        self.bias = self.bias + y[:1]", UPDATE),
    ],
)
def test_what_something_else_may_hold_stays(start, update):
    text = MACHINE.format(start=start, update=update)
    assert "self.bias -= self.rate * signs[k]" in convert(text, placement="fast")[0]


def test_an_attribute_in_a_loop_that_does_not_move_stays():
    update = f"{UPDATE}\n                    print(k)"
    text = MACHINE.format(start="self.weights, self.bias = np.zeros(m), 0", update=update)
    assert convert(text, placement="fast")[0] == text


def test_a_method_that_gives_the_attribute_away():
    """What it returns may be the array that `-=` changes."""
    text = MACHINE.format(start="self.weights = np.zeros(m)\n        self.bias = 0", update=UPDATE)
    text = text.replace("- self.bias)", "- self.current())") + "\n    def current(self):\n        return self.bias\n"
    assert "self.bias -=" in check(text, X, Y)


FILTER = """
import numpy as np


class Filter:
    def __init__(self, order, w="zeros"):
        if isinstance(w, str):
            w = np.zeros(order)
        else:
            w = {made}
        self.w = w

    def fit(self, d, x):
        y = np.zeros(len(d))
        for k in range(len(d)):
            y[k] = np.dot(self.w, x[k])
            self.w += 0.1 * x[k] * (d[k] - y[k])
        return self
"""


@pytest.mark.parametrize("made, moves", [('np.array(w, dtype="float64")', True), ("np.sqrt(w)", False)])
def test_an_array_that_each_branch_allocates(made, moves):
    """The root of a number is a number, to which `+=` binds another one."""
    text = FILTER.format(made=made)
    after = convert(text, placement="fast")[0]
    assert ("jax.jit" in after) == moves
    for start in ("zeros", [0.5, 1.0, 2.0]):
        before, mine = (run(each)["Filter"](3, start).fit(Y.astype(float), X) for each in (text, after))
        assert not compare_values(mine.w, before.w)
