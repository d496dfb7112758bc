"""Numbers that JAX computes, given for parameters that must be known when tracing."""

import jax.numpy as jnp
import numpy as np
import pytest

from np2jax.tests.helpers.differential import check_agrees, convert, run
from np2jax.tests.helpers.rule_examples import example_of

test_example = example_of(__name__)

CALLEES = """\
import numpy as np


def counts(labels: np.ndarray, n: int):
    made = np.zeros(n)
    for label in labels:
        made[label] += 1
    return made


def scaled(x: np.ndarray, k: float):
    k = k or 3.0
    return x * k


def f(x: np.ndarray):
    {body}
"""
BODIES = {
    "a length": "return counts(x, len(x) + 3)",
    "of Python's": "return counts(x, int(x.max()) + 1)",
    "a mean": "return scaled(x, x.mean())",
    "named": "m = np.median(x)\n    return scaled(x, m)",
    "an item": "return scaled(x, x[1])",
    "a keyword": "return scaled(x, k=np.sum(x) / 3)",
    "given already": "return scaled(x, x.mean().item())",
    "written": "return scaled(x, 0.5) + counts(x, 6)[x]",
}


@pytest.mark.parametrize("name", BODIES)
def test_they_are_numbers_of_python(name):
    text = CALLEES.format(body=BODIES[name])
    x = np.array([0, 2, 1, 2])
    made = check_agrees(text, (x,))
    np.testing.assert_array_equal(run(made)["f"](jnp.asarray(x)), run(text)["f"](x))


def test_where_a_loop_is_moved():
    text = "import numpy as np\n\n\ndef f(lab: np.ndarray):\n    n = lab.max() + 1\n    c = np.zeros(n)\n    for v in lab:\n        c[v] += 1\n    return c\n"
    x = np.array([0, 2, 1, 2])
    np.testing.assert_array_equal(run(convert(text)[0])["f"](jnp.asarray(x)), run(text)["f"](x))


ITEMS = """\
import numpy as np


def filled(x: np.ndarray, n):
    return np.sum(x) * np.ones(n)


def f(x: np.ndarray, y: np.ndarray):
    d = y[1]
    return filled(x, int(d)) + filled(x, y[0]) + filled(x, d)


def g(x: np.ndarray, y: np.ndarray):
    d = y[1]
    for i in range(x.shape[0]):
        c = x[i]
        if d > 0.3:
            c -= d
        c = 0.5 + d
    return c
"""


@pytest.mark.parametrize("function", ["f", "g"])
def test_items_of_arguments(function):
    """JAX raised ValueError: an array has no hash. Found by random programs."""
    made = run(convert(ITEMS)[0])[function]
    for y in (np.array([2, 2]), np.array([3, 3])):
        np.testing.assert_array_equal(made(jnp.ones(3), jnp.asarray(y)), run(ITEMS)[function](np.ones(3), y))


SOMETIMES = """
import numpy as np


def spectrum(x):
    if x.ndim == 2:
        print(1)
    return np.abs(np.fft.fft(x)) ** 2


def f(data, width):
    print(width)
    psd = spectrum(data)
    n = np.ceil(psd.size / float(width))
    if n % 2 == 0:
        n = psd.size / width
    out = np.zeros(int(n))
    for i in range(int(n)):
        total = 0.0
        for k in range(width):
            total += psd[i * width + k]
        out[i] = total
    return out
"""


def test_a_number_that_is_an_array_on_some_paths():
    made = check_agrees(SOMETIMES, (np.arange(9.0), 3), (np.arange(8.0), 2))
    assert "_f_loop(jnp.asarray(n).item(), " in made
