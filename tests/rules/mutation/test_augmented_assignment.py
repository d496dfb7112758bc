"""Augmented assignment to a whole array."""

from np2jax.tests.helpers.differential import function
from np2jax.tests.helpers.rule_examples import example_of, leaves

test_example = example_of(__name__)
test_left = leaves(__name__, function("n += 1\nreturn n", "n: int"), function("x = x + 1\nreturn x"))
