"""Loops that compare the last items of a list to which they append: `if i > 0 and abs(losses[-1] - losses[-2]) < tol: break`."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import compare_values, convert, run

DESCENT = """
import numpy as np


def f(x, n, tol):
    print(n)
    losses = {start}
    for i in {items}:
        x = x - 0.1 * np.cos(x)
        {body}
    return x, losses
"""
APPEND = "losses.append(np.mean(x**2))"
STOP = "if {test}:\n            break"
X = np.linspace(-1.0, 2.0, 7)


def check(text, compiled=True):
    made = convert(text, placement="fast")[0]
    assert ("_f_loop" in made) is compiled, made
    for n in (0, 1, 2, 3, 30):
        for tol in (0.0, 1e-3, 1.0):
            want, got = outcome(text, n, tol), outcome(made, n, tol)
            assert not compare_values(got, want), (n, tol)
    return made


def outcome(text, n, tol):
    try:
        x, losses = run(text)["f"](X, n, tol)
    except IndexError as error:
        return str(error)
    return x, losses, [type(loss).__name__ for loss in losses]


@pytest.mark.parametrize(
    "start, items, test",
    [
        ("[]", "range(n)", "i > 0 and abs(losses[-1] - losses[-2]) < tol"),
        ("[]", "range(n)", "i and abs(losses[-2] - losses[-1]) < tol"),
        ("[]", "range(1, n)", "i >= 2 and losses[-1] > losses[-2] - tol"),
        ("[]", "range(n)", "len(losses) > 1 and abs(losses[-1] - losses[-2]) < tol"),
        ("[9.5]", "range(n)", "abs(losses[-1] - losses[-2]) < tol"),
        ("[9.5]", "range(n)", "len(losses) >= 3 and abs(losses[-1] - losses[-2]) < tol"),
        ("[9.5, 8.5]", "range(n)", "abs(losses[-1] - losses[-2]) < tol"),
    ],
)
def test_convergence(start, items, test):
    check(DESCENT.format(start=start, items=items, body=f"{APPEND}\n        {STOP.format(test=test)}"))


def test_before_the_next_item():
    test = "i > 0 and abs(loss - losses[-1]) < tol"
    body = f"loss = np.mean(x**2)\n        {STOP.format(test=test)}\n        losses.append(loss)"
    check(DESCENT.format(start="[]", items="range(n)", body=body))


@pytest.mark.parametrize(
    "items, body",
    [
        ("range(n)", f"{APPEND}\n        {STOP.format(test='abs(losses[-1] - losses[-2]) < tol')}"),
        ("range(n)", f"{APPEND}\n        {STOP.format(test='i >= 0 and abs(losses[-1] - losses[-2]) < tol')}"),
        ("range(1, n)", f"{APPEND}\n        {STOP.format(test='i > 0 and abs(losses[-1] - losses[-2]) < tol')}"),
        ("range(0, n, 2)", f"{STOP.format(test='i > 1 and abs(losses[-1] - losses[-2]) < tol')}\n        {APPEND}"),
        (
            "range(n)",
            f"if i % 2:\n            {APPEND}\n        {STOP.format(test='i > 0 and abs(losses[-1] - losses[-2]) < tol')}",
        ),
    ],
)
def test_a_list_that_may_be_too_short(items, body):
    """NumPy's version raises IndexError."""
    check(DESCENT.format(start="[]", items=items, body=body), compiled=False)
