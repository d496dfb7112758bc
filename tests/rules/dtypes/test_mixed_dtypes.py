"""Arithmetic in which JAX gives a narrower dtype."""

from np2jax.tests.helpers.differential import function
from np2jax.tests.helpers.rule_examples import example_of, leaves

test_example = example_of(__name__)
test_left = leaves(__name__, function("return x * 2.0"), function("return np.zeros(3, np.float32) + np.ones(3, np.float32)"))
