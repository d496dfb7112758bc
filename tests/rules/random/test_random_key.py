"""Keys for random numbers, and calls that pass them on."""

from np2jax.tests.helpers.differential import function
from np2jax.tests.helpers.rule_examples import example_of, leaves

test_example = example_of(__name__)
test_left = leaves(__name__, "def f(key: str, table: dict):\n    return table[key]\n", function("return np.sort(x)"))
