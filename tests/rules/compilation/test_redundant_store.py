"""Several stores to one place of an array, in a compiled loop."""

from np2jax.tests.helpers.differential import function
from np2jax.tests.helpers.rule_examples import example_of, leaves

test_example = example_of(__name__)
test_left = leaves(
    __name__, function("x[0] = 1\nx[0] += 2\nreturn x"), function("for i in range(1, len(x)):\n    x[i] = x[i - 1] * 2\nreturn x")
)
