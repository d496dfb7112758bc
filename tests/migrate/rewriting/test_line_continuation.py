"""Expressions over several lines stay together where they are moved out of the parentheses that held their lines."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import check_agrees

X = np.array([1.5, -2.0, 3.0, 0.25])
BODIES = {
    "a turn": "y = np.zeros(4)\n    for i in range(4):\n        k = int(x[i] * 0)\n        y[i] = (x[k] * 2\n{at}+ x[i])\n    return y",
    "a turn after another": "y = np.zeros(4)\n    for i in range(1, 4):\n        y[i] = (0.5 * y[i - 1]\n{at}+ x[i])\n    return y",
    "an argument": "y = []\n    for v in x:\n        y.append(np.sum(v)\n{at}+ 1)\n    return np.array(y)",
    "a sum": "t = 0.0\n    for v in x:\n        t += (np.linalg.norm(v)\n{at}- 1)\n    return t",
    "rows": "y = np.zeros(4)\n    for i in range(4):\n        y[i] = (x[i]\n{at}- np.linalg.norm(A[i]))\n    return y",
    "sides": "if x[0] > A[0, 0]:\n        y = (x\n{at}- 1)\n    else:\n        y = (x\n{at}+ 1)\n    return y",
    "while": "s = 0.0\n    while (s\n{at}- 1 < x[0]):\n        s = (s\n{at}- x[1])\n    return s",
    "a choice": "return (x\n{at}- 1\n{at}if x[0] > A[0, 0] else\n{at}- x)",
}


@pytest.mark.quick(4)
@pytest.mark.parametrize("column", [4, 8, 12, 20])
@pytest.mark.parametrize("name", BODIES)
def test_lines_stay_together(name, column):
    body = BODIES[name].format(at=" " * column)
    check_agrees(
        f"import numpy as np\n\n\ndef f(x: np.ndarray, A: np.ndarray):\n    {body}\n",
        (X, np.outer(X, X)),
        (X * 2, np.ones((4, 4))),
    )
