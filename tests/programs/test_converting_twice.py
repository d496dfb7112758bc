"""Code that is JAX's already stays as it is: nothing is jitted, wrapped or imported a second time."""

import pytest

from np2jax.tests.helpers.differential import check_noop, convert

DONE = {
    "what JAX code gives to kept code is what it gave before": """
import jax.numpy as jnp
import numpy as np


def doubled(x):
    return jnp.multiply(x, 2.0)


def noisy(x, rng: np.random.Generator):
    y = doubled(x)
    y[0] = np.random.randint(2, dtype=bool)
    return y
""",
    "what JAX code made is given to kept code as before": """
import jax.numpy as jnp
import numpy as np


def fill(out, kappa):
    out[0] = np.random.randint(2, dtype=bool)


def start(n):
    return jnp.zeros(n)


def main(n):
    fill(start(n), 4.0)
""",
    "whoever wrote it for JAX knew where to put jit": """
import jax.numpy as jnp


def norm(x, p=2):
    if p == 1:
        return jnp.sum(jnp.abs(x))
    return jnp.sqrt(jnp.sum(x**2))
""",
    "a copy in JAX code works for whatever it is given": """
import jax.numpy as jnp


def cleared(x):
    before = x.copy()
    return before, jnp.zeros_like(x)
""",
    "in JAX code that is not understood nothing is taken for NumPy's": """
import jax.numpy as jnp


def histogram(image, bins):
    return jnp.histogram(image, bins)[0]


def equalise(image, table):
    counts = table.pick(histogram(image, 8))
    counts /= counts[-1]
    return jnp.interp(image, jnp.arange(8), counts)


def main(image, table):
    return equalise(image, table) + histogram(image, 8)
""",
}


@pytest.mark.parametrize("source", DONE.values(), ids=DONE)
def test_jax_code_stays_as_it_is(source):
    check_noop(source)


def test_the_rows_of_an_array_are_no_list_of_arrays():
    source = """
import numpy as np


def total(weights: np.ndarray, rows: np.ndarray):
    result = np.zeros(rows.shape[1])
    for k, weight in enumerate(weights[::-1]):
        result = result + weight * rows[k]
    return result
"""
    made = convert(source)[0]
    assert "for k, weight in enumerate" not in made or "@jax.jit" not in made
