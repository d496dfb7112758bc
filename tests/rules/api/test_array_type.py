"""NumPy's array type in annotations and `isinstance`."""

from np2jax.tests.helpers.differential import function
from np2jax.tests.helpers.rule_examples import example_of, leaves

test_example = example_of(__name__)
test_left = leaves(__name__, function("return isinstance(n, int)", "n"), "def f(xs: list):\n    return xs\n")
