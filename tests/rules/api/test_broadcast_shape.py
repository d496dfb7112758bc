"""The shape that `np.broadcast` gives."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import check_agrees, check_noop
from np2jax.tests.helpers.rule_examples import example_of

test_example = example_of(__name__)

SOURCE = """
import numpy as np

def f(x: np.ndarray, y: np.ndarray):
    out = np.zeros(np.broadcast(x, y * 2, 1.0).shape)
    out[...] = x + y
    return out, np.broadcast(x, y).shape[-1:]
"""


@pytest.mark.parametrize("x, y", [((3,), (2, 3)), ((2, 1), (1, 4)), ((), ()), ((0, 3), (3,)), ((2, 3), ())])
def test_shapes(x, y):
    text = check_agrees(SOURCE, (np.ones(x), np.ones(y)))
    assert "jnp.broadcast_shapes(x.shape, (y * 2).shape, jnp.shape(1.0))" in text and "@jax.jit" in text


@pytest.mark.parametrize("line", ["np.broadcast(x, y).size", "np.broadcast(x, y)", "np.broadcast(*x).shape"])
def test_others_stay(line):
    check_noop(f"import numpy as np\n\ndef f(x, y):\n    print({line})\n")
