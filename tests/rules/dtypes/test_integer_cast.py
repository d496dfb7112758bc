"""A cast of floating point values to integers."""

from np2jax.tests.helpers.differential import function
from np2jax.tests.helpers.rule_examples import example_of, leaves, reports

test_example = example_of(__name__, found=False)
test_reported = reports(__name__, function("return (x * 300.0).astype(np.uint8)"))
test_left = leaves(__name__, function("return np.arange(3).astype(np.int64)"), function("return x.astype(float)"))
