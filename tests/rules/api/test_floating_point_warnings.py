"""A block in which NumPy is told not to warn."""

from np2jax.tests.helpers.differential import function
from np2jax.tests.helpers.rule_examples import example_of, leaves

test_example = example_of(__name__)
test_left = leaves(__name__, function("with open(n) as file:\n    return file.read()", "n: str"), function("return np.log(x)"))
