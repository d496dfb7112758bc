"""An array that is given to kept code that changes it."""

from np2jax.tests.helpers.differential import function
from np2jax.tests.helpers.rule_examples import example_of, leaves

test_example = example_of(__name__)
test_left = leaves(
    __name__,
    function("return np.sin(x)"),
    "import numpy as np\n\n\ndef g(x: np.ndarray):\n    return x + 1\n\n\ndef f(x: np.ndarray):\n    return g(x * 2)\n",
)
