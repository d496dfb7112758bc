"""Several stores to one place of an array, in a compiled loop."""

import numpy as np

from np2jax.tests.helpers.differential import check_agrees, function
from np2jax.tests.helpers.rule_examples import example_of, leaves

test_example = example_of(__name__)
test_left = leaves(
    __name__, function("x[0] = 1\nx[0] += 2\nreturn x"), function("for i in range(1, len(x)):\n    x[i] = x[i - 1] * 2\nreturn x")
)


def test_an_exchange_is_a_store_to_both_elements():
    before = """
    import numpy as np

    def f(A: np.ndarray):
        A = A.copy()
        for i in range(1, len(A)):
            A[i] += A[i - 1]
            A[i], A[i - 1] = A[i - 1], A[i]
            A[i] += A[i - 1]
        return A
    """
    check_agrees(before, (np.array([1.0, 2.0, -3.0, 0.5]),))
