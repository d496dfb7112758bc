"""Losses that the `fit` of a class keeps until it converges, in loops that call methods."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import compare_values, convert, run

MODEL = """
import numpy as np


class Model:
    def __init__(self, n, tol=1e-3):
        self.n, self.tol = n, tol

    def residual(self, X, y):
        return X @ self.w - y

    def loss(self, X, y):
        return {loss}

    def fit(self, X, y):
        self.w = np.zeros(X.shape[1])
        self.losses = {first}
        before = np.inf
        for i in range(self.n):
            self.w = self.w - 0.1 * X.T @ self.residual(X, y) / len(y)
            loss = self.loss(X, y)
{lines}            before = loss
        return self
"""
APPEND, BREAK = "            self.losses.append(loss)\n", "            if abs(before - loss) < self.tol:\n                break\n"
LOSSES = {
    "mean": "np.mean(self.residual(X, y) ** 2)",
    "norm": "0.5 * np.linalg.norm(self.residual(X, y)) + 1",
    "minus": "-np.mean(np.abs(self.residual(X, y)))",
}
X, Y = np.sin(np.arange(60.0)).reshape(20, 3), np.cos(np.arange(20.0))


def check(lines, loss=LOSSES["mean"], first="[]", n=50, tol=1e-3):
    source = MODEL.format(lines=lines, loss=loss, first=first)
    text = convert(source, placement="fast")[0]
    fitted = [names["Model"](n, tol).fit(X, Y) for names in (run(text), run(source))]
    mine, theirs = ((model.w, model.losses, [type(each) for each in model.losses]) for model in fitted)
    assert not compare_values(mine, theirs), text
    return text


@pytest.mark.quick(3)
@pytest.mark.parametrize("lines", [APPEND + BREAK, BREAK + APPEND])
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize(("n", "tol"), [(0, 1e-3), (1, 1e-3), (50, 1e-3), (50, 10.0), (9, 0.0)])
def test_the_losses_are_kept(lines, loss, n, tol):
    assert "jnp.empty(n)" in check(lines, LOSSES[loss], n=n, tol=tol)


def test_a_list_that_begins_with_items():
    assert "jnp.empty(n)" in check(APPEND + BREAK, first="[1, 2.5]")


@pytest.mark.parametrize(
    ("lines", "loss"),
    [
        (APPEND + BREAK, "np.sum(np.sign(self.residual(X, y)).astype(int))"),  # whole numbers
        (APPEND + BREAK, "float(np.mean(self.residual(X, y)))"),  # numbers of Python
        (APPEND + BREAK, "np.mean(self.residual(X, y) * 1j).imag"),
        (APPEND + BREAK + "            if len(self.losses) > 7:\n                break\n", LOSSES["mean"]),
        (APPEND.replace("loss)", "before)") + BREAK, LOSSES["mean"]),  # the first one is a number of Python
    ],
)
def test_lists_of_other_items(lines, loss):
    assert "empty(" not in check(lines, loss)
