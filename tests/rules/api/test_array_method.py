"""Methods of arrays that JAX lacks, or has with other arguments."""

from np2jax.tests.helpers.differential import function
from np2jax.tests.helpers.rule_examples import example_of, leaves

test_example = example_of(__name__)
test_left = leaves(__name__, function("return x.sum(axis=0)"), function("return d.fill(3)", "d: dict"))
