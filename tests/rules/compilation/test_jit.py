"""A pure function of arrays is compiled."""

from np2jax.tests.helpers.differential import function
from np2jax.tests.helpers.rule_examples import example_of, leaves

test_example = example_of(__name__)
test_left = leaves(__name__, function("print(x)\nreturn x.sum()"), "def f(n: int):\n    return n + 1\n")
