"""Functions that differ in what no rewriting mends."""

from np2jax.tests.helpers.differential import function
from np2jax.tests.helpers.rule_examples import example_of, leaves

test_example = example_of(__name__)
test_left = leaves(__name__, function("return np.sum(x)"), function("return np.dot(x, x)"))
