"""A function that changes its arguments in place."""

from np2jax.tests.helpers.differential import function
from np2jax.tests.helpers.rule_examples import example_of, leaves

test_example = example_of(__name__)
test_left = leaves(__name__, function("y = x.copy()\ny[0] = 1\nreturn y"), function("items.append(1)", "items: list"))
