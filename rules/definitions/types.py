"""Numbers in arrays without dimensions: JAX has no scalar types of its own."""

from __future__ import annotations

_NUMBER = '''
def _number(x):
    """A number of NumPy's dtype for an array of JAX without dimensions, anything else as it is: to ask for its type."""
    extended = isinstance(x, jax.Array) and jnp.issubdtype(x.dtype, jax.dtypes.extended)
    return x.dtype.type(0) if isinstance(x, jax.Array) and x.ndim == 0 and not extended else x
'''

ITEM = "_item"
_ITEM = '''
def _item(x):
    """The only item of an array; as wide as any if it is an integer, since Python's have no limits."""
    return x.reshape(()).astype(jnp.promote_types(x.dtype, jnp.int_))
'''

SOURCES: dict[str, str] = {"_number": _NUMBER.strip() + "\n", ITEM: _ITEM.strip() + "\n"}
