"""An array of NumPy that meets what JAX computes."""

from np2jax.tests.helpers.differential import function
from np2jax.tests.helpers.rule_examples import example_of, leaves

test_example = example_of(__name__)
test_left = leaves(__name__, function("return x[1:] * 2"), function("return np.arange(3) + x[:3]"))
