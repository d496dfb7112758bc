"""A loop over data that stays Python's, and keeps `jit` away."""

from np2jax.tests.helpers.differential import function
from np2jax.tests.helpers.rule_examples import leaves, reports

test_reported = reports(
    __name__,
    function("s = 0\nfor r in x:\n    try:\n        s = s + r\n    finally:\n        s = s * 2\nreturn s"),
    function("d = {}\nfor i in range(len(x)):\n    d[i] = x[i] * 2\nreturn d"),
)
test_left = leaves(
    __name__,
    function("s = 0.0\nfor i in range(len(x)):\n    s += x[i]\nreturn s"),
    function("while x.sum() > 1:\n    x = x / 2\nreturn x"),
)
