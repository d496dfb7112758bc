"""`return` in loops inside of other loops: flags end the inner ones, and the outer ones return."""

import random
import warnings

import numpy as np
import pytest

from np2jax.tests.helpers.differential import agrees_on, check_agrees, convert, function

PARAMS = "A: np.ndarray, x: np.ndarray, s: float"
RNG = np.random.default_rng(0)
CALLS = [
    (RNG.normal(size=(3, 4)), RNG.normal(size=5), 0.5),
    (np.abs(RNG.normal(size=(3, 4))), np.arange(5.0), 7.0),
    (np.array([[1.0, np.nan], [np.inf, -1.0]]), np.array([np.nan, 2.0]), 2.0),
    (np.ones((2, 1)), np.ones(1), 1.0),
]

COMPILED = {
    "indices": "for i in range(len(x)):\n    for j in range(i + 1, len(x)):\n        if x[i] + x[j] > s:\n            return i, j\nreturn -1, -1",
    "a bool": "for i in range(A.shape[0]):\n    for j in range(A.shape[1]):\n        if A[i, j] < 0:\n            return False\nreturn True",
    "three loops": "for i in range(A.shape[0]):\n    for j in range(A.shape[1]):\n        for k in range(len(x)):\n            if A[i, j] * x[k] > s:\n                return i * 100 + j * 10 + k\nreturn -1",
    "downwards": "for i in range(len(x) - 1, -1, -1):\n    for j in range(i - 1, -1, -1):\n        if x[i] < x[j]:\n            return j\nreturn -1",
    "while in for": "for i in range(len(x)):\n    y = abs(x[i])\n    while y < s:\n        y = y * 2 + 1\n        if y == 0.5:\n            return i\nreturn len(x)",
    "what turns changed": "n = 0\nfor i in range(A.shape[0]):\n    for j in range(A.shape[1]):\n        n += 1\n        if A[i, j] > s:\n            return n\nreturn n + 100",
}


@pytest.mark.parametrize("name", COMPILED)
def test_compiled(name):
    made = check_agrees(function(COMPILED[name], PARAMS), *CALLS)
    assert "\n    for " not in made and "\n    while " not in made and "while_loop" in made, made


LEFT = {
    "an item": "for i in range(A.shape[0]):\n    for j in range(A.shape[1]):\n        if A[i, j] > s:\n            return A[i, j] * 2\nreturn 0.0",
    "two results": "for i in range(A.shape[0]):\n    for j in range(A.shape[1]):\n        if A[i, j] < -s:\n            return -1\n        if A[i, j] > s:\n            return 1\nreturn 0",
    "under with": "for i in range(len(x)):\n    for j in range(i):\n        with np.errstate(all='ignore'):\n            if x[i] > x[j]:\n                return i\nreturn -1",
    "under try": "for i in range(len(x)):\n    for j in range(i):\n        try:\n            if x[i] > x[j]:\n                return i\n        finally:\n            s = s + 1\nreturn s",
    "a value that is bound": "for i in range(len(x)):\n    for j in range(i):\n        if x[i] > x[j]:\n            return (s := i)\nreturn s",
    "a loop with an else": "for i in range(len(x)):\n    for j in range(i):\n        if x[i] > x[j]:\n            return s * i\n    else:\n        s += 1\nreturn s",
    "a function in the loop": "for i in range(len(x)):\n    for j in range(i):\n        def g(v):\n            return v * i\n        s = s + g(x[j])\nreturn s",
    "one loop after the other": "for i in range(len(x)):\n    for j in range(i):\n        if x[i] > x[j]:\n            return i\n    for j in range(i, len(x)):\n        if x[j] > s:\n            return -j\nreturn s",
    "text": "for i in range(len(x)):\n    for j in range(i):\n        if x[i] > x[j]:\n            return 'found'\nreturn 'not'",
}


@pytest.mark.quick(4)
@pytest.mark.parametrize("name", LEFT)
def test_other_returns(name):
    """However they are written, they do the same."""
    check_agrees(function(LEFT[name], PARAMS), *CALLS, keep=True)


def program(seed):
    """A function of a matrix and a vector with a nest of loops that may return."""
    rng = random.Random(seed)
    depth = rng.randint(2, 3)
    names = "ijk"[:depth]
    ranges = [
        "range(A.shape[0])",
        "range(A.shape[1])",
        "range(len(x))",
        "range(1, len(x))",
        "range(len(x) - 1, -1, -1)",
        "range(0, 3, 2)",
    ]
    lines, pad, bounds = ["n, t = 0, 0.0"], "", {}
    for name in names:
        chosen = "range(A.shape[0])" if name == "i" else rng.choice([*ranges[1:], f"range({names[names.index(name) - 1]})"])
        bounds[name] = chosen
        if rng.random() < 0.3:
            lines.append(f"{pad}t = t + x[0]")
        lines.append(f"{pad}for {name} in {chosen}:")
        pad += "    "
        if rng.random() < 0.3:
            lines.append(f"{pad}n += {rng.randint(1, 3)}")
    last = names[-1]
    item = f"x[{last}]" if "len(x)" in bounds[last] else "A[i, 0]" if "shape[1]" not in bounds[last] else f"A[i, {last}]"
    for _guard in range(rng.randint(1, 2)):
        lines.append(f"{pad}if {item} {rng.choice(['>', '<', '<=', '=='])} {rng.choice(['s', '-s', '0', 't'])}:")
        if rng.random() < 0.2:
            lines.append(f"{pad}    t = t + 1")
        lines.append(
            f"{pad}    {rng.choice(['return n', 'return -n - 1', 'return n * 10 + ' + last, 'return n', 'break', 'continue'])}"
        )
    lines.append(f"{pad}{rng.choice(['n += 1', 't = t + ' + item, 'pass'])}")
    if rng.random() < 0.4:
        lines.append("    " * (depth - 1) + rng.choice(["n += 2", "t = t * 0.5", "if t > 5:\n" + "    " * depth + "break"]))
    lines.append("return n + 1000")
    return function("\n".join("\n    ".join([line]) for line in lines), PARAMS)


def check(seed):
    text = program(seed)
    made, functions, _diagnostics = convert(text)
    ran = False
    for arguments in CALLS:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ran |= agrees_on(text, made, functions["f"], arguments)
    return ran, "while_loop" in made


def test_random_programs():
    ran, compiled = zip(*map(check, range(5)), strict=True)
    assert sum(ran) > 3 and sum(compiled) > 1


@pytest.mark.slow
@pytest.mark.parametrize("start", range(1000, 1120, 20))
def test_many_random_programs(start):
    for seed in range(start, start + 20):
        check(seed)
