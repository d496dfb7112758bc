"""`numpy.matrix` and records, which JAX does not know."""

from np2jax.tests.helpers.differential import function
from np2jax.tests.helpers.rule_examples import leaves, reports

test_reported = reports(__name__, function("return np.matrix([[1, 2]]) * x"), function("return np.rec.array([(1, 2.0)])"))
test_left = leaves(__name__, function("return np.array([[1, 2]]) @ x"), function("return x.T"))
