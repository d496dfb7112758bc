"""An array of NumPy that takes in what an unknown object holds."""

from np2jax.tests.helpers.differential import function
from np2jax.tests.helpers.rule_examples import example_of, leaves

test_example = example_of(__name__)
test_left = leaves(__name__, function("x += 2\nreturn x"), function("return x + o.x", "x: np.ndarray, o"))
