"""A pytest plugin (`-p jax_as_numpy`) with which a test suite written for NumPy can judge a package that returns jax.Array.

Only comparisons are patched: before an assertion of numpy.testing or unittest sees a jax.Array, it is converted to an ndarray
(or a NumPy scalar if it has no dimensions). The code under test, and what the tests themselves do with its results, are
unchanged.
"""

from __future__ import annotations

import functools
import unittest
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import numpy.testing

EXPECT_AN_EXCEPTION = {"assert_raises", "assert_raises_regex", "assert_warns", "assert_no_warnings"}
UNITTEST = (
    "Equal NotEqual AlmostEqual NotAlmostEqual True False ListEqual TupleEqual DictEqual Greater GreaterEqual Less LessEqual"
)


def to_numpy(value: Any) -> Any:
    """The value with every jax.Array in it, also inside lists, tuples and dicts, converted to NumPy."""
    if isinstance(value, jax.Array):
        if jnp.issubdtype(value.dtype, jax.dtypes.prng_key):
            return value
        return np.asarray(value)[()]
    if type(value) in (list, tuple):
        return type(value)(to_numpy(item) for item in value)
    if type(value) is dict:
        return {key: to_numpy(item) for key, item in value.items()}
    return value


def on_numpy(function: Callable[..., Any]) -> Callable[..., Any]:
    """The assertion, on NumPy arrays."""

    @functools.wraps(function)
    def asserting(*args: Any, **kwargs: Any) -> Any:
        return function(*map(to_numpy, args), **{key: to_numpy(value) for key, value in kwargs.items()})

    return asserting


for name in dir(numpy.testing):
    if name.startswith("assert_") and name not in EXPECT_AN_EXCEPTION:
        setattr(numpy.testing, name, on_numpy(getattr(numpy.testing, name)))
for name in UNITTEST.split():
    setattr(unittest.TestCase, f"assert{name}", on_numpy(getattr(unittest.TestCase, f"assert{name}")))
