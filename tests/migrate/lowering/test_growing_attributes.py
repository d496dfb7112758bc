"""Loops of methods that bind attributes, change their arrays in place, and append to lists in attributes."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import compare_values, convert, run

TEXT = """
import numpy as np


class Model:
    def __init__(self, rate=0.1, n=20):
        self.rate, self.n = rate, n
        self.w = None
        self.losses = []

    def fit(self, X, y):
        self.w = np.zeros(X.shape[1])
        self.b = 0.0
        {start}
        for k in range(self.n):
            error = X @ self.w + self.b - y
            self.w -= self.rate * (X.T @ error / len(y))
            self.b -= self.rate * error.mean()
            {line}
        return self

    def shown(self):
        return len(self.losses)
"""
X = np.array([[1.0, 2.0], [0.5, -1.0], [0.0, 3.0], [2.0, 0.25]])
Y = np.array([1.0, 0.0, 2.0, -1.0])
LOSS = "self.losses.append(np.mean(error**2))"
COMPILED = {
    "nothing appended": ("pass", "pass"),
    "a list": ("self.losses = []", LOSS),
    "a list that starts": ("self.losses = [1.0]", LOSS),
    "some iterations": ("self.losses = []", f"if k % 3 == 0:\n                {LOSS}"),
    "not started here": ("pass", LOSS),
    "until it breaks": ("self.losses = []", f"{LOSS}\n            if np.abs(error).max() < 1.5:\n                break"),
}
LISTS_OF_PYTHON = {
    "read in the loop": ("self.losses = []", f"{LOSS}\n            self.b += self.losses[0] * 0.01"),
    "another name": ("self.losses = []\n        log = self.losses", f"{LOSS}\n            self.b += len(log)"),
    "a method looks": ("self.losses = []", f"{LOSS}\n            self.b += self.shown() * 0.01"),
    "of another object": ("self.losses = []\n        other = self", f"{LOSS}\n            self.b += len(other.losses)"),
}


def fitted(text, n):
    model = run(text)["Model"](n=n)
    before = model.losses
    model.fit(X, Y)
    return model.w, model.b, model.losses, len(before)


def check(parts):
    text = TEXT.format(start=parts[0], line=parts[1])
    made, functions, _diagnostics = convert(text, placement="fast")
    for n in (0, 1, 8):
        want, got = fitted(text, n), fitted(made, n)
        assert [type(v) for v in got[2]] == [type(v) for v in want[2]]
        assert not compare_values(got, want, beside=8)
    return made, functions["Model.fit"].transform


@pytest.mark.quick(3)
@pytest.mark.parametrize("name", COMPILED)
def test_they_are_compiled(name):
    made, transform = check(COMPILED[name])
    assert transform == "outlined" and "self.w[...] = " in made and "losses.append" not in made


@pytest.mark.parametrize("name", LISTS_OF_PYTHON)
def test_lists_that_something_else_sees_stay(name):
    assert "self.losses.append" in check(LISTS_OF_PYTHON[name])[0]
