"""A Python function that NumPy calls for each element."""

from np2jax.tests.helpers.differential import function
from np2jax.tests.helpers.rule_examples import example_of, leaves, reports

test_example = example_of(__name__, found=False)
test_reported = reports(
    __name__,
    function("return np.vectorize(lambda v: 1 if v > 0 else 2)(x)"),
    function("return np.vectorize(lambda v: 0 < v < 1)(x)"),
    "import math\n" + function("return np.vectorize(lambda v: math.exp(v))(x)"),
    function("return np.apply_along_axis(op, 0, x)", "x: np.ndarray, op"),
    function("@np.vectorize\ndef sign(v):\n    return 1 if v > 0 else -1\n\nreturn sign(x)"),
)
test_left = leaves(__name__, function("return np.vectorize(lambda v: v + 1)(x)"), function("return list(map(abs, [1, 2]))"))
