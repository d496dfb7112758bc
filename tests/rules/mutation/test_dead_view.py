"""A view that is only made to change its base."""

from np2jax.tests.helpers.differential import function
from np2jax.tests.helpers.rule_examples import example_of, leaves

test_example = example_of(__name__)
test_left = leaves(__name__, function("v = x[1:]\nreturn v.sum()"), function("v = x[1:].copy()\nv[0] = 1\nreturn x, v"))
