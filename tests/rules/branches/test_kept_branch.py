"""An `if` on a traced value that keeps `jit` away."""

from np2jax.tests.helpers.differential import function
from np2jax.tests.helpers.rule_examples import leaves, reports

test_reported = reports(
    __name__,
    function("if x.sum() > 0:\n    print(x)\nreturn x * 2"),
    function("if x.sum() > 0:\n    y = 2.0\nelse:\n    y = x\nreturn y * 2"),
)
test_left = leaves(
    __name__, function("if x.sum() > 0:\n    return x * 2\nreturn x"), function("if x.ndim == 2:\n    x = x[0]\nreturn x * 2")
)
