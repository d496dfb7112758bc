"""A set of the items of an array."""

from np2jax.tests.helpers.differential import function
from np2jax.tests.helpers.rule_examples import example_of, leaves

test_example = example_of(__name__)
test_left = leaves(__name__, function("return set(names)", "names: list[str]"), function("return np.unique(x)"))
