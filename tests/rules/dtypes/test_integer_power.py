"""Integers to the power of integers that may be negative."""

from np2jax.tests.helpers.differential import function
from np2jax.tests.helpers.rule_examples import example_of, leaves

test_example = example_of(__name__)
test_left = leaves(__name__, function("return np.arange(3) ** 2"), function("return x**2"))
