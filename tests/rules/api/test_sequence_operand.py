"""Lists and tuples that are stored in arrays, where NumPy makes arrays of them."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import check_agrees
from np2jax.tests.helpers.rule_examples import example_of

test_example = example_of(__name__)

X = np.array([1.5, -2.0, np.nan, 0.25])
BODIES = {
    "a row": "out[0] = [x[0], x[1]]",
    "a tuple": "out[1, :] = x[0], 3",
    "a part": "out[:2, 1] = (x[0], 0.1)",
    "rows": "out[:2] = [[x[0], 1], [2, x[1]]]",
    "one": "out[2] = [x[1]]",
    "turns": "for i in range(len(x)):\n        out[i] = [x[i], i]",
    "turns with tuples": "for i in range(len(x)):\n        out[i, :] = x[i], x[i] ** 2",
    "turns that go on": "s, t = 0.9, 0.1\n    for i in range(len(x)):\n        out[i] = [s, t]\n        s, t = s - 0.1 * t, t + 0.1 * s",
    "a tuple that goes on": "s = 0.0\n    for i in range(len(x)):\n        s = s * 0.5 + x[i]\n        out[i] = s, x[i]",
    "one in turns": "for i in range(len(x)):\n        out[i] = [x[i]]",
    "under a test": "for i in range(len(x)):\n        if x[i] > 0:\n            out[i] = [x[i], 1]",
    "columns": "for j in range(2):\n        out[:, j] = [x[j], j, 0.1, 7]",
}


@pytest.mark.parametrize("made", ["np.zeros((4, 2))", "np.zeros((4, 2), int)", "np.zeros((4, 2), np.float32)", "np.ones_like(y)"])
@pytest.mark.parametrize("name", BODIES)
def test_agrees(name, made):
    text = f"import numpy as np\n\n\ndef f(x: np.ndarray, y: np.ndarray):\n    out = {made}\n    {BODIES[name]}\n    return out\n"
    y = np.zeros((4, 2))
    check_agrees(text, *((np.nan_to_num(X).astype(dtype), y) for dtype in (float, int, np.float32)), keep=name == "rows")
