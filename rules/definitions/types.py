"""The value to use in tests of its type: JAX has no scalar types of its own."""

from __future__ import annotations

_NUMBER = '''
def _number(x):
    """A number of NumPy's dtype for an array of JAX without dimensions, anything else as it is: to ask for its type."""
    extended = isinstance(x, jax.Array) and jnp.issubdtype(x.dtype, jax.dtypes.extended)
    return x.dtype.type(0) if isinstance(x, jax.Array) and x.ndim == 0 and not extended else x
'''

SOURCES: dict[str, str] = {"_number": _NUMBER.strip() + "\n"}
