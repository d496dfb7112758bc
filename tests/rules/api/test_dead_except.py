"""An exception of NumPy's that JAX never raises."""

from np2jax.tests.helpers.differential import function
from np2jax.tests.helpers.rule_examples import leaves, reports

test_reported = reports(
    __name__,
    function("try:\n    return np.linalg.inv(x)\nexcept np.linalg.LinAlgError:\n    return x"),
    function("with np.errstate(all='raise'):\n    return np.log(x)"),
)
test_left = leaves(
    __name__,
    function("try:\n    return table[name]\nexcept KeyError:\n    return None", "table: dict, name"),
    function("with np.errstate(all='ignore'):\n    return np.log(x)"),
)
