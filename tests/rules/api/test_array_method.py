"""Methods of arrays that JAX lacks, or has with other arguments."""

import numpy as np

from np2jax.tests.helpers.differential import check_agrees, function
from np2jax.tests.helpers.rule_examples import example_of, leaves

test_example = example_of(__name__)
test_left = leaves(__name__, function("return x.sum(axis=0)"), function("return d.fill(3)", "d: dict"))


def test_sum_with_an_initial_value():
    """The method of JAX ignores it."""
    body = "return np.sqrt(x).sum(initial=1.0), x.sum(None, None, None, False, 3.0), y.sum(axis=0, initial=2.0), x.sum(initial=None), x.prod(initial=2.0)"
    text = check_agrees(
        function(body, "x: np.ndarray, y"), (np.array([1.0, 4.0]), np.ones((2, 3))), (np.array([]), np.ones((0, 2)))
    )
    assert "jnp.sum(y, axis=0, initial=2.0)" in text and "x.prod(initial=2.0)" in text
