"""Variables that only some arms of an `if` before a loop bind: a compiled loop carries None where none of them does."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import check_agrees
from np2jax.tests.helpers.rule_examples import example_of

test_example = example_of(__name__)

X = np.array([0.5, -1.25, 3.0, 2.0, 0.75])
ONE = X[:1]
CALLS = [(x, keep, more) for x in (X, ONE) for keep in (False, True) for more in (False, True)]


def function(*lines):
    head = "import numpy as np\n\n\ndef f(x: np.ndarray, keep=False, more=False):\n    n = len(x)\n    y = np.zeros(n)\n    level = 1.0\n"
    return head + "".join(f"    {line}\n" for line in lines)


LOOP = ("for i in range(n):", "    level = level * x[i] + 0.5", "    if keep:", "        w[i] = level * 3")
CASES = {
    "one arm": ("if keep:", "    w = np.zeros(n)", *LOOP, "return (level, w) if keep else level"),
    "independent iterations": (
        "if keep:",
        "    w = np.zeros(n)",
        "for i in range(n):",
        "    y[i] = x[i] ** 2",
        "    if keep:",
        "        w[i] = x[i] * 3",
        "return (y, w) if keep else y",
    ),
    "stored elements": (
        "if keep:",
        "    w = np.zeros(n)",
        "for i in range(n):",
        "    level = 0.5 * level + x[i]",
        "    y[i] = level",
        "    if keep:",
        "        w[i] = level * 3",
        "return (y, w) if keep else y",
    ),
    "an elif": (
        "if keep:",
        "    w = np.zeros(n)",
        "elif more:",
        "    w = np.ones(n)",
        "for i in range(n):",
        "    level = level * x[i] + 0.5",
        "    if keep or more:",
        "        w[i] = level * 3",
        "if keep:",
        "    y = y + w",
        "return y, level",
    ),
    "an else that binds another one": (
        "if keep:",
        "    w = np.zeros(n)",
        "else:",
        "    v = np.ones(n)",
        "for i in range(n):",
        "    level = level * x[i] + 0.5",
        "    if keep:",
        "        w[i] = level",
        "    else:",
        "        v[i] = level * 2",
        "return w if keep else v",
    ),
    "nested": (
        "if keep:",
        "    if more:",
        "        w = np.zeros(n)",
        "for i in range(n):",
        "    level = level * x[i] + 0.5",
        "    if keep and more:",
        "        w[i] = level",
        "return (level, w) if keep and more else level",
    ),
    "two variables": (
        "if keep:",
        "    w = np.zeros(n)",
        "    v = np.zeros((n, 2))",
        *LOOP,
        "        v[i, 1] = level",
        "return (w, v) if keep else level",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_without_a_value(case):
    text = check_agrees(function(*CASES[case]), *CALLS)
    assert "jax.jit" in text and "w = None" in text


def test_bound_in_all_arms():
    lines = ("if keep:", "    w = np.zeros(n)", "else:", "    w = np.ones(n)", *LOOP, "return level, w")
    assert "None" not in check_agrees(function(*lines), *CALLS)


def test_bound_before():
    lines = ("w = np.zeros(n)", "if more:", "    w = np.ones(n)", *LOOP, "return level, w")
    assert "None" not in check_agrees(function(*lines), *CALLS)


def test_read_where_it_has_no_value():
    lines = ("if keep:", "    w = np.zeros(n)", *LOOP, "return level, w")
    text = check_agrees(function(*lines), (X, True, False))
    assert "w = None" in text
