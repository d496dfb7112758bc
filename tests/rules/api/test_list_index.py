"""A list as an index."""

from np2jax.tests.helpers.differential import function
from np2jax.tests.helpers.rule_examples import example_of, leaves

test_example = example_of(__name__)
test_left = leaves(__name__, function("return x[np.array([0, 1])]"), function("return {'a': [1]}['a'], x[(0, 1)]"))
