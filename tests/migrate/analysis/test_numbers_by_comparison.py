"""Parameters that are numbers, as Python needs the truth value of a comparison with what is computed from them."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import compare_values, convert, run

LISTED = """
import numpy as np


def f(x: np.ndarray, y: np.ndarray, epochs, penalty, tol, rate):
    w = np.zeros(x.shape[1])
    losses = []
    for epoch in range(epochs):
        r = x @ w - y
        loss = np.mean(r**2) + penalty * np.sum(w**2)
        losses.append(loss)
        if loss < tol:
            break
        w = w - rate * (2 * x.T @ r / len(y) + 2 * penalty * w)
    return w, losses
"""
CHANGE = (
    LISTED.replace("    losses = []", "    before = np.inf")
    .replace("losses.append(loss)", "change = abs(before - loss)")
    .replace(
        "        if loss < tol:\n            break\n", "        if change < tol:\n            break\n        before = loss\n"
    )
    .replace("return w, losses", "return w, loss")
)
X = np.random.default_rng(0).normal(size=(30, 3))
Y = X @ np.array([1.0, -2.0, 0.5])


@pytest.mark.quick(3)
@pytest.mark.parametrize("text", [LISTED, CHANGE])
@pytest.mark.parametrize("tol", [0, 1e-3, -1.0, np.float64("nan")])
def test_a_loop_that_ends_at_convergence(text, tol):
    after, functions, _found = convert(text, placement="fast")
    assert "lax.while_loop" in after, functions["f"].reason
    for penalty in (0.01, 0, np.float64(0.5)):
        given = (X, Y, 40, penalty, tol, 0.1)
        assert not compare_values(run(after)["f"](*given), run(text)["f"](*given))


def test_nothing_is_known_of_the_parameters_without_the_comparison():
    after = convert(LISTED.replace("        if loss < tol:\n            break\n", ""), placement="fast")[0]
    assert "lax." not in after


def test_what_is_compared_for_equality_may_be_text():
    text = LISTED.replace("loss < tol", "epoch == tol")
    after = convert(text, placement="fast")[0]
    assert "lax." not in after
