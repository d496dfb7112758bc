"""A test for one of NumPy's scalars."""

from np2jax.tests.helpers.differential import function
from np2jax.tests.helpers.rule_examples import example_of, leaves

test_example = example_of(__name__)
test_left = leaves(__name__, function("return isinstance(n, str)", "n"), function("return np.float64(n)", "n: float"))
