"""An array compared with None or with text."""

from np2jax.tests.helpers.differential import function
from np2jax.tests.helpers.rule_examples import leaves, reports

test_reported = reports(__name__, function("return x == None"), function("return x != 'a'"))
test_left = leaves(__name__, function("return x is None"), function("return x == 3"))
