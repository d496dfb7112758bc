"""A comprehension that applies a function to every row."""

from np2jax.tests.helpers.differential import function
from np2jax.tests.helpers.rule_examples import example_of, leaves

test_example = example_of(__name__)
test_left = leaves(
    __name__, function("return [n + 1 for n in ns]", "ns: list[int]"), function("return [print(row) for row in x]")
)
