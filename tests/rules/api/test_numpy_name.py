"""Names of NumPy become those of `jax.numpy`."""

from np2jax.tests.helpers.differential import function
from np2jax.tests.helpers.rule_examples import example_of, leaves

test_example = example_of(__name__)
test_left = leaves(__name__, function("return x[0]"), "import math\n\n\ndef f(x: float):\n    return math.pi * x\n")
