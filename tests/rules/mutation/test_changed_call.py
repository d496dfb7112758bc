"""A call of a function that changes its arguments."""

from np2jax.tests.helpers.rule_examples import example_of, leaves

test_example = example_of(__name__)
test_left = leaves(
    __name__,
    "import numpy as np\n\n\ndef g(x: np.ndarray):\n    return x + 1\n\n\ndef f(x: np.ndarray):\n    x = g(x)\n    return x\n",
)
