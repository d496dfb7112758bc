"""`r = range(len(x))`, and loops over r."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import check_agrees, convert

CALLS = [(np.arange(float(k)) - 1, k) for k in (1, 2, 5)]


def function(body):
    lines = "\n".join(f"    {line}" for line in body.split("\n"))
    return f"import numpy as np\n\n\ndef f(x: np.ndarray, n: int):\n{lines}\n"


LOOP = "s = 0.0\nfor i in r:\n    s = s * 0.5 + x[i] * i\nreturn s"


@pytest.mark.quick(3)
@pytest.mark.parametrize(
    "held",
    [
        "range(len(x))",
        "range(x.shape[0])",
        "range(1, len(x))",
        "range(len(x) - 1, -1, -1)",
        "range(n)",
        "range(min(n, 3))",
        "range(0, len(x), 2)",
    ],
)
def test_loops(held):
    text = check_agrees(function(f"r = {held}\n{LOOP}"), *CALLS)
    assert "jax.jit" in text and "r = " not in text


def test_several_loops():
    body = "r = range(len(x))\ny = np.zeros(len(x))\nfor i in r:\n    y[i] = x[i] * 2\nfor i in r:\n    for j in r:\n        y[i] += x[j]\nreturn y"
    assert "@jax.jit" in check_agrees(function(body), *CALLS)


def test_what_else_is_done_with_it():
    body = f"r = range(len(x))\nm = len(r)\n{LOOP.replace('return s', 'return s + m')}"
    assert "r = range(len(x))" in check_agrees(function(body), *CALLS)


@pytest.mark.quick(4)
@pytest.mark.parametrize(
    "body",
    [
        f"r = range(len(x))\nx = x[1:]\n{LOOP.replace('x[i]', 'n')}",
        f"r = range(n)\nn = 2\n{LOOP.replace('x[i]', 'n')}",
        f"n += 1\nr = range(n)\nn -= 1\n{LOOP.replace('x[i]', 'n')}",
        f"r = range(2)\nr = range(3)\n{LOOP.replace('x[i]', 'n')}",
        f"r = range(len(x))\nr = [0]\n{LOOP}",
        "s = 0.0\nr = range(1)\nfor k in range(3):\n    y = x[k:]\n    for i in r:\n        s = s * 0.5 + i\n    r = range(len(y))\nreturn s",
        "s = 0.0\nfor k in range(1, 4):\n    y = x[:k]\n    if k > 1:\n        for i in r:\n            s = s * 0.5 + i\n    r = range(len(y))\nreturn s",
        f"v = [1.0]\nr = range(len(v))\nv.append(2.0)\n{LOOP}",
        f"r = range(len(x))\ng = lambda: r\n{LOOP}",
        f"y = x.copy()\nr = range(len(y))\ny.shape = (1, -1)\n{LOOP}",
    ],
)
def test_ranges_that_may_be_others(body):
    source = function(body)
    assert "for i in r:" in convert(source)[0]
    check_agrees(source, *CALLS, keep=True)
