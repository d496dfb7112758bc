"""A clock that is read while JAX still computes."""

from np2jax.tests.helpers.rule_examples import example_of, leaves

test_example = example_of(__name__)
test_left = leaves(
    __name__,
    "import time\n\n\ndef f(n: int):\n    start = time.perf_counter()\n    n += 1\n    return time.perf_counter() - start\n",
)
